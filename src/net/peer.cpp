#include "net/peer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/address.hpp"
#include "base/ensure.hpp"

namespace allot::net {

namespace {

// A delayed acknowledgement is sent at the latest after this many payloads or bytes (or at the mesh's timer).
constexpr std::uint64_t owed_payloads_limit = 64;
constexpr std::size_t owed_bytes_limit = std::size_t{64} << 10;
// Bytes handed to the stream ahead of the kernel; the rest stays only in the link.
constexpr std::size_t unsent_limit = std::size_t{256} << 10;

// The first setting that differs, for readers on both hosts.
std::string difference(const std::string& ours, const std::vector<Setting>& all_here,
                       const std::string& theirs, const std::vector<Setting>& there, const char* advice) {
    // A hello has no room for many settings.
    const std::vector<Setting> here = settings_for_hello(all_here);
    const auto [mine, other] = std::ranges::mismatch(here, there);
    if (mine == here.end() && other == there.end()) return "compare the configurations of both hosts";
    const bool is_mine = other == there.end() || (mine != here.end() && mine->name <= printable(other->name));
    const bool is_theirs =
        mine == here.end() || (other != there.end() && printable(other->name) <= mine->name);
    const char* const absent = here.size() == all_here.size() ? "not set" : "something else";
    const auto value = [&](bool has_it, const auto& setting) {
        return has_it ? printable(setting->value) : absent;
    };
    return fmt::format("{} is {} on host {} and {} on host {}; {}",
                       is_mine ? mine->name : printable(other->name), value(is_mine, mine), ours,
                       value(is_theirs, other), theirs, advice);
}

}  // namespace

std::string contradiction(std::string_view name, const Identity& who) {
    return fmt::format("it says that it is host {}, but its certificate is for {}", printable(name),
                       printable(who.certified_as()));
}

std::string objection_to(const Surroundings& here, const Hello& hello, const Identity& who,
                         const MeshConfig::Host& host) {
    // First of all, so that whoever has no certificate of that host learns nothing else.
    if (here.config.tls && !who.may_speak_as(hello.from)) return contradiction(hello.from, who);
    if (hello.to != here.self().name)
        return fmt::format("it expects host {}, this is host {}", printable(hello.to), here.self().name);
    if (hello.from != host.name)
        return fmt::format("it is host {}, not {}", printable(hello.from), host.name);
    if (hello.to_number != here.config.self)
        return fmt::format("host {} has number {} in its list of hosts, and number {} in this one",
                           here.self().name, hello.to_number + 1, here.config.self + 1);
    const auto number = static_cast<HostId>(&host - here.config.hosts.data());
    if (hello.from_number != number)
        return fmt::format("host {} has number {} in its list of hosts, and number {} in this one", host.name,
                           hello.from_number + 1, number + 1);
    if (!host.present)
        return fmt::format("host {} is not in the cluster; `allot cluster join` brings it in", host.name);
    if (hello.opening.newest < here.config.edition)
        return fmt::format(
            "the hosts of this cluster write edition {}, and host {} knows {} only; install a "
            "later allot there",
            here.config.edition, host.name, hello.opening.newest);
    if (hello.agreement != here.config.agreement)
        return "its configuration differs: " +
               difference(here.self().name, here.config.settings, host.name, hello.settings,
                          "write the same on all hosts, or bring the one that is wrong back with `allot "
                          "cluster join`");
    if (hello.payload_limit != here.config.frame_limit)
        return fmt::format("it takes payloads of up to {} bytes, host {} of up to {}", hello.payload_limit,
                           here.self().name, here.config.frame_limit);
    return "";
}

std::string objection_to(const Surroundings& here, const Petition& petition, const Identity& who) {
    const std::string name = printable(petition.name);
    if (here.config.tls && !who.may_speak_as(petition.name)) return contradiction(petition.name, who);
    if (petition.settings != here.config.required)
        return "its configuration differs: " + difference(here.self().name, here.config.required, name,
                                                          petition.settings, "write the same on all hosts");
    if (!here.config.tls && !here.config.plaintext && !is_loopback_address(petition.address))
        return fmt::format(
            "{}: links beyond this machine need TLS (`allot cert` makes certificates), or "
            "plaintext allowed explicitly, by plaintext = true in [cluster]",
            printable(petition.address));
    return here.self().address.ends_with(":0")
               ? fmt::format(
                     "host {} has no address for others; write one in its file, as in "
                     "address = \"10.0.0.1:7400\", and start it again",
                     here.self().name)
               : "";
}

Peer::Peer(Surroundings& here, HostId id)
    : here_(here),
      id_(id),
      link_(here.config.incarnation),
      retry_(here.loop),
      retry_delay_(here.config.retry_first) {}

void Peer::start() {
    last_heard_ = Clock::now();
    present_ = host().present;
    if (present_ && here_.config.self < id_) connect();
}

void Peer::look_at_list() {
    if (present_ == host().present) return;
    present_ = host().present;
    retry_delay_ = here_.config.retry_first;
    logged_.forget();
    if (present_) return start();
    retry_.cancel();
    attempt_.reset();
    greeting_.reset();
    if (up_) up_->refuse(fmt::format("host {} is not in the cluster any more", host().name));
    go_down("it is not in the cluster any more");
}

void Peer::close_if_revoked() {
    if (up_ && is_revoked(here_.config.tls, up_->identity())) break_off("its certificate is revoked");
}

void Peer::stop() {
    if (up_) {
        write({.kind = FrameKind::goodbye}, "");
        std::exchange(up_, nullptr)->close();
    }
    greeting_.reset();
    attempt_.reset();
    retry_.cancel();
}

// --- Connecting

void Peer::connect() {
    attempt_ = connect_tcp(here_.loop, host().address, here_.config.tls, host().name,
                           [this](Result<StreamPtr> result) {
                               if (result) return greet_if_known(std::move(*result));
                               fail_to_connect(LogLevel::info, fmt::format("cannot connect to {}: {}",
                                                                           host().address, result.error()));
                           },
                           {.handshake_ms = static_cast<std::uint32_t>(here_.config.handshake.count())});
}

// Our hello says much about the cluster.
void Peer::greet_if_known(StreamPtr stream) {
    const std::string objection = here_.objection_to(stream->identity());
    if (objection.empty()) return greet(std::move(stream));
    fail_to_connect(stream->identity().local_user ? LogLevel::warning : LogLevel::info,
                    fmt::format("the process at {} is not believed: {}", host().address, objection));
}

void Peer::greet(StreamPtr stream) {
    greeting_ = std::make_shared<Wire>(here_.loop, std::move(stream), *this);
    ++connections_;
    say_hello(*greeting_);
    greeting_->start(here_.config.handshake);
}

Hello Peer::hello() const {
    return {.from = here_.self().name,
            .from_number = here_.config.self,
            .to = host().name,
            .to_number = id_,
            .agreement = here_.config.agreement,
            .settings = settings_for_hello(here_.config.settings),
            .payload_limit = here_.config.frame_limit,
            .position = link_.position(),
            .process = here_.process,
            .connection = connections_,
            .mark = here_.mark};
}

// The answer to our hello: a hello or a refusal.
bool Peer::take_answer(std::string_view content) {
    const WirePtr wire = std::exchange(greeting_, nullptr);
    const auto frame = read_link_frame(content);
    if (frame && frame->head.kind == FrameKind::refusal) {
        wire->close();
        const std::string why = printable(frame->content);
        fail_to_connect(LogLevel::warning, "refused: " + why);
        if (frame->head.number == name_taken) here_.tell(here_.events.name_taken, id_, why);
        return false;
    }
    const auto answer = read_hello(content);
    const std::string objection =
        answer ? objection_to(here_, *answer, wire->identity(), host()) : answer.error();
    if (objection.empty()) return admit(wire, *answer);
    wire->refuse(here_.to_tell(objection));
    fail_to_connect(LogLevel::warning, objection);
    return false;
}

void Peer::fail_to_connect(LogLevel level, const std::string& why) {
    note_problem(why);
    logged_.log(level, fmt::format("no link to host {}: {}", host().name, why));
    if (!up_) retry_later();
}

void Peer::retry_later() {
    if (here_.stopped || !present_ || here_.config.self > id_) return;
    // A random delay between half and all of it, so that hosts that failed together do not retry together.
    const auto whole = static_cast<std::uint64_t>(retry_delay_.count());
    const std::chrono::milliseconds delay(whole / 2 + here_.random(whole / 2 + 1));
    retry_delay_ = std::min(retry_delay_ * 2, here_.config.retry_last);
    retry_.set(delay, [this] { connect(); });
}

// --- Meeting

bool Peer::meet(const WirePtr& wire, const Hello& theirs) {
    // Ignore a connection that a later one of the same process has overtaken.
    if (up_ && theirs.process == process_ && theirs.connection <= connection_) {
        wire->refuse("a later connection replaced this one");
        return false;
    }
    // A second process of that name must wait until the first is silent: it may be a copy of that host.
    if (up_ && theirs.process != process_) {
        const std::string why = fmt::format("host {} runs already: host {} has a link to it, from {}",
                                            host().name, here_.self().name, up_->identity().address);
        logged_.refusal(wire->identity(), why);
        wire->refuse(here_.to_tell(why), name_taken);
        return false;
    }
    return admit(wire, theirs);
}

bool Peer::admit(const WirePtr& wire, const Hello& theirs) {
    if (Clock::now() < shunned_until_) {
        wire->refuse(shunned_why_);
        fail_to_connect(LogLevel::warning, shunned_why_);
        return false;
    }
    if (const std::string objection = link_.objection_to(theirs.position); !objection.empty())
        return object_to(*wire, theirs, objection);
    // The meeting reports what ends now, and the new process is alive.
    watch_.reset();
    process_gone_ = false;
    go_down("a later connection replaced this one");
    if (here_.stopped) return false;
    const Link::Meeting meeting = link_.meet(theirs.position);
    answer(*wire);
    go_up(wire, theirs);
    tell_meeting(meeting);
    if (up_) pump();
    return !here_.stopped;
}

bool Peer::object_to(Wire& wire, const Hello& theirs, const std::string& objection) {
    // The other end learns our position from the answer.
    answer(wire);
    wire.refuse(here_.to_tell(objection));
    fail_to_connect(LogLevel::warning, objection);
    if (link_.is_disowned_by(theirs.position) && !std::exchange(disowned_, true))
        here_.tell(here_.events.disowned, id_, *theirs.position.met);
    return false;
}

// Only the host that accepted the connection answers a hello.
void Peer::answer(Wire& wire) {
    if (here_.config.self > id_) say_hello(wire);
}

void Peer::say_hello(Wire& wire) {
    frames_.clear();
    put_hello(hello(), frames_);
    wire.write(frames_);
}

void Peer::go_up(const WirePtr& wire, const Hello& theirs) {
    up_ = wire;
    up_->hand_over_to(*this, here_.config.frame_limit + head_limit);
    up_since_ = Clock::now();
    next_ = link_.first();
    process_ = theirs.process;
    connection_ = theirs.connection;
    edition_ = theirs.opening.newest;
    owed_ = 0;
    owed_bytes_ = 0;
    heard_ = true;
    written_ = true;
    problem_.clear();
    ++ups_;
    retry_.cancel();
    attempt_.reset();
    watch(theirs);
    logged_.log(LogLevel::info, fmt::format("link to host {} is up (incarnation {})", host().name,
                                            theirs.position.incarnation));
}

void Peer::tell_meeting(const Link::Meeting& meeting) {
    const Incarnation incarnation = *link_.state().peer;
    if (meeting.ended) here_.tell(here_.events.ended, id_, *meeting.ended);
    here_.tell(here_.events.connected, id_, incarnation, meeting.fresh);
    if (std::exchange(silent_, false)) here_.tell(here_.events.heard, id_);
}

void Peer::go_down(const std::string& why) {
    if (!up_) return;
    const WirePtr wire = std::exchange(up_, nullptr);
    wire->close();
    // A link that never lasts keeps its retry delay and is not logged again.
    if (Clock::now() - up_since_ >= here_.config.retry_last) {
        retry_delay_ = here_.config.retry_first;
        logged_.forget();
    }
    problem_ = why;
    logged_.log(LogLevel::info, fmt::format("link to host {} is down: {}", host().name, why));
    here_.tell(here_.events.disconnected, id_);
    if (process_gone_) end();
}

void Peer::closed(Wire& wire, const std::string& why) {
    if (&wire == greeting_.get()) {
        greeting_.reset();
        fail_to_connect(LogLevel::info, fmt::format("{} closed in the handshake: {}", host().address, why));
    } else if (&wire == up_.get()) {
        go_down(why);
        retry_later();
    }
}

void Peer::note_problem(const std::string& why) {
    if (!up_) problem_ = why;
}

// --- The end of the peer's process

void Peer::watch(const Hello& theirs) {
    process_gone_ = false;
    watch_.reset();
    if (!here_.config.watch_processes || !here_.mark || !theirs.mark) return;
    watch_ = watch_process(here_.loop, *here_.mark, *theirs.mark, [this] { process_gone(); });
}

// Its last frames may still be in flight: wait for the end of the connection.
void Peer::process_gone() {
    process_gone_ = true;
    if (!up_) end();
}

void Peer::end() {
    process_gone_ = false;
    watch_.reset();
    const auto ended = link_.end();
    if (!ended) return;
    problem_ = "its process has ended";
    log_info(fmt::format("host {}: the process of incarnation {} has ended", host().name, *ended));
    here_.tell(here_.events.ended, id_, *ended);
}

void Peer::tick(bool late) {
    if (up_ && !std::exchange(written_, false)) acknowledge();
    const auto now = Clock::now();
    if (std::exchange(heard_, false)) last_heard_ = now;
    // After a pause of this process, read first what the peers sent meanwhile.
    if (late || now - last_heard_ < here_.config.silence) return;
    knock();
    if (silent_) return;
    silent_ = true;
    if (up_) {
        const std::string why = fmt::format("nothing was heard for {} ms", here_.config.silence.count());
        up_->refuse(why);
        go_down(why);
        retry_later();
    }
    here_.tell(here_.events.silent, id_);
}

// The other one connects, but may not want to: this host was expelled, or is known at another address. It
// says so if it is asked.
void Peer::knock() {
    const auto now = Clock::now();
    const bool waits = present_ && !up_ && here_.config.self > id_;
    if (!waits || now - knocked_ < 10 * here_.config.silence) return;
    knocked_ = now;
    connect();
}

// --- Frames

bool Peer::frame(Wire& wire, std::string_view content) {
    if (&wire == greeting_.get()) return take_answer(content);
    if (&wire != up_.get()) return false;
    heard_ = true;
    const auto frame = read_link_frame(content);
    if (!frame) return break_off("it sent a malformed frame");
    return take(*frame) && &wire == up_.get();
}

bool Peer::take(const LinkFrame& frame) {
    switch (frame.head.kind) {
        case FrameKind::payload:
            return take_payload(frame);
        case FrameKind::acknowledge:
            here_.tell(here_.events.sign, id_);
            return take_acknowledgement(frame.head.number);
        case FrameKind::goodbye:
            go_down("it has stopped");
            retry_later();
            return false;
        case FrameKind::refusal:
            return break_off("refused: " + printable(frame.content));
    }
    return false;
}

bool Peer::take_payload(const LinkFrame& frame) {
    const Link::Arrival arrival = link_.arrive(frame.head.number);
    if (arrival == Link::Arrival::gap)
        return break_off(
            fmt::format("it sent payload {} after {}", frame.head.number, link_.state().received));
    ++owed_;
    owed_bytes_ += frame.content.size();
    if (owed_ >= owed_payloads_limit || owed_bytes_ >= owed_bytes_limit) {
        acknowledge_owed();
    } else if (owed_ == 1) {
        here_.acknowledgement_owed();
    }
    if (arrival == Link::Arrival::next) {
        ++received_;
        here_.tell(here_.events.received, id_, frame.content);
    }
    return true;
}

bool Peer::take_acknowledgement(std::uint64_t count) {
    if (!link_.acknowledge(count))
        return break_off(fmt::format("it acknowledges {} payloads of {}", count, link_.last()));
    next_ = std::max(next_, link_.first());
    return true;
}

bool Peer::break_off(const std::string& why) {
    logged_.log(LogLevel::warning, fmt::format("link to host {} is closed: {}", host().name, why));
    if (up_) up_->refuse(why);
    go_down(why);
    retry_later();
    return false;
}

void Peer::shun(const std::string& why) {
    ++shunned_;
    shunned_why_ = why;
    shunned_until_ = Clock::now() + 10 * here_.config.silence;
    break_off(why);
}

// --- Sending

void Peer::send(std::string_view payload) {
    if (!present_) return;
    ensure(payload.size() <= here_.config.frame_limit, "a payload exceeds the limit of a frame");
    link_.keep(payload);
    ++sent_;
    if (up_) pump();
}

void Peer::pump() {
    while (next_ <= link_.last() && up_->unsent() < unsent_limit) {
        // A payload carries the acknowledgement along at no cost.
        acknowledge_owed();
        const std::uint64_t number = next_++;
        write({.kind = FrameKind::payload, .number = number}, link_.kept(number));
    }
}

void Peer::drained(Wire& wire) {
    if (&wire == up_.get()) pump();
}

void Peer::write(const Head& head, std::string_view content) {
    frames_.clear();
    put_link_head(head, content.size(), frames_);
    up_->write(frames_);
    up_->write(content);
    written_ = true;
}

void Peer::acknowledge_owed() {
    if (up_ && owed_ > 0) acknowledge();
}

void Peer::acknowledge() {
    owed_ = 0;
    owed_bytes_ = 0;
    write({.kind = FrameKind::acknowledge, .number = link_.state().received}, "");
}

LinkStatus Peer::status() const {
    return {.host = host().name,
            .connected = up_ != nullptr,
            .silent = silent_,
            .problem = problem_,
            .incarnation = link_.state().peer.value_or(0),
            .newest_edition = up_ ? edition_ : 0,
            .sent = sent_,
            .received = received_,
            .reconnects = ups_ > 0 ? ups_ - 1 : 0,
            .unacknowledged_bytes = link_.kept_bytes(),
            .shunned = shunned_};
}

}  // namespace allot::net
