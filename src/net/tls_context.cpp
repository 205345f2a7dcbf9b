#include "net/tls_context.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/pem.h>
#include <unistd.h>

#include "base/ensure.hpp"
#include "base/harmless.hpp"
#include "base/log.hpp"

namespace allot::net {

using namespace openssl;
using std::chrono::steady_clock;
using std::chrono::system_clock;

namespace {

constexpr std::chrono::seconds look_every{1};

std::string utf8_of(const ASN1_STRING* string) {
    unsigned char* utf8 = nullptr;
    const int length = ASN1_STRING_to_UTF8(&utf8, string);
    if (length < 0) return "";
    std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(length));
    OPENSSL_free(utf8);
    return text;
}

// --- Loading.

Error tls_error(const std::string& path, const char* what) {
    return Error{fmt::format("{}: {} ({})", path, what, openssl_reason())};
}

void demand_certificates(SSL_CTX* context, Counterpart counterpart) {
    const bool is_allot = counterpart == Counterpart::allot;
    SSL_CTX_set_min_proto_version(context, is_allot ? TLS1_3_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

void prefer_latency(SSL_CTX* context) {
    // Read head and content of a record with one recv. No tickets: sessions of TLS are never resumed.
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

int no_password(char*, int, int, void*) {
    return 0;
}

// All lists in the file: each authority has its own.
Result<std::vector<RevocationListPtr>> read_lists(const std::string& path) {
    std::vector<RevocationListPtr> lists;
    if (path.empty()) return lists;
    const BioPtr file(BIO_new_file(path.c_str(), "r"));
    while (file) {
        RevocationListPtr list(PEM_read_bio_X509_CRL(file.get(), nullptr, nullptr, nullptr));
        if (!list) break;
        lists.push_back(std::move(list));
    }
    const bool is_at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    if (lists.empty() || !is_at_end) return tls_error(path, "the file contains no revocation list in PEM");
    ERR_clear_error();
    return lists;
}

// Each certificate must then be of an authority that has a list, and not in it.
void demand_lists(SSL_CTX* context, const std::vector<RevocationListPtr>& lists) {
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    for (const RevocationListPtr& list : lists)
        ensure(X509_STORE_add_crl(store, list.get()) == 1, "no memory for TLS");
    if (!lists.empty()) X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
}

Result<TlsContext::Content> read_files(const TlsFiles& files, Counterpart counterpart) {
    for (const std::string& path : {files.certificate, files.key, files.authority, files.crl})
        if (!path.empty() && ::access(path.c_str(), R_OK) != 0)
            return Error{path + ": " + std::strerror(errno) + "; write the path of a file that can be read"};
    ERR_clear_error();
    auto lists = read_lists(files.crl);
    if (!lists) return Error{lists.error()};
    ContextPtr context(SSL_CTX_new(TLS_method()));
    ensure(context != nullptr, "no memory for TLS");
    demand_certificates(context.get(), counterpart);
    prefer_latency(context.get());
    SSL_CTX_set_default_passwd_cb(context.get(), no_password);
    if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1)
        return tls_error(files.certificate, "the file contains no certificate in PEM");
    if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1)
        return tls_error(files.key, "the file contains no private key for that certificate");
    if (SSL_CTX_load_verify_file(context.get(), files.authority.c_str()) != 1)
        return tls_error(files.authority, "the file contains no authority in PEM");
    demand_lists(context.get(), *lists);
    return TlsContext::Content{std::move(context), std::move(*lists)};
}

// --- Looking at certificates.

// A malformed date counts as long ago: nobody accepts such a certificate.
system_clock::time_point point_of(const ASN1_TIME* time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return system_clock::time_point();
    return system_clock::from_time_t(::timegm(&parts));
}

// None if the lists name no end.
std::optional<system_clock::time_point> first_end_of(const std::vector<RevocationListPtr>& lists) {
    std::optional<system_clock::time_point> first;
    for (const RevocationListPtr& list : lists) {
        const ASN1_TIME* end = X509_CRL_get0_nextUpdate(list.get());
        if (end != nullptr) first = std::min(first.value_or(system_clock::time_point::max()), point_of(end));
    }
    return first;
}

// Why the authority of the same set, as it is now, does not vouch for the certificate; empty if it does. A
// host whose own certificate is revoked must still heed the list.
std::string refusal_by_authority(SSL_CTX* context) {
    const StoreContextPtr check(X509_STORE_CTX_new());
    STACK_OF(X509)* chain = nullptr;
    SSL_CTX_get0_chain_certs(context, &chain);
    ensure(check && X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context),
                                        SSL_CTX_get0_certificate(context), chain) == 1,
           "no memory for TLS");
    if (X509_verify_cert(check.get()) == 1) return "";
    ERR_clear_error();
    const int error = X509_STORE_CTX_get_error(check.get());
    return error == X509_V_ERR_CERT_REVOKED ? "" : X509_verify_cert_error_string(error);
}

}  // namespace

