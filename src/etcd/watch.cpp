#include "etcd/watch.hpp"

namespace allot::etcd {

Watch::Watch(boost::asio::io_context& loop, const Client::Settings& settings, const Endpoint& endpoint,
             std::int64_t after_revision, Events events)
    : reader_(settings.key),
      told_(after_revision),
      events_(std::move(events)),
      connection_(loop, endpoint, settings.tls) {
    connection_.stream(
        {watch_path, watch_request(settings.key, after_revision + 1), settings.patience},
        [this](std::string_view bytes) { hear(bytes); },
        [this](const Result<Connection::Answer>& answer) {
            if (!answer) return end(answer.error());
            end(answer->status == 200 ? "etcd has ended it" : refusal(answer->status, answer->body));
        });
}

void Watch::hear(std::string_view bytes) {
    const auto all = reader_.read(bytes);
    if (!all) return end(all.error());
    for (const News& news : *all) {
        told_ = std::max(told_, news.revision);
        for (const Entry& change : news.changes) events_.changed(change);
    }
}

void Watch::end(const std::string& why) {
    const auto ended = events_.ended;
    ended(why);
}

}  // namespace allot::etcd
