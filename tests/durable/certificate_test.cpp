// Certificates: only one that is whole and belongs to the host is believed.
#include "durable/certificate.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "core/bytes.hpp"
#include "durable/record.hpp"
#include "support/folder.hpp"

namespace {

using namespace allot;
using durable::Certificate;

struct CertificateTest : testing::Test {
    std::string error_of(const std::string& host) const {
        const auto read = durable::read_certificate(file, host);
        return read ? "" : read.error().substr(file.size());
    }
    std::string text() const {
        std::stringstream all;
        all << std::ifstream(file).rdbuf();
        return all.str();
    }

    const test::TemporaryFolder folder;
    const std::string file = folder / "register-ended.h1";
    const Certificate sample{"h1", 117'558'528};
};

TEST_F(CertificateTest, Is_read_as_it_was_written) {
    const auto none = durable::read_certificate(file, "h1");
    ASSERT_TRUE(none) << none.error();
    EXPECT_FALSE(*none);
    ASSERT_TRUE(durable::write_certificate(file, {"h1", 256}));
    ASSERT_TRUE(durable::write_certificate(file, sample));
    const auto read = durable::read_certificate(file, "h1");
    ASSERT_TRUE(read && *read);
    EXPECT_EQ(**read, sample);
}

TEST_F(CertificateTest, No_single_bit_may_flip) {
    ASSERT_TRUE(durable::write_certificate(file, sample));
    const std::string good = text();
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        std::string bad = good;
        bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
        std::ofstream(file) << bad;
        EXPECT_FALSE(durable::read_certificate(file, "h1")) << "bit " << bit;
    }
}

TEST_F(CertificateTest, Says_why_it_is_none) {
    std::ofstream(file) << "117558528\n";
    EXPECT_EQ(error_of("h1"), ": allot did not write this");
    ASSERT_TRUE(durable::write_certificate(file, sample));
    EXPECT_EQ(error_of("h2"), ": it is the certificate of host h1");
    ASSERT_TRUE(durable::write_record(file, {"certificate", 1, 7, to_bytes(sample)}));
    EXPECT_EQ(error_of("h1"), ": its content is no certificate");
}

}  // namespace
