// The guardian, with real processes that it stops.
#include "guardian/guardian.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/processes.hpp"
#include "durable/certificate.hpp"
#include "guardian/link.hpp"
#include "support/folder.hpp"
#include "support/node.hpp"

namespace allot::guardian {

namespace {

using namespace std::chrono_literals;
using TimePoint = BootClock::time_point;
using testing::HasSubstr;

constexpr int patience_ms = 10'000;
constexpr auto far = 1h;
// After SIGTERM nobody is killed within a test, even if the machine stands still for seconds.
constexpr auto ample_grace = 60s;

bool readable(int descriptor, int within_ms = patience_ms) {
    pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&one, 1, within_ms) == 1;
}

bool ends(const Descriptor& process) {
    return readable(process.get());
}

Descriptor same_process(const Descriptor& process) {
    return Descriptor(::fcntl(process.get(), F_DUPFD_CLOEXEC, 0));
}

// The next news that are no confirmations.
News next_news(Link& link) {
    News news;
    while (news.told.empty() && !news.gone && readable(link.descriptor())) news = link.read();
    return news;
}

// --- Programs

// The end of a pipe where programs say who they are, and what happened to them when.
struct Report {
    enum Event { started, asked_to_stop };
    Event event = started;
    pid_t process = 0;
    TimePoint time;
};

int report_to = -1;

void report(Report::Event event) {
    const Report line{event, ::getpid(), BootClock::now()};
    (void)!::write(report_to, &line, sizeof line);
}

void end_politely(int) {
    report(Report::asked_to_stop);
    ::_exit(0);
}

// Reports SIGTERM, and ends.
[[noreturn]] void polite() {
    std::signal(SIGTERM, end_politely);
    report(Report::started);
    while (true) ::pause();
}

// Reports SIGTERM, and goes on.
[[noreturn]] void stubborn() {
    std::signal(SIGTERM, [](int) { report(Report::asked_to_stop); });
    report(Report::started);
    while (true) ::pause();
}

pid_t fork_to(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    body();
    ::_exit(0);
}

// A program as an owner of sessions is: orphans of its command become its children.
class Owner {
public:
    explicit Owner(const std::function<void()>& start_others) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        reports_ = Descriptor(ends[0]);
        const Descriptor write_end(ends[1]);
        report_to = write_end.get();
        pid_ = fork_to([&] {
            ::prctl(PR_SET_CHILD_SUBREAPER, 1);
            start_others();
            while (true) ::pause();
        });
        process_ = open_process(pid_);
    }
    ~Owner() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    const Descriptor& process() const { return process_; }
    bool is_stopped() const {
        std::ifstream state("/proc/" + std::to_string(pid_) + "/stat");
        std::string number, name, letter;
        state >> number >> name >> letter;
        return letter == "T";
    }

    // The next line of a program of its own; none if nothing comes.
    std::optional<Report> next() const {
        Report line;
        if (!readable(reports_.get()) || ::read(reports_.get(), &line, sizeof line) != sizeof line)
            return std::nullopt;
        return line;
    }
    // A program that has just started.
    Descriptor started() const {
        const auto line = next();
        return line && line->event == Report::started ? open_process(line->process) : Descriptor();
    }
    bool said_something() const { return readable(reports_.get(), 0); }

private:
    Descriptor reports_;
    pid_t pid_ = 0;
    Descriptor process_;
};

Charge charge_of(const ChargeId& id, const Descriptor& owner, const Descriptor& command) {
    Charge charge{.id = id, .record = "record", .owner = same_process(owner)};
    if (command) charge.command = same_process(command);
    return charge;
}

// --- Guardians

struct GuardianTest : testing::Test {
    ~GuardianTest() override {
        for (const pid_t guardian : guardians) {
            ::kill(guardian, SIGKILL);
            ::waitpid(guardian, nullptr, 0);
        }
    }

    std::string place() const { return folder / ""; }

    pid_t start_one() {
        const pid_t guardian = ::fork();
        if (guardian == 0) {
            const int file = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
            ::dup2(log_pipe ? log_pipe.get() : file, STDERR_FILENO);
            const auto code = run_guardian(place(), {.idle = idle});
            ::_exit(code ? *code : 7);
        }
        guardians.push_back(guardian);
        return guardian;
    }

