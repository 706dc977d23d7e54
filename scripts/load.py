"""Many visitors at once on the real server: `python -m scripts.load --visitors 50 --minutes 10 --json load.json`.

Each is a tab that speaks with the server as Streamlit's page does, so that the server runs its pages for all of them;
see `virtual_visitor.py` for what they do. Measured are their ticks and waits, and the server's memory, threads and open
files, second by second: the last tenth of the time beside the tenth in the middle. Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from memory_bank.app.cli.grammar import file_to_write
from memory_bank.app.evaluation.figures import Figure, figures_table
from scripts.virtual_tab import visited
from scripts.virtual_visitor import STUCK, Tally, Visitor
from tests.browser.serving import Served, serving

ARRIVE = 10.0
"""Seconds over which the visitors come, at most a tenth of the time."""
STEADY = 1.25
"""How far threads and open files may swing with who is there just now; what leaks grows without end."""
TOLD = 20


@dataclass(frozen=True)
class Sample:
    """The server at one moment, its children counted in: bytes in memory, threads, open files."""

    at: float
    memory: int
    threads: int
    files: int


def sample(pid: int) -> Sample:
    """Look at a process and what it has started."""
    memory = threads = files = 0
    for process in _family(pid):
        with suppress(OSError):  # one that has ended meanwhile
            status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
            memory += int(status.get("VmRSS", "0 kB").split()[0]) * 1024
            threads += int(status["Threads"])
            files += sum(1 for _file in (process / "fd").iterdir())
    return Sample(time.monotonic(), memory, threads, files)


def _family(pid: int) -> list[Path]:
    found = [Path("/proc") / str(pid)]
    for process in found:
        with suppress(OSError):  # it or a thread of it has ended meanwhile
            for children in process.glob("task/*/children"):
                found += [Path("/proc") / child for child in children.read_text().split()]
    return found


async def watch(pid: int, samples: list[Sample]) -> None:
    """Look at the server every second."""
    while True:
        samples.append(await asyncio.to_thread(sample, pid))
        await asyncio.sleep(1)


async def visit(served: Served, visitors: int, seconds: float, seed: str) -> tuple[Tally, list[Sample]]:
    """Have so many visitors on a server for so long."""
    tally, samples = Tally(), list[Sample]()
    async with visited(served.url) as site:
        await Visitor(-1, site, math.inf, Tally(), seed).visit()  # so that the engine is loaded
        watching = asyncio.create_task(watch(served.pid, samples))
        until = time.monotonic() + seconds

        async def come(number: int) -> None:
            await asyncio.sleep(number / visitors * min(ARRIVE, seconds / 10))
            await Visitor(number, site, until, tally, seed).stay()

        await asyncio.gather(*(come(number) for number in range(visitors)))
        watching.cancel()
        with suppress(asyncio.CancelledError):  # any other end is an error: half of the time was not looked at
            await watching
    return tally, samples


def figures(tally: Tally, samples: Sequence[Sample], visitors: int) -> list[Figure]:
    """What was measured, with what must hold."""
    fewest = min(tally.finished[number] for number in range(visitors))
    middle, end = in_middle_and_end(samples, lambda one: one.memory / 1e6)
    steady = abs(end / middle - 1) <= 0.1
    ticks, waits = sorted(tally.ticks) or [0.0], sorted(tally.waits) or [0.0]
    return [
        Figure.of("sessions finished by each visitor, the fewest", "", fewest, ("least", 1)),
        Figure.of("faults that visitors met", "", len(tally.faults), ("most", 0)),
        Figure.of("frames with another's data", "", tally.foreign, ("most", 0)),
        Figure.of("wait in the queue, median", "s", statistics.median(waits)),
        Figure.of("wait in the queue, longest", "s", waits[-1], ("most", STUCK)),
        Figure.of("a page tick, median", "s", statistics.median(ticks)),
        Figure.of("a page tick, p95", "s", ticks[int(0.95 * (len(ticks) - 1))]),
        Figure.of("a page tick, longest", "s", ticks[-1]),
        _beside("memory at the end, beside the middle", "MB", end, middle, ("0.9 to 1.1", steady)),
        _steady("threads", samples, lambda one: one.threads),
        _steady("open files", samples, lambda one: one.files),
    ]


def _beside(name: str, unit: str, end: float, middle: float, target: tuple[str, bool]) -> Figure:
    wanted, held = target
    ratio = end / middle
    return Figure(name, end, unit, middle, ratio, wanted, held, spread=(ratio, ratio))


def _steady(name: str, samples: Sequence[Sample], of: Callable[[Sample], int]) -> Figure:
    middle, end = in_middle_and_end(samples, of)
    return _beside(f"{name} at the end, beside the middle", "", end, middle, (f"<= {STEADY:g}", end <= STEADY * middle))


def in_middle_and_end(samples: Sequence[Sample], of: Callable[[Sample], float]) -> tuple[float, float]:
    """The mean of the tenth of the time in the middle, and that of the last tenth."""
    began, lasted = samples[0].at, samples[-1].at - samples[0].at

    def mean(start: float, end: float) -> float:
        return statistics.mean(of(one) for one in samples if start <= (one.at - began) / lasted <= end)

    return mean(0.45, 0.55), mean(0.9, 1.0)


def report(tally: Tally, visitors: int, seconds: float) -> str:
    """What happened, in words."""
    done = sum(tally.finished.values())
    left = ", ".join(f"{count} {state}" for state, count in tally.unfinished.items()) or "none"
    return (
        f"{visitors} visitors, {seconds:.0f} s: {tally.begun} sessions begun, {done} finished "
        f"({60 * done / seconds:.1f} a minute), when time was up: {left}; {tally.went['leaves']} left in the middle "
        f"and {tally.went['pauses']} paused, each found again by its address; {len(tally.ticks)} ticks, "
        f"{tally.bytes / 1e6:.0f} MB received"
    )


def main() -> int:
    """Parse, visit, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", default="1", help="another one makes other visitors")
    parser.add_argument("--json", type=file_to_write, help="write the figures to this file")
    given = parser.parse_args()
    seconds = 60 * given.minutes
    with tempfile.TemporaryDirectory() as folder:
        with serving(Path(folder)) as served:
            tally, samples = asyncio.run(visit(served, given.visitors, seconds, given.seed))
        log = (Path(folder) / "server.log").read_text(encoding="utf-8", errors="replace")
    if "Traceback" in log:
        tally.faults.append(f"the server's log has a traceback:\n{log[-4_000:]}")
    found = figures(tally, samples, given.visitors)
    sys.stdout.write(report(tally, given.visitors, seconds) + "\n" + figures_table(found) + "\n")
    sys.stdout.writelines(f"{fault}\n" for fault in tally.faults[:TOLD])
    if given.json is not None:
        told = {
            "figures": [asdict(figure) for figure in found],
            "faults": tally.faults,
            "samples": [asdict(one) for one in samples],
        }
        given.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0 if all(figure.held for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
