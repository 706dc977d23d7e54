"""A visitor who stays: begins sessions about a thing that nobody else asks for, leaves, comes back, reads the answers.

Each has a name of its own for the thing, and every byte that comes is searched for the names of the others.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from string import ascii_lowercase

import httpx
from websockets.exceptions import WebSocketException

from scripts.virtual_tab import Tab

DRAWN = 5.0
"""Seconds in which a page that says that a session has ended shows its answer too."""
STUCK = 60.0
"""Seconds without any progress after which a session counts as stuck."""
_NAME = re.compile(rb"Quorl[a-z]{10}")
_STATE = re.compile(r'role="status">.*?<b>(.*?)</b>')
_PLACE = re.compile(r"waiting for its turn: number (\d+) in the queue")
_DOING = re.compile(r'<div class="mb-doing">(.*?)</div>')
_PAGES = ("query_graph", "insight_doc", "interaction_tree", "conflicts", "sessions", "ask", "settings")


@dataclass
class Tally:
    """What all visitors have seen: seconds of ticks and of waits in the queue, sessions, and what was wrong."""

    ticks: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    finished: Counter[int] = field(default_factory=Counter)
    went: Counter[str] = field(default_factory=Counter)
    begun: int = 0
    unfinished: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    foreign: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Stand:
    """How a session stands, as the page says: its state, its place in the queue, what it did last."""

    state: str = ""
    place: str = ""
    doing: str = ""

    @classmethod
    def of(cls, tab: Tab) -> Stand:
        """What the tab shows now."""
        parts = list(tab.parts())
        found = [next((match[1] for part in parts if (match := sought.search(part))), "") for sought in _SOUGHT]
        if not found[0] and any("<h1>Starting</h1>" in part for part in parts):
            found[0] = "starting"
        return cls(*found)


_SOUGHT = (_STATE, _PLACE, _DOING)


class Visitor:
    """One of many. `until` is the moment, by the monotonic clock, at which whoever still waits stops."""

    def __init__(self, number: int, site: httpx.AsyncClient, until: float, tally: Tally, seed: str) -> None:
        self._number, self._site, self._until, self._tally = number, site, until, tally
        self._chance = random.Random(f"{seed} {number}")  # noqa: S311 - nothing secret
        self.name = "Quorl" + "".join(self._chance.choices(ascii_lowercase, k=10))
        self._queued: float | None = None

    async def stay(self) -> None:
        """Begin one session after the other until time is up."""
        while self._left > 0:
            try:
                await self.visit()
            except (OSError, LookupError, TimeoutError, WebSocketException, httpx.HTTPError) as error:
                self._fault(f"{type(error).__name__}: {error}")
            self._queue(waits=False)
            await self._rest()

    @property
    def _left(self) -> float:
        return self._until - time.monotonic()

    def _fault(self, what: str) -> None:
        self._tally.faults.append(f"visitor {self._number}: {what}")

    async def _rest(self) -> None:
        await asyncio.sleep(max(0.0, min(self._chance.uniform(1, 5), self._left)))

    def _tab(self, query: str = "") -> AbstractAsyncContextManager[Tab]:
        return Tab.open(self._site, query, self._hear, self._tally.ticks.append)

    def _hear(self, frame: bytes) -> None:
        self._tally.bytes += len(frame)
        foreign = {found.decode() for found in _NAME.findall(frame)} - {self.name}
        if foreign:
            self._tally.foreign += 1
            self._fault(f"saw the data of another: {', '.join(sorted(foreign))}")

    # -- one session -----------------------------------------------------------------------------------------

    async def visit(self) -> None:
        """One session: begun, perhaps left or paused on the way, and read when it has ended."""
        year = str(self._chance.randint(1500, 1899))
        way = self._chance.choice(("stays", "stays", "leaves", "pauses"))
        async with self._tab() as tab:
            address = await self._begin(tab, year)
            looks = self._left if way == "stays" else self._chance.uniform(1, 10)
            over = await self._watch(tab, looks)
            if not over and way == "pauses":
                await self._pause(tab)
            if over:
                await self._read(tab, year)
        while not over and self._left > 0:
            self._tally.went[way] += 1
            await self._rest()
            async with self._tab(address) as tab:
                if Stand.of(tab).state == "paused":
                    await tab.press("switch")
                over = await self._watch(tab, self._left)
                if over:
                    await self._read(tab, year)
        if over and self._left > 0:
            await self._come_back(address, year)

    async def _begin(self, tab: Tab, year: str) -> str:
        """Fill in the form and press Run; the address of the session."""
        thing = f"{self.name} Lighthouse"
        wrong = str(int(year) + self._chance.randint(10, 90))
        files = (
            ("documents", "guide.txt", f"{thing} stands on a rock. {thing} was completed in {year}.".encode()),
            ("documents", "survey.txt", f"{thing} was completed in {wrong}. It has 210 steps.".encode()),
            ("sources", "register.txt", f"Register of lights. {thing} was completed in {year}.".encode()),
        )
        await tab.press("run", {"task": f"When was {thing} completed?"}, files)
        if "run=" not in tab.query:
            raise LookupError("no session was begun")
        self._tally.begun += 1
        return tab.query

    async def _watch(self, tab: Tab, seconds: float) -> bool:
        """Look at a session as it ticks for so long; True once it has ended. Stuck or ended badly is a fault."""
        end = time.monotonic() + seconds
        seen, since = Stand(), time.monotonic()
        over = False
        while not over and (left := end - time.monotonic()) > 0:
            stand = Stand.of(tab)
            self._queue(bool(stand.place))
            if stand != seen:
                seen, since = stand, time.monotonic()
            elif time.monotonic() - since > STUCK:
                self._fault(f"nothing moved for {STUCK:.0f} s: {stand}")
                since = time.monotonic()
            over = stand.state not in ("", "starting", "running", "paused")
            if not over:
                await tab.until(_moved_from(stand), min(left, 1.0))
        self._faults_of(tab)
        if over and seen.state != "finished":
            self._fault(f"a session ended as {seen.state!r}")
        if not over and self._left <= 0:
            await self._look_last(tab)
        return over

    def _queue(self, waits: bool) -> None:  # noqa: FBT001 - the one thing that is told
        """Take the time that a session waits in the queue, as it is seen: also while the visitor is away."""
        if waits and self._queued is None:
            self._queued = time.monotonic()
        elif not waits and self._queued is not None:
            self._tally.waits.append(time.monotonic() - self._queued)
            self._queued = None

    async def _look_last(self, tab: Tab) -> None:
        """What the page says of a session for which there is no time left: it works, or says its place."""
        await tab.until(lambda tab: Stand.of(tab).state != "", STUCK)
        stand = Stand.of(tab)
        self._tally.unfinished["in the queue" if stand.place else stand.state or "nothing"] += 1
        if stand.state not in ("starting", "running", "finished", "paused"):  # paused by the visitor, just before
            self._fault(f"at the end a session shows {stand}")

    async def _pause(self, tab: Tab) -> None:
        """Press Pause, unless it has just ended, and see that it does."""
        if tab.has("switch"):
            await tab.press("switch")
            if not await tab.until(lambda tab: Stand.of(tab).state in ("paused", "finished"), STUCK):
                self._fault(f"not paused {STUCK:.0f} s after Pause was pressed: {Stand.of(tab)}")

    async def _read(self, tab: Tab, year: str) -> None:
        """The answer, and the other pages."""
        self._tally.finished[self._number] += 1
        await self._know(tab, year)
        for page in self._chance.sample(_PAGES, 2):
            await tab.run(page)
        self._faults_of(tab)

    async def _come_back(self, address: str, year: str) -> None:
        """After a rest, to what has ended: by then it lies on disk."""
        await self._rest()
        async with self._tab(address) as tab:
            await self._know(tab, year)
            self._faults_of(tab)

    async def _know(self, tab: Tab, year: str) -> None:
        """The answer must be there, at the latest when the page is drawn to its end."""
        told = f"{self.name} Lighthouse was completed in {year}"
        if not await tab.until(lambda tab: told in tab.text, DRAWN):
            self._fault(f"the answer is not there, {year}: {' '.join(tab.text.split())[:300]}")

    def _faults_of(self, tab: Tab) -> None:
        for what in tab.faults:
            self._fault(what)
        tab.faults.clear()


def _moved_from(stand: Stand) -> Callable[[Tab], bool]:
    return lambda tab: Stand.of(tab) != stand
