"""Finds the model servers that run on this computer: Ollama, llama.cpp, LM Studio and vLLM, where they usually listen.

Only addresses of this computer are asked, each for its list of models, without a key and without following redirects.
What answers may be any program: its answer is bounded and taken for text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType

import httpx2
from pydantic_core import from_json

from memory_bank.text.wording import one_line

PORTS: Mapping[str, int] = MappingProxyType({"Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234, "vLLM": 8000})
"""The programs, by the port that each of them listens on unless told otherwise."""
WAIT = 1.5
"""Seconds to wait for a server; one on this computer answers at once, unless it is loading a model."""
MOST_MODELS = 100
_MOST_BYTES = 1_000_000
_LONGEST_NAME = 200
_SIZE = re.compile(r"(?<![\d.a-z])(\d{1,3}(?:\.\d+)?)\s?b(?![a-z\d])", re.IGNORECASE)


@dataclass(frozen=True)
class LocalServer:
    """A server that was found: the program that usually listens there, its address for the settings, and its models."""

    program: str
    base_url: str
    models: tuple[str, ...] = ()
    needs_key: bool = False


def find_local_servers(ports: Mapping[str, int] = PORTS) -> tuple[LocalServer, ...]:
    """The servers that answer, asked side by side."""
    with ThreadPoolExecutor(len(ports), thread_name_prefix="look") as threads:
        found = threads.map(_ask, ports, ports.values())
    return tuple(server for server in found if server is not None)


def _ask(program: str, port: int) -> LocalServer | None:
    base_url = f"http://127.0.0.1:{port}/v1"
    try:
        # Without the environment's proxies: the request must not leave this computer.
        with (
            httpx2.Client(timeout=WAIT, follow_redirects=False, trust_env=False) as client,
            client.stream("GET", f"{base_url}/models") as response,
        ):
            if response.status_code in (401, 403):
                return LocalServer(program, base_url, needs_key=True)
            if response.status_code != 200:
                return None
            content = b""
            for piece in response.iter_bytes():
                content += piece
                if len(content) > _MOST_BYTES:
                    return None
        models = [one_line(model["id"]) for model in from_json(content)["data"] if isinstance(model["id"], str)]
    except (httpx2.HTTPError, ValueError, LookupError, TypeError):  # nobody listens, or it is another kind of server
        return None
    usable = [model for model in models if 0 < len(model) <= _LONGEST_NAME]
    return LocalServer(program, base_url, tuple(usable[:MOST_MODELS])) if usable else None


def billions_of_parameters(model: str) -> float | None:
    """The size that a model's name tells, such as 1.5 of `qwen2.5-coder-1.5b-instruct`; None if it tells none."""
    sizes = [float(size) for size in _SIZE.findall(model)]
    return max(sizes) if sizes else None
