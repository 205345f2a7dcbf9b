// Another host: this end of the link to it, the connection that carries the link, and the state of its
// process.
#pragma once

#include <chrono>

#include "core/random.hpp"
#include "net/local_user.hpp"
#include "net/log_once.hpp"
#include "net/mesh.hpp"
#include "net/process_watch.hpp"
#include "net/wire.hpp"

namespace allot::net {

// Shared by all links of a host.
struct Surroundings {
    boost::asio::io_context& loop;
    MeshConfig config;  // its list of hosts grows
    const Mesh::Events events;
    const std::optional<ProcessMark> mark;
    const std::uint64_t process;  // random number
    Random random;
    std::function<void()> acknowledgement_owed;  // calls acknowledge_owed() of all peers soon
    bool stopped = false;

    const MeshConfig::Host& self() const { return config.hosts[config.self]; }
    // Why the other end is not known; empty if the kernel or a certificate vouches for it, or if nobody need
    // to.
    std::string objection_to(const Identity& who) const {
        if (config.tls) return is_revoked(config.tls, who) ? "its certificate is revoked" : "";
        return config.plaintext ? "" : objection_to_user(who);
    }
    // The reason as the other end hears it. Where nobody vouches for that end, the reason stays in the log.
    std::string to_tell(const std::string& why) const {
        return config.tls || !config.plaintext ? why : "the log there says why";
    }
    // Calls an event, if it has a handler and the mesh is not stopped.
    template <class Event, class... Arguments>
    void tell(const Event& event, Arguments... arguments) const {
        if (event && !stopped) event(arguments...);
    }
};

// A host may only speak as itself.
std::string contradiction(std::string_view name, const Identity& who);

// Why this hello does not come from that host or does not fit this mesh; empty if it does.
std::string objection_to(const Surroundings& here, const Hello& hello, const Identity& who,
                         const MeshConfig::Host& host);

// The same for a petition.
std::string objection_to(const Surroundings& here, const Petition& petition, const Identity& who);

class Peer final : public Wire::Owner {
public:
    Peer(Surroundings& here, HostId id);

    void start();
    // Says goodbye if there is a connection.
    void stop();
    // The list of hosts has changed: closes the link to a host that is not present, opens it to one that is.
    void look_at_list();
    void close_if_revoked();

    void send(std::string_view payload);
    // Closes the link with the reason, and refuses another one for a while.
    void shun(const std::string& why);
    // Takes a connection of this peer with its hello. False if it was refused.
    bool meet(const WirePtr& wire, const Hello& theirs);
    // A connection that seems to come from this peer was refused.
    void note_problem(const std::string& why);

    // Called regularly: sends a sign of life if nothing else was sent, and notices silence.
    void tick(bool late);
    void acknowledge_owed();

    LinkStatus status() const;
    HostId id() const { return id_; }
    const MeshConfig::Host& host() const { return here_.config.hosts[id_]; }

private:
    using Clock = std::chrono::steady_clock;

    bool frame(Wire& wire, std::string_view content) override;
    void closed(Wire& wire, const std::string& why) override;
    void drained(Wire& wire) override;

    void connect();
    void greet_if_known(StreamPtr stream);
    void greet(StreamPtr stream);
    bool take_answer(std::string_view content);
    void retry_later();
    void knock();
    void fail_to_connect(LogLevel level, const std::string& why);

    Hello hello() const;
    void say_hello(Wire& wire);
    void answer(Wire& wire);
    bool admit(const WirePtr& wire, const Hello& theirs);
    bool object_to(Wire& wire, const Hello& theirs, const std::string& objection);
    void go_up(const WirePtr& wire, const Hello& theirs);
    void tell_meeting(const Link::Meeting& meeting);
    void go_down(const std::string& why);
    void watch(const Hello& theirs);
    void process_gone();
    void end();

    bool take(const LinkFrame& frame);
    bool take_payload(const LinkFrame& frame);
    bool take_acknowledgement(std::uint64_t count);
    bool break_off(const std::string& why);

    void write(const Head& head, std::string_view content);
    void acknowledge();
    void pump();

    Surroundings& here_;
    const HostId id_;
    Link link_;

    WirePtr up_;              // carries the link; null: the link is down
    std::uint64_t next_ = 0;  // number of the next payload to write to it
    Clock::time_point up_since_;
    std::uint64_t process_ = 0;  // the process of the connection, and its number
    std::uint64_t connection_ = 0;
    Edition edition_ = 0;  // the newest that it knows

    std::unique_ptr<Attempt> attempt_;
    WirePtr greeting_;  // our own connection, during the handshake
    std::uint64_t connections_ = 0;
    Timer retry_;
    std::chrono::milliseconds retry_delay_;

    std::unique_ptr<ProcessWatch> watch_;
    bool process_gone_ = false;

    Clock::time_point last_heard_;
    Clock::time_point knocked_;  // the last time
    bool present_ = true;
    bool heard_ = false;    // since the last tick
    bool written_ = false;  // since the last tick
    bool silent_ = false;
    bool disowned_ = false;  // the event was sent

    std::uint64_t owed_ = 0;      // payloads received and not acknowledged,
    std::size_t owed_bytes_ = 0;  // and their size
    std::string frames_;          // buffer for outgoing frames

    std::string problem_;
    LogOnce logged_;
    std::string shunned_why_;
    Clock::time_point shunned_until_;
    std::uint64_t shunned_ = 0;  // how often
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t ups_ = 0;
};

}  // namespace allot::net
