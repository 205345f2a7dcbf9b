#include "daemon/sessions.hpp"

#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <random>
#include <sys/resource.h>
#include <utility>

#include "base/frame.hpp"
#include "base/log.hpp"
#include "core/bytes.hpp"
#include "session/speak.hpp"

namespace allot::daemon {

namespace {

// A program that knows this name can take over the session's leases, so it must not be guessable.
std::string secret_name() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

// A program that does not read its answers must not fill our memory with them.
constexpr std::size_t most_unsent = std::size_t{4} << 20;
// Shown in the status.
constexpr std::size_t longest_command = 200;
// Time limit and maximum number of connections without a hello; the oldest is dropped. So a slow or malicious
// program keeps nobody out.
constexpr std::chrono::seconds hello_patience{5};
constexpr std::size_t most_strangers = 1024;

// Half of the descriptors are for sessions, a quarter for followed processes; links and the page need some,
// too.
std::size_t descriptors_allowed() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

// Leaves a quarter for other users.
std::size_t share_of_one(std::size_t most) {
    return std::max<std::size_t>(1, most - most / 4);
}

net::ProcessMark process_of(const net::Identity& who) {
    if (!who.process) return {};
    return net::mark_of(who.process->pid).value_or(net::ProcessMark{.pid = who.process->pid});
}

std::optional<session::Ticket> ticket_ended_by(const session::DaemonMessage& message) {
    if (const auto* released = std::get_if<session::Released>(&message)) return released->ticket;
    if (const auto* refused = std::get_if<session::Refused>(&message)) return refused->ticket;
    if (const auto* lost = std::get_if<session::Lost>(&message)) return lost->ticket;
    return std::nullopt;
}

}  // namespace

// One connection.
class Sessions::Session : public std::enable_shared_from_this<Session> {
public:
    Session(Sessions& all, net::StreamPtr stream)
        : all_(all), stream_(std::move(stream)), reader_(session::frame_limit), patience_(all.loop_) {}

    void start() {
        patience_.set(hello_patience, [self = weak_from_this()] {
            if (const auto session = self.lock())
                session->break_off(fmt::format("no hello within {} seconds", hello_patience.count()));
        });
        net::Stream::Events events;
        events.read = [self = shared_from_this()](std::string_view bytes) { self->read(bytes); };
        events.closed = [self = shared_from_this()](const std::string&) { self->all_.gone(self); };
        events.passed = [self = shared_from_this()](int descriptor) {
            Descriptor one(descriptor);
            if (self->passed_) return self->break_off("it passes descriptors without a message about them");
            self->passed_ = std::move(one);
        };
        stream_->start(std::move(events));
    }

    void say(const session::DaemonMessage& message) {
        if (over_) return;
        write(message);
        if (stream_->unsent() > most_unsent) break_off("it does not read its answers");
    }

    void break_off(const std::string& why) {
        if (over_) return;
        // A connection without a hello is logged only once: there may be many.
        if (owner)
            log_warning(fmt::format("session of {} ({}) closed: {}", all_.permissions_.user_of(identity()),
                                    identity().address, why));
        else
            all_.logged_.refusal(identity(), why);
        over_ = true;
        write(session::Farewell{why});
        close();
        all_.gone(shared_from_this());
    }

    void close() {
        over_ = true;
        patience_.cancel();
        stream_->close();
    }

    void let_in(Owner as) {
        owner = as;
        patience_.cancel();
        if (!identity().process) expect_signs();
    }

    // The descriptor that came with the message at hand.
    Descriptor take_passed() { return std::exchange(passed_, Descriptor{}); }

    const net::Identity& identity() const { return stream_->identity(); }

    std::optional<Owner> owner;  // after hello

    // A program on another host that holds or waits must give signs of life.
    void expect_signs() {
        patience_.set(all_.config_.agreed.lease, [self = weak_from_this()] {
            if (const auto session = self.lock()) session->look_for_signs();
        });
    }

private:
    void write(const session::DaemonMessage& message) {
        frame_.clear();
        std::visit([&](const auto& one) { session::put_message<session::DaemonMessage>(one, frame_); },
                   message);
        stream_->write(frame_);
    }

