#include "daemon/wards.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/log.hpp"
#include "base/processes.hpp"
#include "core/bytes.hpp"

namespace allot::daemon {

namespace {

// The guardian or the ledger keeps it, and only a daemon reads it.
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
    if (const auto opened = ledger_.open((*link)->memory(), guardian::page_room); !opened)
        return opened.error();
    link_ = std::move(*link);
    const auto deadline = link_->deadline();
    const bool is_old = deadline.time_since_epoch().count() != 0;
    knows_all_ = is_old && (link_->strangers() == 0 || deadline <= BootClock::now());
    if (keeper_ == 0) inherited_ = knows_all_ ? 0 : link_->strangers();
    readable_.assign(link_->descriptor());
    wait();
    return std::nullopt;
}

// --- The programs of an earlier daemon.

std::vector<Wards::Ward> Wards::taken_over() {
    std::vector<Ward> all;
    for (guardian::Charge& charge : link_->taken_over())
        if (auto ward = taken_over(std::move(charge))) all.push_back(std::move(*ward));
    const Ledger::Found found = ledger_.take_over();
    for (const Ledger::Note& note : found.notes)
        if (auto ward = taken_over(note)) all.push_back(std::move(*ward));
    for (const Ledger::Place place : found.damaged) {
        log_error("the note of a lease is damaged: this host waits until its program has stopped");
        inherit_stranger();
        ledger_.erase(place);
    }
    return all;
}

std::optional<Wards::Ward> Wards::taken_over(guardian::Charge charge) {
    auto note = from_bytes<Note>(charge.record);
    if (!note || !charge.command || !can_serve(note->lease)) {
        log_error(
            "the guardian keeps a lease of another version of allot, or of a semaphore that is gone: "
            "its program is stopped");
        inherit_stranger();
        link_->stop(charge.id);
        return std::nullopt;
    }
    Ward ward{note->lease, note->session, charge.command.copy()};
    charges_[charge.id] = std::move(charge);
    ++leases_;
    return ward;
}

std::optional<Wards::Ward> Wards::taken_over(const Ledger::Note& note) {
    const auto read = from_bytes<Note>(note.bytes);
    if (read && charges_.contains(id_of(read->lease))) {  // the guardian knows more of it
        ledger_.erase(note.place);
        return std::nullopt;
    }
    if (!read || !can_serve(read->lease) || entries_.contains(id_of(read->lease))) {
        log_error(
            "there is a lease of another version of allot, or of a semaphore that is gone: this host "
            "waits until its program has stopped");
        inherit_stranger();
        ledger_.erase(note.place);
        return std::nullopt;
    }
    entries_[id_of(read->lease)] = note.place;
    ++leases_;
    return Ward{read->lease, read->session, {}};
}

bool Wards::can_serve(const LeaseBook::Lease& lease) const {
    return std::ranges::all_of(lease.want.permits, [&](const session::Permit& permit) {
        const auto semaphore = config_.semaphores.find(permit.semaphore);
        return semaphore != config_.semaphores.end() && permit.units <= semaphore->second.permits;
    });
}

// The page says so before its traces go: a daemon that follows this one soon does not know it, either.
void Wards::inherit_stranger() {
    knows_all_ = false;
    ++inherited_;
    count_strangers();
}

// The programs that run under the lease of this daemon are its own.
void Wards::renew(BootClock::time_point deadline, std::uint32_t keeper) {
    if (deadline <= deadline_ && keeper == keeper_) return;
    deadline_ = deadline;
    keeper_ = keeper;
    link_->set_deadline(deadline, keeper);
    if (std::exchange(inherited_, 0) > 0) count_strangers();
}

// --- Leases.

void Wards::begin(const LeaseBook::Lease& lease, const SessionRecord& session) {
    ++leases_;
    write(lease, session);
    count_strangers();
}

void Wards::move(const LeaseBook::Lease& lease, const SessionRecord& session) {
    if (!entries_.contains(id_of(lease))) return;
    write(lease, session);
    count_strangers();
}

void Wards::write(const LeaseBook::Lease& lease, const SessionRecord& session) {
    bytes_.clear();
    encode(lease, bytes_);  // as a Note, without a copy
    encode(session, bytes_);
    const auto place = ledger_.write(bytes_);
    erase(id_of(lease));
    if (place) entries_[id_of(lease)] = *place;
}

void Wards::erase(const guardian::ChargeId& id) {
    const auto entry = entries_.find(id);
    if (entry == entries_.end()) return;
    ledger_.erase(entry->second);
    entries_.erase(entry);
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
    moving_.push_back(id_of(lease));
    count_strangers();
}

// The entry goes now, too: after the next renewal it would be taken for a lease that goes on.
void Wards::stop(Owner owner, session::Ticket ticket) {
    const guardian::ChargeId id{owner, ticket};
    erase(id);
    if (charges_.erase(id) > 0) link_->stop(id);
}

void Wards::end(const LeaseBook::Lease& lease, bool was_lost) {
    --leases_;
    erase(id_of(lease));
    if (charges_.erase(id_of(lease)) > 0) was_lost ? link_->stop(id_of(lease)) : link_->drop(id_of(lease));
    count_strangers();
}

// A charge whose packet waits for room is unknown to the guardian, and so is one whose packet is lost: then
// none of them counts as known.
void Wards::count_strangers() {
    const bool waits = link_->wants_to_write();
    const bool is_behind = waits || link_->is_gone() || !problem_.empty();
    if (!is_behind && !moving_.empty()) erase_moved();
    const std::uint64_t strangers = is_behind ? leases_ : leases_ - charges_.size() - entries_.size();
    link_->set_strangers(strangers + inherited_);
    if (waits) wait_for_room();
}

void Wards::erase_moved() {
    for (const guardian::ChargeId& id : std::exchange(moving_, {}))
        if (charges_.contains(id)) erase(id);
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
    // Until the guardian has all charges, a daemon that follows this one knows none of them.
    link_->set_strangers(leases_ + inherited_);
    link_->set_deadline(deadline_, keeper_);
    std::vector<std::pair<guardian::ChargeId, std::string>> refused;
    for (const auto& [id, charge] : charges_)
        if (const auto kept = link_->keep(charge); !kept) refused.emplace_back(id, kept.error());
    for (const auto& [id, reason] : refused) refused_(id.session, id.ticket, reason);
    count_strangers();
}

}  // namespace allot::daemon
