// TLS: who is let in, and who is not.

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>

#include "net/cert.hpp"
#include "net/fault_proxy.hpp"
#include "net/mesh_support.hpp"
#include "net/source_limit.hpp"
#include "net/stream.hpp"

namespace allot::net {
namespace {

using std::chrono::milliseconds;

// Two authorities with hosts of the same names, made once: keys take their time.
class Certificates {
public:
    static const Certificates& get() {
        static const Certificates all;
        return all;
    }

    // `files` of a host by one authority, which trusts another perhaps.
    TlsFiles files(const std::string& authority, const std::string& name) const {
        return {.certificate = folder_ / (authority + "/" + name + ".pem"),
                .key = folder_ / (authority + "/" + name + ".key"),
                .authority = folder_ / (authority + "/ca.pem")};
    }
    TlsPtr of(const std::string& authority, const std::string& name) const {
        const auto tls = load_tls(files(authority, name));
        return tls ? *tls : throw std::runtime_error(tls.error());
    }
    // Connects to servers that are known by their addresses.
    TlsPtr client_of_servers(const std::string& name) const {
        const auto tls = load_tls(files("first", name), Counterpart::server);
        return tls ? *tls : throw std::runtime_error(tls.error());
    }
    // Trusts the first authority, but bears a certificate of the second.
    TlsPtr impostor(const std::string& name) const {
        TlsFiles mixed = files("second", name);
        mixed.authority = files("first", name).authority;
        const auto tls = load_tls(mixed);
        return tls ? *tls : throw std::runtime_error(tls.error());
    }

private:
    Certificates() {
        for (const char* authority : {"first", "second"}) {
            const auto made = make_certificates(
                {.folder = folder_ / authority, .hosts = {"ant", "bee", "cat"}, .programs = {"ant", "bee"}});
            if (!made) throw std::runtime_error(made.error());
        }
    }
    TemporaryFolder folder_;
};

TlsPtr tls_of(const std::string& name) {
    return Certificates::get().of("first", name);
}

struct End {
    StreamPtr stream;
    std::string bytes;
    std::string why;
    bool closed = false;

    void take(StreamPtr given) {
        stream = std::move(given);
        stream->start({.read = [this](std::string_view read) { bytes += read; },
                       .closed =
                           [this](std::string reason) {
                               closed = true;
                               why = std::move(reason);
                           }});
    }
};

class TlsStream : public testing::Test {
protected:
    void listen(TlsPtr tls, Patience patience = {}) {
        auto made = listen_tcp(
            loop, "127.0.0.1:0", std::move(tls),
            [this](StreamPtr stream) { accepted.take(std::move(stream)); }, patience);
        ASSERT_TRUE(made) << made.error();
        listener = std::move(*made);
    }
    void connect(TlsPtr tls, const std::string& name) {
        attempt = connect_tcp(loop, address(), std::move(tls), name, [this](Result<StreamPtr> result) {
            if (result) {
                connected.take(std::move(*result));
            } else {
                problem = result.error();
            }
        });
    }
    std::string address() const { return fmt::format("127.0.0.1:{}", listener->port()); }
    bool until(const std::function<bool()>& condition) { return run_until(loop, condition); }

