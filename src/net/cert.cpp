#include "net/cert.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <optional>
#include <set>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/ensure.hpp"
#include "net/openssl.hpp"

namespace allot::net {

using namespace openssl;

namespace {

constexpr int authority_days = 3650;
constexpr const char* authority_name = "allot test authority";

struct Pair {
    KeyPtr key;
    CertificatePtr certificate;
};

void must(bool worked) {
    ensure(worked, "OpenSSL cannot make a certificate");
}

// --- Making

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    must(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

void number_at_random(X509* certificate) {
    std::uint64_t number = 0;
    must(RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) == 1);
    must(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number >> 1) == 1);
}

Pair unsigned_pair(const std::string& name, int days) {
    Pair made{.key = KeyPtr(EVP_EC_gen("P-256")), .certificate = CertificatePtr(X509_new())};
    must(made.key && made.certificate);
    X509* const certificate = made.certificate.get();
    must(X509_set_version(certificate, X509_VERSION_3) == 1);
    number_at_random(certificate);
    // One day earlier than now, because the clocks of hosts differ.
    must(X509_time_adj_ex(X509_getm_notBefore(certificate), -1, 0, nullptr) != nullptr);
    must(X509_time_adj_ex(X509_getm_notAfter(certificate), days, 0, nullptr) != nullptr);
    must(X509_set_pubkey(certificate, made.key.get()) == 1);
    must(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0) == 1);
    return made;
}

void sign(Pair& made, X509* issuer, EVP_PKEY* key) {
    must(X509_set_issuer_name(made.certificate.get(), X509_get_subject_name(issuer)) == 1);
    extend(made.certificate.get(), issuer, NID_subject_key_identifier, "hash");
    extend(made.certificate.get(), issuer, NID_authority_key_identifier, "keyid:always");
    must(X509_sign(made.certificate.get(), key, EVP_sha256()) != 0);
}

