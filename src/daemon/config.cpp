#include "daemon/config.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>
#include <toml++/toml.h>

#include "base/address.hpp"
#include "base/harmless.hpp"
#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "daemon/founded.hpp"
#include "daemon/migration.hpp"
#include "daemon/redaction.hpp"
#include "daemon/section.hpp"
#include "host/resource_name.hpp"
#include "protocols/agreement/succession.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

namespace {

using std::chrono::milliseconds;

class Reader {
public:
    explicit Reader(std::string path) : path_(std::move(path)) {}

    // The configuration; none if there is an error, which `complaint` gets.
    std::optional<Config> read(const toml::table& table, Complaint& complaint) {
        name_successors(table);
        {
            Section top(table, "", complaint_);
            top.text("host", config_.host);
            top.text("socket", config_.socket);
            top.text("state", config_.state);
            top.text("http", config_.http);
            config_.http_chosen = top.find("http") != nullptr;
            top.text("https", config_.https);
            top.texts("http_names", config_.http_names);
            top.text("clients", config_.clients);
            read_log_level(top);
            read_mode(top);
            read_addresses(top);
            top.table("cluster", [&](Section& section) { section.flag("plaintext", config_.plaintext); });
            top.table("tls", [&](Section& section) {
                config_.tls = read_tls(section);
                section.text("crl", config_.tls->crl);
            });
            top.table("register", [&](Section& section) { read_register(section); });
            top.table("bootstrap", [&](Section& section) { read_bootstrap(section); });
            top.table("limits", [&](Section& section) { read_limits(section); });
            top.table("audit", [&](Section& section) { read_audit(section); });
            top.table("status", [&](Section& section) { read_redact(section); });
            read_allowances(top);
        }
        if (complaint_.text.empty()) complaint_.text = wrong();
        complaint = complaint_;
        if (!complaint.text.empty()) return std::nullopt;
        return config_;
    }

private:
    static net::TlsFiles read_tls(Section& section) {
        net::TlsFiles files;
        section.text("certificate", files.certificate);
        section.text("key", files.key);
        section.text("authority", files.authority);
        return files;
    }

    void read_limits(Section& section) {
        host::Limits& limits = config_.limits;
        section.number("sessions", limits.sessions, 1, 1'000'000);
        section.number("sessions_per_user", limits.sessions_per_user, 0, 1'000'000);
        section.number("requests_per_session", limits.requests_per_session, 1, 65536);
        section.number("locks_per_request", limits.locks_per_request, 1, 4096);
        section.number("name_length", limits.name_length, 1, 4096);
        read_megabytes(section, "memory_megabytes", limits.memory);
        read_megabytes(section, "session_megabytes", limits.session_memory);
        section.number("names", limits.names, 100, 100'000'000);
        section.duration("resume_within", limits.resume_within);
    }

    static void read_megabytes(Section& section, const char* key, std::uint64_t& bytes) {
        auto megabytes = static_cast<std::uint32_t>(bytes >> 20);
        section.number(key, megabytes, 1, 1'000'000);
        bytes = std::uint64_t{megabytes} << 20;
    }

    void read_mode(Section& top) {
        std::string mode;
        top.text("socket_mode", mode);
        if (mode.empty()) return;
        const bool octal = mode.size() <= 4 && mode.find_first_not_of("01234567") == std::string::npos;
        if (octal)
            config_.socket_mode = static_cast<unsigned>(std::stoul(mode, nullptr, 8));
        else
            top.complain(*top.find("socket_mode"), "socket_mode: write octal digits, as in \"0660\"");
    }

    void read_log_level(Section& top) {
        constexpr std::array levels{std::pair("debug", LogLevel::debug), std::pair("info", LogLevel::info),
                                    std::pair("warning", LogLevel::warning),
                                    std::pair("error", LogLevel::error)};
        std::string word;
        top.text("log_level", word);
        const auto* const level =
            std::ranges::find_if(levels, [&](const auto& one) { return one.first == word; });
        if (level != levels.end())
            config_.log_level = level->second;
        else if (const toml::node* node = top.find("log_level"))
            top.complain(*node, "log_level: write \"debug\", \"info\", \"warning\" or \"error\"");
    }

