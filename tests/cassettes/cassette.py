"""Cassettes: what a language model was asked and answered in a whole session, kept to be replayed.

A cassette is a gzipped file of JSON Lines. The first line, its head, says honestly what answered, when, and for which
prompts; the second what the networks said (`networks`); each other line is an exchange, found by a hash of its
request's JSON, since requests that wait side by side come in any order.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
CASES = FOLDER / "cases"
SUFFIX = ".jsonl.gz"


@dataclass(frozen=True)
class Head:
    """What a cassette says of itself. `command` records it anew."""

    name: str
    answered_by: str
    date: str
    prompts: str
    command: str


@dataclass(frozen=True)
class Exchange:
    """A request and what came back for it, as they were sent; never a header, which may hold a key."""

    request: dict[str, Any]
    status: int
    media_type: str
    body: str

    @property
    def key(self) -> str:
        """What finds it."""
        return key_of(self.request)


def key_of(request: Mapping[str, Any]) -> str:
    """A hash of a request's JSON, whatever the order of its keys."""
    text = json.dumps(request, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def agent_of(request: Mapping[str, Any]) -> str:
    """The agent that a request is from, as its reply's schema names it; the acting agent asks for free text."""
    wanted = request.get("response_format") or {}
    return str(wanted.get("json_schema", {}).get("name", "react"))


@dataclass
class Cassette:
    """The exchanges of a session. The same request asked again gets its answers in order, then the last one again."""

    head: Head
    exchanges: list[Exchange] = field(default_factory=list)
    networks: dict[str, str] = field(default_factory=dict)
    _given: Counter[str] = field(default_factory=Counter, repr=False)

    def answer(self, request: Mapping[str, Any]) -> Exchange | None:
        """The next answer to a request; None if it is not in the cassette."""
        key = key_of(request)
        found = [exchange for exchange in self.exchanges if exchange.key == key]
        if not found:
            return None
        self._given[key] += 1
        return found[min(self._given[key], len(found)) - 1]

    def used(self) -> list[Exchange]:
        """The exchanges that were answered with, in their order."""
        left = self._given.copy()
        used = []
        for exchange in self.exchanges:
            if left[exchange.key] > 0:
                left[exchange.key] -= 1
                used.append(exchange)
        return used

    def write(self, path: Path) -> None:
        """Write it; the same exchanges are the same bytes."""
        write_lines(path, [asdict(self.head), self.networks, *map(asdict, self.exchanges)])

    @classmethod
    def read(cls, path: Path) -> Cassette:
        """The cassette of a file."""
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            head, networks, *exchanges = map(json.loads, lines)
        return cls(Head(**head), [Exchange(**exchange) for exchange in exchanges], networks)


def write_lines(path: Path, values: Iterable[object]) -> None:
    """Write values as gzipped JSON Lines, without the time in the file's header."""
    text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    path.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0))


class MissingError(AssertionError):
    """A request that no cassette answers: its prompt has changed since the recording."""

    def __init__(self, request: Mapping[str, Any], cassette: Cassette) -> None:
        head = cassette.head
        super().__init__(
            f"{head.name}, recorded on {head.date}: the prompt has changed of {agent_of(request)}; "
            f"record anew with: {head.command}"
        )
