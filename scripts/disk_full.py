"""Fills the disk under running sessions, then makes room: `python -m scripts.disk_full --offline 20 --scripted 20`.

Each session lies on a small disk of its own, made in memory in a mount namespace of this process. At random moments it
is filled up, but for a page or two: a line of the log may fit by half. Then the message, the log and a second try are
looked at, room is made, and the session is opened anew and goes on; that up to three times. Compared with an
undisturbed run is what `kill_runs` compares. Exit code 1 if anything differs, 3 where no disk may be made.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memory_bank.app.cli import FAILED
from memory_bank.app.cli import main as command_line
from memory_bank.bank.errors import StorageError
from memory_bank.session.session import Session
from memory_bank.storage.event_log import LOG_NAME, read_events
from memory_bank.storage.transfer import first_difference, parse_export
from scripts import kill_runs
from scripts.kill_runs import PARALLEL, Place, events_of, faults_of

FULL = "the disk is full; everything recorded so far is kept: make room, then let the session go on"
NOT_HERE = 3
MOST_FILLS = 3
_MEGABYTES = 4
_PAGES_LEFT = 2
_INSIDE = "--inside"


@dataclass(frozen=True)
class Disk:
    """A small disk at a folder."""

    folder: Path

    def mount(self) -> None:
        """Make it, empty."""
        self.folder.mkdir(parents=True)
        options = ["-t", "tmpfs", "-o", f"size={_MEGABYTES}m", "none"]
        subprocess.run(["mount", *options, str(self.folder)], check=True)  # noqa: S603, S607 - ours

    def unmount(self) -> None:
        """Give its memory back."""
        subprocess.run(["umount", str(self.folder)], check=True)  # noqa: S603, S607 - ours

    def fill(self, pages_left: int) -> None:
        """Leave room for so many pages."""
        state = os.statvfs(self.folder)
        with (self.folder / ".filler").open("wb") as file:
            if (pages := state.f_bavail - pages_left) > 0:
                os.posix_fallocate(file.fileno(), 0, pages * state.f_frsize)

    def make_room(self) -> None:
        """Remove what fills it."""
        (self.folder / ".filler").unlink(missing_ok=True)


def run_until_full(place: Place, disk: Disk, chance: random.Random, events: int) -> tuple[bool, list[str]]:
    """Have a session work, and fill its disk after so many events; whether that ended it, and what is wrong."""
    session = place.open()
    left = events - len(session.events)
    moment = chance.randint(1, max(1, left * 2 // 3))  # what comes in the last third may still fit
    try:
        for number, _event in enumerate(session.run(), start=1):
            if number == moment:
                disk.fill(chance.randrange(_PAGES_LEFT))
    except StorageError as error:
        return True, [*_faults_of_the_end(session, str(error)), *_faults_of_another_try(place)]
    return False, []


def _faults_of_the_end(session: Session, told: str) -> list[str]:
    """What is wrong with a session that ended so: its message, here and on the page, and its log."""
    on_page = session.unrecorded or getattr(session.events[-1], "reason", "")
    found = [f"it says {text!r}" for text in (told, on_page) if text != FULL]
    if list(read_events(session.folder / LOG_NAME)) != list(session.events):
        found.append("the log is not what happened")
    if differs := first_difference(parse_export(session.export())):
        found.append(f"the log does not add up: {differs}")
    return found


def _faults_of_another_try(place: Place) -> list[str]:
    """What is wrong with going on while the disk is still full: it must be told again, and change nothing."""
    before = events_of(place)
    said = io.StringIO()
    if place.scripted:
        with contextlib.suppress(StorageError):
            list(place.open().run())
            said.write("went on")
    else:
        with contextlib.redirect_stderr(said):
            code = command_line(["resume", place.store.ids()[0], "--sessions", str(place.store.folder)])
        if (code, said.getvalue().splitlines()[-1:]) == (FAILED, [f"memory_bank: {FULL}"]):
            said = io.StringIO()
    found = [f"a second try said {said.getvalue()!r:.200}"] if said.getvalue() else []
    if events_of(place)[: len(before)] != before:
        found.append("a second try changed the log")
    return found


def fill(undisturbed: Place, folder: Path, chance: random.Random) -> tuple[int, list[str]]:
    """One session, stopped by a full disk at random moments: how often it was, and what is wrong with it."""
    events = len(events_of(undisturbed))
    place = replace(undisturbed, folder=folder)
    disk = Disk(place.store.folder)
    disk.mount()
    fills, wrong = 0, []
    try:
        for _ in range(chance.randint(1, MOST_FILLS)):
            full, found = run_until_full(place, disk, chance, events)
            wrong += found
            disk.make_room()
            if not full:
                break
            fills += 1
        list(place.open().run())
        return fills, [*wrong, *faults_of(place, fills, undisturbed)]
    finally:
        disk.unmount()


def main(arguments: Sequence[str]) -> int:
    """Go into a namespace, where disks can be mounted that nobody else sees; torment there."""
    if arguments[:1] == [_INSIDE]:
        os.environ["EMBEDDING_MODEL"] = "hash"
        os.environ["PARALLEL_CALLS"] = str(PARALLEL)
        return kill_runs.main(fill, "stopped by a full disk", arguments[1:])
    apart = ["unshare", "--map-root-user", "--mount"]
    try:
        subprocess.run([*apart, "mount", "-t", "tmpfs", "none", "/mnt"], check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        sys.stdout.write("no disk may be mounted here: this needs a user and a mount namespace (unshare)\n")
        return NOT_HERE
    inside = [*apart, sys.executable, "-m", "scripts.disk_full", _INSIDE, *arguments]
    return subprocess.run(inside, check=False).returncode  # noqa: S603 - this program


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