    std::unique_ptr<Link> open(std::chrono::milliseconds grace = 100ms) {
        auto link = Link::open(place(), grace, [&](const std::string&, std::chrono::milliseconds) {
            start_one();
            return Result<bool>(true);
        });
        EXPECT_TRUE(link) << link.error();
        return link ? std::move(*link) : nullptr;
    }

    // Sends something that the guardian refuses because it is no pidfd, and waits for the refusal.
    static void hear_refusal(Link& link) {
        const ChargeId none{~0ULL, ~0ULL};
        const Charge wrong{.id = none, .owner = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC))};
        ASSERT_TRUE(link.keep(wrong));
        const News news = next_news(link);
        ASSERT_EQ(news.told.size(), 1u);
        EXPECT_TRUE(std::holds_alternative<Refused>(news.told.front()));
    }

    // When this returns, the guardian has read all earlier packets. It looks at the deadline between packets,
    // so with the second refusal it has also done that.
    static void await_guardian(Link& link) {
        hear_refusal(link);
        hear_refusal(link);
    }

    std::string log() const {
        std::stringstream text;
        text << std::ifstream(folder / "log").rdbuf();
        return text.str();
    }

    // Its exit code.
    static int end_of(pid_t guardian) {
        int status = -1;
        const Descriptor process = open_process(guardian);
        if (!process || !ends(process) || ::waitpid(guardian, &status, WNOHANG) != guardian) return -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    test::TemporaryFolder folder;
    std::chrono::milliseconds idle = 10min;
    Descriptor log_pipe;  // instead of a file
    std::vector<pid_t> guardians;
};

constexpr ChargeId first{4, 1}, second{4, 2};

// --- The deadline

TEST_F(GuardianTest, Without_a_daemon_programs_hear_SIGTERM_not_before_the_grace) {
    auto link = open(ample_grace);
    const Owner owner([] { fork_to(polite); });
    const Descriptor command = owner.started();
    const TimePoint deadline = BootClock::now() + ample_grace + 300ms;
    link->set_deadline(deadline, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    link.reset();
    const auto asked = owner.next();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->event, Report::asked_to_stop);
    EXPECT_GE(asked->time, deadline - ample_grace);
    EXPECT_TRUE(ends(command));
}

TEST_F(GuardianTest, Without_a_daemon_programs_are_killed_not_before_the_deadline) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    const TimePoint deadline = BootClock::now() + 500ms;
    link->set_deadline(deadline, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    link.reset();
    ASSERT_TRUE(ends(command));
    EXPECT_GE(BootClock::now(), deadline);
    EXPECT_FALSE(process_ended(owner.process()));
}

TEST_F(GuardianTest, A_moved_deadline_keeps_programs_alive) {
    auto link = open(ample_grace);
    const Owner owner([] { fork_to(polite); });
    const Descriptor command = owner.started();
    const TimePoint earlier = BootClock::now() + ample_grace + 1500ms;
    link->set_deadline(earlier, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    await_guardian(*link);
    const TimePoint later = earlier + 500ms;
    link->set_deadline(later, 1);
    EXPECT_EQ(link->deadline(), later);
    const auto asked = owner.next();
    ASSERT_TRUE(asked);
    EXPECT_GE(asked->time, later - ample_grace);
    EXPECT_TRUE(ends(command));
}

TEST_F(GuardianTest, A_deadline_that_moves_after_SIGTERM_saves_those_that_still_run) {
    auto link = open(ample_grace);
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + ample_grace, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    ASSERT_TRUE(owner.next()) << "the grace begins at once";
    await_guardian(*link);
    EXPECT_FALSE(owner.said_something()) << "SIGTERM comes once";
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(test::eventually([&] { return log().find("may go on") != std::string::npos; }));
    EXPECT_FALSE(process_ended(command));
    link->set_deadline(BootClock::now() + ample_grace, 1);
    ASSERT_TRUE(owner.next()) << "the next grace begins";
}

TEST_F(GuardianTest, A_deadline_that_has_passed_is_final) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    await_guardian(*link);
    ::kill(guardians.front(), SIGSTOP);
    ASSERT_EQ(::waitpid(guardians.front(), nullptr, WUNTRACED), guardians.front());
    link->set_deadline(BootClock::now(), 1);
    link->set_deadline(BootClock::now() + far, 2);
    const Owner newcomer([] { fork_to(stubborn); });
    const Descriptor new_command = newcomer.started();
    ASSERT_TRUE(link->keep(charge_of(second, newcomer.process(), new_command)));
    ASSERT_FALSE(process_ended(command));
    ::kill(guardians.front(), SIGCONT);
    EXPECT_TRUE(ends(command));
    EXPECT_EQ(std::get<Stopped>(next_news(*link).told.at(0)), Stopped{first});
    EXPECT_FALSE(process_ended(new_command));
}

