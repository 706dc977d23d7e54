"""Fuzzes the import of sessions and the reading of documents: `python -m scripts.fuzz --imports 1000000`.

Every case has a number, from which it is made; the first is `--seed`. What went wrong is told with its number, and the
file is written to `--keep`: `--imports 1 --seed NUMBER` does it again. A case goes wrong where it ends with any
exception but the refusal, says more than a line, leaves a file behind, changes one outside its folder, takes more than
10 s (`--seconds`) or more memory than it may, or ends the process. Exit code 1 if any did, or none could begin.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Protocol

from memory_bank.documents.sandbox import command_of
from scripts.fuzz_documents import READER, Documents, corpus
from scripts.fuzz_imports import Imports, sessions
from scripts.watched import Watch

_KILLED_AFTER = 4
"""A case that comes to no end is ended after so many times what it may take: the reader of documents ends before."""
_MEMORY = 1_500_000_000
"""Bytes of address space that a process may take beside what it has when it begins."""
_PRINTED_EACH = 20.0
_MOST_KEPT = 100
_FORKING = get_context("fork")
_DETAIL = re.compile(r"\(.*|( at |: ).*|\d[\d,.]*")


class Cases(Protocol):
    """Files by number, and what is to be done with each."""

    def begin(self) -> None:
        """Load what is loaded once, in the process that does the work."""

    def data(self, number: int) -> bytes:
        """The file of that number."""

    def attempt(self, data: bytes, number: int, folder: Path) -> str:
        """Give it to the program: what became of it. Any exception is a failure."""


@dataclass
class Tally:
    """What became of so many cases. `slowest` and `failures` name theirs; `kilobytes` is the largest process."""

    done: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, 0)
    kilobytes: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)

    def add(self, number: int, outcome: str, seconds: float = 0.0, kilobytes: int = 0) -> None:
        """Count a case. Outcomes are counted without what is different from case to case."""
        self.done += 1
        said, mark, why = outcome.partition(": ")
        self.outcomes[said + mark + _DETAIL.sub("", why)[:80].strip()] += 1
        self.slowest = max(self.slowest, (seconds, number))
        self.kilobytes = max(self.kilobytes, kilobytes)
        if outcome.startswith("FAILED"):
            self.failures.append((number, outcome))


# -- in the process that does the work -----------------------------------------------------------------------


def _work(cases: Cases, numbers: Sequence[int], folder: Path, seconds: float, report: connection.Connection) -> None:
    """Do these cases; `report` gets None once all is loaded, then each one. What takes too long ends the process."""
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with (folder / "trace").open("w") as trace:
        faulthandler.enable(trace)
        faulthandler.dump_traceback_later(_KILLED_AFTER * seconds, exit=True, file=trace)
        try:
            cases.begin()
        except Exception as error:
            trace.write(f"{type(error).__name__}: {error}")
            raise SystemExit(1) from error
        began = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (began + _MEMORY, began + _MEMORY))
        inside = folder / "inside"
        inside.mkdir()
        tempfile.tempdir = str(inside)
        seen: list[str] = []
        Watch(inside, seen.append, command_of(READER))
        report.send(None)
        for number in numbers:
            faulthandler.dump_traceback_later(_KILLED_AFTER * seconds, exit=True, file=trace)
            started = time.monotonic()
            outcome = _outcome(cases, number, inside, seconds, seen)
            kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            report.send((number, outcome, time.monotonic() - started, kilobytes))
    os._exit(0)


def _outcome(cases: Cases, number: int, folder: Path, seconds: float, seen: list[str]) -> str:
    data = cases.data(number)
    seen.clear()
    began = time.monotonic()
    try:
        outcome = cases.attempt(data, number, folder)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        places = [f"{Path(each.filename).name}:{each.lineno}" for each in traceback.extract_tb(error.__traceback__)]
        outcome = f"FAILED: {type(error).__name__}: {str(error)[:300]!r} at {' '.join(places[-6:])}"
    left = [path for path in folder.rglob("*") if path.is_file()]
    for path in left:
        path.unlink()
    if seen:
        return f"FAILED: outside its folder: {seen[0]}"
    if left and not outcome.startswith("FAILED"):
        return f"FAILED: left behind: {left[0]}"
    if (took := time.monotonic() - began) > seconds:
        return f"FAILED: took {took:.1f} s: {outcome}"
    return outcome


# -- in the process that looks on ----------------------------------------------------------------------------


class _Worker:
    """A process with its share of the cases; it is begun anew after the one that ended it."""

    def __init__(self, cases: Cases, numbers: Sequence[int], folder: Path, seconds: float) -> None:
        self._cases, self._left, self._folder, self._seconds = cases, numbers, folder, seconds
        self._begin()

    def _begin(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        self._begun = False
        self.report, sending = _FORKING.Pipe(duplex=False)
        given = (self._cases, self._left, self._folder, self._seconds, sending)
        self._process = _FORKING.Process(target=_work, args=given)
        self._process.start()
        sending.close()

    def take(self, tally: Tally) -> bool:
        """Count the next case, or the one that ended the process; False once all is done."""
        try:
            case = self.report.recv()
        except EOFError:
            self._process.join()
            if not self._left:
                return False
            trace = " ".join((self._folder / "trace").read_text().split())[:600]
            why = f"ended with {self._process.exitcode}: {trace}"
            if not self._begun:
                raise RuntimeError(f"a process cannot begin: it {why}") from None
            case = (self._left[0], f"FAILED: its process {why}")
            self._left = self._left[1:]
            self._begin()
        else:
            self._begun = True
            self._left = self._left[1:] if case else self._left
        if case:
            tally.add(*case)
        return True

    def end(self) -> None:
        """End the process, whatever it is at."""
        self._process.kill()
        self._process.join()


def fuzz(
    cases: Cases,
    numbers: Sequence[int],
    folder: Path,
    processes: int = 2,
    seconds: float = 10.0,
    told: Callable[[Tally], object] = lambda _tally: None,
) -> Tally:
    """Do the cases of these numbers, each of which may take so long; `told` gets the tally now and then.

    `RuntimeError` where a process ends, or takes too long, before its first case.
    """
    shares = [numbers[i::processes] for i in range(min(processes, len(numbers)))]
    workers = [_Worker(cases, share, folder / str(i), seconds) for i, share in enumerate(shares)]
    try:
        return _collected(list(workers), told)
    finally:
        for worker in workers:
            worker.end()


def _collected(workers: list[_Worker], told: Callable[[Tally], object]) -> Tally:
    whole, printed = Tally(), time.monotonic()
    while workers:
        ready = connection.wait([worker.report for worker in workers], timeout=1.0)
        workers = [worker for worker in workers if worker.report not in ready or worker.take(whole)]
        if time.monotonic() - printed > _PRINTED_EACH:
            told(whole)
            printed = time.monotonic()
    return whole


def _run(what: str, cases: Cases, given: argparse.Namespace, count: int, folder: Path) -> Tally:
    began = time.monotonic()

    def tell(tally: Tally) -> None:
        rate = tally.done / (time.monotonic() - began)
        _say(f"{what}: {tally.done:,} of {count:,}, {rate:,.0f} a second, {len(tally.failures)} failed")

    numbers = range(given.seed, given.seed + count)
    tally = fuzz(cases, numbers, folder / what, given.processes, given.seconds, tell)
    seconds, number = tally.slowest
    _say(
        f"{what}: {tally.done:,} in {time.monotonic() - began:.0f} s, {len(tally.failures)} failed; slowest "
        f"{seconds:.2f} s (--seed {number}), largest process {tally.kilobytes / 1000:,.0f} MB"
    )
    for outcome, times in tally.outcomes.most_common():
        _say(f"  {times:9,}  {outcome}")
    for number, why in tally.failures[:_MOST_KEPT]:
        given.keep.mkdir(parents=True, exist_ok=True)
        (given.keep / f"{what}-{number}").write_bytes(cases.data(number))
        _say(f"--{what} 1 --seed {number}: {why}")
    return tally


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Parse, make, fuzz, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--imports", type=int, default=0, help="how many exports to import")
    parser.add_argument("--documents", type=int, default=0, help="how many documents to read")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first case")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0, help="what a case may take; more on a busy machine")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="where files that failed are written")
    given = parser.parse_args()
    memory = Path("/dev/shm")  # noqa: S108 - a disk in memory, where there is one
    failed = 0
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        folder = Path(name)
        if given.imports:
            cases = Imports(sessions(folder / "sessions"))
            failed += len(_run("imports", cases, given, given.imports, folder).failures)
        if given.documents:
            failed += len(_run("documents", Documents(corpus()), given, given.documents, folder).failures)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(str(error))