    void read_redact(Section& section) {
        if (section.find("redact") != nullptr) config_.redact.clear();
        section.texts("redact", config_.redact);
        for (const std::string& pattern : config_.redact)
            if (auto why = objection_to_pattern(pattern); !why.empty())
                section.complain(*section.find("redact"), "status.redact: " + why);
    }

    // Calls f(name, address, place) for each host of a table in `section`.
    template <class F>
    static void for_each_address(Section& section, const std::string& key, F&& f) {
        const toml::node* node = section.find(key);
        if (node == nullptr) return;
        const std::string path = section.path(key);
        const toml::table* table = node->as_table();
        if (table == nullptr)
            return section.complain(*node,
                                    fmt::format("{}: write names and addresses, as in "
                                                "{} = {{ a = \"10.0.0.1:7400\", b = \"10.0.0.2:7400\" }}",
                                                path, key));
        for (const auto& [name, node_of_address] : *table) {
            const auto text = node_of_address.template value_exact<std::string>();
            if (text && parse_host_port(*text))
                f(std::string(name.str()), *text, node_of_address);
            else
                section.complain(
                    node_of_address,
                    fmt::format("{}.{}: write an address, as in \"10.0.0.1:7400\"", path, name.str()));
        }
    }

    void read_addresses(Section& top) {
        top.text("address", config_.address);
        if (!config_.address.empty() && !parse_host_port(config_.address))
            top.complain(*top.find("address"), "address: write an address, as in \"10.0.0.1:7400\"");
        for_each_address(
            top, "addresses", [&](const std::string& name, const std::string& address, auto& at) {
                if (name == config_.host)
                    top.complain(
                        at, fmt::format("addresses.{}: it is for other hosts; write address = \"{}\"", name,
                                        address));
                config_.addresses[name] = address;
            });
    }

    void read_bootstrap(Section& section) {
        for (std::string& key : section.keys()) config_.written.insert(std::move(key));
        for_each_address(section, "hosts", [&](const std::string& name, const std::string& address, auto&) {
            config_.hosts.push_back({name, address});
        });
        read_voters(section);
        read_admission(section);
        read_semaphores(section);
        read_founded(section, config_);
    }

    void read_admission(Section& section) {
        std::string by = "certificate";
        section.text("admission", by);
        config_.asks_operator = by == "operator";
        if (by != "certificate" && by != "operator")
            section.complain(*section.find("admission"),
                             "bootstrap.admission: write \"certificate\" or \"operator\"");
    }

