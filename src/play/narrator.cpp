#include "play/narrator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "core/json.hpp"
#include "play/steps.hpp"

namespace allot::play {

namespace {

using walk::EnvelopeId;
using walk::LocalInfo;

constexpr std::size_t step_width = 32;
constexpr std::size_t change_width = 24;
constexpr std::size_t standing_width = 13;

std::string trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

std::string changes_text(const Stage& stage, const Taken& taken) {
    std::string text;
    const auto add = [&](const std::string& change) { text += (text.empty() ? "" : ", ") + change; };
    for (SiteId site = 0; site < taken.before.sites.size(); ++site) {
        const LocalInfo& before = stage.machine().local(taken.before.sites[site]);
        const auto was = condition(before);
        const auto is = condition(stage.site(site));
        if (was != is) add(fmt::format("{}: {} -> {}", site, was, is));
    }
    return text;
}

// `Request to 1, 2 (down); Reply to 0`: in the order of sending, one group per kind.
std::string sent_text(const Stage& stage, const std::vector<EnvelopeId>& sent) {
    std::vector<std::pair<std::string, std::string>> groups;
    for (const EnvelopeId id : sent) {
        const std::string kind(stage.machine().kind(id));
        const SiteId to = stage.machine().envelope(id).to;
        std::string destination = std::to_string(to);
        if (!stage.site(to).up()) destination += fmt::format(" ({})", condition(stage.site(to)));
        const auto group =
            std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == kind; });
        if (group == groups.end())
            groups.emplace_back(kind, destination);
        else
            group->second += ", " + destination;
    }
    std::string text;
    for (const auto& [kind, destinations] : groups)
        text += fmt::format("{}{} to {}", text.empty() ? "| sends " : "; ", kind, destinations);
    return text;
}

std::string standing_text(const LocalInfo& site) {
    const std::string_view standing = enum_name(site.standing);
    return site.incarnation == 0 ? std::string(standing)
                                 : fmt::format("{} (incarnation {})", standing, site.incarnation);
}

}  // namespace

void Narrator::row(std::size_t line, const std::string& text, const std::string& changes,
                   const std::string& sent) {
    if (log_ == nullptr) return;
    const std::string told = fmt::format("{:>4}  {:<{}}  {}", line, text, step_width, changes);
    // A long step takes space from the changes, which are often empty, before it moves the sent messages.
    *log_ << trimmed(fmt::format("{:<{}}  {}", told, 4 + 2 + step_width + 2 + change_width, sent)) << '\n';
}

void Narrator::step(std::size_t line, const std::string& text, const Stage& stage, const walk::Move& /*move*/,
                    const Taken& taken) {
    if (log_ == nullptr) return;
    const std::string refusal = taken.refused.empty() ? "" : "refused: " + taken.refused;
    row(line, text, refusal.empty() ? changes_text(stage, taken) : refusal, sent_text(stage, taken.sent));
    if (!taken.report.clean())
        *log_ << fmt::format("      violates {}: {}\n", taken.report.property(), taken.report.detail());
}

void Narrator::note(std::size_t line, const std::string& text, const std::string& result) {
    row(line, text, result, "");
}

void Narrator::show(const Stage& stage) {
    if (log_ == nullptr) return;
    std::size_t width = standing_width;
    for (SiteId site = 0; site < stage.world().sites.size(); ++site)
        width = std::max(width, standing_text(stage.site(site)).size());
    *log_ << fmt::format("      {:<4}  {:<{}}  {:<8}  {}\n", "site", "standing", width, "phase", "state");
    for (SiteId site = 0; site < stage.world().sites.size(); ++site) {
        const LocalInfo& info = stage.site(site);
        const std::string state =
            info.up() ? json_text(stage.machine().state(stage.world().sites[site])) : "";
        *log_ << trimmed(fmt::format("      {:<4}  {:<{}}  {:<8}  {}", site, standing_text(info), width,
                                     info.up() ? condition(info) : "", state))
              << '\n';
    }
    const auto flight = stage.in_flight();
    if (flight.empty()) *log_ << "      nothing is in flight\n";
    for (const EnvelopeId id : flight) {
        const auto& envelope = stage.machine().envelope(id);
        *log_ << fmt::format("      {} -> {}  {}\n", envelope.from, envelope.to,
                             content_text(stage.machine(), id));
    }
}

}  // namespace allot::play
