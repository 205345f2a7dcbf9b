#include "support/samples.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "base/frame.hpp"
#include "core/bytes.hpp"
#include "daemon/letters.hpp"
#include "daemon/receipts.hpp"
#include "durable/file_register.hpp"
#include "net/link_frames.hpp"
#include "protocols/multilock/counters.hpp"
#include "protocols/semaphore/permits.hpp"
#include "session/frames.hpp"
#include "support/filled.hpp"

namespace allot::test {

namespace {

class Seeds {
public:
    void add(const std::string& target, const std::string& name, std::string bytes) {
        all.push_back({target, name, std::move(bytes)});
    }
    // One for each value, called by the kind of it.
    template <class Message>
    void add(const std::string& target, const std::vector<Message>& messages) {
        for (const Message& message : messages)
            add(target, std::string(kind_name(message)), to_bytes(message, newest_edition));
    }

    std::vector<Sample> all;
};

session::Party party() {
    return {.host = "ant", .pid = 7, .user = "root", .command = "make", .wanted = {"db", "gpu0"}};
}

void add_sessions(Seeds& seeds) {
    using namespace session;
    const Status status{
        .host = "ant",
        .hosts = {{.name = "ant", .state = "up", .links = {{.to = "bee", .state = "up"}}}},
        .resources = {
            {.name = "db", .kind = "lock", .holders = {party()}, .waiters = {party()}, .place = "ant"}}};
    seeds.add<ClientMessage>(
        "client_message",
        {Hello{.command = "make"}, Acquire{1, {"db", "gpu0"}, {{"licence", 2}}, 5'000'000}, Release{1},
         Follow{1, 4711}, Ping{300}, StatusQuery{}, Order{"release", {"db", "17"}}});
    seeds.add<DaemonMessage>(
        "daemon_message",
        {Welcome{.session = "s1", .host = "ant", .resumed = true, .open = {1, 300}},
         Granted{1, {{"db", 12}, {"licence", 1}}}, Refused{1, Refusal::timed_out, "too late"}, Released{1},
         Lost{1, "host bee is gone"}, Pong{300}, StatusAnswer{status}, Farewell{"bye"},
         OrderAnswer{false, "no such order"}});
}

net::Hello hello() {
    return {.from = "ant",
            .to = "bee",
            .agreement = 0x1234'5678'9abc'def0,
            .settings = {{"bootstrap.lease", "3s"}, {"bootstrap.seats", "1024"}},
            .payload_limit = 4 << 20,
            .position = {.incarnation = 3, .met = 2, .received = 300},
            .process = 1,
            .connection = 2,
            .mark = ProcessMark{.boot = "b", .pid_namespace = "pid:[1]", .pid = 42, .started = 99}};
}

void add_links(Seeds& seeds) {
    std::string first;
    net::put_hello(hello(), first);
    seeds.add("hello", "Hello", first.substr(frame_head));
    std::string frames;
    net::put_link_frame({net::FrameKind::payload, 300}, "payload", frames);
    net::put_link_frame({net::FrameKind::acknowledge, 299}, "", frames);
    net::put_link_frame({net::FrameKind::refusal, 0}, "too old", frames);
    net::put_link_frame({net::FrameKind::goodbye, 0}, "", frames);
    seeds.add("link_stream", "Frames", "\x05" + frames);
    seeds.add("link_stream", "Connection", "\xff" + first + frames);
}

// One letter for each kind of these messages, with no member left out.
template <class Messages>
void add_each(Seeds& seeds, const std::string& target) {
    [&]<class... Ms>(const std::variant<Ms...>*) {
        (seeds.add<daemon::Letter>(target, {filled<Ms>()}), ...);
    }(static_cast<const Messages*>(nullptr));
}

void add_daemons(Seeds& seeds) {
    using namespace daemon;
    const daemon::Report report{.host = {.name = "ant", .state = "up"},
                                .queues = {{"db", {1, 9}}},
                                .parties = {{.party = party(),
                                             .held = {{"db", 12}},
                                             .waiting = {"licence"},
                                             .units = {{"licence", 2}},
                                             .seated = true,
                                             .site = 9}},
                                .unlisted = {{"licence", true, 1, 2, 300}},
                                .troubles = {{"builds", "why"}},
                                .more_resources = 7};
    add_each<host::Member::Message>(seeds, "letter");
    seeds.add<Letter>("letter", {ReportQuery{7}, ReportAnswer{7, report}, Piece{true, "bytes"},
                                 Evict{"db", 17, "ann ordered its release"}, RegisterQuery{7},
                                 RegisterAnswer{7, {.view = 3, .members = {{0, 256}}}}});
    seeds.add("council", "Files", to_bytes(sample_state().council, newest_edition));
}

void add_protocols(Seeds& seeds) {
    const counters::Ask ask{
        .kind = counters::Kind::loan, .resource = "db", .site = 3, .number = 7, .missing = {"gpu0"}};
    const counters::Token token{.resource = "db",
                                .counter = 300,
                                .past = {.counted = {{3, 7}}, .served = {{3, 6}}},
                                .queue = {{.site = 3, .number = 7, .missing = {"gpu0"}}},
                                .lender = 2};
    seeds.add<Counters::Message>(
        "counters_message", {Counters::Request{.visited = {1, 2}, .asks = {ask}},
                             Counters::Counter{{{.resource = "db", .value = 300, .number = 7}}},
                             Counters::Tokens{{token}}, Counters::Hint{{{.resource = "db", .holder = 3}}}});
    const Permits::Lives lives{.sender = 2, .addressee = 1};
    seeds.add<Permits::Message>(
        "permits_message", {Permits::Init{2}, Permits::Ack{.lives = lives, .clock = Stamp{}, .started = true},
                            Permits::Request{lives}, Permits::Reply{lives},
                            Permits::Defer{.lives = lives, .units = 2}, Permits::Crash{}, Permits::Leave{}});
}

}  // namespace

std::vector<Sample> samples() {
    Seeds seeds;
    add_sessions(seeds);
    add_links(seeds);
    add_daemons(seeds);
    add_protocols(seeds);
    return std::move(seeds.all);
}

State sample_state() {
    State state{.memory = filled<daemon::HostFolder::Memory>(),
                .voters = {"ant", "bee"},
                .settings = filled<agreement::Settings>(),
                .key = "not a secret key",
                .council = filled<agreement::Council::Files>(),
                .value = {},
                .certificate = {"ant", 117'558'528}};
    // As the register counts after it was founded with view 7.
    state.value.version = Stamp{}.next();
    state.value.view = 8;
    state.value.id = {1, 2, 3};
    state.value.members = {{0, 256}, {1, 512}};
    state.value.certified = {{2, 256}};
    state.value.settings = state.settings;
    state.value.kept = {filled<agreement::Kept>()};
    return state;
}

std::string write_state(const std::string& folder) {
    const State state = sample_state();
    daemon::HostFolder host(folder);
    if (const auto opened = host.open(); !opened) return opened.error();
    if (const auto noted = host.note(state.memory); !noted) return noted.error();
    if (const auto named = host.name_voters(state.voters); !named) return named.error();
    if (const auto noted = host.note_settings(state.settings); !noted) return noted.error();
    if (const auto written = daemon::Receipts::write_key(folder, state.key); !written) return written.error();
    const durable::FileRegister file(folder + "/register");
    if (const auto founded = file.found(7); !founded) return founded.error();
    const agreement::Change change{.members = state.value.members,
                                   .certified = state.value.certified,
                                   .settings = state.settings,
                                   .kept = state.value.kept};
    if (const auto changed = file.exchange({}, change, state.value.id); !changed) return changed.error();
    if (const auto certified = durable::write_certificate(folder + "/certificate", state.certificate);
        !certified)
        return certified.error();
    boost::asio::io_context loop;
    const auto work = boost::asio::make_work_guard(loop);
    bool written = false;
    daemon::CouncilFile council(loop, folder, [&] { written = true; });
    council.write(state.council, newest_edition);
    while (!written) loop.run_one();
    return "";
}

}  // namespace allot::test
