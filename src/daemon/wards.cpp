#include "daemon/wards.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "base/log.hpp"
#include "base/processes.hpp"
#include "core/bytes.hpp"
#include "net/process_watch.hpp"

namespace allot::daemon {

namespace {

// The dated bytes of a host::Lease, without a copy of all its parts. The guardian or the ledger keeps them,
// and only a daemon reads them.
void put_lease(const host::Request& lease, const host::Session& session, bool follows, Edition edition,
               std::string& out) {
    encode(edition, out);
    encode(lease.key, out, edition);
    encode(lease.want, out, edition);
    encode(lease.fences, out, edition);
    encode(session.open.at(lease.key.ticket), out, edition);
    encode(session.name, out, edition);
    encode(session.caller, out, edition);
    encode(session.command, out, edition);
    encode(session.stoppable, out, edition);
    encode(lease.fenced, out, edition);
    encode(lease.ownership, out, edition);
    encode(follows, out, edition);
}

// The pidfd of the process that began a session; empty if it has ended. The error says why nobody can tell.
Result<Descriptor> process_of(const ProcessMark& program) {
    const Error unseen{
        "the kernel does not show the process of the program to the daemon, so nobody can stop it; run both "
        "in one PID namespace, with /proc mounted"};
    if (program.pid <= 0) return unseen;
    Descriptor process = open_process(program.pid);
    if (!process && errno == ESRCH) return Descriptor();
    if (!process && (errno == EMFILE || errno == ENFILE))
        return Error{"the daemon cannot watch the process: it may open no more files; raise its limit"};
    if (!process)
        return Error{
            fmt::format("the daemon cannot watch process {}: {}", program.pid, std::strerror(errno))};
    const auto now = net::mark_of(program.pid);
    if (process_ended(process)) return Descriptor();
    if (!now || !program.is_whole()) return unseen;
    // A later process may have its number by now.
    return *now == program ? std::move(process) : Descriptor();
}

}  // namespace

Wards::~Wards() {
    readable_.release();  // the descriptor is the link's
}

std::optional<std::string> Wards::open() {
    if (auto why = receipts_.open(config_.state)) return why;
    return connect();
}

std::optional<std::string> Wards::connect() {
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
        inherit_stranger("the note of a lease is damaged: this host waits until its program has stopped");
        ledger_.erase(place);
    }
    return all;
}

std::optional<Wards::Ward> Wards::taken_over(guardian::Charge charge) {
    auto lease = lease_in(charge.record);
    if (lease && (id_of(lease->key) != charge.id || lease->follows != static_cast<bool>(charge.command)))
        lease = Error{"it belongs to another charge"};
    if (!lease) {
        inherit_stranger(
            fmt::format("a lease that the guardian keeps is not adopted: {}; its program is told to stop",
                        lease.error()));
        link_->stop(charge.id);
        return std::nullopt;
    }
    Ward ward{std::move(*lease), charge.command.copy()};
    leases_.insert(charge.id);
    charges_[charge.id] = std::move(charge);
    return ward;
}

std::optional<Wards::Ward> Wards::taken_over(const Ledger::Note& note) {
    auto lease = lease_in(note.bytes);
    if (lease && charges_.contains(id_of(lease->key))) {  // the guardian knows more of it
        ledger_.erase(note.place);
        return std::nullopt;
    }
    if (!lease || entries_.contains(id_of(lease->key))) {
        inherit_stranger(
            fmt::format("a lease is not adopted: {}; this host waits until its program has stopped",
                        lease ? "there are two notes of it" : lease.error()));
        ledger_.erase(note.place);
        return std::nullopt;
    }
    entries_[id_of(lease->key)] = note.place;
    leases_.insert(id_of(lease->key));
    return Ward{std::move(*lease), {}};
}

// Nothing in a record counts without its receipt. The error says why the lease is not adopted.
Result<host::Lease> Wards::lease_in(std::string_view record) {
    const auto bytes = receipts_.judge(record, keeper());
    if (!bytes) return Error{bytes.error()};
    auto lease = from_dated_bytes<host::Lease>(*bytes);
    if (!lease) return Error{"it is of another version of allot"};
    if (lease->fences.size() != lease->want.locks.size() + lease->want.permits.size())
        return Error{"it does not have a fence for each resource"};
    return std::move(*lease);
}

// The page says so before its traces go: a daemon that follows this one soon does not know it, either.
void Wards::inherit_stranger(const std::string& why) {
    events_.unadopted(why);
    knows_all_ = false;
    ++inherited_;
    count_strangers();
}

// The programs that run under the lease of this daemon are its own.
void Wards::renew(BootClock::time_point deadline, std::uint32_t keeper) {
    if (deadline <= deadline_ && keeper == keeper_) return;
    note_asked();
    deadline_ = deadline;
    keeper_ = keeper;
    link_->set_deadline(deadline, keeper);
    if (std::exchange(inherited_, 0) > 0) count_strangers();
}

// The guardian reads the same deadline, and sends SIGTERM so long before it. Its own word comes after the end
// of the process, and may come after the release.
bool Wards::is_asking(BootClock::time_point now) const {
    return deadline() != BootClock::time_point() && now >= deadline() - config_.agreed.grace;
}

void Wards::note_asked() {
    if (!is_asking(BootClock::now())) return;
    asked_.clear();
    asked_until_ = deadline();
    for (const auto& [id, charge] : charges_)
        if (charge.stoppable) asked_.insert(id);
}

