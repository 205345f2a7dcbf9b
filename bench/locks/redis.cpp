#include "redis.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>

#include "base/spin_wait.hpp"

namespace allot::bench {

namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string_view>;

struct FreeReply {
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

class Connection {
public:
    explicit Connection(const std::string& socket) : context_(redisConnectUnix(socket.c_str())) {
        if (!context_ || context_->err != 0) throw Failure("Redis does not answer at " + socket);
    }

    Reply call(const Words& words) {
        append(words);
        return reply();
    }

    // Sends, and leaves the answer for the next reply().
    void send(const Words& words) {
        append(words);
        for (int done = 0; done == 0;)
            if (redisBufferWrite(context_.get(), &done) != REDIS_OK) fail();
    }

    Reply reply() {
        void* raw = nullptr;
        if (redisGetReplyFromReader(context_.get(), &raw) != REDIS_OK) fail();
        if (raw == nullptr) {
            const auto here = [&] { return something_came(); };
            if (!spin_wait_.until(here)) spin_wait_.after_others(here);
            if (redisGetReply(context_.get(), &raw) != REDIS_OK) fail();
        }
        Reply reply(static_cast<redisReply*>(raw));
        if (reply->type == REDIS_REPLY_ERROR) throw Failure(std::string("Redis: ") + reply->str);
        return reply;
    }

    std::string load(const char* script) { return call({"SCRIPT", "LOAD", script})->str; }

private:
    struct FreeContext {
        void operator()(redisContext* context) const { redisFree(context); }
    };

    void append(const Words& words) {
        pointers_.clear();
        sizes_.clear();
        for (const std::string_view word : words) {
            pointers_.push_back(word.data());
            sizes_.push_back(word.size());
        }
        redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), pointers_.data(),
                               sizes_.data());
    }

    bool something_came() const {
        char byte = 0;
        return ::recv(context_->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) >= 0;
    }

    [[noreturn]] void fail() const { throw Failure(std::string("Redis: ") + context_->errstr); }

    std::unique_ptr<redisContext, FreeContext> context_;
    std::vector<const char*> pointers_;
    std::vector<std::size_t> sizes_;
    SpinWait spin_wait_;  // as allot's own client does
};

constexpr std::string_view expires_ms = "30000";

// SET with NX and PX, and a compare-and-delete: "Distributed Locks with Redis" in its documentation.
class PairClient final : public Client {
public:
    PairClient(const std::string& socket, int number, Release release)
        : connection_(socket), token_(fmt::format("client-{}", number)), release_(release) {
        unlock_ = connection_.load(
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0");
    }

    void acquire(const Names& names) override {
        connection_.send({"SET", names.front(), token_, "NX", "PX", expires_ms});
        if (in_flight_) check_released();
        if (connection_.reply()->type != REDIS_REPLY_STATUS) throw Failure("Redis: somebody else holds it");
    }

    void release(const Names& names) override {
        connection_.send({"EVALSHA", unlock_, "1", names.front(), token_});
        in_flight_ = true;
        if (release_ == Release::answered) check_released();
    }

private:
    void check_released() {
        in_flight_ = false;
        if (connection_.reply()->integer != 1) throw Failure("Redis: it was not held");
    }

    Connection connection_;
    std::string token_;
    std::string unlock_;
    Release release_;
    bool in_flight_ = false;
};

constexpr std::string_view baton = "baton";

// Whoever takes the only element of a list holds the lock; BLPOP serves those who wait in order.
class TurnClient final : public Client {
public:
    TurnClient(const std::string& socket, Release release) : connection_(socket), release_(release) {}

    void acquire(const Names&) override {
        connection_.send({"BLPOP", baton, "0"});
        if (in_flight_) check_released();
        if (connection_.reply()->type != REDIS_REPLY_ARRAY) throw Failure("Redis: BLPOP took nothing");
    }

    void release(const Names&) override {
        connection_.send({"LPUSH", baton, "1"});
        in_flight_ = true;
        if (release_ == Release::answered) check_released();
    }

private:
    void check_released() {
        in_flight_ = false;
        connection_.reply();
    }

    Connection connection_;
    Release release_;
    bool in_flight_ = false;
};

// Takes all or none. Who gets none leaves the name of its own list with the first lock that is taken.
constexpr const char* take_script = R"(
for _, lock in ipairs(KEYS) do
    if redis.call('EXISTS', lock) == 1 then
        redis.call('RPUSH', 'waiting:' .. lock, ARGV[2])
        return 0
    end
end
for _, lock in ipairs(KEYS) do redis.call('SET', lock, ARGV[1], 'PX', ARGV[3]) end
return 1)";

// Wakes, for each lock, those who found it taken, in the order in which they came.
constexpr const char* give_back_script = R"(
for _, lock in ipairs(KEYS) do
    if redis.call('GET', lock) == ARGV[1] then redis.call('DEL', lock) end
end
for _, lock in ipairs(KEYS) do
    local waiting = 'waiting:' .. lock
    for _, client in ipairs(redis.call('LRANGE', waiting, 0, -1)) do redis.call('LPUSH', client, 1) end
    redis.call('DEL', waiting)
end
return 1)";

class SetClient final : public Client {
public:
    SetClient(const std::string& socket, int number, Release release)
        : connection_(socket), token_(fmt::format("client-{}", number)), release_(release) {
        take_ = connection_.load(take_script);
        give_back_ = connection_.load(give_back_script);
    }

    void acquire(const Names& names) override {
        for (;;) {
            connection_.send(
                {"EVALSHA", take_, "3", names[0], names[1], names[2], token_, token_, expires_ms});
            if (in_flight_) connection_.reply();
            in_flight_ = false;
            if (connection_.reply()->integer == 1) return;
            connection_.call({"BLPOP", token_, "0"});
        }
    }

    void release(const Names& names) override {
        connection_.send({"EVALSHA", give_back_, "3", names[0], names[1], names[2], token_});
        in_flight_ = true;
        if (release_ == Release::answered) {
            connection_.reply();
            in_flight_ = false;
        }
    }

private:
    Connection connection_;
    std::string token_;
    std::string take_;
    std::string give_back_;
    Release release_;
    bool in_flight_ = false;
};

class RedisContender final : public Contender {
public:
    RedisContender(std::string socket, Release release) : socket_(std::move(socket)), release_(release) {}

    void prepare(Workload workload) override {
        Connection connection(socket_);
        connection.call({"FLUSHALL"});
        if (workload == Workload::turns) connection.call({"LPUSH", baton, "1"});
    }

    std::unique_ptr<Client> client(Workload workload, int number) override {
        if (workload == Workload::pairs) return std::make_unique<PairClient>(socket_, number, release_);
        if (workload == Workload::turns) return std::make_unique<TurnClient>(socket_, release_);
        return std::make_unique<SetClient>(socket_, number, release_);
    }

private:
    std::string socket_;
    Release release_;
};

}  // namespace

Redis::Redis(const std::string& folder)
    : socket_(folder + "/redis.sock"),
      server_({"redis-server", "--port", "0", "--unixsocket", socket_, "--save", "", "--appendonly", "no"},
              folder + "/redis.log") {
    for (int tries = 0;; ++tries) try {
            Connection connection(socket_);
            return;
        } catch (const Failure&) {
            if (tries == 500) throw;
            std::this_thread::sleep_for(10ms);
        }
}

std::unique_ptr<Contender> Redis::contender(Release release) const {
    return std::make_unique<RedisContender>(socket_, release);
}

}  // namespace allot::bench