TEST_F(GuardianTest, An_earlier_deadline_counts_at_once) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    await_guardian(*link);
    link->set_deadline(BootClock::now(), 1);
    EXPECT_TRUE(ends(command));
}

TEST_F(GuardianTest, A_charge_without_any_deadline_is_stopped_at_once) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    EXPECT_TRUE(ends(command));
    EXPECT_EQ(std::get<Stopped>(next_news(*link).told.at(0)), Stopped{first});
}

TEST_F(GuardianTest, A_log_that_nobody_reads_delays_nothing) {
    std::array<int, 2> ends_of_pipe{};
    ASSERT_EQ(::pipe2(ends_of_pipe.data(), O_CLOEXEC), 0);
    const Descriptor unread(ends_of_pipe[0]);
    log_pipe = Descriptor(ends_of_pipe[1]);
    const Descriptor filler(::open(("/proc/self/fd/" + std::to_string(log_pipe.get())).c_str(),
                                   O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    while (::write(filler.get(), "x", 1) == 1) {
    }
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + 200ms, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    EXPECT_TRUE(ends(command));
}

// --- The processes of a charge

TEST_F(GuardianTest, The_command_of_a_stopped_owner_is_stopped_although_it_is_stopped_itself) {
    auto link = open(ample_grace);
    const Owner owner([] { fork_to(polite); });
    const Descriptor command = owner.started();
    ASSERT_TRUE(signal_process(owner.process(), SIGSTOP));
    ASSERT_TRUE(signal_process(command, SIGSTOP));
    link->set_deadline(BootClock::now() + ample_grace, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    const auto asked = owner.next();
    ASSERT_TRUE(asked) << "SIGCONT lets it hear SIGTERM";
    EXPECT_EQ(asked->event, Report::asked_to_stop);
    ASSERT_TRUE(ends(command));
    link->set_deadline(BootClock::now(), 1);
    EXPECT_EQ(std::get<Stopped>(next_news(*link).told.at(0)), Stopped{first});
    EXPECT_TRUE(owner.is_stopped()) << "which leaves its dead child unburied";
}

// Becomes the child of the nearest subreaper.
void start_orphan(pid_t subreaper) {
    const pid_t between = fork_to([subreaper] {
        if (::fork() != 0) return;
        while (::getppid() != subreaper) ::usleep(1000);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        stubborn();
    });
    ::waitpid(between, nullptr, 0);
}

void command_with_others() {
    fork_to([] {
        fork_to(stubborn);
        stubborn();
    });
    start_orphan(::getppid());
    stubborn();
}

TEST_F(GuardianTest, Grandchildren_and_orphans_are_stopped_before_the_charge_counts_as_stopped) {
    auto link = open();
    const Owner owner([] { fork_to(command_with_others); });
    std::vector<Descriptor> all;
    for (int i = 0; i < 4; ++i) all.push_back(owner.started());
    const auto children = children_of(*process_number(owner.process()));
    EXPECT_EQ(children.size(), 2u) << "the command and the orphan";
    const Descriptor command = open_process(children.front());
    link->set_deadline(BootClock::now() + 300ms, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    EXPECT_EQ(std::get<Stopped>(next_news(*link).told.at(0)), Stopped{first});
    for (const Descriptor& one : all) EXPECT_TRUE(process_ended(one));
    EXPECT_FALSE(process_ended(owner.process()));
    EXPECT_TRUE(open()->taken_over().empty());
}

// The owner has died, so nobody adopts the orphans of its command.
TEST_F(GuardianTest, Children_of_a_command_that_obeys_are_stopped_without_an_owner) {
    auto link = open(ample_grace);
    auto owner = std::make_unique<Owner>([] {
        if (::fork() != 0) return;
        if (::fork() == 0) stubborn();
        polite();
    });
    const Descriptor one = owner->started(), other = owner->started();
    const bool one_is_parent = !children_of(*process_number(one)).empty();
    const Descriptor& command = one_is_parent ? one : other;
    const Descriptor& child = one_is_parent ? other : one;
    const Charge charge = charge_of(first, owner->process(), command);
    ASSERT_TRUE(signal_process(owner->process(), SIGKILL));
    ASSERT_TRUE(ends(owner->process()));
    link->set_deadline(BootClock::now() + ample_grace, 1);
    ASSERT_TRUE(link->keep(charge));
    ASSERT_TRUE(ends(command)) << "of SIGTERM";
    EXPECT_FALSE(process_ended(child));
    link->set_deadline(BootClock::now(), 1);
    EXPECT_TRUE(ends(child));
    EXPECT_EQ(std::get<Stopped>(next_news(*link).told.at(0)), Stopped{first});
}

TEST_F(GuardianTest, An_owner_is_stopped_only_if_the_charge_says_so) {
    auto link = open();
    const Owner wrapper([] {}), program([] {});
    link->set_deadline(BootClock::now(), 1);
    Charge whole = charge_of(second, program.process(), {});
    whole.stoppable_owner = true;
    ASSERT_TRUE(link->keep(charge_of(first, wrapper.process(), {})));
    ASSERT_TRUE(link->keep(whole));
    EXPECT_TRUE(ends(program.process()));
    EXPECT_FALSE(process_ended(wrapper.process()));
}

// The guardian is a child of this process, which is the daemon as well.
TEST_F(GuardianTest, A_guardian_below_an_owner_spares_itself) {
    auto link = open();
    const Owner sibling([] { fork_to(stubborn); });
    const Descriptor command = sibling.started();
    link->set_deadline(BootClock::now(), 1);
    ASSERT_TRUE(link->keep(charge_of(first, open_process(::getpid()), {})));
    EXPECT_EQ(std::get<Stopped>(next_news(*link).told.at(0)), Stopped{first});
    EXPECT_TRUE(process_ended(sibling.process()));
    EXPECT_TRUE(process_ended(command));
    await_guardian(*link);
}

TEST_F(GuardianTest, Nobody_of_an_unstoppable_charge_is_signalled) {
    auto link = open();
    const Owner owner([] { fork_to(polite); });
    const Descriptor command = owner.started();
    Charge charge = charge_of(first, owner.process(), command);
    charge.stoppable = false;
    const Owner other([] { fork_to(stubborn); });
    const Descriptor other_command = other.started();
    link->set_deadline(BootClock::now(), 1);
    ASSERT_TRUE(link->keep(charge));
    ASSERT_TRUE(link->keep(charge_of(second, other.process(), other_command)));
    EXPECT_EQ(std::get<Stopped>(next_news(*link).told.at(0)), Stopped{second});
    EXPECT_FALSE(process_ended(command));
    EXPECT_FALSE(owner.said_something());
    link = open();
    EXPECT_EQ(link->taken_over().size(), 1u);
}

TEST_F(GuardianTest, A_dropped_charge_is_left_alone) {
    auto link = open();
    const Owner owner([] { fork_to(polite); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    link->drop(first);
    await_guardian(*link);
    link->set_deadline(BootClock::now(), 1);
    await_guardian(*link);
    EXPECT_FALSE(owner.said_something());
    EXPECT_FALSE(process_ended(command));
}

TEST_F(GuardianTest, A_charge_ends_with_its_owner_and_its_command) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    ASSERT_TRUE(signal_process(command, SIGKILL));
    ASSERT_TRUE(ends(command));
    await_guardian(*link);
    ASSERT_TRUE(signal_process(owner.process(), SIGKILL));
    EXPECT_EQ(std::get<Ended>(next_news(*link).told.at(0)), Ended{first});
    EXPECT_TRUE(open()->taken_over().empty());
}

// --- Daemons that come and go

TEST_F(GuardianTest, Only_a_charge_that_is_kept_is_confirmed) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep({.id = second, .owner = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC))}));
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    std::vector<ChargeId> kept;
    while (kept.empty() && readable(link->descriptor())) kept = link->read().kept;
    EXPECT_EQ(kept, std::vector{first});
}

TEST_F(GuardianTest, The_next_daemon_takes_the_charges_over) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    const TimePoint deadline = BootClock::now() + far;
    link->set_deadline(deadline, 42);
    Charge large = charge_of(first, owner.process(), command);
    large.record = std::string(record_bytes_most, '\xff');
    Charge replaced = charge_of(second, owner.process(), command);
    Charge alone = charge_of(second, owner.process(), {});
    alone.record = "the second one";
    alone.stoppable = false;
    alone.stoppable_owner = true;
    for (const Charge* one : {&large, &replaced, &alone}) ASSERT_TRUE(link->keep(*one));
    link.reset();

    link = open();
    EXPECT_EQ(guardians.size(), 1u);
    EXPECT_EQ(link->deadline(), deadline);
    EXPECT_EQ(link->keeper(), 42u);
    const auto charges = link->taken_over();
    ASSERT_EQ(charges.size(), 2u);
    EXPECT_EQ(charges[0].id, first);
    EXPECT_EQ(charges[0].record, large.record);
    EXPECT_TRUE(charges[0].stoppable);
    EXPECT_FALSE(charges[0].stoppable_owner);
    EXPECT_EQ(process_number(charges[0].owner), process_number(owner.process()));
    ASSERT_TRUE(signal_process(charges[0].command, SIGKILL));
    EXPECT_TRUE(ends(command));
    EXPECT_EQ(charges[1].id, second);
    EXPECT_EQ(charges[1].record, alone.record);
    EXPECT_FALSE(charges[1].stoppable);
    EXPECT_TRUE(charges[1].stoppable_owner);
    EXPECT_FALSE(charges[1].command);
}

