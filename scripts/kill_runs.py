"""Kills running sessions, and has them go on: `python -m scripts.kill_runs --offline 200 --scripted 50`.

Every run is a process of its own that makes a session, or goes on with the one there is, and gets `SIGKILL` at a random
moment; that up to three times, and then it may end. Compared with an undisturbed run is the whole export, but for
times, what was spent and the events; counted are the requests to the model. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import docx
import httpx2
from PIL import Image

from memory_bank.bank.events import AgentCalled, Event
from memory_bank.bank.settings import Settings
from memory_bank.session.session import Parts, Session
from memory_bank.storage.event_log import read_events
from memory_bank.storage.session_store import SessionStore, Upload
from memory_bank.storage.transfer import first_difference, parse_export
from tests import competent_model
from tests.faults.story import difference
from tests.scripted_model import ScriptedModel

TASK = "When was Beacon Mill last worked?"
MOST_KILLS = 3
PARALLEL = 4
_ANSWERS_AFTER = 0.004
_TIMES = {"at", "timestamp", "created_at", "finished_at", "seconds", "milliseconds", "events"}


@dataclass(frozen=True)
class Place:
    """Where a session and what is known of it lies; of an undisturbed one, how long it took."""

    folder: Path
    scripted: bool
    seconds: float = 0.0

    @property
    def requests(self) -> Path:
        """A byte for each request that the model answered."""
        return self.folder / "requests"

    @property
    def store(self) -> SessionStore:
        """Where its one session is."""
        return SessionStore(self.folder / "sessions")

    def settings(self) -> Settings:
        """Vectors without a model, so that a process is there at once."""
        chosen: dict[str, Any] = {"embedding_model": "hash", "parallel_calls": PARALLEL}
        if self.scripted:
            openai = {"api_key": "none", "base_url": "https://models.test/v1"}
            chosen |= {"llm_provider": "openai", "openai": openai}
        return Settings.model_validate(chosen)

    def open(self) -> Session:
        """The session that there is, or a new one."""
        settings = self.settings()
        parts = Parts.standard(settings, network=_Counting(self.requests) if self.scripted else None)
        if found := self.store.ids():
            return Session.open(found[0], settings=settings, sessions=self.store.folder, parts=parts)
        return Session.create(
            TASK, documents(), references(), settings=settings, sessions=self.store.folder, parts=parts
        )


class _Counting(httpx2.BaseTransport):
    """A competent model that takes a moment, and notes outside the process that it answered."""

    def __init__(self, path: Path) -> None:
        self._path, self._model = path, ScriptedModel(competent_model.reply)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._model.handle_request(request)
        with self._path.open("ab", buffering=0) as file:
            file.write(b".")
        time.sleep(_ANSWERS_AFTER)
        return response


@cache
def documents() -> tuple[Upload, ...]:
    """Two that contradict each other, and one with a picture inside, which a process of its own reads."""
    file, picture = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(picture, "PNG")
    letter = docx.Document()
    letter.add_paragraph("Beacon Mill has four floors. A plan of 1869 shows them.")
    letter.add_picture(picture)
    letter.save(file)
    return (
        Upload("guide.txt", b"Beacon Mill stands in Kent. Beacon Mill was last worked in 1955."),
        Upload("letter.docx", file.getvalue()),
        Upload("survey.txt", b"Beacon Mill was last worked in 1921. It is a smock mill."),
    )


def references() -> list[Upload]:
    """What settles it."""
    return [Upload("register.txt", b"Register of mills. Beacon Mill was last worked in 1921.")]


def live(place: Place, moment: Callable[[int], None] | None = None) -> bool:
    """Have a process work on the session; True if it came to the end, False if it was killed before.

    `moment` waits until it is to be killed, and is told its number.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            list(place.open().run())
            code = 0
        finally:
            os._exit(code)
    if moment is not None:
        moment(child)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, -signal.SIGKILL):
        raise SystemExit(f"a session in {place.folder} failed")
    return status == 0


def moment_of(place: Place, chance: random.Random, events: int) -> Callable[[int], None]:
    """A random moment of a run that takes so long and records so much: by the clock, or right after an event."""
    if chance.random() < 0.5:
        return lambda _child: time.sleep(chance.uniform(0, place.seconds))
    wanted = chance.randint(min(_recorded(place) + 1, events), events)

    def wait(child: int) -> None:
        while _recorded(place) < wanted and not _ended(child):
            time.sleep(_ANSWERS_AFTER / 10)
        time.sleep(chance.uniform(0, _ANSWERS_AFTER))

    return wait


def _recorded(place: Place) -> int:
    return sum(path.read_bytes().count(b"\n") for path in place.store.folder.glob("*/events.jsonl"))


