#include "daemon/certificate_watch.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "base/log.hpp"

namespace allot::daemon {

using std::chrono::days;
using std::chrono::system_clock;

namespace {

constexpr std::chrono::seconds look_every{10};
constexpr days soon{14};

}  // namespace

bool CertificateWatch::Validity::ends_soon(Time now) const {
    return !is_over(now) && until - now <= soon;
}

std::string CertificateWatch::Validity::text(Time now) const {
    return fmt::format("{}: the {} {} on {:%F}{}; replace {}, no restart is needed", file, what,
                       is_over(now) ? "expired" : "expires", until, is_over(now) ? if_over : "", remedy);
}

void CertificateWatch::start(const net::TlsFiles& files, net::TlsPtr tls, std::function<void()> renewed) {
    files_ = files;
    tls_ = std::move(tls);
    renewed_ = std::move(renewed);
    revision_ = net::condition_of(tls_).revision;
    look();
}

void CertificateWatch::look() {
    const net::TlsCondition condition = net::look_at(tls_);
    warn(condition, system_clock::now());
    timer_.set(look_every, [this] { look(); });
    if (std::exchange(revision_, condition.revision) != condition.revision) renewed_();
}

std::vector<CertificateWatch::Validity> CertificateWatch::validities(
    const net::TlsCondition& condition) const {
    std::vector<Validity> all{{files_.certificate, condition.expires, "certificate",
                               ", and others refuse new connections with it",
                               "the files of certificate and key"}};
    if (condition.list_expires)
        all.push_back({files_.crl, *condition.list_expires, "revocation list",
                       ", and this host refuses all new connections", "the file"});
    return all;
}

void CertificateWatch::warn(const net::TlsCondition& condition, Time now) {
    if (std::exchange(was_revoked_, condition.is_revoked) != condition.is_revoked && condition.is_revoked)
        log_warning(revoked());
    for (const Validity& one : validities(condition)) {
        if (!one.is_over(now) && !one.ends_soon(now)) {
            warned_at_.erase(one.file);
            continue;
        }
        const auto before = warned_at_.find(one.file);
        if (before != warned_at_.end() && now - before->second < days(1)) continue;
        warned_at_[one.file] = now;
        log_warning(one.text(now));
    }
}

std::string CertificateWatch::revoked() const {
    return files_.certificate +
           ": the certificate is revoked, and others refuse it; replace the files of certificate and key, no "
           "restart is needed";
}

std::string CertificateWatch::trouble() const {
    if (!tls_) return "";
    const net::TlsCondition condition = net::condition_of(tls_);
    if (!condition.unusable.empty()) return condition.unusable;
    if (condition.is_revoked) return revoked();
    const Time now = system_clock::now();
    for (const Validity& one : validities(condition))
        if (one.is_over(now)) return one.text(now);
    return "";
}

std::string CertificateWatch::warning() const {
    if (!tls_) return "";
    const Time now = system_clock::now();
    for (const Validity& one : validities(net::condition_of(tls_)))
        if (one.ends_soon(now)) return one.text(now);
    return "";
}

std::optional<net::TlsCondition> CertificateWatch::condition() const {
    if (!tls_) return std::nullopt;
    return net::condition_of(tls_);
}

}  // namespace allot::daemon