TEST_F(GuardianTest, A_newer_daemon_replaces_the_older_one) {
    const auto older = open();
    const auto newer = open();
    EXPECT_TRUE(next_news(*older).gone);
    await_guardian(*newer);
    EXPECT_EQ(guardians.size(), 1u);
}

TEST_F(GuardianTest, The_end_of_the_guardian_is_noticed_and_the_next_one_guards) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    ::kill(guardians.front(), SIGKILL);
    const News news = next_news(*link);
    EXPECT_TRUE(news.gone);
    EXPECT_THAT(news.why, HasSubstr("is gone"));
    link = open();
    EXPECT_TRUE(link->taken_over().empty());
    link->set_deadline(BootClock::now() + 200ms, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    EXPECT_TRUE(ends(command));
}

TEST_F(GuardianTest, Packets_wait_for_a_guardian_that_does_not_read) {
    auto link = open();
    const Owner owner([] {});
    link->set_deadline(BootClock::now() + far, 1);
    Charge charge = charge_of({}, owner.process(), {});
    charge.record = std::string(record_bytes_most, 'r');
    charge.stoppable = false;
    ::kill(guardians.front(), SIGSTOP);
    std::uint64_t kept = 0;
    while (!link->wants_to_write() && kept < 1000) {
        charge.id = {1, ++kept};
        ASSERT_TRUE(link->keep(charge));
    }
    ASSERT_TRUE(link->wants_to_write());
    charge.id = {1, ++kept};
    const auto sent = link->keep(charge);
    ASSERT_TRUE(sent);
    EXPECT_FALSE(*sent);
    ::kill(guardians.front(), SIGCONT);
    EXPECT_TRUE(test::eventually([&] {
        link->flush();
        return !link->wants_to_write();
    }));
    link = open();
    EXPECT_EQ(link->taken_over().size(), kept);
}

