#include "etcd.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <thread>

#include "etcd.grpc.pb.h"
#include "etcd_lock.grpc.pb.h"

namespace allot::bench {

namespace {

using namespace std::chrono_literals;
namespace pb = etcdserverpb;

constexpr std::int64_t expires_s = 600;

// A connection and a lease, so that what a dead client held becomes free.
class Connection {
public:
    Connection(const std::string& address, int number) : channel_(connect(address, number)) {
        pb::LeaseGrantRequest request;
        request.set_ttl(expires_s);
        pb::LeaseGrantResponse response;
        grpc::ClientContext context;
        check(pb::Lease::NewStub(channel_)->LeaseGrant(&context, request, &response));
        lease_ = response.id();
    }

    const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
    std::int64_t lease() const { return lease_; }

    static void check(const grpc::Status& status) {
        if (!status.ok()) throw Failure("etcd: " + status.error_message());
    }

private:
    // Channels with equal arguments would share one connection.
    static std::shared_ptr<grpc::Channel> connect(const std::string& address, int number) {
        grpc::ChannelArguments arguments;
        arguments.SetInt("client number", number);
        return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
    }

    std::shared_ptr<grpc::Channel> channel_;
    std::int64_t lease_ = 0;
};

// A transaction that puts all keys if none of them exists, and one that deletes them.
class KeysClient final : public Client {
public:
    KeysClient(const std::string& address, int number)
        : connection_(address, number), store_(pb::KV::NewStub(connection_.channel())) {}

    // A pause much shorter than a transaction takes.
    void acquire(const Names& names) override {
        while (!put_if_absent(names)) std::this_thread::sleep_for(100us);
    }

    void release(const Names& names) override {
        pb::TxnRequest request;
        for (const std::string& name : names)
            request.add_success()->mutable_request_delete_range()->set_key(name);
        commit(request);
    }

private:
    bool put_if_absent(const Names& names) {
        pb::TxnRequest request;
        for (const std::string& name : names) {
            pb::Compare& absent = *request.add_compare();
            absent.set_target(pb::Compare::CREATE);
            absent.set_key(name);
            absent.set_create_revision(0);
            pb::PutRequest& put = *request.add_success()->mutable_request_put();
            put.set_key(name);
            put.set_lease(connection_.lease());
        }
        return commit(request);
    }

    bool commit(const pb::TxnRequest& request) {
        pb::TxnResponse response;
        grpc::ClientContext context;
        Connection::check(store_->Txn(&context, request, &response));
        return response.succeeded();
    }

    Connection connection_;
    std::unique_ptr<pb::KV::Stub> store_;
};

// etcd's own lock, which serves in order.
class LockClient final : public Client {
public:
    LockClient(const std::string& address, int number)
        : connection_(address, number), locks_(v3lockpb::Lock::NewStub(connection_.channel())) {}

    void acquire(const Names& names) override {
        v3lockpb::LockRequest request;
        request.set_name(names.front());
        request.set_lease(connection_.lease());
        v3lockpb::LockResponse response;
        grpc::ClientContext context;
        Connection::check(locks_->Lock(&context, request, &response));
        key_ = response.key();
    }

    void release(const Names&) override {
        v3lockpb::UnlockRequest request;
        request.set_key(key_);
        v3lockpb::UnlockResponse response;
        grpc::ClientContext context;
        Connection::check(locks_->Unlock(&context, request, &response));
    }

private:
    Connection connection_;
    std::unique_ptr<v3lockpb::Lock::Stub> locks_;
    std::string key_;
};

}  // namespace

Etcd::Etcd(const std::string& folder)
    : address_(fmt::format("127.0.0.1:{}", free_port())),
      peer_address_(fmt::format("127.0.0.1:{}", free_port())),
      server_({"etcd", "--data-dir", folder + "/etcd", "--listen-client-urls", "http://" + address_,
               "--advertise-client-urls", "http://" + address_, "--listen-peer-urls",
               "http://" + peer_address_, "--initial-advertise-peer-urls", "http://" + peer_address_,
               "--initial-cluster", "default=http://" + peer_address_},
              folder + "/etcd.log") {
    for (int tries = 0;; ++tries) try {
            Connection ready(address_, 0);
            return;
        } catch (const Failure&) {
            if (tries == 100) throw;
            std::this_thread::sleep_for(100ms);
        }
}

double Etcd::put_us(int puts) const {
    const Connection connection(address_, 0);
    const auto store = pb::KV::NewStub(connection.channel());
    pb::PutRequest request;
    request.set_key("put");
    std::vector<double> samples_us;
    for (int i = 0; i < puts; ++i) {
        pb::PutResponse response;
        grpc::ClientContext context;
        const auto began = std::chrono::steady_clock::now();
        Connection::check(store->Put(&context, request, &response));
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
        samples_us.push_back(took.count());
    }
    std::ranges::sort(samples_us);
    return samples_us[samples_us.size() / 2];
}

std::unique_ptr<Client> Etcd::client(Workload workload, int number) {
    if (workload == Workload::turns) return std::make_unique<LockClient>(address_, number);
    return std::make_unique<KeysClient>(address_, number);
}

}  // namespace allot::bench
