#include "daemon/receipts.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "base/ensure.hpp"
#include "durable/record.hpp"

namespace allot::daemon {

namespace {

constexpr std::string_view key_kind = "receipts";
constexpr Edition key_format = 1;  // it has no editions: it is made once

std::string place_of_key(const std::string& folder) {
    return folder + "/receipts";
}

// Of the same length for every number: the MAC covers it together with the record before it.
constexpr std::size_t incarnation_bytes = 4;

void put_incarnation(std::uint32_t incarnation, std::string& out) {
    for (std::size_t i = 0; i < incarnation_bytes; ++i) out += static_cast<char>(incarnation >> 8 * i);
}

std::uint32_t incarnation_in(std::string_view bytes) {
    std::uint32_t incarnation = 0;
    for (std::size_t i = incarnation_bytes; i-- > 0;)
        incarnation = incarnation << 8 | static_cast<unsigned char>(bytes[i]);
    return incarnation;
}

}  // namespace

// --- The key.

std::optional<std::string> Receipts::open(const std::string& folder) {
    const auto record = durable::read_record(place_of_key(folder), key_kind, {key_format, key_format});
    if (!record)
        return record.error() + "; move it away: another key is made, and no program that runs is adopted";
    std::string key = *record ? (*record)->content : std::string(key_bytes, '\0');
    if (key.size() != key_bytes) return place_of_key(folder) + ": it belongs to another version of allot";
    if (!*record) {
        if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), key_bytes) != 1)
            return "there are no random numbers for the key of receipts";
        if (const auto written = write_key(folder, key); !written) return written.error();
    }
    const bool is_used = use(key);
    OPENSSL_cleanse(key.data(), key.size());
    if (!is_used) return "OpenSSL has no SipHash, which receipts need";
    return std::nullopt;
}

Result<bool> Receipts::write_key(const std::string& folder, const std::string& key) {
    return durable::write_record(place_of_key(folder), {std::string(key_kind), key_format, 0, key});
}

bool Receipts::use(const std::string& key) {
    EVP_MAC* const siphash = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_SIPHASH, nullptr);
    context_.reset(EVP_MAC_CTX_new(siphash));
    EVP_MAC_free(siphash);
    std::size_t size = mac_bytes;
    const OSSL_PARAM settings[]{OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                OSSL_PARAM_construct_end()};
    key_ = key;
    return context_ != nullptr && EVP_MAC_CTX_set_params(context_.get(), settings) == 1;
}

// --- Records.

Receipts::Mac Receipts::mac_of(std::string_view bytes) {
    Mac mac{};
    std::size_t length = 0;
    const bool is_made = EVP_MAC_init(context_.get(), reinterpret_cast<const unsigned char*>(key_.data()),
                                      key_.size(), nullptr) == 1 &&
                         EVP_MAC_update(context_.get(), reinterpret_cast<const unsigned char*>(bytes.data()),
                                        bytes.size()) == 1 &&
                         EVP_MAC_final(context_.get(), mac.data(), &length, mac.size()) == 1;
    ensure(is_made && length == mac.size(), "OpenSSL makes no MAC for a receipt");
    return mac;
}

void Receipts::seal(std::string& record, std::uint32_t incarnation) {
    put_incarnation(incarnation, record);
    const Mac mac = mac_of(record);
    record.append(reinterpret_cast<const char*>(mac.data()), mac.size());
}

Result<std::string_view> Receipts::judge(std::string_view record, std::uint32_t keeper) {
    if (record.size() < incarnation_bytes + mac_bytes) return Error{"it has no receipt"};
    const std::string_view sealed = record.substr(0, record.size() - mac_bytes);
    const Mac right = mac_of(sealed);
    if (CRYPTO_memcmp(right.data(), record.data() + sealed.size(), mac_bytes) != 0)
        return Error{"its receipt is not one of this host: it was changed, or made with another key"};
    const std::string_view bytes = sealed.substr(0, sealed.size() - incarnation_bytes);
    if (incarnation_in(sealed.substr(bytes.size())) > keeper)
        return Error{"its receipt is later than the last lease of this host"};
    return bytes;
}

}  // namespace allot::daemon
