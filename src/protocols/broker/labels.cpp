#include "protocols/broker/labels.hpp"

#include <algorithm>
#include <tuple>

#include "core/parameters.hpp"

namespace allot::labels {

namespace {

// --- Reading.

constexpr std::string_view syntax = "[]:=, ";

bool is_word(std::string_view text) {
    return !text.empty() && text.find_first_of(syntax) == std::string_view::npos;
}

// Splits at commas that are not within brackets.
std::vector<std::string> split_wishes(std::string_view text) {
    std::vector<std::string> parts{""};
    int depth = 0;
    for (const char letter : text) {
        depth += letter == '[' ? 1 : letter == ']' ? -1 : 0;
        if (letter == ',' && depth <= 0)
            parts.emplace_back();
        else
            parts.back() += letter;
    }
    return parts;
}

// The error of one wish, or nothing.
std::optional<std::string> read_labels(std::string_view text, Wish& wish) {
    for (const std::string& label : split_list(text)) {
        const auto equals = label.find('=');
        const std::string key = label.substr(0, equals);
        if (equals == std::string::npos || !is_word(key) || !is_word(label.substr(equals + 1)))
            return "write labels as in [arch=arm64] or [arch=arm64,ram=8G]";
        if (!wish.labels.emplace(key, label.substr(equals + 1)).second)
            return "label " + key + " is there twice";
    }
    return std::nullopt;
}

std::optional<std::string> read_wish(std::string_view text, Wish& wish) {
    const auto name_end = std::min(text.find_first_of("[:"), text.size());
    wish.name = text.substr(0, name_end);
    if (!is_word(wish.name)) return "write a device as in scope1, board:2 or board[arch=arm64]:2";
    std::string_view rest = text.substr(name_end);
    wish.is_kind = !rest.empty();
    if (rest.starts_with('[')) {
        const auto end = rest.find(']');
        if (end == std::string_view::npos) return "the bracket is not closed; write ] after the labels";
        if (auto why = read_labels(rest.substr(1, end - 1), wish)) return why;
        rest.remove_prefix(end + 1);
    }
    if (rest.empty()) return std::nullopt;
    const auto count = rest.starts_with(':') ? parse_number("", rest.substr(1), 1, most_devices)
                                             : Result<std::uint64_t>(Error{});
    if (!count)
        return "write a number from 1 to " + std::to_string(most_devices) + " after it, as in board:2";
    wish.count = static_cast<std::uint32_t>(*count);
    return std::nullopt;
}

// --- Choosing.

// Which devices fulfil which wishes. Devices come one after the other; each stays chosen, though it may have
// to fulfil another wish when a later one comes. The sets that can be chosen together are a matroid, so to
// take the best devices first is to take the best set (Edmonds and Fulkerson: Transversals and matroid
// partition, 1965).
class Matching {
public:
    Matching(const std::vector<Device>& devices, const std::vector<Wish>& wishes)
        : devices_(devices), wishes_(wishes), chosen_(wishes.size()) {}

    bool add(std::size_t device) {
        std::vector<bool> tried(wishes_.size());
        return place(device, tried);
    }

    std::optional<std::size_t> open_wish() const {
        for (std::size_t wish = 0; wish < wishes_.size(); ++wish)
            if (chosen_[wish].size() < wishes_[wish].count) return wish;
        return std::nullopt;
    }

    Choice choice() const {
        Choice names;
        for (const auto& devices : chosen_)
            for (const std::size_t device : devices) names.insert(devices_[device].name);
        return names;
    }

private:
    bool place(std::size_t device, std::vector<bool>& tried) {
        for (std::size_t wish = 0; wish < wishes_.size(); ++wish) {
            if (tried[wish] || !wishes_[wish].matches(devices_[device])) continue;
            tried[wish] = true;
            if (chosen_[wish].size() < wishes_[wish].count) {
                chosen_[wish].push_back(device);
                return true;
            }
            for (std::size_t& other : chosen_[wish]) {
                if (!place(other, tried)) continue;
                other = device;
                return true;
            }
        }
        return false;
    }

