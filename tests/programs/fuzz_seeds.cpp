// fuzz_seeds DIR: writes the first inputs of each fuzz target, made from values as programs and daemons send
// them. Run it again when a format changes: cmake --build build --target fuzz_seeds && build/fuzz_seeds
// tests/fuzz/corpus

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "base/frame.hpp"
#include "core/bytes.hpp"
#include "daemon/letters.hpp"
#include "net/saved_mesh.hpp"
#include "protocols/agreement/council.hpp"
#include "protocols/multilock/counters.hpp"
#include "protocols/semaphore/permits.hpp"
#include "session/frames.hpp"

namespace {

using namespace allot;

class Seeds {
public:
    explicit Seeds(std::filesystem::path folder) : folder_(std::move(folder)) {}

    void add(const std::string& target, const std::string& name, const std::string& bytes) const {
        std::filesystem::create_directories(folder_ / target);
        std::ofstream(folder_ / target / name, std::ios::binary) << bytes;
    }
    // One for each value, called by the kind of it.
    template <class Message>
    void add(const std::string& target, const std::vector<Message>& messages) const {
        for (const Message& message : messages)
            add(target, std::string(kind_name(message)), to_bytes(message));
    }

private:
    const std::filesystem::path folder_;
};

session::Party party() {
    return {.host = "ant", .pid = 7, .user = "root", .command = "make", .wanted = {"db", "gpu0"}};
}

void add_sessions(const Seeds& seeds) {
    using namespace session;
    const Status status{
        .host = "ant",
        .hosts = {{.name = "ant", .state = "up", .links = {{.to = "bee", .state = "up"}}}},
        .resources = {
            {.name = "db", .kind = "lock", .holders = {party()}, .waiters = {party()}, .place = "ant"}}};
    seeds.add<ClientMessage>(
        "client_message", {Hello{.command = "make"}, Acquire{1, {"db", "gpu0"}, {{"licence", 2}}, 5'000'000},
                           Release{1}, Follow{1, 4711}, Ping{300}, StatusQuery{}});
    seeds.add<DaemonMessage>(
        "daemon_message",
        {Welcome{.session = "s1", .host = "ant", .resumed = true, .open = {1, 300}},
         Granted{1, {{"db", 12}, {"licence", 1}}}, Refused{1, Refusal::timed_out, "too late"}, Released{1},
         Lost{1, "host bee is gone"}, Pong{300}, StatusAnswer{status}, Farewell{"bye"}});
}

net::Hello hello() {
    return {.from = "ant",
            .to = "bee",
            .agreement = 0x1234'5678'9abc'def0,
            .payload_limit = 4 << 20,
            .position = {.incarnation = 3, .met = 2, .received = 300},
            .process = 1,
            .connection = 2,
            .mark = net::ProcessMark{.boot = "b", .pid_namespace = "pid:[1]", .pid = 42, .started = 99}};
}

void add_links(const Seeds& seeds) {
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
    const net::LinkState state{
        .own = 3, .peer = 2, .received = 300, .acknowledged = 7, .kept = {"eight", "", "ten"}};
    seeds.add(
        "saved_mesh", "SavedMesh",
        to_bytes(net::SavedMesh{.self = "ant", .agreement = 42, .links = {{"bee", state}, {"cat", {}}}}));
}

// One letter for each kind of these messages.
template <class Messages>
void add_each(const Seeds& seeds, const std::string& target) {
    [&]<class... Ms>(const std::variant<Ms...>*) {
        (seeds.add<daemon::Letter>(target, {Ms{}}), ...);
    }(static_cast<const Messages*>(nullptr));
}

void add_daemons(const Seeds& seeds) {
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
    seeds.add<Letter>("letter", {ReportQuery{7}, ReportAnswer{7, report}});
    agreement::Council::Files files;
    files.papers.disk = files.voter.disk = 7;
    files.papers.record = files.voter.record = {1, {{0, 7}, {1, 8}, {2, 9}}};
    files.memory.heard[1] = {{1, 3}, {{2, 1, 3}, true}};
    seeds.add("council", "Files", to_bytes(files));
}

void add_protocols(const Seeds& seeds) {
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

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: fuzz_seeds DIR, as in fuzz_seeds tests/fuzz/corpus\n");
        return 2;
    }
    const Seeds seeds(argv[1]);
    add_sessions(seeds);
    add_links(seeds);
    add_daemons(seeds);
    add_protocols(seeds);
    return 0;
}