    void read_semaphores(Section& section) {
        const toml::node* node = section.find("semaphores");
        if (node == nullptr) return;
        const toml::table* table = node->as_table();
        if (table == nullptr)
            return section.complain(*node,
                                    "bootstrap.semaphores: write a table, as in [bootstrap.semaphores]");
        for (const auto& [name, value] : *table) {
            if (name.str().empty() || !host::objection_to_name(name.str()).empty())
                section.complain(
                    value,
                    fmt::format("bootstrap.semaphores: \"{}\": no program can ask for this name; write "
                                "one without commas, equals signs and control characters",
                                harmless(name.str())));
            Semaphore& semaphore = config_.semaphores[std::string(name.str())];
            const std::string path = "bootstrap.semaphores." + std::string(name.str());
            if (const toml::table* details = value.as_table()) {
                Section inner(*details, path, complaint_);
                inner.number("permits", semaphore.permits, 1, 10'000);
                semaphore.max_request = semaphore.permits;
                inner.number("max_request", semaphore.max_request, 1, semaphore.permits);
            } else if (const auto permits = value.value_exact<std::int64_t>();
                       permits && *permits >= 1 && *permits <= 10'000) {
                semaphore.permits = semaphore.max_request = static_cast<std::uint32_t>(*permits);
            } else {
                section.complain(value, path + ": write the number of permits, from 1 to 10000");
            }
        }
    }

    void name_successors(const toml::table& table) {
        const auto complain = [&](const toml::node* node, const std::string& what) {
            if (node != nullptr && complaint_.text.empty())
                complaint_ = {node->source().begin.line,
                              fmt::format("{}; `allot node --migrate {}` rewrites the file", what, path_)};
        };
        for (const Successor& gone : successors)
            complain(gone.found_in(table), fmt::format("{} is gone: {}", gone.former(), gone.what_to_do()));
        for (const char* name : {"detector", "locks"})
            complain(table.get(name), fmt::format("{} is gone", name));
    }

    void read_register(Section& section) {
        Register& agreed = config_.agreed;
        std::string engine;
        section.text("engine", engine);
        if (engine == "file")
            agreed.engine = Register::Engine::file;
        else if (engine == "hosts")
            agreed.engine = Register::Engine::hosts;
        else if (engine == "etcd")
            agreed.engine = Register::Engine::etcd;
        else if (const toml::node* node = section.find("engine"))
            section.complain(*node, "register.engine: write \"hosts\", \"file\" or \"etcd\"");
        section.text("file", agreed.file);
        read_etcd(section);
    }

    void read_voters(Section& section) {
        Register& agreed = config_.agreed;
        section.texts("voters", agreed.voters);
        const toml::node* node = section.find("voters");
        if (node == nullptr) return;
        if (agreed.engine == Register::Engine::file)
            section.complain(*node, "bootstrap.voters: all hosts share one file; leave it out");
        else if (agreed.engine == Register::Engine::etcd)
            section.complain(*node, "bootstrap.voters: etcd keeps the register; leave it out");
        else if (agreed.voters.empty())
            section.complain(*node, "bootstrap.voters: name an odd number of hosts, or leave it out");
    }

    void read_etcd(Section& section) {
        Register& agreed = config_.agreed;
        std::vector<std::string> endpoints;
        section.texts("endpoints", endpoints);
        for (const std::string& text : endpoints) {
            const auto endpoint = etcd::parse_endpoint(text);
            if (endpoint)
                agreed.endpoints.push_back(*endpoint);
            else
                section.complain(*section.find("endpoints"), "register.endpoints: " + endpoint.error());
        }
        section.text("key", agreed.key);
        section.table("tls", [&](Section& table) { agreed.tls = read_tls(table); });
    }

    void read_audit(Section& section) {
        constexpr std::uint32_t megabyte = 1u << 20;
        std::uint32_t longest = static_cast<std::uint32_t>(config_.audit.longest / megabyte);
        section.text("file", config_.audit.file);
        section.flag("journal", config_.audit.journal);
        section.number("megabytes", longest, 1, 1'000'000);
        section.number("keep", config_.audit.kept, 0, 1000);
        config_.audit.longest = std::uint64_t{longest} * megabyte;
    }

    // Groups have no patterns: the system looks each up by its whole name.
    static bool is_nobody(const std::string& user) {
        const bool pattern_of_groups = user.starts_with('@') && user.find('*') != std::string::npos;
        return user.empty() || user == "@" || user == "cert:" || pattern_of_groups;
    }

    static void read_reading(Section& section, host::Allowance& allowance) {
        std::string word;
        section.text("read", word);
        if (word == "none") allowance.read = host::Reading::none;
        if (word == "names") allowance.read = host::Reading::names;
        if (word == "all") allowance.read = host::Reading::all;
        if (const toml::node* node = section.find("read"); node != nullptr && !allowance.read)
            section.complain(*node, "allow.read: write \"none\", \"names\" or \"all\"");
    }

    void read_allowances(Section& top) {
        top.tables("allow", [&](Section& section, const toml::node& place) {
            host::Allowance allowance;
            section.texts("users", allowance.users);
            for (const std::string& user : allowance.users)
                if (is_nobody(user))
                    section.complain(place,
                                     fmt::format("allow.users: \"{}\" is no user; write a user, \"@group\", "
                                                 "\"cert:NAME\" or \"*\"",
                                                 user));
            section.texts("locks", allowance.locks);
            section.texts("semaphores", allowance.semaphores);
            section.flag("operate", allowance.operate);
            read_reading(section, allowance);
            config_.allow.push_back(std::move(allowance));
        });
    }

    // The error in the register's settings and the times. Programs have at least two thirds of a lease
    // between two questions of their host, and the rest is for stopping them.
    std::string wrong_register() const {
        const Register& agreed = config_.agreed;
        if (agreed.engine == Register::Engine::file && agreed.file.empty())
            return "register.file is missing; write the path of a file that all daemons of this machine "
                   "open";
        if (auto why = wrong_voters(); !why.empty()) return why;
        if (auto why = wrong_etcd(); agreed.engine == Register::Engine::etcd && !why.empty()) return why;
        return wrong_founded(config_);
    }

    // An even number survives no more losses than the odd number below it.
    std::string wrong_voters() const {
        const std::vector<std::string>& voters = config_.agreed.voters;
        for (const std::string& voter : voters) {
            const auto is_voter = [&](const Config::Host& one) { return one.name == voter; };
            if (std::ranges::none_of(config_.hosts, is_voter))
                return fmt::format("bootstrap.voters: \"{}\" is not in bootstrap.hosts", voter);
            if (std::ranges::count(voters, voter) > 1)
                return fmt::format("bootstrap.voters: \"{}\" is there twice", voter);
        }
        if (!voters.empty() && voters.size() % 2 == 0)
            return fmt::format(
                "bootstrap.voters: write an odd number of hosts; {} survive no more losses "
                "than {}",
                voters.size(), voters.size() - 1);
        return {};
    }

    std::string wrong_etcd() const {
        const Register& agreed = config_.agreed;
        if (agreed.endpoints.empty())
            return "register.endpoints is missing; write the addresses of etcd's members, as in "
                   "[\"https://10.0.0.1:2379\"]";
        if (agreed.key.empty())
            return "register.key is missing; write a key of etcd that only this cluster uses, as in "
                   "\"/allot/NAME\"";
        if (agreed.tls && !is_complete(*agreed.tls))
            return "register.tls: write certificate, key and authority, the files that etcd accepts";
        for (const etcd::Endpoint& one : agreed.endpoints) {
            if (std::ranges::count(agreed.endpoints, one) > 1)
                return fmt::format("register.endpoints: {} is there twice", one.text());
            if (one.tls && !agreed.tls)
                return fmt::format("register.endpoints: {} needs certificates; add [register.tls]",
                                   one.text());
            if (!one.tls && !config_.plaintext && !is_loopback(one.host))
                return fmt::format(
                    "register.endpoints: {}: etcd beyond this machine needs https, or plaintext allowed "
                    "explicitly, by plaintext = true in [cluster]",
                    one.text());
        }
        return {};
    }

    static bool is_complete(const net::TlsFiles& files) {
        return !files.certificate.empty() && !files.key.empty() && !files.authority.empty();
    }

    // Port 0 is any port that is free.
    std::string wrong_addresses() const {
        std::map<std::string, std::string> owners;
        for (const Config::Host& host : config_.hosts) {
            const auto [place, is_new] = owners.emplace(host.address, host.name);
            if (!is_new && !host.address.ends_with(":0"))
                return fmt::format("bootstrap.hosts: {} and {} have the address {}; each host needs its own",
                                   place->second, host.name, host.address);
        }
        return {};
    }

    // The error in the whole configuration.
    std::string wrong() {
        if (config_.host.empty()) return "host is missing; write the name of this host, as in host = \"a\"";
        // A host that is alone needs no address.
        if (config_.hosts.empty()) config_.hosts.push_back({config_.host, "127.0.0.1:0"});
        const auto mine = std::ranges::find(config_.hosts, config_.host, &Config::Host::name);
        if (mine != config_.hosts.end() && !config_.address.empty()) mine->address = config_.address;
        if (auto why = wrong_addresses(); !why.empty()) return why;
        if (config_.socket.empty()) return "socket is empty; write a path, as in \"/run/allot/allot.sock\"";
        if (config_.socket.size() > 100)
            return fmt::format("socket: {} characters are too many for a socket; write at most 100",
                               config_.socket.size());
        if (auto why = wrong_register(); !why.empty()) return why;
        const auto names_nobody = [](const host::Allowance& one) { return one.users.empty(); };
        if (std::ranges::any_of(config_.allow, names_nobody))
            return "allow.users is missing; name users, as in [\"ci\", \"@build\"]";
        if (config_.audit.journal && !config_.audit.file.empty())
            return "audit: write file = \"...\" or journal = true, not both";
        if (!config_.clients.empty() && !config_.tls && !is_loopback_address(config_.clients))
            return "clients: programs on other machines need certificates; add [tls]";
        if (!config_.https.empty() && !config_.tls) return "https: it needs certificates; add [tls]";
        if (config_.tls && !is_complete(*config_.tls))
            return "tls: write certificate, key and authority, the files that `allot cert` makes";
        return {};
    }

    const std::string path_;
    Config config_;
    Complaint complaint_;
};

}  // namespace

std::uint32_t Config::self() const {
    const auto mine = [&](const Host& one) { return one.name == host; };
    return static_cast<std::uint32_t>(std::ranges::find_if(hosts, mine) - hosts.begin());
}

std::string Config::name_of(std::uint32_t number) const {
    return number < hosts.size() ? hosts[number].name : fmt::format("host {}", number + 1);
}

std::vector<std::uint32_t> Config::others() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t number = 0; number < hosts.size(); ++number)
        if (hosts[number].takes_part() && hosts[number].name != host) all.push_back(number);
    return all;
}

