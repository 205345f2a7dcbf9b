#include "daemon/enquiries.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "daemon/overview.hpp"
#include "daemon/own_names.hpp"
#include "session/status_json.hpp"

namespace allot::daemon {

using net::HostId;

Enquiries::Enquiries(boost::asio::io_context& loop, const Config& config, const host::Member& member,
                     const Desk& desk, Mail& mail, Ways ways)
    : config_(config),
      self_(config.self()),
      member_(member),
      desk_(desk),
      mail_(mail),
      ways_(std::move(ways)),
      survey_(loop, [this](HostId to, const ReportQuery& query) { mail_.send(to, query); }),
      statuses_(loop, [this](const auto& done) { find_status(true, done); }),
      own_statuses_(loop, [this](const auto& done) { find_status(false, done); }),
      metrics_(loop, [this](const auto& done) {
          done(metrics_page(own_report(), member_.host(), ways_.certificates(), links_shunned()));
      }) {}

void Enquiries::ask_status(bool whole, const StatusReader& reader,
                           std::function<void(const session::Status&)> done) {
    (whole ? statuses_ : own_statuses_).ask([reader, done = std::move(done)](const session::Status& status) {
        done(visible_to(reader, status));
    });
}

HttpPages Enquiries::pages() {
    HttpPages pages;
    pages.is_for_here = [this](std::string_view host, std::string_view origin) {
        return names_own_host(config_, host) && (origin.empty() || names_own_origin(config_, origin));
    };
    pages.status = [this](const net::Identity& who, const std::function<void(std::string)>& done) {
        ask_status(true, ways_.reader(who), [done](const session::Status& status) {
            done(json_text(session::status_json(status)) + "\n");
        });
    };
    pages.metrics = [this](const auto& done) { metrics_.ask(done); };
    pages.health = [this] { return trouble(); };
    pages.warning = [this] { return warning(); };
    return pages;
}

void Enquiries::receive(HostId from, const ReportQuery& query) {
    mail_.send(from, ReportAnswer{query.number, own_report()});
}

// --- Answers.

std::string Enquiries::trouble() const {
    if (std::string why = ways_.trouble(); !why.empty()) return why;
    if (std::string why = member_report().trouble(); !why.empty()) return why;
    return ways_.remark();
}

std::string Enquiries::warning() const {
    const host::Member::Self self = ways_.self();
    std::vector<std::string> all{member_.sessions().crowding(self.config.sessions.limits), ways_.warning()};
    if (member_.host().locks().line().holds_back())
        all.push_back(fmt::format(
            "one user has {} open requests for locks that are served, and others of it wait until some of "
            "these end: this is the share of one user, three quarters of bootstrap.seats",
            self.config.host.locks.line.most_of_user));
    std::erase(all, "");
    return fmt::format("{}", fmt::join(all, "; "));
}

std::string Enquiries::trouble_of_register() const {
    return member_report().trouble_of_register();
}

MemberReport Enquiries::member_report() const {
    return {config_, member_, ways_.self(), [this](SiteId host) { return mail_.status(host).connected; }};
}

// Some trouble is only to be looked at: all requests are served in spite of it.
bool Enquiries::grants() const {
    const host::Host& own = member_.host();
    return own.has_lease() && own.views().works() && ways_.tells_grants() &&
           own.hold_offs(host::Member::host_self(ways_.self())).empty();
}

void Enquiries::add_troubles(const std::string& why, Report& report) const {
    report.troubles.push_back({.why = why});
    for (const auto& [name, semaphore] : member_.host().settings().semaphores)
        report.troubles.push_back({name.name(), why});
}

std::map<std::string, std::uint64_t> Enquiries::links_shunned() const {
    std::map<std::string, std::uint64_t> all;
    for (const HostId host : config_.others()) all[config_.name_of(host)] = mail_.status(host).shunned;
    return all;
}

Report Enquiries::own_report() const {
    Report report = member_report().report();
    report.host.sessions = static_cast<std::uint32_t>(desk_.connected());
    report.host.grants = desk_.grants();
    report.host.note = warning();
    if (std::string why = trouble(); !why.empty()) {
        if (!report.host.note.empty()) report.host.note.insert(0, "; ");
        report.host.note.insert(0, why);
        if (!grants()) add_troubles(why, report);
    }
    const host::Host& own = member_.host();
    if (member_.council().is_thrown_away()) report.host.state = "voteless";
    if (!own.views().works()) report.host.state = "joining";
    report.host.incarnation = own.myself(host::Member::host_self(ways_.self())).incarnation;
    for (const HostId host : config_.others()) {
        const net::LinkStatus link = mail_.status(host);
        const char* state = link.silent ? "silent" : link.connected ? "up" : "down";
        report.host.links.push_back({link.host, state, link.problem, link.sent, link.received,
                                     link.reconnects, link.unacknowledged_bytes});
    }
    return report;
}

session::HostStatus Enquiries::status_of(HostId host) const {
    const net::LinkStatus link = mail_.status(host);
    session::HostStatus status{.name = config_.name_of(host), .incarnation = link.incarnation};
    const auto& members = member_.host().known().members;
    const bool member = std::ranges::find(members, SiteId(host), &Peer::site) != members.end();
    const bool drained = config_.hosts[host].standing == agreement::Standing::drained;
    status.state = !member          ? (drained ? "drained" : "removed")
                   : link.silent    ? "silent"
                   : link.connected ? "unknown"
                                    : "unreachable";
    return status;
}

// By the links, since a host does not say so itself before all know the edition that has room for it.
void Enquiries::add_editions(session::Status& status) const {
    for (session::HostStatus& one : status.hosts) {
        if (one.name == config_.host) one.edition = newest_edition;
        for (const HostId host : config_.others())
            if (config_.name_of(host) == one.name) one.edition = mail_.status(host).newest_edition;
    }
}

void Enquiries::find_status(bool whole, const std::function<void(const session::Status&)>& done) {
    std::set<HostId> others;
    if (whole)
        for (const HostId host : config_.others())
            if (mail_.status(host).connected) others.insert(host);
    survey_.ask(others, [this, done](Survey::Reports reports) {
        reports.insert_or_assign(self_, own_report());
        std::map<HostId, session::HostStatus> missing;
        for (const HostId host : config_.others())
            if (!reports.contains(host)) missing[host] = status_of(host);
        session::Status status = overview(config_, member_.host().settings(), reports, missing);
        add_editions(status);
        done(status);
    });
}

}  // namespace allot::daemon
