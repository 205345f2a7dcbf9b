#include "play/player.hpp"

#include <algorithm>

#include "base/stop.hpp"
#include "core/json.hpp"
#include "play/header.hpp"
#include "play/narrator.hpp"
#include "play/steps.hpp"
#include "walk/notation.hpp"

namespace allot::play {

namespace {

using walk::EnvelopeId;
using walk::Move;
using walk::World;
using world::InputKind;

constexpr std::uint64_t usual_rounds = 1000;

std::string after(std::uint64_t rounds) {
    return "after " + std::to_string(rounds) + (rounds == 1 ? " round" : " rounds");
}

// One scenario being played.
class Run {
public:
    Run(const Scenario& scenario, std::unique_ptr<walk::Machine> machine, const Servable& servable,
        Audience& audience)
        : scenario_(scenario), stage_(std::move(machine)), servable_(servable), audience_(audience) {
        audience_.note(now().line, now().text, "");
        audience_.beginning(stage_);
    }

    // Plays to the end or to the first fault; line() is then its line.
    Problem play() {
        while (++next_ < scenario_.statements.size()) {
            stop::poll();
            line_ = now().line;
            if (auto problem = judge_start()) return problem;
            if (auto problem = misplaced()) return problem;
            if (auto problem = carry_out()) return problem;
        }
        if (auto problem = judge_start()) return problem;
        if (stage_.loop() && !concluded_)
            return bad("nothing judges the loop: end with expect starving SITE");
        return std::nullopt;
    }
    std::size_t line() const { return line_; }

private:
    const Statement& now() const { return scenario_.statements[next_]; }
    Words words() const {
        const bool expect = now().verb == Verb::expect;
        return {now().words, expect ? expect_usage : usage(now().verb), stage_.machine().setup().sites};
    }
    Fault explained(Fault fault) const {
        fault.message = now().text + ": " + fault.message;
        return fault;
    }

    Problem misplaced() const;
    Problem carry_out();
    Problem take(const Move& move);
    Problem take_step();
    Problem tick();
    Problem settle();
    Problem settle_round();
    std::vector<EnvelopeId> deliverable();
    Problem set_state();
    Problem put_message();
    Problem empty();
    Problem begin_loop();
    Problem expect();
    Problem show();

    void rewrite(World world);
    Problem judge_start();
    Problem violated(const Report& report, std::size_t following);

