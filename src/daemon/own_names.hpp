// The names by which readers of the pages may call this host. A web page of somebody else that lets its own
// name point to this machine (DNS rebinding) makes a browser ask for the pages here, under that name.
#pragma once

#include <string_view>

#include "daemon/config.hpp"

namespace allot::daemon {

// The header Host: a name and perhaps a port. An address is always right, since a name alone can be made to
// point elsewhere; names are those of this host, localhost, and what `http_names` lists.
bool names_own_host(const Config& config, std::string_view host);
// The header Origin, which a browser sends with the questions of web pages: that page is from here, too.
bool names_own_origin(const Config& config, std::string_view origin);

}  // namespace allot::daemon
