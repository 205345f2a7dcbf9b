#include "protocols/agreement/bootstrap.hpp"

#include <algorithm>

#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot {

using namespace agreement;

namespace agreement {

Result<VoterLists> VoterLists::parse(std::string_view name, std::string_view text) {
    VoterLists read;
    read.text_ = text;
    read.lists_ = split_list(text);
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    for (const std::string& list : read.lists_) {
        const bool ascending = std::ranges::is_sorted(list, std::ranges::less_equal());
        if (text != "all" && (list.empty() || !std::ranges::all_of(list, is_digit) || !ascending))
            return Error{"--" + std::string(name) + " " + std::string(text) +
                         ": write all, or ascending digits for each site, as in 012 or 01,01,12"};
    }
    return read;
}

SiteId VoterLists::largest() const {
    SiteId largest = 0;
    for (const std::string& list : lists_)
        if (!names_all()) largest = std::max(largest, SiteId(static_cast<std::uint32_t>(list.back() - '0')));
    return largest;
}

std::vector<SiteId> VoterLists::list(SiteId site, std::uint32_t sites) const {
    std::vector<SiteId> voters;
    if (names_all()) {
        for (SiteId voter = 0; voter < sites; ++voter) voters.push_back(voter);
        return voters;
    }
    for (const char digit : lists_[lists_.size() == 1 ? 0u : std::uint32_t{site}])
        voters.emplace_back(static_cast<std::uint32_t>(digit - '0'));
    return voters;
}

}  // namespace agreement

namespace {

constexpr std::string_view active = "active";
constexpr std::string_view met = "met";
constexpr std::string_view probes[]{active, met};

std::optional<std::string> lists_error(const char* name, const VoterLists& lists, std::uint32_t sites) {
    const std::string where = "--" + std::string(name) + " " + lists.text() + ": ";
    if (lists.largest() >= sites)
        return where + "there is no site " + std::to_string(lists.largest()) + "; write numbers below " +
               std::to_string(sites);
    if (lists.size() != 1 && lists.size() != sites)
        return where + "write one list, or " + std::to_string(sites) + " of them, one per site";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> Bootstrap::config_error(const Config& config) {
    if (auto error = lists_error("lists", config.lists, config.sites)) return error;
    return lists_error("edited", config.edited, config.sites);
}

// A voter of each list keeps its disk: the loss of all is not survived.
void Bootstrap::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    const std::string lists = draw.choice(
        "lists", sites < 3 ? std::vector<std::string>{"all"}
                           : std::vector<std::string>{"all", "012", sites == 3 ? "01,01,12" : "01"});
    const std::uint32_t voters = lists == "all" ? sites : lists == "012" ? 3 : 2;
    const auto crashes = draw.faults("crashes", voters);
    draw.number("restarts", 0, crashes);
    draw.number("lost-disks", 0, std::min(crashes, voters - 1));
    draw.faults("lose", 3);
    draw.faults("duplicate", 2);
    draw.choice("writes", {"instant", "late"});
}

void Bootstrap::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

Bootstrap::Self Bootstrap::self_of(const Context& ctx) {
    const Config& config = ctx.config;
    const bool edited = ctx.incarnation > 0 && !config.edited.names_all();
    const VoterLists& files = edited ? config.edited : config.lists;
    return {ctx.self, ctx.incarnation, config.sites, files.list(ctx.self, config.sites), config.rules};
}

template <class Action>
void Bootstrap::step(const Context& ctx, Effects& fx, Action&& action) {
    const Self self = self_of(ctx);
    const Papers before = papers();
    FormingEffects out;
    action(self, out);
    if (!before.used && papers().used) fx.reached(papers().stage == Stage::active ? active : met);
    for (FormingEffects::Send& send : out.sends) fx.send(send.to, std::move(send.message));
    if (out.persist) fx.persist();
}

void Bootstrap::start(const Context& ctx, Effects& fx) {
    step(ctx, fx, [&](const Self& self, FormingEffects& out) { forming_.start(self, out); });
}

void Bootstrap::receive(const Context& ctx, SiteId from, const Hello& message, Effects& fx) {
    step(ctx, fx, [&](const Self& self, FormingEffects& out) { forming_.receive(self, from, message, out); });
}

void Bootstrap::synced(const Context& ctx, Effects& fx) {
    step(ctx, fx, [&](const Self& self, FormingEffects& out) { forming_.synced(self, out); });
}

void Bootstrap::request(const Context&, const Demand&, Effects& fx) {
    phase_ = Phase::holding;
    fx.granted();
}

void Bootstrap::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    fx.released();
}

Bootstrap Bootstrap::after_crash(Disk disk) const {
    Bootstrap next;
    next.forming_ = forming_.after_crash(disk);
    return next;
}

// --- Properties.

namespace {

constexpr PropertyName one_register{"one-register", "no two records of one generation are ever active"};
constexpr PropertyName properties[]{one_register};

}  // namespace

// A disk remembers the active record that its host has met, and the disk of a host that is down counts, too.
void Bootstrap::on_state(const View<Bootstrap>& view, Report& report) {
    const std::optional<Record>* first = nullptr;
    for (const auto* site : view.sites) {
        const std::optional<Record>& used = site->protocol.papers().used;
        if (!used) continue;
        if (first != nullptr && *first != used)
            report.violated(one_register.name, "two records of one generation are active");
        first = &used;
    }
}

void Bootstrap::normalise(MutableView<Bootstrap>& view) {
    std::erase_if(view.flight, [&](const auto& envelope) {
        const auto& receiver = view.sites[envelope.to];
        const Hello& hello = std::get<Hello>(envelope.message);
        const Self self = self_of({view.config, envelope.to, receiver.incarnation});
        return !hello.again && !receiver.protocol.forming_.matters(self, envelope.from, hello);
    });
}

constinit const Model<Bootstrap> Bootstrap::model{
    .name = "bootstrap",
    .problem = "agreement",
    .summary = "the first start of a register: the voters of a list form the first record",
    .source = "for the register after Rystsov: CASPaxos, replicated state machines without logs (2018)",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.may_request = &Bootstrap::may_request},
    .durability = {.after_crash = &Bootstrap::after_crash},
    .reduction = {.normalise = &Bootstrap::normalise},
};

}  // namespace allot
