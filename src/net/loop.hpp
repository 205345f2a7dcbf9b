// Declares Asio's event loop. A header that only refers to it need not include Asio, which takes a second.
#pragma once

namespace boost::asio {
class io_context;
}  // namespace boost::asio