    const Scenario& scenario_;
    Stage stage_;
    const Servable& servable_;
    Audience& audience_;
    std::size_t next_ = 0;  // the present statement; the first is the header
    std::size_t line_ = 0;
    bool start_judged_ = false;  // the world that `state` and `put` made was judged
    bool concluded_ = false;     // the loop was judged
    Report violation_;           // an expected violation, which ends the scenario
};

// Why the statement is not allowed here.
Problem Run::misplaced() const {
    const Verb verb = now().verb;
    if (verb == Verb::expect || verb == Verb::show) return std::nullopt;
    if (!violation_.clean())
        return explained(bad("a scenario ends with its violation; only expect and show may follow"));
    if (concluded_) return explained(bad("the loop repeats forever; only expect and show may follow"));
    if (!stage_.loop()) return std::nullopt;
    if (verb == Verb::loop) return explained(bad("there is a loop already"));
    if (verb == Verb::state || verb == Verb::put || verb == Verb::empty)
        return explained(bad("this is no step, so it cannot repeat; write it before loop"));
    return std::nullopt;
}

Problem Run::carry_out() {
    switch (now().verb) {
        case Verb::settle:
            return settle();
        case Verb::tick:
            return tick();
        case Verb::state:
            return set_state();
        case Verb::put:
            return put_message();
        case Verb::empty:
            return empty();
        case Verb::expect:
            return expect();
        case Verb::loop:
            return begin_loop();
        case Verb::show:
            return show();
        default:
            return take_step();
    }
}

// `tick 0 3` is three steps.
Problem Run::tick() {
    Words statement = words();
    const std::string clock = statement.word("a site, or all");
    const std::uint64_t count = statement.more() ? statement.number("a number of ticks") : 1;
    if (const auto wrong = statement.finish()) return explained(bad(*wrong));
    for (std::uint64_t i = 0; i < count && violation_.clean(); ++i) {
        Words once({clock}, usage(Verb::tick), stage_.machine().setup().sites);
        const auto move = read_step(stage_, Verb::tick, once);
        if (!move) return explained(bad(move.error()));
        if (auto problem = take(*move)) return problem;
    }
    return std::nullopt;
}

Problem Run::take_step() {
    Words statement = words();
    const auto move = read_step(stage_, now().verb, statement);
    if (!move) return explained(bad(move.error()));
    return take(*move);
}

Problem Run::take(const Move& move) {
    const std::string text = walk::line_of(stage_.machine(), stage_.world(), move);
    const Taken taken = stage_.take(move);
    audience_.step(line_, text, stage_, move, taken);
    return taken.report.clean() ? std::nullopt : violated(taken.report, next_ + 1);
}

Problem Run::settle() {
    Words statement = words();
    const std::uint64_t rounds = statement.more() ? statement.number("a number of rounds") : usual_rounds;
    if (const auto wrong = statement.finish()) return explained(bad(*wrong));
    std::uint64_t round = 0;
    for (; !deliverable().empty() && violation_.clean(); ++round) {
        if (round == rounds)
            return explained(
                failed(after(rounds) + " there is still in flight: " + flight_text(stage_, deliverable())));
        if (auto problem = settle_round()) return problem;
    }
    audience_.note(line_, now().text, after(round));
    return std::nullopt;
}

// Messages that wait at a cut or for a paused site stay in flight.
std::vector<EnvelopeId> Run::deliverable() {
    std::vector<EnvelopeId> list = stage_.in_flight();
    std::erase_if(list, [&](EnvelopeId id) {
        const auto& envelope = stage_.machine().envelope(id);
        return stage_.conditions().is_cut(envelope.from, envelope.to) ||
               stage_.walker().is_paused(stage_.world(), envelope.to);
    });
    return list;
}

Problem Run::settle_round() {
    for (const EnvelopeId id : deliverable()) {
        const SiteId to = stage_.machine().envelope(id).to;
        auto problem = take({.site = to, .input = {InputKind::deliver, id, 0}, .envelope = id, .fair = true});
        if (problem || !violation_.clean()) return problem;
    }
    return std::nullopt;
}

// A world made by hand is judged once it is complete.
void Run::rewrite(World world) {
    stage_.rewrite(std::move(world));
    start_judged_ = false;
    audience_.note(line_, now().text, "");
    audience_.rewritten(stage_);
}

Problem Run::set_state() {
    Words statement = words();
    const SiteId site = statement.site();
    const boost::json::value part = statement.json("a part of its state as JSON");
    if (const auto wrong = statement.finish()) return explained(bad(*wrong));
    if (!stage_.site(site).up())
        return explained(bad("site " + std::to_string(site) + " is " +
                             std::string(condition(stage_.site(site))) +
                             "; only a site that is up has a state"));
    World world = stage_.world();
    if (const auto wrong = stage_.machine().merge_state(world.sites[site], part))
        return explained(bad(*wrong));
    rewrite(std::move(world));
    return std::nullopt;
}

Problem Run::put_message() {
    Words statement = words();
    const Channel channel = statement.channel();
    const boost::json::value message = statement.json("a message as JSON");
    if (const auto wrong = statement.finish()) return explained(bad(*wrong));
    if (!stage_.site(channel.to).up())
        return explained(bad("site " + std::to_string(channel.to) + " is " +
                             std::string(condition(stage_.site(channel.to))) +
                             ", and messages to it vanish"));
    EnvelopeId made = 0;
    if (const auto wrong = stage_.machine().make_message(channel.from, channel.to, message, made))
        return explained(bad(*wrong));
    World world = stage_.world();
    stage_.walker().put(world, made);
    rewrite(std::move(world));
    return std::nullopt;
}

Problem Run::empty() {
    Words statement = words();
    if (const auto wrong = statement.finish()) return explained(bad(*wrong));
    World world = stage_.world();
    world.flight.clear();
    rewrite(std::move(world));
    return std::nullopt;
}

Problem Run::begin_loop() {
    Words statement = words();
    if (const auto wrong = statement.finish()) return explained(bad(*wrong));
    stage_.begin_loop();
    audience_.note(line_, now().text, "");
    return std::nullopt;
}

Problem Run::expect() {
    Words statement = words();
    if (auto problem = judge_expectation(stage_, violation_, servable_, statement))
        return explained(*problem);
    concluded_ = concluded_ || (stage_.loop() && concludes_loop(now().words));
    audience_.note(line_, now().text, "as expected");
    return std::nullopt;
}

Problem Run::show() {
    Words statement = words();
    if (const auto wrong = statement.finish()) return explained(bad(*wrong));
    audience_.note(line_, now().text, "");
    audience_.show(stage_);
    return std::nullopt;
}

// Judges the first world, and every world made by hand, before the first statement that does not change it by
// hand.
Problem Run::judge_start() {
    const bool at_end = next_ >= scenario_.statements.size();
    const bool making =
        !at_end && (now().verb == Verb::state || now().verb == Verb::put || now().verb == Verb::empty);
    if (start_judged_ || making) return std::nullopt;
    start_judged_ = true;
    Report report = stage_.judge();
    if (!stage_.before_last_step()) report.add(stage_.birth());
    if (report.clean()) return std::nullopt;
    Problem problem = violated(report, next_);
    if (problem) line_ = scenario_.statements[next_ - 1].line;
    return problem;
}

// A violation is right if the next expectations name it; the scenario then ends with it.
Problem Run::violated(const Report& report, std::size_t following) {
    audience_.violated(report);
    const auto& all = scenario_.statements;
    for (std::size_t i = following; i < all.size(); ++i) {
        if (all[i].verb != Verb::expect && all[i].verb != Verb::show) break;
        if (all[i].words.empty() || all[i].words[0] != "violation") continue;
        violation_ = report;
        return std::nullopt;
    }
    const Statement& blamed = all[following - 1];
    return failed(blamed.text + ": violates " + report.property() + ": " + report.detail() +
                  " (if you expect that, write expect violation " + report.property() + " next)");
}

}  // namespace

Outcome Player::play(std::string_view file_name, std::string_view text, std::ostream* log) const {
    Narrator narrator(log);
    return play(file_name, text, narrator);
}

Outcome Player::play(std::string_view file_name, std::string_view text, Audience& audience) const {
    const auto outcome = [&](int exit_code, std::size_t line, const std::string& message) {
        return Outcome{exit_code, std::string(file_name) + ":" + std::to_string(line) + ": " + message};
    };
    const Scenario scenario = read_scenario(text);
    if (scenario.error) return outcome(2, scenario.error->line, scenario.error->message);
    auto machine = make_machine(scenario, protocols_);
    if (!machine) return outcome(2, scenario.statements.front().line, machine.error());
    Run run(scenario, std::move(*machine), servable_, audience);
    const Problem problem = run.play();
    if (!problem) return {};
    return outcome(problem->kind == Fault::Kind::failed ? 1 : 2, run.line(), problem->message);
}

}  // namespace allot::play