def _ended(child: int) -> bool:
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def events_of(place: Place) -> list[Event]:
    """What the log says; one session must be there."""
    (session_id,) = place.store.ids()
    return list(read_events(place.store.find(session_id) / "events.jsonl"))


def outcome(place: Place) -> object:
    """The export of the finished session, without times, what was spent and the events."""
    (session_id,) = place.store.ids()
    text = Session.open(session_id, settings=place.settings(), sessions=place.store.folder).export(files=True)
    difference = first_difference(parse_export(text))
    if difference is not None:
        raise SystemExit(f"the log in {place.folder} does not add up: {difference}")
    export = json.loads(text.replace(session_id, "SESSION"))
    export["session"] = {name: held for name, held in export["session"].items() if not name.startswith("usage")}
    return _timeless(export)


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {name: _timeless(held) for name, held in value.items() if name not in _TIMES}
    return [_timeless(held) for held in value] if isinstance(value, list) else value


def faults_of(place: Place, kills: int, undisturbed: Place) -> list[str]:
    """What is wrong with a session that was killed so often."""
    events, wanted = events_of(place), events_of(undisturbed)
    keys = [event.key for event in events if isinstance(event, AgentCalled)]
    found = []
    if differs := difference(outcome(place), outcome(undisturbed)):
        found.append(f"the export differs: {differs}")
    if len(keys) != len(set(keys)):
        found.append("a judgement was made twice")
    if _but_life(events) != _but_life(wanted):
        found.append("the events differ")
    asked, enough = (place_.requests.stat().st_size if place_.scripted else 0 for place_ in (place, undisturbed))
    if not enough <= asked <= enough + kills * PARALLEL:
        found.append(f"{asked} requests instead of {enough}")
    if parts := [path.name for path in place.store.find(place.store.ids()[0]).rglob("*.part")]:
        found.append(f"left over: {parts}")
    return found


def _but_life(events: Sequence[Event]) -> list[str]:
    """What happened, without how often the session was started and what was streamed."""
    return [event.type for event in events if event.type not in ("status_changed", "text_streamed")]


def kill(undisturbed: Place, folder: Path, chance: random.Random) -> tuple[int, list[str]]:
    """One session, killed at random moments and brought to its end: how often it was, and what is wrong with it."""
    events, kills = len(events_of(undisturbed)), 0
    place = replace(undisturbed, folder=folder)
    folder.mkdir()
    for _ in range(chance.randint(1, MOST_KILLS)):
        if live(place, moment_of(place, chance, events)):
            break
        kills += 1
    else:
        live(place)
    return kills, faults_of(place, kills, undisturbed)


Torment = Callable[[Place, Path, random.Random], tuple[int, list[str]]]
"""Disturbs one session, which lies in a folder: how often it did, and what is wrong beside the undisturbed one."""


def measure(torment: Torment, done: str, runs: int, seed: int, place: Place) -> list[str]:
    """Torment so many sessions at a place; what is wrong with any of them. `done` says what was done to them."""
    warm, undisturbed = (replace(place, folder=place.folder / name) for name in ("warm", "undisturbed"))
    for each in (warm, undisturbed):
        each.folder.mkdir(parents=True)
    list(warm.open().run())  # so that the processes that follow have loaded everything
    began = time.perf_counter()
    live(undisturbed)
    undisturbed = replace(undisturbed, seconds=time.perf_counter() - began)
    wrong, times, began = [], 0, time.perf_counter()
    for number in range(runs):
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - nothing secret
        count, found = torment(undisturbed, place.folder / str(number), chance)
        times += count
        wrong += [f"run {number}: {text}" for text in found]
    spent = (time.perf_counter() - began) / max(runs, 1)
    sys.stdout.write(
        f"{'scripted model' if place.scripted else 'offline'}: {runs} sessions {done} {times} times, {len(wrong)} "
        f"faults; undisturbed {undisturbed.seconds:.2f} s, {done} and resumed {spent:.2f} s each\n"
    )
    return wrong


def main(torment: Torment, done: str, arguments: Sequence[str] | None = None) -> int:
    """Torment sessions on both engines, and print what is wrong; the exit code."""
    parser = argparse.ArgumentParser(description=f"Sessions {done} at random moments end as an undisturbed one.")
    parser.add_argument("--offline", type=int, default=20, help="sessions on the embedded engine")
    parser.add_argument("--scripted", type=int, default=20, help="sessions on a scripted model")
    parser.add_argument("--seed", type=int, default=1, help="another one chooses other moments")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        wrong = measure(torment, done, given.offline, given.seed, Place(Path(folder) / "offline", scripted=False))
        wrong += measure(torment, done, given.scripted, given.seed, Place(Path(folder) / "scripted", scripted=True))
    sys.stdout.writelines(f"{text}\n" for text in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(kill, "killed"))
