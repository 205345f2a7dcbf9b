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

void CertificateWatch::start(const std::string& certificate, net::TlsPtr tls) {
    certificate_ = certificate;
    tls_ = std::move(tls);
    look();
}

void CertificateWatch::look() {
    warn(net::look_at(tls_).expires, system_clock::now());
    timer_.set(look_every, [this] { look(); });
}

void CertificateWatch::warn(Time expires, Time now) {
    if (expires - now > soon) return warned_at_.reset();
    if (warned_at_ && now - *warned_at_ < days(1)) return;
    warned_at_ = now;
    log_warning(expiry(expires, now));
}

std::string CertificateWatch::expiry(Time expires, Time now) const {
    const bool over = expires <= now;
    return fmt::format(
        "{}: the certificate {} on {:%F}{}; replace the files of certificate and key, no restart is needed",
        certificate_, over ? "expired" : "expires", expires,
        over ? ", and others refuse new connections with it" : "");
}

std::string CertificateWatch::warning() const {
    if (!tls_) return "";
    const Time expires = net::condition_of(tls_).expires;
    const Time now = system_clock::now();
    return expires > now && expires - now <= soon ? expiry(expires, now) : "";
}

std::string CertificateWatch::trouble() const {
    if (!tls_) return "";
    const net::TlsCondition condition = net::condition_of(tls_);
    if (!condition.unusable.empty()) return condition.unusable;
    const Time now = system_clock::now();
    return condition.expires <= now ? expiry(condition.expires, now) : "";
}

}  // namespace allot::daemon
