#include "core/effects.hpp"

namespace allot {

void AnyEffects::granted(std::vector<Fence> fences) {
    notices_.push_back({Notice::Kind::granted, std::move(fences), {}});
}

void AnyEffects::released() {
    notices_.push_back({Notice::Kind::released, {}, {}});
}

void AnyEffects::revoked() {
    notices_.push_back({Notice::Kind::revoked, {}, {}});
}

void AnyEffects::refused(std::string reason) {
    notices_.push_back({Notice::Kind::refused, {}, std::move(reason)});
}

void AnyEffects::stopped() {
    notices_.push_back({Notice::Kind::stopped, {}, {}});
}

}  // namespace allot