// Only a URI says whether a certificate belongs to a host or a program: if other names counted, a program
// with the name of a host could speak as that host.
Identity roles_of(const X509* certificate) {
    Identity who;
    const NamesPtr names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
        if (name->type != GEN_URI) continue;
        const std::string uri = utf8_of(name->d.uniformResourceIdentifier);
        // A name that nobody can read as it is could be taken for another one.
        if (!is_harmless(uri)) continue;
        if (uri.starts_with(host_role)) who.hosts.push_back(uri.substr(host_role.size()));
        if (uri.starts_with(program_role)) who.program = uri.substr(program_role.size());
    }
    return who;
}

TlsContext::TlsContext(TlsFiles files, Counterpart counterpart, Content content)
    : files_(std::move(files)), counterpart_(counterpart), content_(std::move(content)) {}

Result<TlsPtr> TlsContext::load(const TlsFiles& files, Counterpart counterpart) {
    // Stamps first: a file that changes while it is read then differs from its stamp, and is read again.
    const Stamps stamps = stamps_of(files);
    auto content = read_files(files, counterpart);
    if (!content) return Error{content.error()};
    auto made = std::make_shared<TlsContext>(files, counterpart, std::move(*content));
    made->stamps_ = stamps;
    return made;
}

TlsContext::Stamps TlsContext::stamps_of(const TlsFiles& files) {
    return {FileStamp::of(files.certificate), FileStamp::of(files.key), FileStamp::of(files.authority),
            FileStamp::of(files.crl)};
}

SSL_CTX* TlsContext::current() {
    if (steady_clock::now() - looked_at_ >= look_every) look();
    return content_.context.get();
}

// Files that cannot be used are tried again each time: a certificate may become valid later.
void TlsContext::look() {
    looked_at_ = steady_clock::now();
    const Stamps found = stamps_of(files_);
    if (found == stamps_) return unusable_.clear();
    auto renewed = read_files(files_, counterpart_);
    if (!renewed) return keep_former(renewed.error());
    if (const std::string why = objection_to(renewed->context.get()); !why.empty()) return keep_former(why);
    use(std::move(*renewed), found);
}

// A server of another kind may have another authority, and no roles.
std::string TlsContext::objection_to(SSL_CTX* renewed) const {
    if (counterpart_ == Counterpart::server) return "";
    if (const std::string why = refusal_by_authority(renewed); !why.empty())
        return fmt::format("{}: the authority in {} does not vouch for the certificate ({})",
                           files_.certificate, files_.authority, why);
    const Identity before = roles_of(SSL_CTX_get0_certificate(content_.context.get()));
    const Identity now = roles_of(SSL_CTX_get0_certificate(renewed));
    const bool speaks_as_before =
        std::ranges::all_of(before.hosts, [&](const std::string& host) { return now.may_speak_as(host); });
    if (speaks_as_before && (!before.hosts.empty() || now.program == before.program)) return "";
    return fmt::format("{}: the certificate is for {}, not for {}", files_.certificate, now.certified_as(),
                       before.certified_as());
}

void TlsContext::use(Content renewed, const Stamps& stamps) {
    content_ = std::move(renewed);
    ++revision_;
    stamps_ = stamps;
    unusable_.clear();
    log_info(fmt::format("{}: new connections use the renewed files; the certificate is valid until {:%F}",
                         files_.certificate, condition().expires));
}

void TlsContext::keep_former(const std::string& why) {
    std::string line = "the renewed files for TLS cannot be used, the former ones stay in use: " + why;
    if (line == unusable_) return;
    log_error(line);
    unusable_ = std::move(line);
}

TlsCondition TlsContext::condition() const {
    X509* const own = SSL_CTX_get0_certificate(content_.context.get());
    return {.unusable = unusable_,
            .expires = point_of(X509_get0_notAfter(own)),
            .list_expires = first_end_of(content_.lists),
            .is_revoked = revokes(own),
            .revision = revision_};
}

bool TlsContext::revokes(X509* certificate) const {
    X509_REVOKED* entry = nullptr;
    return std::ranges::any_of(content_.lists, [&](const RevocationListPtr& list) {
        return X509_CRL_get0_by_cert(list.get(), &entry, certificate) == 1;
    });
}

Result<TlsPtr> load_tls(const TlsFiles& files, Counterpart counterpart) {
    return TlsContext::load(files, counterpart);
}

TlsCondition condition_of(const TlsPtr& tls) {
    return tls->condition();
}

TlsCondition look_at(const TlsPtr& tls) {
    tls->look();
    return tls->condition();
}

bool is_revoked(const TlsPtr& tls, const Identity& who) {
    return tls && who.certificate && tls->revokes(who.certificate.get());
}

}  // namespace allot::net
