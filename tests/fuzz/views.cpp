// From view to view, as one member sees it, with reports and messages of the others in any order. Nothing but
// reports of members counts, and an epoch has one part of each.
#include "protocols/agreement/views.hpp"

#include "fuzz/round_trip.hpp"
#include "fuzz/source.hpp"
#include "host/host.hpp"

namespace allot::host {
namespace {

using fuzz::Source;

class Member {
public:
    explicit Member(Source& source) : source_(source) {}

    void step() {
        switch (source_.choice(8)) {
            case 0:
                return see();
            case 1:
                if (views_.report_is_due()) views_.report(rules_, 0, {});
                return;
            case 2:
                if (views_.is_complete(rules_)) begin();
                return;
            case 3:
                if (!views_.missing().empty()) views_.stopped(*views_.missing().begin());
                return;
            case 4:
                return views_.quiet();
            case 5: {
                const auto frame = source_.value<Frame>();
                if (views_.fate(rules_, frame) == Views::Fate::early) views_.keep(source_.choice(5), frame);
                return;
            }
            default:
                auto report = source_.value<HostReport>();
                if (source_.coin()) report.view = views_.newest().number;
                views_.take(source_.choice(5), std::move(report));
        }
    }

private:
    void see() {
        AgreedView next{
            .number = views_.newest().number + 1 + source_.choice(2), .members = {{0, 0}}, .certified = {}};
        for (SiteId host = 1; host < 4; ++host)
            if (source_.coin()) next.members.push_back({host, source_.choice(3)});
        next.certified = source_.value<std::vector<Peer>>();
        views_.see(rules_, next);
    }

    void begin() {
        const std::size_t members = views_.newest().members.size();
        for (const auto& [host, report] : views_.reports()) {
            fuzz::demand(views_.is_awaited(host));
            fuzz::demand(report.view == views_.newest().number);
        }
        fuzz::demand(views_.reports().size() == members);
        fuzz::demand(views_.begin_epoch().size() == members);
        fuzz::demand(views_.works() && views_.epoch() == views_.newest().number);
        for (const auto& [from, frame] : views_.take_early_frames())
            fuzz::demand(frame.epoch == *views_.epoch());
    }

    Source& source_;
    const agreement::ViewRules rules_;
    Views views_;
};

}  // namespace
}  // namespace allot::host

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return allot::fuzz::run<allot::host::Member>(data, size);
}
