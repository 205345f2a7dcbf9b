// The register that the hosts keep themselves. The member has the council; this part keeps its file, and
// watches that all hosts name the same voters as long as the register is not formed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/council_file.hpp"
#include "daemon/engine.hpp"

namespace allot::daemon {

class CouncilEngine : public Engine {
public:
    CouncilEngine(boost::asio::io_context& loop, const Config& config, const HostFolder& folder,
                  const Subject& subject, Events events);

    std::optional<std::string> open(const HostFolder::Memory& before) override;
    std::string trouble(const host::Member::Self& self) const override;
    void persist() override { file_.write(member_.council().files(), config_.kept_edition()); }
    void compare(net::HostId from, const agreement::Hello& hello) override;

private:
    std::optional<std::string> choose_voters();
    void follow(const agreement::Record& record);
    std::vector<SiteId> present_voters() const;
    std::string advice(const agreement::Hello& hello, bool is_formed) const;
    std::string names_of(const std::vector<SiteId>& hosts, const char* between) const;

    const HostFolder& folder_;
    CouncilFile file_;
    bool are_chosen_ = false;                             // the voters, by an operator
    std::set<std::pair<net::HostId, bool>> other_lists_;  // hosts that name other voters, and have formed ...
    std::string list_problem_;                            // ... so that this one does not form the register
};

}  // namespace allot::daemon
