// hostile CONFIG KIND NUMBER: takes the place of the host of that configuration, as a daemon with a later
// number than all others, sends every host one letter that cannot be right, and waits until the links are
// closed, for ten seconds at most. Prints what happened.
//     frame   a message to a seat that no host can have
//     site    a token that names a site that is none
//     misses  a host that is none is missed
//     view    a view with a member that is no host
//     ballot  a ballot of another host
//     status  a status of another host
//     parcel  pieces of a message that is longer than any may be
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "daemon/config.hpp"
#include "daemon/incarnations.hpp"
#include "daemon/mail.hpp"
#include "daemon/parcels.hpp"

namespace {

using namespace allot;
using namespace allot::daemon;

Letter about_locks(std::uint32_t epoch, std::uint32_t to_seat, Counters::Message message) {
    return host::Frame{epoch, {}, host::Locks::Message{0, to_seat, std::move(message)}};
}

// `known` is a value that the receiver has sent.
Letter letter_of(const std::string& kind, const agreement::Value& known) {
    if (kind == "frame") return about_locks(known.view, 0x0FFFFFFF, Counters::Tokens{{{.resource = "x"}}});
    if (kind == "site")
        return about_locks(known.view, 0,
                           Counters::Tokens{{{.resource = "x", .queue = {{{1, 1}, 0x7FFFFFFF, 1, {}}}}}});
    if (kind == "misses") return host::Alive{{0x7FFFFFFF}};
    if (kind == "ballot")
        return agreement::Framed<agreement::Prepare>{{agreement::founders(1), {5, 0, 0}}, {0, 0}, {}, {}};
    if (kind == "status") return ReportAnswer{1, {.host = {.name = "nobody"}}};
    host::Learn learn{known};
    learn.value.version = learn.value.version.next();
    learn.value.members.push_back({0x7FFFFFFF, 1});
    return learn;
}

class Hostile {
public:
    Hostile(const Config& config, std::string kind)
        : kind_(std::move(kind)), config_(config), mail_(loop_, config_, events()) {}

    int run(std::uint32_t number) {
        if (const auto why = open(number)) {
            fmt::print(stderr, "{}\n", *why);
            return 1;
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (closed_.size() < config_.others().size() && std::chrono::steady_clock::now() < end)
            loop_.run_one_for(std::chrono::milliseconds(100));
        for (const auto& [host, why] : closed_) fmt::print("{}: {}\n", config_.name_of(host), why);
        return closed_.size() == config_.others().size() ? 0 : 1;
    }

private:
    std::optional<std::string> open(std::uint32_t number) {
        net::TlsPtr tls;
        if (config_.tls) {
            const auto loaded = net::load_tls(*config_.tls);
            if (!loaded) return loaded.error();
            tls = *loaded;
        }
        return mail_.open(daemon_of_this_minute() + number, tls);
    }
    Mail::Events events() {
        Mail::Events all;
        all.received = [this](net::HostId from, const Letter& letter) {
            const auto* learn = std::get_if<host::Learn>(&letter);
            if (learn != nullptr && !sent_[from]) say(from, learn->value);
        };
        all.malformed = [](net::HostId, const std::string&) {};
        all.sign = [](net::HostId) {};
        all.met = [](net::HostId) {};
        all.ended = [this](net::HostId host, bool has_ended) {
            if (has_ended && sent_[host]) boost::asio::post(loop_, [this, host] { note_end(host); });
        };
        all.disowned = [](net::HostId, std::uint32_t met) { fmt::print("disowned: {}\n", met); };
        all.name_taken = [] { fmt::print("the name is taken\n"); };
        all.member = [this](net::HostId host) { return std::optional(mail_.status(host).incarnation); };
        all.petition = [](const auto&, const auto&) {};
        return all;
    }

    void say(net::HostId host, const agreement::Value& known) {
        sent_[host] = true;
        if (kind_ != "parcel") return mail_.send(host, letter_of(kind_, known));
        const Piece piece{false, std::string(Parcels::piece_bytes / 2, 'p')};
        for (std::size_t bytes = 0; bytes <= Parcels::longest_letter(config_); bytes += piece.bytes.size())
            mail_.send(host, piece);
    }
    void note_end(net::HostId host) { closed_.try_emplace(host, mail_.status(host).problem); }

    const std::string kind_;
    const Config& config_;
    boost::asio::io_context loop_{1};
    std::map<net::HostId, bool> sent_;
    std::map<net::HostId, std::string> closed_;
    Mail mail_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        fmt::print(stderr, "usage: hostile CONFIG KIND NUMBER, as in hostile h3.toml frame 100\n");
        return 2;
    }
    const auto config = load_config(argv[1]);
    if (!config) {
        fmt::print(stderr, "{}\n", config.error());
        return 1;
    }
    return Hostile(*config, argv[2]).run(static_cast<std::uint32_t>(std::atoi(argv[3])));
}
