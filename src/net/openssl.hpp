// Objects of OpenSSL, freed by whoever owns them.
#pragma once

#include <memory>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string_view>

namespace allot::net::openssl {

// How a certificate says whose it is: a URI among its alternative names, one of these and a name.
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
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free>>;

}  // namespace allot::net::openssl