    void look_for_signs() {
        if (over_ || !owner) return;
        if (!std::exchange(heard_, false) && !all_.desk_.leases_of(*owner).empty())
            return break_off(
                fmt::format("the program was silent for {} ms", all_.config_.agreed.lease.count()));
        expect_signs();
    }

    void read(std::string_view bytes) {
        heard_ = true;
        const auto self = shared_from_this();  // an answer may drop us
        const bool good = reader_.feed(bytes, [&](std::string_view content) {
            auto message = from_bytes<session::ClientMessage>(content);
            // After the version, a hello of another version may be anything.
            const auto spoken = owner ? std::nullopt : session::version_in(content);
            if (spoken && *spoken != session::version) {
                break_off(
                    fmt::format("the program speaks version {} of the session protocol, this daemon version "
                                "{}; install the same allot for both",
                                *spoken, session::version));
                return false;
            }
            if (!message) {
                break_off("a frame is no message of the session protocol");
                return false;
            }
            if (const auto* hello = std::get_if<session::Hello>(&*message); hello != nullptr && !owner)
                all_.hello(self, *hello);
            else if (owner)
                all_.answer(*this, *message);
            else
                break_off("the first message is not a hello");
            return !over_;
        });
        if (!good && !over_) break_off(fmt::format("a frame is larger than {} bytes", session::frame_limit));
    }

