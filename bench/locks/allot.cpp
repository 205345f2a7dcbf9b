#include "allot.hpp"

#include <fmt/format.h>
#include <thread>

namespace allot::bench {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// The same call for every workload.
class SessionClient final : public Client {
public:
    explicit SessionClient(client::Session session) : session_(std::move(session)) {}

    void acquire(const Names& names) override {
        client::Demand demand;
        for (const std::string& name : names) demand.lock(name);
        lease_ = session_.acquire(demand, 30s);
    }

    void release(const Names&) override { lease_.release(); }

private:
    client::Session session_;
    client::Lease lease_;
};

std::vector<std::string> command(const std::string& program, const std::string& folder, int hosts,
                                 const std::vector<std::string>& flags) {
    std::vector<std::string> words{program, "up", "--hosts", std::to_string(hosts), "--dir", folder};
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
}

}  // namespace

Allot::Allot(const std::string& program, const std::string& folder, int hosts,
             const std::vector<std::string>& flags)
    : folder_(folder), hosts_(hosts), up_(command(program, folder, hosts, flags), folder + ".log") {
    for (int host = 0; host < hosts; ++host) wait_until_granted(host);
    ready_after_ = Clock::now() - began_;
}

void Allot::wait_until_granted(int host) const {
    for (;;) try {
            session(host).acquire(client::Demand().lock("ready"), 5s);
            return;
        } catch (const client::Failure& failure) {
            if (!up_.runs() || Clock::now() - began_ > 20s)
                throw Failure(fmt::format("allot up --hosts {}: {}", hosts_, failure.what()));
            std::this_thread::sleep_for(1ms);
        }
}

client::Session Allot::session(int host) const {
    client::Options options;
    options.address = fmt::format("{}/h{}.sock", folder_, host + 1);
    return client::Session::connect(options);
}

std::unique_ptr<Client> Allot::client(Workload, int number) {
    return std::make_unique<SessionClient>(session(number % hosts_));
}

}  // namespace allot::bench