const std::string& Config::address_of(const Host& one) const {
    const auto own_way = addresses.find(one.name);
    return own_way == addresses.end() ? one.address : own_way->second;
}

std::string Config::own_address() const {
    return address.empty() && self() < hosts.size() ? hosts[self()].address : address;
}

bool Config::has_address() const {
    const std::string own = own_address();
    return !own.empty() && !own.ends_with(":0");
}

std::string Config::exposure() const {
    if (!plaintext) return "";
    if (!tls)
        return fmt::format(
            "plaintext = true is unsafe: everybody who reaches {} can speak as any host and take what others "
            "hold; write [tls] (`allot cert` makes certificates)",
            own_address());
    const auto is_exposed = [](const etcd::Endpoint& one) { return !one.tls && !is_loopback(one.host); };
    const auto exposed = std::ranges::find_if(agreed.endpoints, is_exposed);
    if (exposed == agreed.endpoints.end()) return "";
    return fmt::format(
        "plaintext = true is unsafe: everybody between this host and {} can change who takes part; use https "
        "there",
        exposed->text());
}

std::optional<std::string> Config::unlisted() const {
    if (self() < hosts.size()) return std::nullopt;
    return fmt::format(
        "host \"{}\" is not in bootstrap.hosts; add it there with its address, or let it join with `allot "
        "cluster join ADDRESS --config FILE`",
        host);
}

