"""A provider of identities (OpenID Connect) of this machine, which lets everybody in under the name they give."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CLIENT = "memory-bank"


@contextmanager
def identity_provider() -> Iterator[str]:
    """The provider; its address, which is the issuer. Its form asks for a name, and nothing proves it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(address.query).items()}
            match address.path:
                case "/.well-known/openid-configuration":
                    self.send_json(_metadata(issuer))
                case "/keys":
                    self.send_json({"keys": [_public_key()]})
                case "/authorize":
                    fields = "".join(f'<input type="hidden" name="{name}" value="{query[name]}">' for name in _PASSED)
                    self.send(
                        "text/html", f'<form action="/enter">{fields}<input name="who"><button>In</button></form>'
                    )
                case "/enter":
                    code = base64.urlsafe_b64encode(json.dumps([query["who"], query["nonce"]]).encode()).decode()
                    answer = urlencode({"code": code, "state": query["state"]})
                    self.send_response(302)
                    self.send_header("location", f"{query['redirect_uri']}?{answer}")
                    self.end_headers()
                case _:
                    self.send_error(404)

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
            who, nonce = json.loads(base64.urlsafe_b64decode(form["code"][0]))
            token = _signed({"iss": issuer, "sub": who, "name": who.title(), "nonce": nonce})
            self.send_json({"access_token": "none", "token_type": "Bearer", "id_token": token})

        def send_json(self, value: object) -> None:
            self.send("application/json", json.dumps(value))

        def send(self, kind: str, text: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_arguments: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def secrets(issuer: str) -> str:
    """What the app's server must know of the provider."""
    return (
        '[auth]\nredirect_uri = "http://127.0.0.1:{port}/oauth2callback"\n'
        'cookie_secret = "of this test alone, and long enough"\n'
        f'client_id = "{CLIENT}"\nclient_secret = "-"\n'
        f'server_metadata_url = "{issuer}/.well-known/openid-configuration"\n'
    )


_PASSED = ("redirect_uri", "state", "nonce")


def _metadata(issuer: str) -> dict[str, Any]:
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "jwks_uri": f"{issuer}/keys",
        "id_token_signing_alg_values_supported": ["RS256"],
    }


def _public_key() -> dict[str, str]:
    numbers = KEY.public_key().public_numbers()
    n, e = (_base64(value.to_bytes((value.bit_length() + 7) // 8, "big")) for value in (numbers.n, numbers.e))
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": n, "e": e}


def _signed(claims: dict[str, Any]) -> str:
    """An identity token."""
    now = int(time.time())
    head = _base64(json.dumps({"alg": "RS256", "kid": "1", "typ": "JWT"}).encode())
    body = _base64(json.dumps({**claims, "aud": CLIENT, "iat": now, "exp": now + 600}).encode())
    signature = KEY.sign(f"{head}.{body}".encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{head}.{body}.{_base64(signature)}"


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
