#include "daemon/etcd_key.hpp"

#include <boost/asio/io_context.hpp>
#include <ctime>
#include <fmt/format.h>

#include "daemon/kept_text.hpp"
#include "daemon/settings_text.hpp"
#include "durable/register_record.hpp"

namespace allot::daemon {

using agreement::Value;
using etcd::Client;
using etcd::Exchanged;
using etcd::Found;

// Three tries fit into the time of a call.
Result<Client::Settings> etcd_settings(const Config& config) {
    Client::Settings settings{.endpoints = config.agreed.endpoints,
                              .tls = nullptr,
                              .key = config.agreed.key,
                              .patience = config.agreed.lease / 10};
    if (!config.agreed.tls) return settings;
    const auto tls = net::load_tls(*config.agreed.tls, net::Counterpart::server);
    if (!tls) return Error{tls.error()};
    settings.tls = *tls;
    return settings;
}

Result<Value> value_in(const Found& found, const std::string& key) {
    if (!found.entry) return Value{};
    return durable::parse_value(found.entry->value, "etcd key " + key);
}

// --- `allot cluster init`.

namespace {

constexpr std::chrono::seconds longest_wait{5};

// Waits for the answer: `begin` gets the function that takes it.
template <class T, class Begin>
Result<T> wait_for(boost::asio::io_context& loop, Begin&& begin) {
    std::optional<Result<T>> answer;
    begin([&](Result<T> given) {
        answer = std::move(given);
        loop.stop();
    });
    loop.restart();
    loop.run();
    return std::move(*answer);
}

// Versions go on where they can be read: a host that still runs would otherwise take its own for newer.
Result<Value> first_value(const Found& before, const Result<Value>& former, const Config& config,
                          std::uint32_t above) {
    const std::string& key = config.agreed.key;
    if (before.entry && above == 0)
        return Error{
            fmt::format("{}: there is a register already", former ? "etcd key " + key : former.error())};
    if (former && above < former->view)
        return Error{fmt::format("etcd key {} holds view {}: write --above {} or more", key, former->view,
                                 former->view)};
    Value value{.view = above, .quiet = true, .settings = settings_of(config)};
    value.version = (former ? former->version : Stamp()).next();
    return value;
}

}  // namespace

Result<FoundInEtcd> found_in_etcd(const Config& config, const Founding& how) {
    auto settings = etcd_settings(config);
    if (!settings) return Error{settings.error()};
    const std::string key = settings->key;
    boost::asio::io_context loop;
    Client client(loop, std::move(*settings));
    const auto before = wait_for<Found>(loop, [&](auto done) { client.read(longest_wait, done); });
    if (!before) return Error{"etcd does not answer: " + before.error()};
    const auto former = value_in(*before, key);
    const auto value = first_value(*before, former, config, how.above);
    if (!value) return Error{value.error()};
    if (auto why = former ? kept_refusal(*former) : ""; !why.empty() && !how.forget_sticky)
        return Error{std::move(why)};
    if (how.dry_run) return FoundInEtcd{"", former ? kept_text(*former) : ""};
    std::vector<etcd::Put> puts{{key, durable::text_of(*value)}};
    const std::string aside = before->entry ? fmt::format("{}.before-{}", key, std::time(nullptr)) : "";
    if (before->entry) puts.push_back({aside, before->entry->value});
    const auto exchanged =
        wait_for<Exchanged>(loop, [&](auto done) { client.exchange(*before, puts, longest_wait, done); });
    if (!exchanged)
        return Error{fmt::format("{}: {}; it may have happened nevertheless: see what the key {} holds",
                                 client.endpoint().text(), exchanged.error(), key)};
    if (!exchanged->succeeded)
        return Error{fmt::format("etcd key {}: somebody has changed it just now; stop all hosts first", key)};
    return FoundInEtcd{aside, former ? kept_text(*former) : ""};
}

}  // namespace allot::daemon
