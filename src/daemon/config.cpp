#include "daemon/config.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <set>
#include <sstream>
#include <toml++/toml.h>

#include "base/address.hpp"
#include "base/duration.hpp"
#include "base/harmless.hpp"
#include "base/utf8.hpp"
#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "core/parameters.hpp"
#include "daemon/migration.hpp"
#include "protocols/agreement/succession.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

namespace {

using std::chrono::milliseconds;

// The register and all letters about it carry the modes.
constexpr std::size_t most_modes = 64;
constexpr std::size_t longest_founded = 4096;

// Reads a table key by key, and finally reports keys that were not read: a misspelt key must not be ignored
// silently.
class Section {
public:
    Section(const toml::table& table, std::string name, std::string& error)
        : table_(table), name_(std::move(name)), error_(error) {}

    ~Section() {
        for (const auto& [key, value] : table_)
            if (!known_.contains(std::string(key.str())))
                complain(value, fmt::format("{}: no such setting; there is {}", path(std::string(key.str())),
                                            fmt::join(known_, ", ")));
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

    const toml::node* find(const std::string& key) {
        known_.insert(key);
        return table_.get(key);
    }

    void text(const std::string& key, std::string& target) {
        if (const toml::node* node = find(key)) {
            if (const auto value = node->value_exact<std::string>())
                target = *value;
            else
                complain(*node, fmt::format("{}: write a text, as in {} = \"...\"", path(key), key));
        }
    }

    void number(const std::string& key, std::uint32_t& target, std::uint32_t low, std::uint32_t high) {
        if (const toml::node* node = find(key)) {
            const auto value = node->value_exact<std::int64_t>();
            if (value && *value >= low && *value <= high)
                target = static_cast<std::uint32_t>(*value);
            else
                complain(*node, fmt::format("{}: write a whole number from {} to {}", path(key), low, high));
        }
    }

    void flag(const std::string& key, bool& target) {
        if (const toml::node* node = find(key)) {
            if (const auto value = node->value_exact<bool>())
                target = *value;
            else
                complain(*node, fmt::format("{}: write true or false", path(key)));
        }
    }

    void duration(const std::string& key, milliseconds& target) {
        if (const toml::node* node = find(key)) {
            const auto value = node->value_exact<std::string>();
            const auto time = value ? parse_duration(*value) : std::nullopt;
            if (time)
                target = std::chrono::round<milliseconds>(*time);
            else
                complain(*node, fmt::format("{}: write a time, as in \"250ms\" or \"5s\"", path(key)));
        }
    }

    void texts(const std::string& key, std::vector<std::string>& target) {
        if (const toml::node* node = find(key)) {
            const toml::array* list = node->as_array();
            if (list == nullptr) return complain(*node, path(key) + ": write a list, as in [\"a\", \"b\"]");
            for (const toml::node& one : *list) {
                if (const auto value = one.value_exact<std::string>())
                    target.push_back(*value);
                else
                    complain(one, path(key) + ": write a list of texts, as in [\"a\", \"b\"]");
            }
        }
    }

    void complain(const toml::node& where, const std::string& what) {
        if (error_.empty()) error_ = fmt::format("{}: {}", where.source().begin.line, what);
    }
    std::string path(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }

private:
    const toml::table& table_;
    std::string name_;
    std::string& error_;
    std::set<std::string> known_;
};

class Reader {
public:
    explicit Reader(std::string path) : path_(std::move(path)) {}