TEST_F(GuardianTest, A_charge_that_cannot_be_kept_is_an_error) {
    auto link = open();
    Charge charge = charge_of(first, open_process(::getpid()), {});
    charge.record = std::string(record_bytes_most + 1, 'r');
    const auto kept = link->keep(charge);
    ASSERT_FALSE(kept);
    EXPECT_THAT(kept.error(), HasSubstr("at most 65536"));
    EXPECT_FALSE(link->keep(Charge{.id = first}));
}

TEST_F(GuardianTest, Two_guardians_that_start_at_once_leave_one) {
    start_one();
    start_one();
    const auto link = open();
    ASSERT_TRUE(link);
    ASSERT_EQ(std::ranges::count(guardians, link->process()), 1);
    for (const pid_t one : guardians) {
        if (one == link->process()) continue;
        EXPECT_EQ(end_of(one), 7);
    }
    await_guardian(*link);
}

TEST_F(GuardianTest, A_stale_socket_file_is_replaced) {
    ASSERT_TRUE(listen_in(place())) << "and closed again";
    EXPECT_TRUE(std::filesystem::is_socket(folder / "guardian.sock"));
    await_guardian(*open());
    const auto mode = std::filesystem::status(folder / "guardian.sock").permissions();
    EXPECT_EQ(mode, std::filesystem::perms(0600));
}

