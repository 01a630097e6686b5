"""The table on the web: an API over HTTP, a stream over WebSocket, on a TCP address and on the owner's Unix socket."""