std::vector<std::uint32_t> Config::voters() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t number = 0; number < hosts.size(); ++number) {
        const bool named = std::ranges::find(agreed.voters, hosts[number].name) != agreed.voters.end();
        if (hosts[number].may_vote() && (agreed.voters.empty() || named)) all.push_back(number);
    }
    const std::size_t usual = agreement::usual_voters(all.size());
    if (agreed.voters.empty() && all.size() > usual) all.resize(usual);
    return all;
}

const char* Register::engine_name() const {
    switch (engine) {
        case Engine::file:
            return "file";
        case Engine::hosts:
            return "hosts";
        case Engine::etcd:
            return "etcd";
    }
    return "";
}

std::vector<net::Setting> Config::required_settings() const {
    std::vector<net::Setting> all{{"register.engine", agreed.engine_name()}};
    if (agreed.engine == Register::Engine::etcd) all.push_back({"register.key", agreed.key});
    return all;
}

std::vector<net::Setting> Config::agreed_settings() const {
    std::vector<net::Setting> all = required_settings();
    for (const auto& [name, text] : founded_of(*this)) all.push_back({"bootstrap." + name, text});
    return all;
}

std::uint64_t Config::agreement() const {
    return hash_bytes(to_bytes(agreed_settings()));
}

Result<Config> parse_config(const std::string& text, const std::string& path, const LineShown& shown) {
    const auto error_at = [&](std::size_t line, const std::string& what) {
        if (line == 0) return Error{fmt::format("{}: {}", path, what)};
        return Error{fmt::format("{}:{}: {}", path, shown ? shown(line) : line, what)};
    };
    toml::table table;
    try {
        table = toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        return error_at(error.source().begin.line, std::string(error.description()));
    }
    Complaint complaint;
    auto config = Reader(path).read(table, complaint);
    if (!config) return error_at(complaint.line, complaint.text);
    return std::move(*config);
}

Result<std::string> config_text(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        return Error{fmt::format("{}: cannot read this file; write the path of a configuration", path)};
    std::stringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

Result<Config> load_config(const std::string& path) {
    const auto text = config_text(path);
    if (!text) return Error{text.error()};
    return parse_config(*text, path);
}

}  // namespace allot::daemon
