#include "client/tls.hpp"

#include <array>
#include <optional>

#include "base/file_stamp.hpp"
#include "net/openssl.hpp"

namespace allot::client {

using namespace net::openssl;

namespace {

Result<ContextPtr> read_files(const Options& options) {
    ContextPtr context(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    const auto refuse = [](const char* what, const std::string& file, const char* cure) {
        return Error{std::string(what) + " \"" + file + "\": " + openssl_reason() + "; name " + cure};
    };
    if (SSL_CTX_load_verify_locations(context.get(), options.authority.c_str(), nullptr) != 1)
        return refuse("authority", options.authority, "a file in PEM");
    if (SSL_CTX_use_certificate_chain_file(context.get(), options.certificate.c_str()) != 1)
        return refuse("certificate", options.certificate, "a file in PEM");
    if (SSL_CTX_use_PrivateKey_file(context.get(), options.key.c_str(), SSL_FILETYPE_PEM) != 1)
        return refuse("key", options.key, "the key of that certificate, in PEM");
    return context;
}

class LoadedFiles : public TlsFiles {
public:
    static Result<std::shared_ptr<TlsFiles>> load(const Options& options) {
        auto files = std::make_shared<LoadedFiles>();
        files->options_.certificate = options.certificate;
        files->options_.key = options.key;
        files->options_.authority = options.authority;
        if (auto problem = files->read()) return *problem;
        return std::shared_ptr<TlsFiles>(std::move(files));
    }

    // With renewed files, unless they cannot be used: they may be half written.
    SSL_CTX* current() {
        if (stamps_now() != stamps_) (void)read();
        return context_.get();
    }

private:
    using Stamps = std::array<FileStamp, 3>;

    Stamps stamps_now() const {
        return {FileStamp::of(options_.certificate), FileStamp::of(options_.key),
                FileStamp::of(options_.authority)};
    }
    std::optional<Error> read() {
        const Stamps stamps = stamps_now();
        auto loaded = read_files(options_);
        if (!loaded) return Error{loaded.error()};
        context_ = std::move(*loaded);
        stamps_ = stamps;
        return std::nullopt;
    }

    Options options_;  // the three files only
    ContextPtr context_;
    Stamps stamps_;
};

class Filter : public Tls {
public:
    Filter(std::shared_ptr<TlsFiles> files, const std::string& name)
        : files_(std::move(files)),
          connection_(SSL_new(static_cast<LoadedFiles&>(*files_).current())),
          in_(BIO_new(BIO_s_mem())),
          out_(BIO_new(BIO_s_mem())) {
        SSL_set_bio(connection_.get(), in_, out_);
        SSL_set_connect_state(connection_.get());
        X509_VERIFY_PARAM* wanted = SSL_get0_param(connection_.get());
        const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1;
        if (is_address) return;
        // Ignore the subject: a program may have the name of a host, but only a host has a DNS name.
        SSL_set_hostflags(connection_.get(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
        SSL_set1_host(connection_.get(), name.c_str());
        SSL_set_tlsext_host_name(connection_.get(), name.c_str());
    }

    bool shake(std::string_view came, std::string& out) override {
        take_in(came);
        ERR_clear_error();
        const int result = SSL_do_handshake(connection_.get());
        hand_out(out);
        return result == 1 || may_go_on(result);
    }

    bool established() const override { return SSL_is_init_finished(connection_.get()) == 1; }
    std::string problem() const override { return problem_; }

    bool decrypt(std::string_view came, std::string& plain) override {
        take_in(came);
        std::array<char, 16384> part{};
        while (true) {
            ERR_clear_error();
            const int count = SSL_read(connection_.get(), part.data(), static_cast<int>(part.size()));
            if (count <= 0) return may_go_on(count);
            plain.append(part.data(), static_cast<std::size_t>(count));
        }
    }

    void encrypt(std::string_view plain, std::string& out) override {
        SSL_write(connection_.get(), plain.data(), static_cast<int>(plain.size()));
        hand_out(out);
    }

private:
    bool may_go_on(int result) {
        const int why = SSL_get_error(connection_.get(), result);
        if (why == SSL_ERROR_WANT_READ) return true;
        const long verdict = SSL_get_verify_result(connection_.get());
        if (why == SSL_ERROR_ZERO_RETURN)
            problem_ = "the other end closed the connection";
        else
            problem_ = verdict == X509_V_OK ? openssl_reason() : X509_verify_cert_error_string(verdict);
        return false;
    }

    // A memory BIO accepts every byte.
    void take_in(std::string_view came) { BIO_write(in_, came.data(), static_cast<int>(came.size())); }

    void hand_out(std::string& out) {
        char* bytes = nullptr;
        const long count = BIO_get_mem_data(out_, &bytes);
        if (count > 0) out.append(bytes, static_cast<std::size_t>(count));
        (void)BIO_reset(out_);
    }

    std::shared_ptr<TlsFiles> files_;
    SessionPtr connection_;
    BIO* in_;  // owned by the connection
    BIO* out_;
    std::string problem_;
};

}  // namespace

Result<std::shared_ptr<TlsFiles>> TlsFiles::load(const Options& options) {
    return LoadedFiles::load(options);
}

std::unique_ptr<Tls> Tls::start(const std::shared_ptr<TlsFiles>& files, const std::string& name) {
    return std::make_unique<Filter>(files, name);
}

}  // namespace allot::client
