#include "core/own_id.hpp"

#include <gtest/gtest.h>
#include <map>

#include "core/random.hpp"

namespace allot {
namespace {

TEST(OwnId, Ids_are_ordered_by_their_owner_first) {
    const OwnId early{1, {}};
    EXPECT_LT(early.next().next(), (OwnId{2, {}}));
    EXPECT_LT(early, early.next());
    EXPECT_EQ(early.next().owner, 1u);
}

// A site and a message with ids, as far as rename_ids needs them.
struct Note {
    OwnId about;
    std::optional<OwnId> earlier;
    bool operator==(const Note&) const = default;
};
BOOST_DESCRIBE_STRUCT(Note, (), (about, earlier))

struct Notebook {
    using Message = Note;
    struct Config {};
    std::map<OwnId, OwnId> notes;
    bool operator==(const Notebook&) const = default;
};
BOOST_DESCRIBE_STRUCT(Notebook, (), (notes))

OwnId id(SiteId owner, int number) {
    OwnId made{owner, {}};
    for (int i = 0; i < number; ++i) made = made.next();
    return made;
}

TEST(OwnId, The_ids_of_each_owner_are_numbered_from_zero_in_their_order) {
    std::vector<SiteOf<Notebook>> sites(2);
    sites[0].standing = sites[1].standing = Standing::up;
    sites[0].protocol.notes = {{id(0, 7), id(1, 4)}, {id(0, 9), id(1, 4)}};
    sites[1].protocol.notes = {{id(1, 40), id(0, 9)}};
    std::vector<EnvelopeOf<Note>> flight{{{0, 1}, {id(0, 3), id(1, 41)}}};
    MutableView<Notebook> world{{}, sites, flight};
    rename_ids(world);
    EXPECT_EQ(sites[0].protocol.notes,
              (std::map{std::pair(id(0, 1), id(1, 0)), std::pair(id(0, 2), id(1, 0))}));
    EXPECT_EQ(sites[1].protocol.notes, (std::map{std::pair(id(1, 1), id(0, 2))}));
    EXPECT_EQ(flight[0].message, (Note{id(0, 0), id(1, 2)}));
}

TEST(OwnId, What_is_gone_has_no_ids) {
    std::vector<SiteOf<Notebook>> sites(1);
    sites[0].standing = Standing::down;
    sites[0].protocol.notes = {{id(0, 0), id(0, 0)}};
    std::vector<EnvelopeOf<Note>> flight{{{0, 1}, {id(0, 8), std::nullopt}}};
    MutableView<Notebook> world{{}, sites, flight};
    rename_ids(world);
    EXPECT_EQ(flight[0].message.about, id(0, 0));
}

}  // namespace
}  // namespace allot