Pair new_authority(int days) {
    Pair made = unsigned_pair(authority_name, days);
    X509* const self = made.certificate.get();
    extend(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    extend(self, self, NID_key_usage, "critical,keyCertSign,cRLSign");
    sign(made, self, made.key.get());
    return made;
}

struct Paths {
    Paths(const std::filesystem::path& folder, const std::string& name)
        : certificate((folder / (name + ".pem")).string()), key((folder / (name + ".key")).string()) {}
    std::string certificate;
    std::string key;
};

// The owner of a certificate. A host and a program may have the same name: the kind tells them apart.
struct Subject {
    std::string name;
    bool is_host = true;
    Paths paths;
};

std::vector<Subject> subjects_of(const CertificateOrder& order) {
    const std::filesystem::path folder = order.folder;
    std::vector<Subject> subjects;
    for (const std::string& name : order.hosts) subjects.push_back({name, true, {folder, name}});
    for (const std::string& name : order.programs)
        subjects.push_back({name, false, {folder / "programs", name}});
    return subjects;
}

// A program's certificate has no server usage, so nobody takes it for a daemon.
Pair new_certificate(const Subject& subject, int days, const Pair& authority) {
    const std::string& name = subject.name;
    Pair made = unsigned_pair(name, days);
    X509* const certificate = made.certificate.get();
    X509* const issuer = authority.certificate.get();
    extend(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE");
    extend(certificate, issuer, NID_key_usage, "critical,digitalSignature");
    extend(certificate, issuer, NID_ext_key_usage, subject.is_host ? "serverAuth,clientAuth" : "clientAuth");
    extend(certificate, issuer, NID_subject_alt_name,
           subject.is_host ? fmt::format("DNS:{},URI:{}{}", name, host_role, name)
                           : fmt::format("URI:{}{}", program_role, name));
    sign(made, issuer, authority.key.get());
    return made;
}

std::string day_of(const ASN1_TIME* time) {
    tm when{};
    must(ASN1_TIME_to_tm(time, &when) == 1);
    return fmt::format("{:04}-{:02}-{:02}", when.tm_year + 1900, when.tm_mon + 1, when.tm_mday);
}

// --- Files

std::string text_in(BIO* bio) {
    char* start = nullptr;
    const long length = BIO_get_mem_data(bio, &start);
    return {start, static_cast<std::size_t>(length)};
}

std::string as_pem(const X509* certificate) {
    const BioPtr bio(BIO_new(BIO_s_mem()));
    must(bio && PEM_write_bio_X509(bio.get(), certificate) == 1);
    return text_in(bio.get());
}

std::string as_pem(const EVP_PKEY* key) {
    const BioPtr bio(BIO_new(BIO_s_mem()));
    must(bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return text_in(bio.get());
}

// Writes the whole file or nothing; the file is never readable by more users than `mode` says.
std::optional<Error> write_file(const std::string& path, const std::string& text, mode_t mode) {
    const std::string draft = path + ".new";
    ::unlink(draft.c_str());
    const Descriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    const bool written = file &&
                         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         ::rename(draft.c_str(), path.c_str()) == 0;
    if (written) return std::nullopt;
    const int error = errno;
    ::unlink(draft.c_str());
    return Error{fmt::format("{}: {}", path, std::generic_category().message(error))};
}

bool is_there(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

std::optional<Error> write_pair(const Pair& pair, const Paths& paths) {
    if (auto error = write_file(paths.key, as_pem(pair.key.get()), 0600)) return error;
    return write_file(paths.certificate, as_pem(pair.certificate.get()), 0644);
}

Result<Pair> read_authority(const Paths& paths) {
    const BioPtr certificate(BIO_new_file(paths.certificate.c_str(), "r"));
    const BioPtr key(BIO_new_file(paths.key.c_str(), "r"));
    Pair read;
    if (certificate) read.certificate.reset(PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr));
    if (key) read.key.reset(PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
    const bool fits =
        read.certificate && read.key && X509_check_private_key(read.certificate.get(), read.key.get()) == 1;
    ERR_clear_error();
    if (!fits)
        return Error{
            fmt::format("{} and {}: these files contain no authority; write another --dir, or move both away",
                        paths.certificate, paths.key)};
    return read;
}

// --- Errors in an order

std::string name_error(const std::string& name) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
               c == '-' || c == '_';
    };
    const bool good = !name.empty() && name.size() <= 63 && std::all_of(name.begin(), name.end(), plain) &&
                      name.front() != '.' && name.front() != '-';
    if (!good)
        return fmt::format(
            "\"{}\": write the name of a host or program, up to 63 letters, digits, dots and dashes", name);
    if (name == "ca") return "ca: that is the name of the authority's own files; write another";
    return "";
}

std::string days_error(int days) {
    return days < 1 || days > 36500 ? fmt::format("--days {}: write a number from 1 to 36500", days) : "";
}

std::string order_error(const CertificateOrder& order) {
    if (std::string wrong = days_error(order.days); !wrong.empty()) return wrong;
    std::set<std::string> seen;
    for (const auto& [name, is_host, paths] : subjects_of(order)) {
        if (std::string wrong = name_error(name); !wrong.empty()) return wrong;
        if (!seen.insert(paths.certificate).second) return fmt::format("{}: write each name once", name);
        for (const std::string& path : {paths.certificate, paths.key})
            if (!order.force && is_there(path))
                return fmt::format("{}: the file exists; --force replaces it", path);
    }
    return "";
}

using Files = std::vector<CertificateFile>;

void list(Files& files, const Paths& paths, const Pair& pair, const char* content, const std::string& name,
          bool kept) {
    files.push_back({.path = paths.certificate,
                     .content = content,
                     .name = name,
                     .until = day_of(X509_get0_notAfter(pair.certificate.get())),
                     .kept = kept});
    files.push_back({.path = paths.key, .content = "key", .name = name, .kept = kept});
}

Result<Pair> authority_in(const CertificateOrder& order, Files& files) {
    const Paths paths(order.folder, "ca");
    const bool kept = is_there(paths.certificate) || is_there(paths.key);
    Result<Pair> authority =
        kept ? read_authority(paths) : Result<Pair>(new_authority(std::max(order.days, authority_days)));
    if (!authority) return authority;
    if (!kept)
        if (auto error = write_pair(*authority, paths)) return *error;
    list(files, paths, *authority, "authority", authority_name, kept);
    return authority;
}

// --- Revocation

std::string as_pem(X509_CRL* list) {
    const BioPtr bio(BIO_new(BIO_s_mem()));
    must(bio && PEM_write_bio_X509_CRL(bio.get(), list) == 1);
    return text_in(bio.get());
}

// The list as it is in the file, or an empty one.
Result<RevocationListPtr> list_in(const std::string& path, const Pair& authority) {
    RevocationListPtr list(X509_CRL_new());
    if (is_there(path)) {
        const BioPtr file(BIO_new_file(path.c_str(), "r"));
        list.reset(file ? PEM_read_bio_X509_CRL(file.get(), nullptr, nullptr, nullptr) : nullptr);
        const bool is_ours = list && X509_CRL_verify(list.get(), authority.key.get()) == 1;
        ERR_clear_error();
        if (!is_ours) return Error{path + ": the file contains no list of this authority; move it away"};
        return list;
    }
    must(list && X509_CRL_set_version(list.get(), X509_CRL_VERSION_2) == 1 &&
         X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(authority.certificate.get())) == 1);
    return list;
}

std::optional<Error> add_to(X509_CRL* list, const std::string& path, const Pair& authority) {
    const BioPtr file(BIO_new_file(path.c_str(), "r"));
    const CertificatePtr certificate(file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr)
                                          : nullptr);
    const bool is_ours = certificate && X509_verify(certificate.get(), authority.key.get()) == 1;
    ERR_clear_error();
    if (!is_ours) return Error{path + ": the file contains no certificate of this authority"};
    X509_REVOKED* known = nullptr;
    if (X509_CRL_get0_by_cert(list, &known, certificate.get()) == 1) return std::nullopt;
    std::unique_ptr<X509_REVOKED, Deleter<X509_REVOKED_free>> entry(X509_REVOKED_new());
    const std::unique_ptr<ASN1_TIME, Deleter<ASN1_TIME_free>> now(X509_gmtime_adj(nullptr, 0));
    must(entry && now &&
         X509_REVOKED_set_serialNumber(entry.get(), X509_get_serialNumber(certificate.get())) == 1 &&
         X509_REVOKED_set_revocationDate(entry.get(), now.get()) == 1 &&
         X509_CRL_add0_revoked(list, entry.get()) == 1);
    static_cast<void>(entry.release());
    return std::nullopt;
}

