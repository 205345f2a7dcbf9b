// Whatever bytes a program, a host or a certificate sends as a name or a command: JSON stays JSON, a table
// has its lines, a log one line for each event, and lists of names can be read back.
#include "support/any_text.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "audit/entry.hpp"
#include "base/harmless.hpp"
#include "cli/environment.hpp"
#include "cli/status_text.hpp"
#include "core/json.hpp"
#include "core/parameters.hpp"
#include "daemon/overview.hpp"
#include "daemon/reader.hpp"
#include "host/resource_name.hpp"
#include "host/sessions.hpp"
#include "session/status_json.hpp"

namespace allot::daemon::any_text_tests {
namespace {

using test::any_text;

bool all_lines_harmless(std::string text) {
    std::erase(text, '\n');
    return is_harmless(text);
}

session::Party any_party() {
    return {.host = "b",
            .pid = *rc::gen::inRange(0, 9),
            .user = *any_text(),
            .command = *any_text(),
            .wanted = {*any_text(), *any_text()}};
}

// The report of a host with an earlier version.
Reports any_reports() {
    Report report;
    report.host = {.name = *any_text(), .state = "up", .note = *any_text()};
    report.host.links.push_back({.to = *any_text(), .state = "down", .problem = *any_text()});
    report.queues.push_back({*any_text(), {1}});
    PartyReport waiter{.party = any_party(), .waiting = {*any_text()}};
    PartyReport holder{.party = any_party(), .held = {{*any_text(), 17}}};
    report.parties = {waiter, holder};
    report.troubles.push_back({*any_text(), *any_text()});
    return {{1, report}};
}

session::Status any_status() {
    Config config;
    config.host = "a";
    config.hosts = {{"a", ""}, {"b", ""}};
    return overview(config, {}, any_reports(), {});
}

RC_GTEST_PROP(AnyText, A_status_is_json_and_a_table_that_a_terminal_shows_as_it_is, ()) {
    const session::Status status = any_status();
    for (const host::Reading reading : {host::Reading::names, host::Reading::all}) {
        const session::Status seen = visible_to({.others = reading}, status);
        const std::string text = json_text(session::status_json(seen));
        RC_ASSERT(all_lines_harmless(text));
        boost::system::error_code failure;
        boost::json::parse(text, failure);
        RC_ASSERT(!failure);
        RC_ASSERT(all_lines_harmless(cli::status_text(seen, *rc::gen::element<std::size_t>(0, 20, 80))));
    }
}

// A client of this version asks a daemon of an earlier one.
RC_GTEST_PROP(AnyText, A_status_from_elsewhere_is_json, ()) {
    session::Status status{.host = *any_text(), .note = *any_text()};
    status.resources.push_back(
        {.name = *any_text(), .kind = "lock", .holders = {any_party()}, .note = *any_text()});
    boost::system::error_code failure;
    boost::json::parse(json_text(session::status_json(status)), failure);
    RC_ASSERT(!failure);
}

RC_GTEST_PROP(AnyText, A_label_of_the_metrics_stays_in_its_line, ()) {
    Report report;
    report.host.links.push_back({.to = *any_text(), .state = "up"});
    const std::string page = metrics_page(report, host::Host(), {}, {});
    const std::string empty = metrics_page(Report{.host = {.links = {{.to = "x"}}}}, host::Host(), {}, {});
    RC_ASSERT(all_lines_harmless(page));
    RC_ASSERT(std::ranges::count(page, '\n') == std::ranges::count(empty, '\n'));
}

RC_GTEST_PROP(AnyText, An_event_is_one_line_of_the_log_and_can_be_read_back, ()) {
    const audit::Entry entry{.time_ms = 1,
                             .host = *any_text(),
                             .event = "granted",
                             .user = *any_text(),
                             .pid = 3,
                             .command = *any_text(),
                             .resources = {{*any_text(), 17}},
                             .reason = *any_text()};
    const std::string line = audit::line_of(entry);
    RC_ASSERT(std::ranges::count(line, '\n') == 1);
    RC_ASSERT(all_lines_harmless(line));
    const auto again = audit::parse_line(line.substr(0, line.size() - 1));
    RC_ASSERT(static_cast<bool>(again));
    RC_ASSERT(*again == audit::harmless_entry(entry));
}

RC_GTEST_PROP(AnyText, A_command_is_kept_as_harmless_text, ()) {
    const host::SessionConfig config;
    const host::Host host;
    host::Sessions sessions;
    host::SessionEffects fx;
    const std::string command = *any_text() + std::string(*rc::gen::inRange(0, 250), 'x') + *any_text();
    const auto session = sessions.hello({.config = config, .host = host},
                                        {.number = 1, .name = "n", .caller = {}}, {.command = command}, fx);
    RC_ASSERT(static_cast<bool>(session));
    const std::string& kept = sessions.find(*session)->command;
    RC_ASSERT(is_harmless(kept));
    RC_ASSERT(kept.size() <= 200u);
}

// The fence of a name is what follows its last equals sign, in the order of the list.
RC_GTEST_PROP(AnyText, Names_that_are_allowed_do_not_break_the_variable_with_what_is_held, ()) {
    std::vector<client::Held> held{{"plain", 9}};
    for (std::uint64_t fence = 1; fence <= 3; ++fence) {
        const std::string name = *any_text();
        if (!name.empty() && host::objection_to_name(name).empty()) held.push_back({name, fence});
    }
    const auto environment = cli::environment_of(held);
    const std::string text = *environment.at("ALLOT_HELD");
    RC_ASSERT(is_harmless(text));
    std::vector<std::string> wanted;
    for (const client::Held& one : held) wanted.push_back(one.name + "=" + std::to_string(one.fence));
    RC_ASSERT(split_list(text) == wanted);
    for (const auto& [name, value] : environment)
        RC_ASSERT(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
                  std::string::npos);
}

}  // namespace
}  // namespace allot::daemon::any_text_tests
