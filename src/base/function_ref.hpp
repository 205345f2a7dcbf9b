// FunctionRef<R(Args...)>: a reference to a callable, for parameters. It must not outlive the callable.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace allot {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
public:
    // Implicit, as a parameter must be. The constraint leaves copies to the copy constructor; clang-tidy 14
    // does not read constraints.
    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
        FunctionRef(F&& callable) {  // NOLINT(bugprone-forwarding-reference-overload)
        using Callable = std::remove_reference_t<F>;
        if constexpr (std::is_function_v<std::remove_pointer_t<Callable>>) {
            target_.function = reinterpret_cast<void (*)()>(+callable);
            call_ = [](Target target, Args... args) -> R {
                return reinterpret_cast<std::decay_t<F>>(target.function)(std::forward<Args>(args)...);
            };
        } else {
            target_.object = const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
            call_ = [](Target target, Args... args) -> R {
                return (*static_cast<Callable*>(target.object))(std::forward<Args>(args)...);
            };
        }
    }

    R operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

private:
    union Target {
        void* object;
        void (*function)();
    };
    Target target_;
    R (*call_)(Target, Args...);
};

}  // namespace allot
