#include "durable/certificate.hpp"

#include "base/harmless.hpp"
#include "core/bytes.hpp"
#include "durable/record.hpp"

namespace allot::durable {

namespace {

constexpr std::string_view certificate_kind = "certificate";
// It has no editions: a guardian may be older than its daemon, and its readers may be, too.
constexpr Edition certificate_format = 1;

}  // namespace

Result<bool> write_certificate(const std::string& path, const Certificate& certificate) {
    return write_record(path, {std::string(certificate_kind), certificate_format, certificate.incarnation,
                               to_bytes(certificate)});
}

Result<std::optional<Certificate>> read_certificate(const std::string& path, const std::string& host) {
    const auto record = read_record(path, certificate_kind, {certificate_format, certificate_format});
    if (!record) return Error{record.error()};
    if (!*record) return std::optional<Certificate>();
    auto certificate = from_bytes<Certificate>((*record)->content);
    if (!certificate || certificate->incarnation != (*record)->sequence)
        return Error{path + ": its content is no certificate"};
    if (certificate->host != host)
        return Error{path + ": it is the certificate of host " + harmless(certificate->host)};
    return std::optional(std::move(*certificate));
}

}  // namespace allot::durable