// --- The end of a guardian

TEST_F(GuardianTest, It_ends_when_nobody_needs_it) {
    idle = 300ms;
    auto link = open();
    const Owner owner([] {});
    link->set_deadline(BootClock::now() + 1500ms, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), {})));
    const pid_t guardian = link->process();
    link.reset();
    EXPECT_FALSE(readable(open_process(guardian).get(), 600)) << "it has a charge";
    ASSERT_TRUE(signal_process(owner.process(), SIGKILL));
    EXPECT_EQ(end_of(guardian), 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "guardian.sock"));
}

TEST_F(GuardianTest, It_does_not_end_before_the_deadline) {
    idle = 300ms;
    auto link = open();
    const TimePoint deadline = BootClock::now() + 1500ms;
    link->set_deadline(deadline, 1);
    const pid_t guardian = link->process();
    link.reset();
    EXPECT_EQ(end_of(guardian), 0);
    EXPECT_GE(BootClock::now(), deadline);
}

TEST_F(GuardianTest, The_next_daemon_finds_what_was_written_behind_the_page) {
    auto link = open();
    const std::string note = "note";
    ASSERT_EQ(::pwrite(link->memory().get(), note.data(), note.size(), page_room), 4);
    EXPECT_NE(::ftruncate(link->memory().get(), 0), 0) << "the guardian would crash";
    link = open();
    std::string found(note.size(), ' ');
    ASSERT_EQ(::pread(link->memory().get(), found.data(), found.size(), page_room), 4);
    EXPECT_EQ(found, note);
}

TEST_F(GuardianTest, SIGTERM_ends_it_only_without_charges_and_daemon) {
    auto link = open();
    const Owner owner([] {});
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), {})));
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::kill(guardians.front(), signal);
    link = open();
    EXPECT_EQ(link->taken_over().size(), 1u);
    EXPECT_EQ(guardians.size(), 1u);
    ::kill(guardians.front(), SIGTERM);
    await_guardian(*link);
    link->drop(first);
    await_guardian(*link);
    link.reset();
    EXPECT_EQ(end_of(guardians.front()), 0);
}

// --- Certificates

