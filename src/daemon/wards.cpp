#include "daemon/wards.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "base/processes.hpp"
#include "core/bytes.hpp"

namespace allot::daemon {

namespace {

// The guardian keeps it, and only a daemon reads it.
struct Note {
    LeaseBook::Lease lease;
    SessionRecord session;
};
BOOST_DESCRIBE_STRUCT(Note, (), (lease, session))

}  // namespace

Wards::~Wards() {
    readable_.release();  // the descriptor is the link's
}

std::optional<std::string> Wards::open() {
    auto link = guardian::Link::open(config_.state, config_.agreed.grace);
    if (!link) return link.error();
    link_ = std::move(*link);
    const auto deadline = link_->deadline();
    const bool is_old = deadline.time_since_epoch().count() != 0;
    knows_all_ = is_old && (link_->strangers() == 0 || deadline <= BootClock::now());
    readable_.assign(link_->descriptor());
    wait();
    return std::nullopt;
}

std::vector<Wards::Ward> Wards::taken_over() {
    std::vector<Ward> all;
    for (guardian::Charge& charge : link_->taken_over()) {
        auto note = from_bytes<Note>(charge.record);
        if (!note || !charge.command) {
            log_error("the guardian keeps a lease of another version of allot: its program is stopped");
            link_->stop(charge.id);
            knows_all_ = false;  // it may run until its deadline
            continue;
        }
        all.push_back({note->lease, note->session, charge.command.copy()});
        charges_[charge.id] = std::move(charge);
        ++leases_;
    }
    return all;
}

void Wards::renew(BootClock::time_point deadline, std::uint32_t keeper) {
    if (deadline <= deadline_ && keeper == keeper_) return;
    deadline_ = deadline;
    keeper_ = keeper;
    link_->set_deadline(deadline, keeper);
}

// --- Leases.

void Wards::begin(const LeaseBook::Lease&) {
    ++leases_;
    count_strangers();
}

void Wards::follow(const LeaseBook::Lease& lease, const SessionRecord& session, const Descriptor& process) {
    guardian::Charge charge{.id = id_of(lease),
                            .record = to_bytes(Note{lease, session}),
                            .owner = open_process(session.process.pid),
                            .command = process.copy()};
    if (!charge.owner) charge.owner = process.copy();  // the program has ended, and its command goes on
    if (const auto kept = link_->keep(charge); !kept)
        return refused_(lease.owner, lease.ticket, kept.error());
    charges_[charge.id] = std::move(charge);
    count_strangers();
}

void Wards::stop(Owner owner, session::Ticket ticket) {
    const guardian::ChargeId id{owner, ticket};
    if (charges_.erase(id) > 0) link_->stop(id);
}

void Wards::end(const LeaseBook::Lease& lease, bool was_lost) {
    --leases_;
    if (charges_.erase(id_of(lease)) > 0) was_lost ? link_->stop(id_of(lease)) : link_->drop(id_of(lease));
    count_strangers();
}

// A charge whose packet waits for room is unknown to the guardian: then none of them counts as known.
void Wards::count_strangers() {
    const bool waits = link_->wants_to_write();
    link_->set_strangers(waits || !problem_.empty() ? leases_ : leases_ - charges_.size());
    if (waits) wait_for_room();
}

// --- News of the guardian.

void Wards::wait() {
    readable_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                         [this](const boost::system::error_code& failure) {
                             if (!failure) read();
                         });
}

void Wards::wait_for_room() {
    if (std::exchange(awaits_room_, true)) return;
    readable_.async_wait(boost::asio::posix::descriptor_base::wait_write,
                         [this](const boost::system::error_code& failure) {
                             if (failure) return;
                             awaits_room_ = false;
                             link_->flush();
                             count_strangers();
                         });
}

void Wards::read() {
    const guardian::News news = link_->read();
    for (const auto& one : news.told)
        if (const auto* refused = std::get_if<guardian::Refused>(&one))
            refused_(refused->id.session, refused->id.ticket, refused->why);
    if (news.gone) return begin_again(news.why);
    wait();
}

void Wards::begin_again(const std::string& why) {
    log_error(fmt::format("the guardian has ended ({}); another one is started", why));
    readable_.release();
    awaits_room_ = false;
    try_again();
}

void Wards::try_again() {
    constexpr std::chrono::seconds pause{1};
    const auto failed = open();
    if (failed && problem_ != *failed) log_error("there is no guardian: " + *failed);
    problem_ = failed.value_or("");
    if (failed) return retry_.set(pause, [this] { try_again(); });
    link_->set_deadline(deadline_, keeper_);
    std::vector<std::pair<guardian::ChargeId, std::string>> refused;
    for (const auto& [id, charge] : charges_)
        if (const auto kept = link_->keep(charge); !kept) refused.emplace_back(id, kept.error());
    for (const auto& [id, reason] : refused) refused_(id.session, id.ticket, reason);
    count_strangers();
}

}  // namespace allot::daemon