void sign(X509_CRL* list, int days, const Pair& authority) {
    // The clocks of hosts differ.
    const std::unique_ptr<ASN1_TIME, Deleter<ASN1_TIME_free>> since(
        X509_time_adj_ex(nullptr, -1, 0, nullptr));
    const std::unique_ptr<ASN1_TIME, Deleter<ASN1_TIME_free>> until(
        X509_time_adj_ex(nullptr, days, 0, nullptr));
    must(since && until && X509_CRL_set1_lastUpdate(list, since.get()) == 1 &&
         X509_CRL_set1_nextUpdate(list, until.get()) == 1 && X509_CRL_sort(list) == 1 &&
         X509_CRL_sign(list, authority.key.get(), EVP_sha256()) != 0);
}

}  // namespace

Result<CertificateFile> revoke_certificates(const RevocationOrder& order) {
    if (std::string wrong = days_error(order.days); !wrong.empty()) return Error{std::move(wrong)};
    const auto authority = read_authority(Paths(order.folder, "ca"));
    if (!authority) return Error{authority.error()};
    const std::string path = (std::filesystem::path(order.folder) / "crl.pem").string();
    auto list = list_in(path, *authority);
    if (!list) return Error{list.error()};
    for (const std::string& certificate : order.revoke)
        if (auto error = add_to(list->get(), certificate, *authority)) return *error;
    sign(list->get(), order.days, *authority);
    if (auto error = write_file(path, as_pem(list->get()), 0644)) return *error;
    return CertificateFile{.path = path,
                           .content = "revocation list",
                           .name = authority_name,
                           .until = day_of(X509_CRL_get0_nextUpdate(list->get()))};
}

Result<std::vector<CertificateFile>> make_certificates(const CertificateOrder& order) {
    if (std::string wrong = order_error(order); !wrong.empty()) return Error{std::move(wrong)};
    const std::filesystem::path folder = order.folder;
    std::error_code failure;
    std::filesystem::create_directories(order.programs.empty() ? folder : folder / "programs", failure);
    if (failure)
        return Error{fmt::format("{}: {}; write --dir with a folder that this user may write to",
                                 order.folder, failure.message())};
    Files files;
    const auto authority = authority_in(order, files);
    if (!authority) return Error{authority.error()};
    for (const Subject& subject : subjects_of(order)) {
        const Pair made = new_certificate(subject, order.days, *authority);
        if (auto error = write_pair(made, subject.paths)) return *error;
        list(files, subject.paths, made, subject.is_host ? "certificate" : "program certificate",
             subject.name, false);
    }
    return files;
}

}  // namespace allot::net
