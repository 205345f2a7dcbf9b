// Receipts: a lease is believed only if this host gave it, and as it gave it.
#include "daemon/receipts.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "support/folder.hpp"

namespace {

using namespace allot;
using daemon::Receipts;

class ReceiptsTest : public testing::Test {
protected:
    ReceiptsTest() { EXPECT_EQ(receipts_.open(folder()), std::nullopt); }
    std::string folder() const { return folder_ / "."; }
    std::string key_file() const { return folder_ / "receipts"; }
    std::string sealed(std::string record, std::uint32_t incarnation) {
        receipts_.seal(record, incarnation);
        return record;
    }

    test::TemporaryFolder folder_;
    Receipts receipts_;
};

TEST_F(ReceiptsTest, Returns_the_record_that_was_sealed) {
    for (const std::string& record : {std::string(), std::string("lease"), std::string(70'000, 'x')}) {
        const std::string kept = sealed(record, 256);
        const auto judged = receipts_.judge(kept, 256);
        ASSERT_TRUE(judged) << judged.error();
        EXPECT_EQ(*judged, record);
    }
}

TEST_F(ReceiptsTest, The_next_daemon_has_the_same_key) {
    const std::string kept = sealed("lease", 256);
    Receipts next;
    ASSERT_EQ(next.open(folder()), std::nullopt);
    EXPECT_TRUE(next.judge(kept, 512)) << "a later incarnation keeps it";
}

TEST_F(ReceiptsTest, A_record_with_any_bit_changed_is_not_believed) {
    const std::string kept = sealed("a lease", 256);
    for (std::size_t bit = 0; bit < kept.size() * 8; ++bit) {
        std::string forged = kept;
        forged[bit / 8] = static_cast<char>(forged[bit / 8] ^ (1 << bit % 8));
        EXPECT_FALSE(receipts_.judge(forged, ~0U)) << "bit " << bit;
    }
}

TEST_F(ReceiptsTest, A_record_without_a_receipt_is_not_believed) {
    const std::string kept = sealed("lease", 256);
    for (std::size_t length = 0; length < kept.size(); ++length)
        EXPECT_FALSE(receipts_.judge(std::string_view(kept).substr(0, length), ~0U)) << length;
    EXPECT_FALSE(receipts_.judge(kept + "x", ~0U));
}

TEST_F(ReceiptsTest, A_receipt_of_another_key_is_not_believed) {
    const std::string kept = sealed("lease", 256);
    std::filesystem::remove(key_file());
    Receipts other;
    ASSERT_EQ(other.open(folder()), std::nullopt);
    const auto judged = other.judge(kept, 256);
    ASSERT_FALSE(judged);
    EXPECT_EQ(judged.error(),
              "its receipt is not one of this host: it was changed, or made with another key");
}

TEST_F(ReceiptsTest, A_receipt_from_after_the_last_lease_is_not_believed) {
    const std::string kept = sealed("lease", 257);
    EXPECT_FALSE(receipts_.judge(kept, 256));
    EXPECT_TRUE(receipts_.judge(kept, 257));
}

// The bytes of receipts outlive the version that wrote them: SipHash-2-4 of 128 bits over the record and the
// incarnation, least byte first.
TEST_F(ReceiptsTest, A_receipt_is_the_incarnation_and_a_SipHash) {
    const std::string key(Receipts::key_bytes, 'k');
    ASSERT_TRUE(Receipts::write_key(folder(), key));
    ASSERT_EQ(receipts_.open(folder()), std::nullopt);
    const std::string covered("lease\x04\x03\x02\x01", 9);
    std::string mac(16, '\0');
    std::size_t length = 0;
    ASSERT_NE(EVP_Q_mac(nullptr, "SIPHASH", nullptr, nullptr, nullptr, key.data(), key.size(),
                        reinterpret_cast<const unsigned char*>(covered.data()), covered.size(),
                        reinterpret_cast<unsigned char*>(mac.data()), mac.size(), &length),
              nullptr);
    EXPECT_EQ(length, mac.size());
    EXPECT_EQ(sealed("lease", 0x0102'0304), covered + mac);
}

TEST_F(ReceiptsTest, Only_the_owner_can_read_the_key) {
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(key_file()).permissions(), perms::owner_read | perms::owner_write);
}

TEST_F(ReceiptsTest, A_damaged_key_is_refused_with_advice) {
    std::ofstream(key_file(), std::ios::app) << "x";
    const auto why = Receipts().open(folder());
    ASSERT_TRUE(why);
    EXPECT_NE(why->find("/receipts: "), std::string::npos) << *why;
    EXPECT_NE(why->find("move it away"), std::string::npos) << *why;
}

}  // namespace
