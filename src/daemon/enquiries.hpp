// Questions of people: the status of this host and of the cluster, the metrics, and whether all is well. The
// answers may take long to find, so many who ask at once share one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "daemon/config.hpp"
#include "daemon/desk.hpp"
#include "daemon/http.hpp"
#include "daemon/mail.hpp"
#include "daemon/member_report.hpp"
#include "daemon/survey.hpp"
#include "host/member.hpp"

namespace allot::daemon {

class Enquiries {
public:
    struct Ways {
        std::function<host::Member::Self()> self;
        // Why this daemon serves nobody as it should, whatever its member does; empty if all is well.
        std::function<std::string()> trouble;
        // A matter for the operator, though all requests are served; empty if there is none.
        std::function<std::string()> remark;
        // The same, but all is well so far.
        std::function<std::string()> warning;
        // None without TLS.
        std::function<std::optional<net::TlsCondition>()> certificates;
        // Whether programs hear of grants: those of a new view wait for the disk.
        std::function<bool()> tells_grants;
        // The rights of a reader of the pages.
        std::function<StatusReader(const net::Identity&)> reader;
    };

    Enquiries(boost::asio::io_context& loop, const Config& config, const host::Member& member,
              const Desk& desk, Mail& mail, Ways ways);

    // `whole`: of all hosts. The answer has what the reader may read.
    void ask_status(bool whole, const StatusReader& reader, std::function<void(const session::Status&)> done);
    HttpPages pages();
    // Why this host does not serve its programs as it should, and what helps; empty if it does.
    std::string trouble() const;
    // Why the register does not answer this host, and what helps; empty if it does.
    std::string trouble_of_register() const;

    // Questions of another host, and its answers.
    void receive(net::HostId from, const ReportQuery& query);
    void receive(net::HostId from, const ReportAnswer& answer) { survey_.receive(from, answer); }

private:
    bool grants() const;
    std::string warning() const;
    void add_troubles(const std::string& why, Report& report) const;
    MemberReport member_report() const;
    Report own_report() const;
    // How often the link to each host was closed because of what it sent.
    std::map<std::string, std::uint64_t> links_shunned() const;
    session::HostStatus status_of(net::HostId host) const;
    void add_editions(session::Status& status) const;
    void find_status(bool whole, const std::function<void(const session::Status&)>& done);

    const Config& config_;
    const net::HostId self_;
    const host::Member& member_;
    const Desk& desk_;
    Mail& mail_;
    const Ways ways_;
    Survey survey_;
    SharedAnswer<session::Status> statuses_;
    SharedAnswer<session::Status> own_statuses_;
    SharedAnswer<std::string> metrics_;
};

}  // namespace allot::daemon
