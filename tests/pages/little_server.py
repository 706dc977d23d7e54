"""A real little server of this machine, for what a connection meets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

Answer = Callable[[str, str], tuple[int, Any]]
"""Method and path of a request to status and body; text is HTML, all else JSON."""


@contextmanager
def http_server(answer: Answer) -> Iterator[str]:
    """A server of this machine; its address, without a path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.reply()

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.reply()

        def reply(self) -> None:
            status, body = answer(self.command, self.path)
            content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "text/html" if isinstance(body, str) else "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def api(method: str, path: str) -> tuple[int, Any]:
    """A local server whose API lies under /v1 and which has one model."""
    if (method, path) == ("GET", "/v1/models"):
        return 200, {"object": "list", "data": [{"id": "llama", "object": "model", "created": 0, "owned_by": "me"}]}
    if (method, path) == ("POST", "/v1/chat/completions"):
        message = {"role": "assistant", "content": "ready"}
        return 200, {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "llama",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
    return 404, {"detail": "Not Found"}
