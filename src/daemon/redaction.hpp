// Hides secrets in command lines before anybody else sees them: in the status, in logs, and in letters to
// other hosts.
//
// A pattern is the text before a secret and `*`, as in "password=*": wherever that text occurs, what follows
// it is shown as ***, to the next blank, or to the end of the quotation that it stands in. A text that ends
// with a blank, as in "--password *", hides the next word. A pattern without `*` hides the text itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace allot::daemon {

// Why this is no pattern, and what to write; empty if it is one.
std::string objection_to_pattern(std::string_view pattern);
std::string redacted(std::string_view command, const std::vector<std::string>& patterns);

}  // namespace allot::daemon
