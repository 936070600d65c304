"""`python file_server.py PORT FOLDER`: serves the files of a folder over HTTP/1.1, without a word.

Started by its path, to start as fast as Python does.
"""

from __future__ import annotations

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (the name of the method's own)
        """Says nothing: standard error is the command's."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, as browsers do, is no error; other failures are printed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def main() -> None:
    """Serves until it is ended."""
    port, folder = sys.argv[1:]
    _Server(("", int(port)), partial(_Quiet, directory=folder)).serve_forever()


if __name__ == "__main__":
    main()
