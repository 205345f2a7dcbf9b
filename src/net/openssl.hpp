// Owning pointers for OpenSSL objects; names on certificates; error texts.
#pragma once

#include <memory>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string>
#include <string_view>
#include <system_error>

namespace allot::net::openssl {

// Each owner has one of these and its name as a URI in the alternative names of its certificate.
constexpr std::string_view host_role = "allot:host:";
constexpr std::string_view program_role = "allot:program:";

template <auto Free>
struct Deleter {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using ContextPtr = std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>>;
using SessionPtr = std::unique_ptr<SSL, Deleter<SSL_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Deleter<X509_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, Deleter<X509_STORE_CTX_free>>;
using RevocationListPtr = std::unique_ptr<X509_CRL, Deleter<X509_CRL_free>>;
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free>>;

// The first error is the cause; the later ones are its callers.
inline std::string openssl_reason() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (ERR_SYSTEM_ERROR(code)) return std::generic_category().message(ERR_GET_REASON(code));
    const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    return reason == nullptr ? "TLS failed" : reason;
}

}  // namespace allot::net::openssl
