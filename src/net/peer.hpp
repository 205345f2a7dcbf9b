// Another host: this end of the link to it, the connection that carries it at present, and what is known of
// its life.
#pragma once

#include <chrono>

#include "core/random.hpp"
#include "net/log_once.hpp"
#include "net/mesh.hpp"
#include "net/process_watch.hpp"
#include "net/wire.hpp"

namespace allot::net {

// What all links of a host share.
struct Surroundings {
    boost::asio::io_context& loop;
    const MeshConfig config;
    const Mesh::Events events;
    const std::optional<ProcessMark> mark;
    const std::uint64_t process;  // drawn at random
    Random random;
    std::function<void()> acknowledgement_owed;  // calls acknowledge_owed() of all peers soon
    // Whether this process could not run for a while: it cannot tell in which order things happened.
    std::function<bool()> paused_lately;
    bool stopped = false;

    const MeshConfig::Host& self() const { return config.hosts[config.self]; }
    // Calls one of the events, if somebody listens to it and the mesh was not stopped.
    template <class Event, class... Arguments>
    void tell(const Event& event, Arguments... arguments) const {
        if (event && !stopped) event(arguments...);
    }
};

// Why this hello does not belong to that host, or to this mesh; empty if it does.
std::string objection_to(const Surroundings& here, const Hello& hello, const Identity& who,
                         const MeshConfig::Host& host);

class Peer final : public Wire::Owner {
public:
    Peer(Surroundings& here, HostId id);

    void start();
    // Says goodbye, if it can.
    void stop();
    // After that: whether the peer, if it watches this process, could take its end for a crash.
    bool may_be_misjudged() const;

    void send(std::string_view payload);
    // A connection that this peer made, and its hello. Whether it was taken.
    bool meet(const WirePtr& wire, const Hello& theirs);
    // A connection that seems to come from this peer was turned away.
    void note_problem(const std::string& why);

    // Now and then: says that this host lives, and notices that the peer does not.
    void tick(bool late);
    void acknowledge_owed();

    const LinkState& state() const { return link_.state(); }
    void restore(Link link);
    LinkStatus status() const;
    HostId id() const { return id_; }
    const MeshConfig::Host& host() const { return here_.config.hosts[id_]; }

private:
    using Clock = std::chrono::steady_clock;

    bool frame(Wire& wire, std::string_view content) override;
    void closed(Wire& wire, const std::string& why) override;
    void drained(Wire& wire) override;

    void connect();
    void greet(StreamPtr stream);
    bool take_answer(std::string_view content);
    void retry_later();
    void fail_to_connect(LogLevel level, const std::string& why);

    Hello hello() const;
    void say_hello(Wire& wire);
    void answer(Wire& wire);
    bool is_too_late(const Hello& theirs) const;
    bool admit(const WirePtr& wire, const Hello& theirs);
    bool object_to(Wire& wire, const Hello& theirs, const std::string& objection);
    void go_up(const WirePtr& wire, const Hello& theirs);
    void tell_meeting(const Link::Meeting& meeting);
    void go_down(const std::string& why);
    void watch(const Hello& theirs);
    void process_gone();
    void conclude_end();
    void end();

    bool take(const LinkFrame& frame);
    bool take_payload(const LinkFrame& frame);
    bool take_acknowledgement(std::uint64_t count);
    void take_goodbye();
    bool break_off(const std::string& why);

    void write(const Head& head, std::string_view content);
    void acknowledge();
    void pump();
    void count_buffer();

    Surroundings& here_;
    const HostId id_;
    Link link_;

    WirePtr up_;              // the connection of the link; none: it is down
    WirePtr parting_;         // the last one of all: goodbye was said, and is not known to have arrived
    std::uint64_t next_ = 0;  // the number of the payload to be written next to it
    Clock::time_point up_since_;
    std::optional<Clock::time_point> down_since_;  // it was up before
    bool torn_ = false;                            // then, it ended without a word
    std::uint64_t process_ = 0;                    // who made it, and as which of its connections
    std::uint64_t connection_ = 0;
    bool parted_ = false;  // it said goodbye: its process may end and it be back later

    std::unique_ptr<Attempt> attempt_;
    WirePtr greeting_;  // a connection of ours whose handshake goes on
    std::uint64_t connections_ = 0;
    Timer retry_;
    std::chrono::milliseconds retry_delay_;

    std::unique_ptr<ProcessWatch> watch_;
    std::optional<Clock::time_point> process_gone_since_;

    Clock::time_point last_heard_;
    bool heard_ = false;    // since the last tick
    bool written_ = false;  // since the last tick
    bool silent_ = false;
    bool disowned_ = false;  // that was told

    std::uint64_t owed_ = 0;      // payloads that came and were not acknowledged,
    std::size_t owed_bytes_ = 0;  // and their size
    bool full_ = false;
    std::string frames_;  // where frames are put together

    std::string problem_;
    LogOnce logged_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t ups_ = 0;
};

}  // namespace allot::net