    const std::vector<Device>& devices_;
    const std::vector<Wish>& wishes_;
    std::vector<std::vector<std::size_t>> chosen_;  // by wish
};

std::string plural(std::size_t count, const std::string& one, const std::string& several) {
    return std::to_string(count) + (count == 1 ? one : several);
}

// Why the devices do not fulfil this wish, beside the others of the request.
std::string shortage(const std::vector<Device>& devices, const Wish& wish) {
    std::size_t serving = 0;
    std::size_t others = 0;
    for (const Device& device : devices)
        if (wish.matches(device)) ++(device.in_service ? serving : others);
    if (!wish.is_kind)
        return others > 0    ? wish.name + ": this device is out of service"
               : serving > 0 ? wish.name + ": another part of the request needs this device"
                             : "there is no device " + wish.name;
    std::string why = wish.text() + ": " + plural(serving, " device matches", " devices match");
    if (others > 0) why += ", and " + plural(others, " is", " are") + " out of service";
    if (serving >= wish.count) why += "; other parts of the request need some of them";
    return why;
}

const Device* named(const std::vector<Device>& devices, std::string_view name) {
    const auto place = std::ranges::find(devices, name, &Device::name);
    return place == devices.end() ? nullptr : &*place;
}

bool all_are_free(const std::vector<Device>& devices, const Choice& choice) {
    return std::ranges::all_of(choice, [&](const std::string& name) {
        const Device* const device = named(devices, name);
        return device != nullptr && device->in_service && device->free;
    });
}

}  // namespace

bool Wish::matches(const Device& device) const {
    if (!is_kind) return device.name == name;
    return device.kind == name && std::ranges::all_of(labels, [&](const auto& label) {
               const auto place = device.labels.find(label.first);
               return place != device.labels.end() && place->second == label.second;
           });
}

std::string Wish::text() const {
    std::string list;
    for (const auto& [key, value] : labels) list += (list.empty() ? "[" : ",") + key + "=" + value;
    return name + list + (labels.empty() ? "" : "]") + (is_kind ? ":" + std::to_string(count) : "");
}

Result<std::vector<Wish>> parse(std::string_view flag, std::string_view text) {
    std::vector<Wish> wishes;
    std::size_t devices = 0;
    const auto error = [&](const std::string& why) {
        return Error{"--" + std::string(flag) + " " + std::string(text) + ": " + why};
    };
    for (const std::string& part : split_wishes(text)) {
        Wish wish;
        if (const auto why = read_wish(part, wish)) return error(*why);
        if (!wish.is_kind && std::ranges::find(wishes, wish) != wishes.end())
            return error("device " + wish.name + " is there twice; name it once");
        devices += wish.count;
        wishes.push_back(std::move(wish));
    }
    if (devices > most_devices)
        return error("these are " + std::to_string(devices) + " devices; ask for at most " +
                     std::to_string(most_devices) + " at once");
    return wishes;
}

Result<Choice> choose(const std::vector<Device>& devices, const std::vector<Wish>& wishes) {
    std::vector<std::size_t> order;
    for (std::size_t device = 0; device < devices.size(); ++device)
        if (devices[device].in_service) order.push_back(device);
    std::ranges::sort(order, {}, [&](std::size_t device) {
        const Device& one = devices[device];
        return std::tuple(!one.free, one.free ? 0 : one.waiting, std::string_view(one.name));
    });
    Matching matching(devices, wishes);
    for (const std::size_t device : order) {
        if (!matching.open_wish()) break;
        matching.add(device);
    }
    if (const auto open = matching.open_wish()) return Error{shortage(devices, wishes[*open])};
    return matching.choice();
}

std::optional<Choice> choose_again(const std::vector<Device>& devices, const std::vector<Wish>& wishes,
                                   const Choice& now) {
    if (all_are_free(devices, now)) return std::nullopt;
    auto better = choose(devices, wishes);
    if (!better || !all_are_free(devices, *better)) return std::nullopt;
    return *better;
}

}  // namespace allot::labels
