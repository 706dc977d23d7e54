"""Records a whole session with a language model as a cassette for the tests (tests/cassettes).

python -m scripts.record_models tests/cassettes/cases/NAME.json --question 1 --base-url http://127.0.0.1:8801/v1

Any OpenAI-compatible server answers: one of a strong model (RECORD_API_KEY holds its key, --model its name), or a relay
that lays each request down for somebody to answer. What is already in the cassette, or in the .part file of a recording
that was broken off, is not asked again, unless with --anew.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import httpx2

from memory_bank.bank.errors import MemoryBankError, RunStoppedError
from scripts.this_commit import this_commit
from tests.cassettes.cassette import Cassette, Exchange, Head, agent_of
from tests.cassettes.networks import Kept
from tests.cassettes.playing import Case, play_case, settings_for

BY_HAND = "a strong language model whose answers were written down by a relay, one by one"
PATIENCE = 7_200.0
"""Seconds to wait for an answer: whoever answers by hand takes their time."""
_KEPT = (200, 400, 413, 422)
"""Statuses that are an answer to this request; any other may be another one next time."""


class RecordingNetwork(httpx2.BaseTransport):
    """Sends what is not recorded yet, and keeps what comes back in a file at once."""

    def __init__(self, cassette: Cassette, part: Path, model: str | None, key: str | None) -> None:
        self.cassette = cassette
        self.asked = 0
        self.unreached: httpx2.TransportError | None = None
        self._part, self._model, self._key = part, model, key
        self._lock = threading.Lock()
        self._network = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The recorded answer, or the server's."""
        asked = json.loads(request.read())
        with self._lock:
            known = self.cassette.answer(asked)
        if known is None:
            known = self._send(request, asked)
        headers = {"content-type": known.media_type}
        return httpx2.Response(known.status, content=known.body.encode("utf-8", "surrogatepass"), headers=headers)

    def _send(self, request: httpx2.Request, asked: dict[str, object]) -> Exchange:
        body = json.dumps(asked | ({"model": self._model} if self._model else {}), ensure_ascii=False).encode()
        headers = {name: request.headers[name] for name in ("content-type", "accept") if name in request.headers}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        sent = httpx2.Request("POST", request.url, content=body, headers=headers, extensions=request.extensions)
        try:
            response = self._network.handle_request(sent)
        except httpx2.TransportError as error:
            self.unreached = error
            raise
        text = response.read().decode("utf-8", "replace")
        exchange = Exchange(asked, response.status_code, response.headers.get("content-type", "application/json"), text)
        if response.status_code in _KEPT:
            with self._lock:
                self.asked += 1
                self.cassette.exchanges.append(exchange)
                self.cassette.answer(asked)  # it was used
                with self._part.open("a", encoding="utf-8") as part:
                    part.write(json.dumps(asdict(exchange), ensure_ascii=False) + "\n")
            sys.stderr.write(f"{len(self.cassette.used())}: {agent_of(asked)}, {response.status_code}\n")
        return exchange


def record(case: Case, base_url: str, out: Path, head: Head, *, anew: bool = False, model: str | None = None) -> str:
    """Record a case into a file; returns a line that says what came. An error leaves the .part file to go on from."""
    part = out.with_suffix(".part")
    before = Cassette.read(out) if out.exists() and not anew else Cassette(head)
    if anew:
        part.unlink(missing_ok=True)
    cassette, kept = Cassette(head, [*before.exchanges, *_part_exchanges(part)]), Kept(before.networks)
    network = RecordingNetwork(cassette, part, model, os.environ.get("RECORD_API_KEY"))
    with tempfile.TemporaryDirectory() as folder:
        played = play_case(case, settings_for(base_url, PATIENCE), Path(folder), kept, network)
    if network.unreached:  # the session went on without the model, which is not to be recorded
        raise RunStoppedError(f"the server that answers could not be reached: {network.unreached}")
    used = cassette.used()
    Cassette(head, used, kept.only_used()).write(out)
    part.unlink(missing_ok=True)
    totals = "; ".join(session.bank.usage.in_words for session in played.sessions)
    return f"{out}: {len(used)} exchanges, {network.asked} of them asked now ({totals}), {out.stat().st_size:,} bytes"


def _part_exchanges(part: Path) -> list[Exchange]:
    lines = part.read_text(encoding="utf-8").splitlines() if part.exists() else []
    return [Exchange(**json.loads(line)) for line in lines]


def main() -> int:
    """Record one case; 1 if the session failed, which keeps what was answered."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dossier", type=Path, help="a case of tests/cassettes/cases, in the format of `eval dossiers`")
    parser.add_argument("--question", type=int, default=1, metavar="N", help="which of its questions, from 1")
    parser.add_argument("--base-url", default="http://127.0.0.1:8801/v1", help="of the server that answers")
    parser.add_argument("--model", help="its name for the model, if it wants one")
    parser.add_argument("--answered-by", default=BY_HAND, help="what answers, for the cassette's head")
    parser.add_argument("--out", type=Path, help="by default where the tests look for it")
    parser.add_argument("--anew", action="store_true", help="ask everything again")
    parsed = parser.parse_args()
    case = Case(parsed.dossier, parsed.question)
    today = datetime.now(UTC).date().isoformat()
    head = Head(case.name, parsed.answered_by, today, this_commit(), case.command)
    try:
        line = record(case, parsed.base_url, parsed.out or case.cassette, head, anew=parsed.anew, model=parsed.model)
    except MemoryBankError as error:
        sys.stderr.write(f"{error}; what was answered is kept, and the same command goes on from there\n")
        return 1
    sys.stdout.write(line + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