    Result<Config> read(const toml::table& table) {
        name_successors(table);
        {
            Section top(table, "", error_);
            top.text("host", config_.host);
            top.text("socket", config_.socket);
            top.text("state", config_.state);
            top.text("http", config_.http);
            config_.http_chosen = top.find("http") != nullptr;
            top.text("clients", config_.clients);
            top.text("address", config_.address);
            read_mode(top);
            read_addresses(top);
            read_table(top, "cluster",
                       [&](Section& section) { section.flag("plaintext", config_.plaintext); });
            read_table(top, "tls", [&](Section& section) { config_.tls = read_tls(section); });
            read_table(top, "register", [&](Section& section) { read_register(section); });
            read_table(top, "bootstrap", [&](Section& section) { read_bootstrap(section); });
            read_table(top, "limits", [&](Section& section) {
                section.number("sessions", config_.limits.sessions, 1, 1'000'000);
                section.number("sessions_per_user", config_.limits.sessions_per_user, 0, 1'000'000);
                section.number("requests_per_session", config_.limits.requests_per_session, 1, 65536);
                section.number("locks_per_request", config_.limits.locks_per_request, 1, 4096);
                section.number("name_length", config_.limits.name_length, 1, 4096);
                section.number("names", config_.limits.names, 100, 100'000'000);
                section.duration("resume_within", config_.limits.resume_within);
            });
            read_table(top, "audit", [&](Section& section) { read_audit(section); });
            read_allowances(top);
        }
        if (!error_.empty()) return Error{error_};
        if (auto why = wrong(); !why.empty()) return Error{why};
        return config_;
    }

    // The table holds what the founders of a cluster have written in [bootstrap].
    Result<Config> adopt_founded(Config config, const toml::table& table) {
        config_ = std::move(config);
        const Config usual;
        config_.agreed.lease = usual.agreed.lease;
        config_.agreed.grace = usual.agreed.grace;
        config_.agreed.silence = usual.agreed.silence;
        config_.agreed.return_within = usual.agreed.return_within;
        config_.lock_seats = usual.lock_seats;
        config_.modes.clear();
        {
            Section section(table, "bootstrap", error_);
            read_founded(section);
        }
        if (!error_.empty()) return Error{error_.substr(error_.find(' ') + 1)};  // it has no lines
        if (auto why = wrong_founded(); !why.empty()) return Error{why};
        return config_;
    }

private:
    template <class F>
    void read_table(Section& top, const std::string& key, F&& f) {
        const toml::node* node = top.find(key);
        if (node == nullptr) return;
        if (const toml::table* table = node->as_table()) {
            Section section(*table, top.path(key), error_);
            f(section);
        } else {
            top.complain(*node, fmt::format("{0}: write a table, as in [{0}]", top.path(key)));
        }
    }

    static net::TlsFiles read_tls(Section& section) {
        net::TlsFiles files;
        section.text("certificate", files.certificate);
        section.text("key", files.key);
        section.text("authority", files.authority);
        return files;
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

    // Calls f(name, address) for each host of a table in `section`.
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
        for (const auto& [name, address] : *table) {
            if (const auto text = address.template value_exact<std::string>())
                f(std::string(name.str()), *text);
            else
                section.complain(address, fmt::format("{}.{}: write an address, as in \"10.0.0.1:7400\"",
                                                      path, name.str()));
        }
    }

    void read_addresses(Section& top) {
        for_each_address(top, "addresses", [&](const std::string& name, const std::string& address) {
            if (name == config_.host)
                top.complain(*top.find("addresses"),
                             fmt::format("addresses.{}: it is for other hosts; write address = \"{}\"", name,
                                         address));
            config_.addresses[name] = address;
        });
    }

    void read_bootstrap(Section& section) {
        config_.has_bootstrap = true;
        for_each_address(section, "hosts", [&](const std::string& name, const std::string& address) {
            config_.hosts.push_back({name, address});
        });
        read_voters(section);
        read_admission(section);
        read_semaphores(section);
        read_founded(section);
    }

