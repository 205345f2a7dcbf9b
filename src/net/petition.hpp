// A petition: a host that is in no list of hosts yet connects to the address of one that is, proves its name
// by its certificate, and asks to join (docs/links.md). It is the first frame of a connection, in the place
// of a Hello, and has one answer.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "net/link_frames.hpp"
#include "net/stream.hpp"

namespace allot::net {

constexpr std::string_view petition_magic = "allot join";
constexpr std::string_view trial_magic = "allot ask";  // only asks what would change

struct Petition {
    Opening opening{std::string(petition_magic)};
    std::string name;
    std::string address;  // at which the other hosts reach it
    // Those that must be the same; it learns the others by the answer.
    std::vector<Setting> settings{};
    bool is_trial() const { return opening.magic == trial_magic; }
    bool operator==(const Petition&) const = default;
};
BOOST_DESCRIBE_STRUCT(Petition, (), (opening, name, address, settings))

struct PetitionAnswer {
    bool done = false;
    std::string text;     // for people; why not
    std::string content;  // done: what the new host must know to start, in dated bytes
    bool operator==(const PetitionAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(PetitionAnswer, (), (done, text, content))

// Whole frames, with their length.
void put_petition(const Petition& petition, std::string& out);
// In an edition that the host knows that asked.
void put_petition_answer(const PetitionAnswer& answer, Edition edition, std::string& out);
bool is_petition(std::string_view frame);
Result<Petition> read_petition(std::string_view frame);

// Sends a petition and waits for its answer. An error says why there is none. Without TLS, only a process of
// this user or of root is asked, unless `plaintext` is true.
Result<PetitionAnswer> ask_to_join(const std::string& address, const TlsPtr& tls, bool plaintext,
                                   const Petition& petition, std::chrono::milliseconds within);

}  // namespace allot::net