bool Wards::is_stopping(const host::Key& key) const {
    const auto charge = charges_.find(id_of(key));
    if (charge == charges_.end() || !charge->second.stoppable) return false;
    const auto now = BootClock::now();
    return is_asking(now) || (now < asked_until_ && asked_.contains(charge->first));
}

// --- Leases.

void Wards::begin(const host::Request& lease, const host::Session& session) {
    leases_.insert(id_of(lease.key));
    write(lease, session);
    count_strangers();
}

void Wards::rewrite(const host::Request& lease, const host::Session& session) {
    if (!entries_.contains(id_of(lease.key))) return;
    write(lease, session);
    count_strangers();
}

void Wards::write(const host::Request& lease, const host::Session& session) {
    bytes_.clear();
    put_lease(lease, session, false, config_.kept_edition(), bytes_);
    receipts_.seal(bytes_, keeper());
    const auto place = ledger_.write(bytes_);
    erase(id_of(lease.key));
    if (place) entries_[id_of(lease.key)] = *place;
}

void Wards::erase(const guardian::ChargeId& id) {
    const auto entry = entries_.find(id);
    if (entry == entries_.end()) return;
    ledger_.erase(entry->second);
    entries_.erase(entry);
}

std::optional<std::string> Wards::follow(const host::Request& lease, const host::Session& session,
                                         const Descriptor& process) {
    auto program = process_of(session.caller.process);
    if (!program) return program.error();
    guardian::Charge charge{.id = id_of(lease.key),
                            .record = {},
                            .owner = std::move(*program),
                            .command = process.copy(),
                            .stoppable = !lease.fenced,
                            .stoppable_owner = !process};
    put_lease(lease, session, static_cast<bool>(process), config_.kept_edition(), charge.record);
    receipts_.seal(charge.record, keeper());
    if (!charge.owner) charge.owner = process.copy();  // the program has ended, and its command goes on
    if (!charge.owner) return std::nullopt;            // the program has just ended
    if (const auto kept = link_->keep(charge); !kept) return kept.error();
    unconfirmed_.insert(charge.id);
    charges_[charge.id] = std::move(charge);
    count_strangers();
    return std::nullopt;
}

// The entry goes now, too: after the next renewal it would be taken for a lease that goes on.
void Wards::stop(const host::Key& key) {
    const guardian::ChargeId id = id_of(key);
    erase(id);
    unconfirmed_.erase(id);
    if (charges_.erase(id) > 0) link_->stop(id);
}

void Wards::evict(const host::Request& lease, const host::Session& session) {
    if (const auto place = charges_.find(id_of(lease.key)); place != charges_.end()) {
        guardian::Charge& charge = place->second;
        charge.record.clear();
        put_lease(lease, session, static_cast<bool>(charge.command), config_.kept_edition(), charge.record);
        receipts_.seal(charge.record, keeper());
        // It has kept a record of this length, so it takes this one.
        (void)link_->keep(charge);
    }
    stop(lease.key);
}

void Wards::end(const host::Key& key, bool was_lost) {
    const guardian::ChargeId id = id_of(key);
    leases_.erase(id);
    erase(id);
    unconfirmed_.erase(id);
    if (charges_.erase(id) > 0) was_lost ? link_->stop(id) : link_->drop(id);
    count_strangers();
}

// A charge whose packet waits for room is unknown to the guardian, and so is one whose packet is lost: then
// none of them counts as known.
void Wards::count_strangers() {
    const bool waits = link_->wants_to_write();
    const bool is_behind = waits || link_->is_gone() || !problem_.empty();
    link_->set_notes(entries_.size());
    const std::uint64_t known = entries_.size() + charges_.size() - unconfirmed_.size();
    link_->set_strangers((is_behind ? leases_.size() : leases_.size() - known) + inherited_);
    if (waits) wait_for_room();
}

void Wards::set_testament(guardian::Testament testament) {
    testament_ = std::move(testament);
    link_->set_testament(*testament_);
}

void Wards::kept(const guardian::ChargeId& id) {
    if (unconfirmed_.erase(id) == 0) return;
    erase(id);
    count_strangers();
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
    for (const guardian::ChargeId& id : news.kept) kept(id);
    for (const auto& one : news.told)
        if (const auto* refused = std::get_if<guardian::Refused>(&one))
            events_.refused({refused->id.session, refused->id.ticket}, refused->why);
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
    const auto failed = connect();
    if (failed && problem_ != *failed) log_error("there is no guardian: " + *failed);
    problem_ = failed.value_or("");
    if (failed) return retry_.set(pause, [this] { try_again(); });
    // Until the guardian has all charges, a daemon that follows this one knows none of them.
    link_->set_strangers(leases_.size() + inherited_);
    link_->set_deadline(deadline_, keeper_);
    if (testament_) link_->set_testament(*testament_);
    std::vector<std::pair<guardian::ChargeId, std::string>> refused;
    for (const auto& [id, charge] : charges_) {
        unconfirmed_.insert(id);
        if (const auto kept = link_->keep(charge); !kept) refused.emplace_back(id, kept.error());
    }
    for (const auto& [id, reason] : refused) events_.refused({id.session, id.ticket}, reason);
    count_strangers();
}

}  // namespace allot::daemon
