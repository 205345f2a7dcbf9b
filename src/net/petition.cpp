#include "net/petition.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "base/frame.hpp"
#include "core/bytes.hpp"
#include "net/local_user.hpp"
#include "net/wire.hpp"

namespace allot::net {

namespace {

constexpr std::size_t answer_limit = std::size_t{1} << 20;

}  // namespace

void put_petition(const Petition& petition, std::string& out) {
    const std::size_t start = out.size();
    begin_frame(out);
    Petition sent = petition;
    sent.settings = settings_for_hello(petition.settings);
    encode(sent, out, greeting_edition);
    end_frame(start, out);
}

void put_petition_answer(const PetitionAnswer& answer, Edition edition, std::string& out) {
    std::string bytes;
    encode_dated(answer, bytes, edition);
    put_link_frame({.kind = FrameKind::payload}, bytes, out);
}

bool is_petition(std::string_view frame) {
    Opening opening;
    return decode(frame, opening) && (opening.magic == petition_magic || opening.magic == trial_magic);
}

Result<Petition> read_petition(std::string_view frame) {
    Opening opening;
    std::string_view rest = frame;
    const bool is_trial = decode(rest, opening) && opening.magic == trial_magic;
    return read_greeting<Petition>(frame, is_trial ? trial_magic : petition_magic);
}

namespace {

class Petitioner final : public Wire::Owner {
public:
    Petitioner(std::string address, const TlsPtr& tls, bool plaintext, Petition petition,
               std::chrono::milliseconds within)
        : address_(std::move(address)), petition_(std::move(petition)), deadline_(loop_) {
        deadline_.set(within, [this] { end(Error{"there is no answer"}); });
        attempt_ = connect_tcp(
            loop_, address_, tls, "", [this, is_private = tls != nullptr, plaintext](auto stream) {
                if (!stream) return end(Error{stream.error()});
                const Identity& who = (*stream)->identity();
                if (is_private && who.hosts.empty())
                    return end(Error{"its certificate is for " + who.certified_as()});
                if (const auto why = objection_to_user(who); !is_private && !plaintext && !why.empty())
                    return end(Error{fmt::format("{}; {}", why, believed_without_tls)});
                speak(std::move(*stream));
            });
    }

    Result<PetitionAnswer> wait() {
        loop_.run();
        return std::move(*result_);
    }

private:
    void speak(StreamPtr stream) {
        wire_ = std::make_shared<Wire>(loop_, std::move(stream), *this);
        wire_->start(std::chrono::hours(1));  // the own deadline comes first
        wire_->hand_over_to(*this, answer_limit);
        std::string frame;
        put_petition(petition_, frame);
        wire_->write(frame);
    }

    bool frame(Wire&, std::string_view content) override {
        const auto read = read_link_frame(content);
        if (read && read->head.kind == FrameKind::refusal) {
            end(Error{"refused: " + printable(read->content)});
            return false;
        }
        auto answer = read ? from_dated_bytes<PetitionAnswer>(read->content) : std::nullopt;
        if (answer)
            end(std::move(*answer));
        else
            end(Error{"its answer is malformed; is it a host of allot?"});
        return false;
    }

    void closed(Wire&, const std::string& why) override { end(Error{why}); }

    void end(Result<PetitionAnswer> result) {
        if (result_) return;
        result_ = result ? std::move(result)
                         : Result<PetitionAnswer>(Error{fmt::format("{}: {}", address_, result.error())});
        if (wire_) wire_->close();
        loop_.stop();
    }

    const std::string address_;
    const Petition petition_;
    boost::asio::io_context loop_;
    Timer deadline_;
    std::unique_ptr<Attempt> attempt_;
    WirePtr wire_;
    std::optional<Result<PetitionAnswer>> result_;
};

}  // namespace

Result<PetitionAnswer> ask_to_join(const std::string& address, const TlsPtr& tls, bool plaintext,
                                   const Petition& petition, std::chrono::milliseconds within) {
    return Petitioner(address, tls, plaintext, petition, within).wait();
}

}  // namespace allot::net