TEST_F(GuardianTest, A_daemon_is_certified_when_its_process_has_ended_not_when_its_connection_has) {
    const std::string file = place() + "/certificate";
    const auto certificate = [&] { return durable::read_certificate(file, "alpha"); };
    const auto guardian = open();  // this process lives on
    guardian->set_testament({file, {"alpha", 7}});
    auto cut_off = open();  // takes its place
    cut_off->set_testament({file, {"alpha", 8}});
    await_guardian(*cut_off);
    cut_off.reset();
    // The guardian has seen that end when it answers a stranger.
    const auto stranger = connect_in(place());
    ASSERT_TRUE(stranger && *stranger);
    ASSERT_EQ(send_packet(*stranger, "garbage", {}), Sending::done);
    ASSERT_TRUE(readable(stranger->get()));
    EXPECT_FALSE(*certificate());

    const pid_t daemon = ::fork();
    if (daemon == 0) {
        // One that starts itself would execute this program, and with it all tests.
        auto link = Link::open(place(), 100ms, [](const std::string&, std::chrono::milliseconds) {
            return Result<bool>(Error{"the guardian has ended"});
        });
        if (link) (*link)->set_testament({file, {"alpha", 9}});
        ::_exit(link ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
    EXPECT_EQ(status, 0);
    ASSERT_TRUE(test::eventually([&] { return certificate() && *certificate(); }));
    EXPECT_EQ((*certificate())->incarnation, 9u);
}

// --- Strangers

TEST_F(GuardianTest, A_packet_that_makes_no_sense_costs_its_connection_and_no_charge) {
    auto link = open();
    const Owner owner([] { fork_to(stubborn); });
    const Descriptor command = owner.started();
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), command)));
    const std::string drop = to_bytes<ToGuardian>(Drop{first}), large(packet_bytes_most + 1, '\0');
    for (const std::string& wrong : {std::string("garbage"), drop, large}) {
        const auto stranger = connect_in(place());
        ASSERT_TRUE(stranger && *stranger);
        ASSERT_EQ(send_packet(*stranger, wrong, {}), Sending::done);
        ASSERT_TRUE(readable(stranger->get()));
        EXPECT_EQ(receive_packet(*stranger).state, Packet::State::ended);
    }
    EXPECT_THAT(log(), HasSubstr("it sent no Hello"));
    await_guardian(*link);

    const auto pretender = connect_in(place());
    ASSERT_TRUE(pretender && *pretender);
    ASSERT_EQ(send_packet(*pretender, to_bytes<ToGuardian>(Hello{}), {}), Sending::done);
    ASSERT_EQ(send_packet(*pretender, "garbage", {}), Sending::done);
    EXPECT_TRUE(next_news(*link).gone);
    EXPECT_TRUE(test::eventually([&] { return log().find("cannot be read") != std::string::npos; }));
    EXPECT_EQ(open()->taken_over().size(), 1u);
    EXPECT_FALSE(process_ended(command));
}

TEST_F(GuardianTest, A_daemon_of_another_version_hears_so_and_takes_nothing) {
    auto link = open();
    const Owner owner([] {});
    link->set_deadline(BootClock::now() + far, 1);
    ASSERT_TRUE(link->keep(charge_of(first, owner.process(), {})));
    await_guardian(*link);
    const auto stranger = connect_in(place());
    ASSERT_TRUE(stranger && *stranger);
    const std::string hello = to_bytes<ToGuardian>(Hello{.newest = first_edition - 1}) + "and more";
    ASSERT_EQ(send_packet(*stranger, hello, {}), Sending::done);
    ASSERT_TRUE(readable(stranger->get()));
    const Packet answer = receive_packet(*stranger);
    const auto opening = opening_of(answer.bytes);
    ASSERT_TRUE(opening);
    EXPECT_EQ(opening->newest, newest_edition);
    EXPECT_EQ(opening->number, 1u);
    EXPECT_TRUE(answer.passed.empty());
    await_guardian(*link);
    EXPECT_THAT(log(), HasSubstr(fmt::format("a daemon of edition {} came", first_edition - 1)));
}

TEST_F(GuardianTest, A_guardian_of_another_version_is_one_line) {
    const auto listener = listen_in(place());
    ASSERT_TRUE(listener);
    const pid_t guardian = fork_to([&] {
        if (!readable(listener->get())) return;
        const Descriptor daemon(::accept(listener->get(), nullptr, nullptr));
        if (!readable(daemon.get())) return;
        const Welcome welcome{.newest = first_edition - 1, .charges = 3};
        send_packet(daemon, to_bytes<ToDaemon>(welcome), {});
    });
    const auto never = [](const std::string&, std::chrono::milliseconds) { return Result<bool>(true); };
    const auto link = Link::open(place(), 100ms, never);
    ASSERT_FALSE(link);
    EXPECT_THAT(link.error(), HasSubstr(fmt::format("speaks edition {}, this program {} to {}; its 3 leases",
                                                    first_edition - 1, first_edition, newest_edition)));
    ::waitpid(guardian, nullptr, 0);
}

// It may have said why in the log, or still be on its way.
TEST_F(GuardianTest, A_guardian_that_is_late_is_not_said_to_have_failed) {
    const auto slow = [](const std::string&, std::chrono::milliseconds) { return Result<bool>(true); };
    const auto link = Link::open(place(), 100ms, slow, 20ms);
    ASSERT_FALSE(link);
    EXPECT_THAT(link.error(), HasSubstr("no guardian listens after 20 ms: it has failed, as a line of `allot "
                                        "guardian` above then says, or this machine is too busy to start it "
                                        "in time; then start this again"));
}

}  // namespace

}  // namespace allot::guardian
