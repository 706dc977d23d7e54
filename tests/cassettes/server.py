"""An OpenAI-compatible server on this computer that replays a cassette to the real client."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.cassettes.cassette import Cassette, MissingError


@contextmanager
def replaying(cassette: Cassette) -> Iterator[str]:
    """The address of the server. `MissingError` at the end if it was asked what the cassette does not hold.

    Such a request is refused as with a wrong key, which ends the session at once.
    """
    lock, missing = threading.Lock(), list[MissingError]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                found = cassette.answer(request)
                if found is None:
                    missing.append(MissingError(request, cassette))
            if found is None:
                self.reply(401, "application/json", json.dumps({"error": {"message": "not in the cassette"}}))
            else:
                self.reply(found.status, found.media_type, found.body)

        def reply(self, status: int, media_type: str, body: str) -> None:
            content = body.encode("utf-8", "surrogatepass")
            self.send_response(status)
            self.send_header("content-type", media_type)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        if missing:
            raise missing[0]
