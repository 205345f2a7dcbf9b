// The first start of a register in the laboratory: hosts with fresh disks form the first record, and some
// disks are lost meanwhile. A request of an application uses the record that its host has met; it is granted
// at once.
//
// The hosts read the voters from a file, and the files may differ. A host that restarts may find its file
// edited.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "core/view.hpp"
#include "protocols/agreement/forming.hpp"

namespace allot {

namespace agreement {

// The voters in the files: `all`, or the digits of their numbers, for all sites or for each: 012 or 01,01,12.
class VoterLists {
public:
    static Result<VoterLists> parse(std::string_view name, std::string_view text);
    const std::string& text() const { return text_; }

    std::size_t size() const { return lists_.size(); }
    SiteId largest() const;
    bool names_all() const { return text_ == "all"; }
    std::vector<SiteId> list(SiteId site, std::uint32_t sites) const;
    bool operator==(const VoterLists&) const = default;

private:
    std::string text_ = "all";
    std::vector<std::string> lists_{"all"};

    BOOST_DESCRIBE_CLASS(VoterLists, (), (), (), (text_))
};

}  // namespace agreement

class Bootstrap {
public:
    static const Model<Bootstrap> model;

    struct Config {
        std::uint32_t sites = 3;
        agreement::VoterLists lists;
        agreement::VoterLists edited;
        agreement::FormingRules rules;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"lists", "the voters in the files: all, or digits, for all sites or each, as in 01,01,12"},
            {"edited", "the voters in the files of restarted hosts; all: as `lists` says"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, lists, edited, rules), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    using Message = std::variant<agreement::Hello>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message, input::Synced>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const agreement::Hello& message, Effects& fx);
    void synced(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_; }

    const agreement::Papers& papers() const { return forming_.papers(); }
    bool operator==(const Bootstrap&) const = default;

private:
    using Self = agreement::Forming::Self;

    static Self self_of(const Context& ctx);
    template <class Action>
    void step(const Context& ctx, Effects& fx, Action&& action);
    bool may_request(const Context&) const { return forming_.used().has_value(); }
    Bootstrap after_crash(Disk disk) const;
    static void normalise(MutableView<Bootstrap>& view);
    static void on_state(const View<Bootstrap>& view, Report& report);

    Phase phase_ = Phase::idle;
    agreement::Forming forming_;

    BOOST_DESCRIBE_CLASS(Bootstrap, (), (), (), (phase_, forming_))
};

}  // namespace allot