    Sessions& all_;
    net::StreamPtr stream_;
    FrameReader reader_;
    net::Timer patience_;  // until hello, or until a sign of life
    Descriptor passed_;
    std::string frame_;
    bool heard_ = false;
    bool over_ = false;
};

Sessions::Sessions(boost::asio::io_context& loop, const Config& config, LeaseBook& desk, StatusQuery status,
                   Congestion congestion)
    : loop_(loop),
      config_(config),
      permissions_(config),
      desk_(desk),
      status_(std::move(status)),
      congestion_(std::move(congestion)) {}

Sessions::~Sessions() {
    close_all();
}

void Sessions::accept(net::StreamPtr stream) {
    if (strangers_.size() == most_strangers)
        strangers_.front()->break_off("too many connections have not said hello");
    const auto session = std::make_shared<Session>(*this, std::move(stream));
    strangers_.push_back(session);
    session->start();
}

void Sessions::hello(const std::shared_ptr<Session>& session, const session::Hello& hello) {
    const auto same = [&](const auto& one) { return one.second.name == hello.resume; };
    const auto known = hello.resume.empty() ? records_.end() : std::ranges::find_if(records_, same);
    const bool resumed = known != records_.end();
    if (const auto why = objection_to(session->identity(), resumed)) return session->break_off(*why);
    std::erase(strangers_, session);
    const Owner owner = resumed ? known->first : next_owner_++;
    Record& record = records_[owner];
    if (!resumed) record.name = secret_name();
    record.user = permissions_.user_of(session->identity());
    record.command = hello.command.substr(0, longest_command);
    const auto process_before = std::exchange(record.process, process_of(session->identity()));
    // The program reconnected before the daemon noticed the end of its connection.
    if (const auto before = connected_.find(owner); before != connected_.end()) {
        before->second->owner.reset();
        before->second->close();
    }
    connected_[owner] = session;
    absent_.erase(owner);
    session->let_in(owner);
    if (resumed && record.process != process_before) moved_(owner);
    greet(*session, owner, resumed);
}

// Sessions that hold leases without a connection count, too: they may reconnect.
std::optional<std::string> Sessions::objection_to(const net::Identity& who, bool resumed) {
    const std::size_t most = std::min<std::size_t>(config_.limits.sessions, descriptors_allowed() / 2);
    if (!resumed && records_.size() >= most)
        return fmt::format("there are {} sessions, which is the limit; try again later", most);
    const std::size_t given = config_.limits.sessions_per_user;
    const std::size_t most_of_one = given > 0 ? given : share_of_one(most);
    // Count only if the user can have so many.
    if (!resumed && records_.size() >= most_of_one) {
        const std::string user = permissions_.user_of(who);
        const auto is_of_user = [&](const auto& one) { return one.second.user == user; };
        if (static_cast<std::size_t>(std::ranges::count_if(records_, is_of_user)) >= most_of_one)
            return fmt::format("{} has {} sessions, which is the limit for one user; try again later", user,
                               most_of_one);
    }
    if (config_.tls && !who.process && who.program.empty())
        return fmt::format("its certificate is for {}; write one that `allot cert --program NAME` made",
                           who.certified_as());
    return std::nullopt;
}

void Sessions::greet(Session& session, Owner owner, bool resumed) {
    session::Welcome welcome{
        .session = records_[owner].name,
        .host = config_.host,
        .stop_within_us = static_cast<std::uint64_t>(config_.agreed.lease.count()) * 1000,
        .resume_within_us = static_cast<std::uint64_t>(config_.limits.resume_within.count()) * 1000,
        .resumed = resumed,
        .open = {},
        .valid_us = desk_.valid_us()};
    std::vector<session::DaemonMessage> news;
    for (const LeaseBook::Lease* lease : desk_.leases_of(owner)) {
        welcome.open.push_back(lease->ticket);
        if (!lease->lost.empty())
            news.emplace_back(session::Lost{lease->ticket, lease->lost});
        else if (lease->granted)
            news.emplace_back(session::Granted{lease->ticket, lease->held, welcome.valid_us});
    }
    session.say(welcome);
    for (const session::DaemonMessage& message : news) session.say(message);
}

void Sessions::answer(Session& session, const session::ClientMessage& message) {
    if (const auto* want = std::get_if<session::Acquire>(&message)) return acquire(session, *want);
    if (const auto* release = std::get_if<session::Release>(&message))
        return desk_.release(*session.owner, release->ticket);
    if (const auto* follow = std::get_if<session::Follow>(&message)) return this->follow(session, *follow);
    if (const auto* ping = std::get_if<session::Ping>(&message))
        return session.say(session::Pong{ping->number, desk_.valid_us()});
    if (const auto* query = std::get_if<session::StatusQuery>(&message))
        return status_(query->whole, [weak = session.weak_from_this()](const session::Status& status) {
            if (const auto asker = weak.lock()) asker->say(session::StatusAnswer{status});
        });
    session.break_off("a second hello");
}

void Sessions::acquire(Session& session, const session::Acquire& want) {
    if (auto why = permissions_.objection(session.identity(), want))
        return desk_.refuse(*session.owner, want,
                            {want.ticket, session::Refusal::forbidden, std::move(*why)});
    if (std::string why = congestion_(want); !why.empty())
        return desk_.refuse(*session.owner, want,
                            {want.ticket, session::Refusal::unavailable, std::move(why)});
    desk_.acquire(*session.owner, want);
}

void Sessions::follow(Session& session, const session::Follow& follow) {
    Descriptor process = session.take_passed();
    const Key key{*session.owner, follow.ticket};
    // The kernel drops descriptors for which there is no room.
    if (!process)
        return desk_.lose(key.first, key.second,
                          "the daemon cannot watch the process: it may open no more files; raise its limit");
    const auto pid = net::pid_of(process);
    const auto mark = pid ? net::mark_of(*pid) : std::nullopt;
    const LeaseBook::Lease* lease = desk_.find(key.first, key.second);
    if (lease == nullptr) return;
    if (!lease->granted)
        return desk_.lose(key.first, key.second,
                          fmt::format("cannot follow ticket {}: it is not granted yet", key.second));
    // If the process has ended already the lease just follows the connection.
    if (!mark && net::has_ended(process)) return;
    if (!mark)
        return desk_.lose(key.first, key.second,
                          "the daemon cannot watch the process, because its /proc does not show it; run both "
                          "in one PID namespace, with /proc mounted");
    if (!permissions_.may_follow(session.identity(), *pid))
        return session.break_off(
            fmt::format("process {} belongs to another user; a lease follows processes of its own user, and "
                        "descendants of its program",
                        *pid));
    if (auto why = no_place_for(key.first)) return desk_.lose(key.first, key.second, *why);
    followed_(key.first, key.second, process);
    watch(key, *mark, std::move(process));
}

void Sessions::watch(const Key& key, const net::ProcessMark& mark, Descriptor process) {
    if (auto watch = net::watch_descriptor(loop_, std::move(process), [this, key] { follower_ended(key); }))
        followers_[key] = {mark, std::move(watch)};
}

const SessionRecord* Sessions::record(Owner owner) const {
    const auto place = records_.find(owner);
    return place == records_.end() ? nullptr : &place->second;
}

void Sessions::adopt(Owner owner, const SessionRecord& record, session::Ticket ticket, Descriptor process) {
    records_[owner] = record;
    next_owner_ = std::max(next_owner_, owner + 1);
    if (!process) return expect(owner);
    const auto pid = net::pid_of(process);
    const auto mark = pid ? net::mark_of(*pid) : std::nullopt;
    watch({owner, ticket}, mark.value_or(net::ProcessMark{}), std::move(process));
}

// Why no further process can be followed, if none can.
std::optional<std::string> Sessions::no_place_for(Owner owner) const {
    const std::size_t most = descriptors_allowed() / 4;
    if (followers_.size() >= most)
        return fmt::format("the daemon watches {} processes, which is the limit", most);
    if (followers_.size() < share_of_one(most)) return std::nullopt;
    const std::string& user = records_.at(owner).user;
    const auto is_of_user = [&](const auto& one) { return records_.at(one.first.first).user == user; };
    if (static_cast<std::size_t>(std::ranges::count_if(followers_, is_of_user)) < share_of_one(most))
        return std::nullopt;
    return fmt::format("the daemon watches {} processes for {}, which is the limit for one user",
                       share_of_one(most), user);
}

void Sessions::say(Owner owner, const session::DaemonMessage& message) {
    if (const auto ticket = ticket_ended_by(message)) ended({owner, *ticket});
    if (const auto place = connected_.find(owner); place != connected_.end()) place->second->say(message);
}

// The message may say that a ticket is in use: then it has not ended.
void Sessions::ended(const Key& key) {
    if (desk_.find(key.first, key.second) != nullptr) return;
    followers_.erase(key);
    forget_if_done(key.first);
}

// --- The end of connections.

// On this host the kernel reports the end of the program. Over a network only the end of the connection is
// known: the program may use its leases for as long as it may be silent.
void Sessions::gone(const std::shared_ptr<Session>& session) {
    std::erase(strangers_, session);
    if (!session->owner) return;
    const Owner owner = *session->owner;
    session->owner.reset();
    connected_.erase(owner);
    if (session->identity().process || desk_.leases_of(owner).empty()) return release_absent(owner);
    wait_for(owner, config_.agreed.lease);
}

void Sessions::wait_for(Owner owner, std::chrono::milliseconds patience) {
    auto& absence = absent_[owner];
    absence = std::make_unique<Absence>(loop_);
    absence->patience.set(patience, [this, owner] { release_absent(owner); });
}

// The leases end with the program. One that lives and does not come back stops using them in time: they were
// valid for at most the time of a lease when the daemon before this one ended.
void Sessions::expect(Owner owner) {
    if (absent_.contains(owner)) return;
    wait_for(owner, std::max(config_.limits.resume_within, config_.agreed.lease));
    if (const auto self = net::mark_of_this_process())
        absent_[owner]->watch = net::watch_process(loop_, *self, records_[owner].process,
                                                   [this, owner] { release_absent(owner); });
}

void Sessions::follower_ended(const Key& key) {
    followers_.erase(key);
    if (connected_.contains(key.first)) return;
    desk_.release(key.first, key.second);
}

void Sessions::forget_if_done(Owner owner) {
    if (!connected_.contains(owner) && desk_.leases_of(owner).empty()) records_.erase(owner);
}

void Sessions::release_absent(Owner owner) {
    absent_.erase(owner);
    if (connected_.contains(owner)) return;
    std::set<session::Ticket> spared;
    for (auto follower = followers_.lower_bound({owner, 0});
         follower != followers_.end() && follower->first.first == owner; ++follower)
        spared.insert(follower->first.second);
    desk_.abandon(owner, spared);
    forget_if_done(owner);
}

void Sessions::close_all() {
    for (const auto& [owner, session] : connected_) {
        session->owner.reset();
        session->close();
    }
    for (const auto& session : strangers_) session->close();
    connected_.clear();
    strangers_.clear();
}

// --- Status.

std::uint32_t Sessions::connected() const {
    return static_cast<std::uint32_t>(connected_.size());
}

session::Party Sessions::party(Owner owner) const {
    session::Party party{.host = config_.host};
    if (const auto place = records_.find(owner); place != records_.end()) {
        party.pid = place->second.process.pid;
        party.user = place->second.user;
        party.command = place->second.command;
    }
    return party;
}

}  // namespace allot::daemon
