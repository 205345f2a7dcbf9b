// The first record: how the voters that a list names find each other, once. This is the machine of one host;
// a protocol or a daemon has it as a part of its state.
//
// A fresh disk is blank. All hosts say Hello. A blank voter that has heard from all voters of its list, all
// of them blank, knows their disks: these are the first record. It writes the record and is formed. A voter
// that has heard that all of the record are formed is active, and votes. A disk that is lost in between is
// another voter when it comes back, so that its record is never complete; had the first voter voted at once,
// the others could form another record with the new disk.
//
// Each voter may know of views that its host has seen with an earlier register, and whether nothing has run
// since. The first record takes the highest of them, and is quiet if all voters say so.
//
// Lists that differ refuse each other. After forming, the record on the disk counts and not the list of the
// file. A host that has met an active record remembers it, and refuses any other of that generation.
#pragma once

#include <boost/container/flat_map.hpp>
#include <optional>
#include <vector>

#include "protocols/agreement/register.hpp"

namespace allot::agreement {

enum class Stage : std::uint8_t { blank, formed, active };
BOOST_DESCRIBE_ENUM(Stage, blank, formed, active)

// Row 19 of the specification of the register, section 10.
struct FormingRules {
    bool two_steps = true;
    bool same_list = true;

    static constexpr Meaning meanings[]{
        {"two_steps", "row 19: a voter votes when all of its record are formed, not when it is itself"},
        {"same_list", "row 19: hosts whose lists of voters differ refuse each other"},
    };
    BOOST_DESCRIBE_CLASS(FormingRules, (), (two_steps, same_list), (), ())
};

// The state of the sender, as its disk has it.
struct Hello {
    std::uint32_t incarnation = 0;
    std::vector<SiteId> list;
    std::uint32_t disk = 0;
    Stage stage{};
    Record record;       // unless it is blank
    bool again = false;  // the sender has restarted and wants to hear from all
    std::uint32_t view = 0;
    bool quiet = false;
    bool operator==(const Hello&) const = default;
};
BOOST_DESCRIBE_STRUCT(Hello, (), (incarnation, list, disk, stage, record, again, view, quiet))

// The durable part.
struct Papers {
    std::uint32_t disk = 0;  // 0: there is none
    Stage stage{};
    Record record;
    std::optional<Record> used;  // the active record that it has met, or a later one
    Value sealed;                // that named it; none of the first generation
    std::uint32_t view = 0;      // of an earlier register
    bool quiet = false;          // nothing has run since
    bool operator==(const Papers&) const = default;
};
BOOST_DESCRIBE_STRUCT(Papers, (), (disk, stage, record, used, sealed, view, quiet))

struct FormingEffects {
    struct Send {
        SiteId to;
        Hello message;
    };
    std::vector<Send> sends;
    bool persist = false;
};

class Forming {
public:
    // The surroundings of a handler.
    struct Self {
        SiteId host;
        std::uint32_t incarnation;
        std::uint32_t hosts;       // number of them; all hear Hello
        std::vector<SiteId> list;  // the voters of its file, by number
        FormingRules rules;
        std::uint32_t fresh_disk = 0;  // the id of a disk that is found empty; 0: one after the incarnation
        std::uint32_t view = 0;        // for the papers of such a disk
        bool quiet = false;
        bool may_found_alone = true;  // it may form a register of which it is the only voter
    };

    Forming() = default;
    explicit Forming(Papers papers) : papers_(std::move(papers)) {}

    // The first input of an incarnation.
    void start(const Self& self, FormingEffects& fx);
    void receive(const Self& self, SiteId from, const Hello& message, FormingEffects& fx);
    void synced(const Self& self, FormingEffects& fx);
    // The voters of a later generation keep the register now.
    void follow(const Record& record, const Value& sealed, FormingEffects& fx);
    // A link to that host is up: it may have missed what was said before.
    void greet(const Self& self, SiteId host, FormingEffects& fx) const;
    // The state that the next incarnation starts from.
    Forming after_crash(Disk disk) const;

    // Whether the message changes anything.
    bool matters(const Self& self, SiteId from, const Hello& message) const;

    // As it was written. A voter that is active on its disk votes: its register takes Format with the record.
    const Papers& papers() const { return papers_; }
    // The record whose voters this host asks, as its disk has it.
    const std::optional<Record>& used() const { return on_disk().used; }
    // Voters without which the first record is not complete.
    std::vector<SiteId> awaited(const Self& self) const;
    // Whether it forms no register until an operator says so: it would be the only voter, and its empty disk
    // may be all that is left of one.
    bool awaits_operator(const Self& self) const;

    bool operator==(const Forming&) const = default;

private:
    const Papers& on_disk() const { return synced_ ? *synced_ : papers_; }
    std::vector<SiteId> list(const Self& self) const;
    Hello hello(const Self& self) const;
    void greet(const Self& self, FormingEffects& fx);
    void store(Papers next, FormingEffects& fx);
    bool is_news(const Record& active) const;
    void meet(const Record& active, FormingEffects& fx);
    void go_on(const Self& self, FormingEffects& fx);
    void form(const Self& self, FormingEffects& fx);
    void activate(const Self& self, FormingEffects& fx);
    std::optional<Record> record_of_blanks(const Self& self) const;
    std::optional<Record> record_heard(const Self& self) const;
    bool is_complete(const Self& self) const;

    Papers papers_;                                    // as they were written
    std::optional<Papers> synced_;                     // as the disk has them, while a write is under way
    boost::container::flat_map<SiteId, Hello> heard_;  // the newest of each peer
    bool greeted_ = false;

    BOOST_DESCRIBE_CLASS(Forming, (), (), (), (papers_, synced_, heard_, greeted_))
};

}  // namespace allot::agreement