    void read_founded(Section& section) {
        section.duration("lease", config_.agreed.lease);
        section.duration("grace", config_.agreed.grace);
        section.duration("silence", config_.agreed.silence);
        section.duration("return_within", config_.agreed.return_within);
        section.number("seats", config_.lock_seats, 1, 4096);
        read_modes(section);
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
            if (name.str().empty() || name.str().find_first_of(",=") != std::string_view::npos)
                section.complain(
                    value,
                    fmt::format("bootstrap.semaphores: \"{}\": no program can ask for this name; write "
                                "one without commas and equals signs",
                                name.str()));
            Semaphore& semaphore = config_.semaphores[std::string(name.str())];
            const std::string path = "bootstrap.semaphores." + std::string(name.str());
            if (const toml::table* details = value.as_table()) {
                Section inner(*details, path, error_);
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
        for (const Successor& gone : successors)
            if (const toml::node* node = gone.found_in(table); node != nullptr && error_.empty())
                error_ = fmt::format("{}: {} is gone: {}; `allot node --migrate {}` rewrites the file",
                                     node->source().begin.line, gone.former(), gone.what_to_do(), path_);
        for (const char* name : {"detector", "locks"})
            if (const toml::node* node = table.get(name); node != nullptr && error_.empty())
                error_ = fmt::format("{}: {} is gone; `allot node --migrate {}` rewrites the file",
                                     node->source().begin.line, name, path_);
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
        read_table(section, "tls", [&](Section& table) { agreed.tls = read_tls(table); });
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

    // Calls f(section, place) for each table of the list.
    template <class F>
    void for_each_table(Section& top, const std::string& name, F&& f) {
        const toml::node* node = top.find(name);
        if (node == nullptr) return;
        const std::string path = top.path(name);
        const std::string advice = fmt::format("{0}: write tables, each as [[{0}]]", path);
        const toml::array* list = node->as_array();
        if (list == nullptr) return top.complain(*node, advice);
        for (const toml::node& one : *list) {
            const toml::table* table = one.as_table();
            if (table == nullptr) return top.complain(one, advice);
            Section section(*table, path, error_);
            f(section, one);
        }
    }

    void read_allowances(Section& top) {
        for_each_table(top, "allow", [&](Section& section, const toml::node& place) {
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
            config_.allow.push_back(std::move(allowance));
        });
    }

    void read_modes(Section& bootstrap) {
        for_each_table(bootstrap, "mode", [&](Section& section, const toml::node& place) {
            host::Mode mode;
            std::string kind = "exclusive";
            section.texts("names", mode.names);
            section.text("mode", kind);
            if (mode.names.empty())
                section.complain(
                    place, "bootstrap.mode.names is missing; name locks and semaphores, as in [\"rack*\"]");
            for (const std::string& name : mode.names)
                if (name.empty() || name.find('*') < name.size() - 1)
                    section.complain(
                        place, fmt::format("bootstrap.mode.names: \"{}\": write a name, or its beginning "
                                           "and *",
                                           name));
            section.flag("strict", mode.strict);
            mode.fence = kind == "fence";
            mode.sticky = kind == "sticky";
            if (kind != "exclusive" && !mode.fence && !mode.sticky)
                section.complain(
                    place,
                    fmt::format("bootstrap.mode.mode: \"{}\": write \"exclusive\", \"fence\" or \"sticky\"",
                                kind));
            if (mode.strict && (mode.fence || mode.sticky))
                section.complain(
                    place,
                    fmt::format("bootstrap.mode.strict: nobody is stopped in the mode \"{}\"; leave it out",
                                kind));
            config_.modes.push_back(std::move(mode));
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
        return wrong_founded();
    }

    std::string wrong_founded() const {
        const Register& agreed = config_.agreed;
        if (agreed.lease < Register::least_lease || agreed.lease > Register::longest)
            return "bootstrap.lease: write at least \"600ms\" and at most \"10m\"";
        if (agreed.grace < milliseconds(100) || agreed.grace * 2 > agreed.lease)
            return "bootstrap.grace: write at least \"100ms\" and at most half of bootstrap.lease";
        if (agreed.silence < Register::least_silence || agreed.silence > Register::longest)
            return "bootstrap.silence: write at least \"200ms\" and at most \"10m\"";
        if (agreed.return_within > Register::longest) return "bootstrap.return_within: write at most \"10m\"";
        if (config_.modes.size() > most_modes)
            return fmt::format("bootstrap.mode: write at most {} tables", most_modes);
        for (const agreement::Founded& one : config_.founded())
            if (one.text.size() > longest_founded)
                return fmt::format("bootstrap.mode.names: write at most {} bytes of names in one table",
                                   longest_founded);
        return {};
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
        if (config_.tls && !is_complete(*config_.tls))
            return "tls: write certificate, key and authority, the files that `allot cert` makes";
        return {};
    }

    const std::string path_;
    Config config_;
    std::string error_;
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

namespace {

std::string time_text(milliseconds time) {
    return time.count() % 1000 == 0 ? fmt::format("{}s", time.count() / 1000)
                                    : fmt::format("{}ms", time.count());
}

}  // namespace

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

namespace {

// As TOML reads it; the same bytes on all hosts.
std::string quoted(const std::string& text) {
    std::string all = "\"";
    for (const char one : text) {
        const auto code = static_cast<unsigned char>(one);
        if (one == '"' || one == '\\')
            all += fmt::format("\\{}", one);
        else if (code < ' ' || code == 0x7f)
            all += fmt::format("\\u{:04X}", code);
        else
            all += one;
    }
    return all + '"';
}

std::string text_of(const host::Mode& mode) {
    std::vector<std::string> names;
    for (const std::string& name : mode.names) names.push_back(quoted(name));
    return fmt::format("{{ names = [{}]{}{}{} }}", fmt::join(names, ", "),
                       mode.fence ? ", mode = \"fence\"" : "", mode.sticky ? ", mode = \"sticky\"" : "",
                       mode.strict ? ", strict = true" : "");
}

}  // namespace

std::vector<agreement::Founded> Config::founded() const {
    std::vector<agreement::Founded> all{
        {"lease", time_text(agreed.lease)},     {"grace", time_text(agreed.grace)},
        {"silence", time_text(agreed.silence)}, {"return_within", time_text(agreed.return_within)},
        {"seats", std::to_string(lock_seats)},
    };
    for (const host::Mode& mode : modes) all.push_back({"mode", text_of(mode)});
    return all;
}

std::vector<net::Setting> Config::required_settings() const {
    std::vector<net::Setting> all{{"register.engine", agreed.engine_name()}};
    if (agreed.engine == Register::Engine::etcd) all.push_back({"register.key", agreed.key});
    return all;
}

std::vector<net::Setting> Config::agreed_settings() const {
    std::vector<net::Setting> all = required_settings();
    for (const auto& [name, text] : founded()) all.push_back({"bootstrap." + name, text});
    return all;
}

std::uint64_t Config::agreement() const {
    return hash_bytes(to_bytes(agreed_settings()));
}

Result<Config> parse_config(const std::string& text, const std::string& path) {
    toml::table table;
    try {
        table = toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        return Error{fmt::format("{}:{}: {}", path, error.source().begin.line, error.description())};
    }
    auto config = Reader(path).read(table);
    if (!config)
        return Error{
            fmt::format("{}:{}{}", path, std::isdigit(config.error()[0]) != 0 ? "" : " ", config.error())};
    return config;
}

namespace {

// A table of TOML in braces, and nothing else.
std::optional<toml::table> mode_in(const std::string& text) {
    try {
        toml::table all = toml::parse("mode = " + text);
        const toml::table* mode = all["mode"].as_table();
        if (all.size() != 1 || mode == nullptr) return std::nullopt;
        return *mode;
    } catch (const toml::parse_error&) {
        return std::nullopt;
    }
}

// Puts a setting into the table, or one more mode into the list.
bool add_founded(const agreement::Founded& one, toml::table& table, toml::array& modes) {
    if (one.text.size() > longest_founded || !is_utf8(one.text)) return false;
    if (one.name == "mode") {
        auto mode = modes.size() < most_modes ? mode_in(one.text) : std::nullopt;
        if (mode) modes.push_back(std::move(*mode));
        return mode.has_value();
    }
    if (table.contains(one.name)) return false;
    if (one.name != "seats") return table.insert(one.name, one.text).second;
    const auto seats = parse_number("", one.text, 0, ~std::uint32_t{0});
    return seats && table.insert(one.name, static_cast<std::int64_t>(*seats)).second;
}

}  // namespace

Result<Config> with_founded(Config config, const std::vector<agreement::Founded>& founded) {
    static const std::set<std::string> known{"lease", "grace", "silence", "return_within", "seats", "mode"};
    toml::table table;
    toml::array modes;
    for (const agreement::Founded& one : founded) {
        if (!known.contains(one.name))
            return Error{"the cluster has agreed on a setting that this version of allot does not know"};
        if (!add_founded(one, table, modes))
            return Error{fmt::format("the cluster has agreed on a {} that cannot be read", one.name)};
    }
    if (!modes.empty()) table.insert("mode", std::move(modes));
    auto result = Reader("").adopt_founded(std::move(config), table);
    if (!result)
        return Error{"the cluster has agreed on settings that cannot be used: " + harmless(result.error())};
    return result;
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