    boost::asio::io_context loop;
    std::unique_ptr<Listener> listener;
    std::unique_ptr<Attempt> attempt;
    End accepted;
    End connected;
    std::string problem;
};

TEST_F(TlsStream, Carries_bytes_between_hosts_that_know_each_other_by_name) {
    listen(tls_of("bee"));
    connect(tls_of("ant"), "bee");
    ASSERT_TRUE(until([&] { return accepted.stream && connected.stream; })) << problem;
    EXPECT_EQ(accepted.stream->identity().hosts, std::vector<std::string>{"ant"});
    EXPECT_EQ(accepted.stream->identity().program, "");
    EXPECT_EQ(connected.stream->identity().hosts, std::vector<std::string>{"bee"});
    const std::string much(3'000'000, 'x');
    connected.stream->write(much);
    accepted.stream->write("answer");
    ASSERT_TRUE(until([&] { return accepted.bytes.size() == much.size() && !connected.bytes.empty(); }));
    EXPECT_EQ(connected.bytes, "answer");
    accepted.stream->write("last words");
    accepted.stream->close();
    ASSERT_TRUE(until([&] { return connected.closed; }));
    EXPECT_EQ(connected.bytes, "answerlast words");
    EXPECT_EQ(connected.why, "closed by the other end");
}

TEST_F(TlsStream, Goes_on_after_a_pause) {
    listen(tls_of("bee"));
    connect(tls_of("ant"), "bee");
    ASSERT_TRUE(until([&] { return accepted.stream && connected.stream; })) << problem;
    accepted.stream->pause(true);
    const std::string much(3'000'000, 'x');
    connected.stream->write(much);
    // All that fits is under way when what is left does not change any more.
    std::size_t left = much.size();
    ASSERT_TRUE(until([&] { return left == std::exchange(left, connected.stream->unsent()); }));
    EXPECT_EQ(accepted.bytes, "");
    accepted.stream->pause(false);
    EXPECT_TRUE(until([&] { return accepted.bytes.size() == much.size(); }));
}

TEST_F(TlsStream, Is_refused_by_a_host_that_looks_for_another_name) {
    listen(tls_of("bee"));
    connect(tls_of("ant"), "cat");
    ASSERT_TRUE(until([&] { return !problem.empty(); }));
    EXPECT_EQ(problem, "its certificate is for host bee, not for host cat");
}

// The certificates of `allot cert` have the name of the host as a name of the DNS.
TEST_F(TlsStream, Knows_a_server_by_its_name) {
    listen(tls_of("bee"));
    connect(Certificates::get().client_of_servers("ant"), "bee");
    ASSERT_TRUE(until([&] { return accepted.stream && connected.stream; })) << problem;
}

TEST_F(TlsStream, Refuses_a_server_with_the_certificate_of_another_name_or_number) {
    listen(tls_of("bee"));
    for (const char* name : {"cat", "127.0.0.1"}) {
        problem.clear();
        connect(Certificates::get().client_of_servers("ant"), name);
        ASSERT_TRUE(until([&] { return !problem.empty(); }));
        EXPECT_NE(problem.find("its certificate is refused: "), std::string::npos) << problem;
        EXPECT_NE(problem.find("mismatch"), std::string::npos) << problem;
    }
}

TEST_F(TlsStream, Is_refused_by_a_host_that_does_not_know_the_authority) {
    listen(Certificates::get().of("second", "bee"));
    connect(tls_of("ant"), "bee");
    ASSERT_TRUE(until([&] { return !problem.empty(); }));
    EXPECT_NE(problem.find("its certificate is refused"), std::string::npos) << problem;
    EXPECT_EQ(accepted.stream, nullptr);
}

TEST_F(TlsStream, Is_refused_to_a_host_whose_authority_is_not_known) {
    listen(tls_of("bee"));
    connect(Certificates::get().impostor("ant"), "bee");
    // The connector learns it from the first answer, or from its absence.
    ASSERT_TRUE(until([&] { return connected.closed || !problem.empty(); }));
    EXPECT_EQ(accepted.stream, nullptr);
}

TEST_F(TlsStream, Is_refused_to_plaintext) {
    listen(tls_of("bee"));
    connect(nullptr, "");
    ASSERT_TRUE(until([&] { return connected.stream != nullptr; }));
    connected.stream->write("GET / HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(until([&] { return connected.closed; }));
    EXPECT_EQ(accepted.stream, nullptr);
}

TEST_F(TlsStream, Is_refused_to_who_does_not_finish_the_handshake_in_time) {
    listen(tls_of("bee"), {.handshake_ms = 100});
    connect(nullptr, "");
    ASSERT_TRUE(until([&] { return connected.closed; }));
    EXPECT_EQ(accepted.stream, nullptr);
}

TEST_F(TlsStream, Gives_up_on_a_listener_that_does_not_answer) {
    listen(nullptr);
    attempt = connect_tcp(loop, address(), tls_of("ant"), "bee",
                          [this](const Result<StreamPtr>& result) { problem = result.error(); },
                          {.handshake_ms = 100});
    ASSERT_TRUE(until([&] { return !problem.empty(); }));
    EXPECT_TRUE(problem == "no answer in time" || problem == "the handshake takes too long") << problem;
}

// --- The cost of handshakes

std::chrono::nanoseconds cpu_time(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Both ends of each handshake are here, so nearly all time of this process is that of handshakes.
TEST_F(TlsStream, Takes_its_arithmetic_off_the_loop) {
    listen(tls_of("bee"));
    const auto all_before = cpu_time(CLOCK_PROCESS_CPUTIME_ID);
    const auto loop_before = cpu_time(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < 100; ++i) {
        connected = {};
        connect(tls_of("ant"), "bee");
        ASSERT_TRUE(until([&] { return connected.stream != nullptr; })) << problem;
    }
    const auto all = cpu_time(CLOCK_PROCESS_CPUTIME_ID) - all_before;
    const auto of_loop = cpu_time(CLOCK_THREAD_CPUTIME_ID) - loop_before;
    EXPECT_LT(of_loop, all / 2) << of_loop.count() / 1000 << " us of " << all.count() / 1000;
}

// Whoever is let in gets at least an alert.
TEST_F(TlsStream, Is_refused_now_and_then_to_an_address_whose_handshakes_fail) {
    listen(tls_of("bee"));
    const auto most = static_cast<std::size_t>(SourceLimit::at_once);
    std::size_t let_in = 0;
    for (std::size_t tried = 0; tried < 2 * most; tried += 100) {
        std::array<End, 100> garbage;
        std::array<std::unique_ptr<Attempt>, 100> attempts;
        for (std::size_t i = 0; i < garbage.size(); ++i)
            attempts[i] = connect_tcp(loop, address(), nullptr, "", [&, i](Result<StreamPtr> result) {
                garbage[i].take(std::move(*result));
                garbage[i].stream->write("GET / HTTP/1.1\r\n\r\n");
            });
        ASSERT_TRUE(until([&] { return std::ranges::all_of(garbage, &End::closed); }));
        let_in += static_cast<std::size_t>(
            std::ranges::count_if(garbage, [](const End& one) { return !one.bytes.empty(); }));
    }
    EXPECT_LT(let_in, 2 * most);
    // What is forgiven each second suffices for a host that tries again.
    problem = "not yet";
    EXPECT_TRUE(until([&] {
        if (!std::exchange(problem, {}).empty()) connect(tls_of("ant"), "bee");
        return accepted.stream != nullptr;
    }));
}

TEST(TlsFilesTest, That_cannot_be_read_are_named) {
    const auto& all = Certificates::get();
    TlsFiles files = all.files("first", "ant");
    files.key = all.files("first", "bee").key;
    const auto wrong_key = load_tls(files);
    ASSERT_FALSE(wrong_key);
    EXPECT_EQ(wrong_key.error().substr(0, files.key.size()), files.key);
    EXPECT_NE(wrong_key.error().find("no private key for that certificate"), std::string::npos);
    files = all.files("first", "ant");
    files.certificate = "/nowhere";
    EXPECT_FALSE(load_tls(files));
    files = all.files("first", "ant");
    files.authority = "/nowhere";
    EXPECT_FALSE(load_tls(files));
}

// --- Renewed files

// Files of one host that a test replaces while they are in use.
struct Renewable {
    explicit Renewable(const TlsFiles& first) {
        put_all(first);
        tls = *load_tls(files);
    }
    // A new file takes the name of the earlier one, as tools that renew certificates do it.
    static void put(const std::string& from, const std::string& to) {
        std::filesystem::copy_file(from, to + ".new");
        std::filesystem::rename(to + ".new", to);
    }
    void put_all(const TlsFiles& renewed) const {
        put(renewed.certificate, files.certificate);
        put(renewed.key, files.key);
        put(renewed.authority, files.authority);
    }
    std::string unusable() const { return look_at(tls).unusable; }

    TemporaryFolder folder;
    TlsFiles files{
        .certificate = folder / "own.pem", .key = folder / "own.key", .authority = folder / "ca.pem"};
    TlsPtr tls;
};

TEST_F(TlsStream, Uses_renewed_files_for_new_connections_and_leaves_the_earlier_ones_alone) {
    const auto& all = Certificates::get();
    const Renewable bee_files(all.files("first", "bee"));
    listen(bee_files.tls);
    connect(tls_of("ant"), "bee");
    ASSERT_TRUE(until([&] { return accepted.stream && connected.stream; })) << problem;
    const StreamPtr earlier = connected.stream;
    const StreamPtr earlier_accepted = accepted.stream;
    bee_files.put_all(all.files("second", "bee"));
    EXPECT_EQ(bee_files.unusable(), "");
    connect(all.of("second", "ant"), "bee");
    ASSERT_TRUE(until([&] { return connected.stream != earlier && accepted.stream != earlier_accepted; }))
        << problem;
    earlier_accepted->write("still here");
    ASSERT_TRUE(until([&] { return connected.bytes == "still here"; }));
    problem.clear();
    connect(tls_of("ant"), "bee");
    ASSERT_TRUE(until([&] { return !problem.empty(); }));
    EXPECT_NE(problem.find("its certificate is refused"), std::string::npos) << problem;
}

TEST(RenewedFiles, Are_used_only_if_they_fit_together) {
    const auto& all = Certificates::get();
    const Renewable own(all.files("first", "bee"));
    const auto refused = [&](const std::string& why) {
        EXPECT_NE(own.unusable().find(why), std::string::npos) << own.unusable();
        EXPECT_NE(own.unusable().find("the former ones stay in use"), std::string::npos);
    };
    Renewable::put(all.files("second", "bee").key, own.files.key);
    refused("own.key: the file contains no private key for that certificate");
    Renewable::put(all.files("second", "bee").certificate, own.files.certificate);
    refused("ca.pem does not vouch for the certificate");
    Renewable::put(all.files("second", "bee").authority, own.files.authority);
    EXPECT_EQ(own.unusable(), "");
    own.put_all(all.files("second", "cat"));
    refused("own.pem: the certificate is for host cat, not for host bee");
    std::filesystem::remove(own.files.certificate);
    refused("own.pem: No such file or directory");
    own.put_all(all.files("first", "bee"));
    EXPECT_EQ(own.unusable(), "");
}

TEST(RenewedFiles, That_are_half_written_leave_the_earlier_ones_in_use) {
    const auto& all = Certificates::get();
    const Renewable own(all.files("first", "bee"));
    std::filesystem::resize_file(own.files.certificate, 100);
    EXPECT_NE(own.unusable().find("own.pem: the file contains no certificate in PEM"), std::string::npos);
    Renewable::put(all.files("first", "bee").certificate, own.files.certificate);
    EXPECT_EQ(own.unusable(), "");
}

TEST(RenewedFiles, Tell_until_when_the_certificate_is_valid) {
    const TemporaryFolder folder;
    ASSERT_TRUE(make_certificates({.folder = folder / "short", .hosts = {"bee"}, .days = 5}));
    const auto tls = load_tls({.certificate = folder / "short/bee.pem",
                               .key = folder / "short/bee.key",
                               .authority = folder / "short/ca.pem"});
    ASSERT_TRUE(tls) << tls.error();
    const auto left = condition_of(*tls).expires - std::chrono::system_clock::now();
    EXPECT_GT(left, std::chrono::hours(4 * 24));
    EXPECT_LE(left, std::chrono::hours(5 * 24));
}

// --- Revoked certificates

// An authority that takes back what it has certified.
struct Revoking {
    Revoking() {
        must(make_certificates({.folder = folder / "", .hosts = {"ant", "bee"}, .programs = {"ci"}}));
        revoke({});
    }
    void revoke(const std::vector<std::string>& names, int days = 30) const {
        std::vector<std::string> certificates;
        for (const std::string& name : names) certificates.push_back(folder / (name + ".pem"));
        must(revoke_certificates({.folder = folder / "", .revoke = certificates, .days = days}));
    }
    TlsFiles files(const std::string& name) const {
        return {.certificate = folder / (name + ".pem"),
                .key = folder / (name + ".key"),
                .authority = folder / "ca.pem",
                .crl = folder / "crl.pem"};
    }
    TlsPtr tls(const std::string& name) const {
        auto loaded = load_tls(files(name));
        must(loaded);
        return *loaded;
    }
    template <class T>
    static void must(const Result<T>& result) {
        if (!result) throw std::runtime_error(result.error());
    }
    TemporaryFolder folder;
};

TEST_F(TlsStream, Is_refused_to_a_revoked_certificate_at_either_end) {
    const Revoking authority;
    const TlsPtr bee_tls = authority.tls("bee");
    listen(bee_tls);
    connect(authority.tls("ant"), "bee");
    ASSERT_TRUE(until([&] { return accepted.stream && connected.stream; })) << problem;
    accepted = {};
    connected = {};
    authority.revoke({"ant"});
    EXPECT_EQ(look_at(bee_tls).unusable, "");
    connect(authority.tls("ant"), "bee");
    ASSERT_TRUE(until([&] { return connected.closed || !problem.empty(); }));
    EXPECT_EQ(accepted.stream, nullptr);
    connected = {};
    problem.clear();
    listen(authority.tls("ant"));
    connect(bee_tls, "ant");
    ASSERT_TRUE(until([&] { return !problem.empty(); }));
    EXPECT_EQ(problem, "its certificate is refused: certificate revoked");
}

TEST_F(TlsStream, Knows_which_of_its_certificates_were_revoked_later) {
    const Revoking authority;
    const TlsPtr bee_tls = authority.tls("bee");
    listen(bee_tls);
    connect(authority.tls("programs/ci"), "bee");
    ASSERT_TRUE(until([&] { return accepted.stream && connected.stream; })) << problem;
    const std::uint64_t before = condition_of(bee_tls).revision;
    authority.revoke({"ant"});
    EXPECT_GT(look_at(bee_tls).revision, before);
    EXPECT_FALSE(is_revoked(bee_tls, accepted.stream->identity()));
    authority.revoke({"programs/ci"});
    look_at(bee_tls);
    EXPECT_TRUE(is_revoked(bee_tls, accepted.stream->identity()));
    EXPECT_FALSE(is_revoked(bee_tls, connected.stream->identity()));
}

TEST(RevocationList, Tells_its_end_and_whether_the_own_certificate_is_in_it) {
    const Revoking authority;
    const TlsPtr tls = authority.tls("bee");
    EXPECT_FALSE(look_at(tls).is_revoked);
    authority.revoke({"bee"}, 5);
    const TlsCondition condition = look_at(tls);
    EXPECT_TRUE(condition.is_revoked);
    EXPECT_EQ(condition.unusable, "") << "a host whose certificate is revoked heeds the list, too";
    ASSERT_TRUE(condition.list_expires);
    EXPECT_LE(*condition.list_expires - std::chrono::system_clock::now(), std::chrono::hours(5 * 24));
}

TEST(RevocationList, That_cannot_be_used_leaves_the_earlier_one_in_use) {
    const Revoking authority, another;
    const TlsPtr tls = authority.tls("bee");
    std::filesystem::resize_file(authority.folder / "crl.pem", 100);
    EXPECT_NE(look_at(tls).unusable.find("crl.pem: the file contains no revocation list in PEM"),
              std::string::npos);
    Renewable::put(another.folder / "crl.pem", authority.folder / "crl.pem");
    EXPECT_NE(look_at(tls).unusable.find("does not vouch for the certificate"), std::string::npos);
    std::filesystem::remove(authority.folder / "crl.pem");
    EXPECT_NE(look_at(tls).unusable.find("crl.pem: No such file or directory"), std::string::npos);
    EXPECT_FALSE(load_tls(authority.files("bee")));
    authority.revoke({});
    EXPECT_EQ(look_at(tls).unusable, "");
}

// --- Whole hosts

MeshConfig with_tls(HostId self, TlsPtr tls) {
    MeshConfig config = quick_config(self);
    config.tls = std::move(tls);
    return config;
}

class MeshTls : public MeshTest {
protected:
    std::unique_ptr<Attempt> attempt;
};

TEST_F(MeshTls, Links_hosts_by_the_names_on_their_certificates) {
    start_both(with_tls(ant, tls_of("ant")), with_tls(bee, tls_of("bee")));
    for (int i = 0; i < 1000; ++i) {
        a->mesh->send(bee, std::to_string(i));
        b->mesh->send(ant, std::to_string(i));
    }
    ASSERT_TRUE(until([&] { return a->received.size() == 1000 && b->received.size() == 1000; }));
    EXPECT_EQ(a->received, numbered(0, 1000));
    EXPECT_EQ(b->received, numbered(0, 1000));
}

TEST_F(MeshTls, Loses_nothing_when_the_link_is_cut) {
    b = std::make_unique<TestHost>(loop, with_tls(bee, tls_of("bee")));
    b->start();
    const auto proxy = FaultProxy::make(loop, "127.0.0.1:0", b->address());
    ASSERT_TRUE(proxy) << proxy.error();
    auto config = with_tls(ant, tls_of("ant"));
    config.hosts[bee].address = (*proxy)->address();
    a = std::make_unique<TestHost>(loop, config);
    a->start();
    std::size_t cuts = 0;
    std::size_t sent = 0;
    ASSERT_TRUE(until([&] {
        for (; sent < std::min<std::size_t>(2000, b->received.size() + 100); ++sent)
            a->mesh->send(bee, std::to_string(sent));
        if (b->received.size() > (cuts + 1) * 300) {
            ++cuts;
            (*proxy)->cut();
        }
        return b->received.size() == 2000;
    }));
    EXPECT_EQ(b->received, numbered(0, 2000));
    EXPECT_GE(cuts, 3u);
}

TEST_F(MeshTls, Refuses_a_host_with_the_certificate_of_another) {
    start_both(with_tls(ant, tls_of("cat")), with_tls(bee, tls_of("bee")));
    ASSERT_TRUE(until([&] { return !a->problem(bee).empty() && !b->problem(ant).empty(); }));
    EXPECT_EQ(b->problem(ant), "it says that it is host ant, but its certificate is for host cat");
    EXPECT_EQ(a->problem(bee), "refused: " + b->problem(ant));
    EXPECT_TRUE(b->told.empty());
}

TEST_F(MeshTls, Does_not_connect_to_a_host_with_the_certificate_of_another) {
    start_both(with_tls(ant, tls_of("ant")), with_tls(bee, tls_of("cat")));
    const std::string reason = "its certificate is for host cat, not for host bee";
    ASSERT_TRUE(until([&] { return a->problem(bee).find(reason) != std::string::npos; })) << a->problem(bee);
    EXPECT_TRUE(b->told.empty());
}

TEST_F(MeshTls, Refuses_a_program_that_is_called_like_a_host) {
    start_both(with_tls(ant, tls_of("programs/ant")), with_tls(bee, tls_of("bee")));
    ASSERT_TRUE(until([&] { return !a->problem(bee).empty() && !b->problem(ant).empty(); }));
    EXPECT_EQ(b->problem(ant), "it says that it is host ant, but its certificate is for program ant");
    EXPECT_EQ(a->problem(bee), "refused: " + b->problem(ant));
    EXPECT_TRUE(b->told.empty());
}

// Neither which hosts there are, nor what they have agreed on.
TEST_F(MeshTls, Tells_a_program_nothing_but_what_it_said_itself) {
    b = std::make_unique<TestHost>(loop, with_tls(bee, tls_of("bee")));
    b->start();
    const auto answer_to = [&](const Hello& hello) {
        End end;
        attempt = connect_tcp(loop, b->address(), tls_of("programs/ant"), "bee",
                              [&](Result<StreamPtr> result) { end.take(std::move(*result)); });
        EXPECT_TRUE(until([&] { return end.stream != nullptr; }));
        std::string bytes;
        put_hello(hello, bytes);
        end.stream->write(bytes);
        EXPECT_TRUE(until([&] { return end.closed; }));
        return end.bytes;
    };
    for (const char* name : {"ant", "wasp"}) {
        std::string refusal;
        put_link_frame(
            {.kind = FrameKind::refusal},
            fmt::format("it says that it is host {}, but its certificate is for program ant", name), refusal);
        EXPECT_EQ(answer_to({.from = name, .to = "cat", .agreement = 7}), refusal);
    }
}

TEST_F(MeshTls, Does_not_connect_to_a_program_that_is_called_like_a_host) {
    start_both(with_tls(ant, tls_of("ant")), with_tls(bee, tls_of("programs/bee")));
    const std::string reason = "its certificate is refused";
    ASSERT_TRUE(until([&] { return a->problem(bee).find(reason) != std::string::npos; })) << a->problem(bee);
    EXPECT_TRUE(b->told.empty());
}

TEST_F(MeshTls, Closes_the_link_to_a_host_whose_certificate_is_revoked) {
    const Revoking authority;
    const TlsPtr bee_tls = authority.tls("bee");
    start_both(with_tls(ant, authority.tls("ant")), with_tls(bee, bee_tls));
    ASSERT_TRUE(until([&] { return a->is_connected(bee) && b->is_connected(ant); }));
    authority.revoke({});
    look_at(bee_tls);
    b->mesh->close_revoked();
    EXPECT_TRUE(b->is_connected(ant));
    authority.revoke({"ant"});
    look_at(bee_tls);
    b->mesh->close_revoked();
    EXPECT_FALSE(b->is_connected(ant));
    EXPECT_EQ(b->problem(ant), "its certificate is revoked");
    ASSERT_TRUE(until([&] { return a->problem(bee).find("certificate revoked") != std::string::npos; }))
        << a->problem(bee);
}

TEST_F(MeshTls, Refuses_a_host_of_another_authority) {
    start_both(with_tls(ant, Certificates::get().impostor("ant")), with_tls(bee, tls_of("bee")));
    ASSERT_TRUE(until([&] { return !a->problem(bee).empty(); }));
    EXPECT_TRUE(a->told.empty());
    EXPECT_TRUE(b->told.empty());
}

TEST_F(MeshTls, Refuses_a_host_that_speaks_plaintext) {
    start_both(quick_config(ant), with_tls(bee, tls_of("bee")));
    ASSERT_TRUE(until([&] { return !a->problem(bee).empty(); }));
    EXPECT_TRUE(a->told.empty());
    EXPECT_TRUE(b->told.empty());
}

}  // namespace
}  // namespace allot::net
