"""What one visitor's tab remembers between redraws: its sessions, what it looks at, and words for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from typing import Any, Literal

import streamlit as st

from memory_bank.events import Event
from memory_bank.moment import Moment
from memory_bank.past import Milestones, PastMoment
from memory_bank.timeline import Task, Timeline
from pages._server import Server

RUN = "run"
"""The part of the address that names a session: whoever has it, and nobody else, finds the session again."""
_LOOKING, _SESSIONS, _NAMED = "looking", "sessions", "named"


@dataclass
class Looking:
    """What a visitor looks at in one session.

    `live` is the newest moment, `at` the number of the event whose moment is shown (None: the newest), `since` that
    of an earlier one it is compared with (`step`: the one before the step that is shown). `passage` is what a claim
    opened, as `entry:start:end`. `awaited` is work that a page has asked for and will draw when it is done. `going` is
    the page to go to next.
    """

    session_id: str
    live: Moment = field(default_factory=Moment)
    seen: object = None
    at: int | None = None
    since: int | Literal["step"] | None = None
    playing: bool = False
    node: str | None = None
    passage: str | None = None
    cited: str | None = None
    cancelling: bool = False
    awaited: list[Future[Any]] = field(default_factory=list)
    going: str | None = None
    _timeline: Timeline = field(default_factory=Timeline)

    def __post_init__(self) -> None:
        self._milestones = Milestones()
        self._shown, self._earlier, self._aside = (PastMoment(self._milestones) for _ in range(3))

    def follow(self, events: Sequence[Event]) -> None:
        """Bring the newest moment up to date with the log. `CorruptLogError` if it does not add up."""
        self._milestones.follow(self.live, events)

    @property
    def moment(self) -> Moment:
        """The moment that is shown."""
        return self.live if self.at is None else self._shown.at(self.at, self.live.events)

    @property
    def selected(self) -> str | None:
        """The node that is selected, or what it has become by merges up to the moment that is shown."""
        return None if self.node is None else self.moment.bank.living(self.node)

    @property
    def earlier(self) -> Moment | None:
        """The moment that the one shown is compared with; never later than that one."""
        if self.since is None:
            return None
        seq = self._before_step() if self.since == "step" else self.since
        return self._earlier.at(min(seq, self.here), self.live.events)

    def _before_step(self) -> int:
        """The event before the step that is shown: the one at work, or that has just ended."""
        begun = [task for task in self.tasks() if task.after < self.here]
        return begun[-1].after if begun else 0

    def moment_at(self, seq: int) -> Moment:
        """Any moment, for a glance: it moves on with the next call."""
        return self._aside.at(min(seq, self.last), self.live.events)

    def tasks(self, now: datetime | None = None) -> list[Task]:
        """The tasks as they stood at the moment that is shown; the newest one lasts up to `now`."""
        self._timeline.follow(self.live.events)
        return self._timeline.tasks(self.at, now)

    @property
    def last(self) -> int:
        """The number of the newest event."""
        return len(self.live.events)

    @property
    def here(self) -> int:
        """The number of the event whose moment is shown."""
        return self.last if self.at is None else self.at

    def move(self, seq: int | None) -> None:
        """Show the moment after an event; None or the newest event: follow the session."""
        self.at = None if seq is None or seq >= self.last else max(1, seq)

    def step(self, by: int) -> None:
        """Move by so many of the events that change what is seen."""
        marks = self.live.marks
        place = bisect_right(marks, self.here) - 1 + by
        self.move(1 if place < 0 else marks[place] if place < len(marks) else None)

    def play(self) -> None:
        """Move on by what one tick of a replay shows; at the end it stops, and the page follows the session."""
        self.step(ceil(len(self.live.marks) / PLAY_TICKS))
        self.playing = self.at is not None


PLAY_TICKS = 40
"""A replay of any session takes at most so many ticks."""


def looking(session_id: str, server: Server) -> Looking:
    """The visitor's view of a session, brought up to date. Errors as of `Server.events`."""
    view = st.session_state.get(_LOOKING)
    if not isinstance(view, Looking) or view.session_id != session_id:
        view = Looking(session_id)
    changes = server.changes(session_id)
    if changes != view.seen:
        view.follow(server.events(session_id))
        view.seen = changes
    st.session_state[_LOOKING] = view
    remember(session_id)
    return view


def current() -> str | None:
    """The session that this page is about: the one of the address, else the one of the tab's last address.

    The address is set to it, so that it brings the session back.
    """
    note_address()
    named: str | None = st.session_state.get(_NAMED)
    if named is not None:
        st.query_params[RUN] = named
    return named


def note_address() -> None:
    """Remember the session that the address names; the links of the navigation leave it out.

    Called before anything can interrupt the script, or a link pressed at once would lose the session.
    """
    if RUN in st.query_params:
        st.session_state[_NAMED] = st.query_params[RUN]


def leave() -> None:
    """Look at no session any more."""
    for kept in (_LOOKING, _NAMED):
        st.session_state.pop(kept, None)
    st.query_params.clear()


def forget(session_id: str) -> None:
    """Leave a session out of the visitor's list."""
    st.session_state[_SESSIONS] = [known for known in sessions() if known != session_id]
    if isinstance(view := st.session_state.get(_LOOKING), Looking) and view.session_id == session_id:
        del st.session_state[_LOOKING]
    if st.session_state.get(_NAMED) == session_id:
        del st.session_state[_NAMED]


def remember(session_id: str) -> None:
    """Put a session on the visitor's list."""
    if session_id not in sessions():
        st.session_state[_SESSIONS] = [session_id, *sessions()]


def sessions() -> list[str]:
    """The ids of the sessions this tab began or opened, newest first. Other tabs have their own."""
    known: list[str] = st.session_state.get(_SESSIONS, [])
    return known


def leave_word(session_id: str, words: Sequence[str]) -> None:
    """Leave messages to be shown with a session."""
    st.session_state[f"words of {session_id}"] = tuple(words)


def words(session_id: str) -> tuple[str, ...]:
    """The messages left for a session."""
    left: tuple[str, ...] = st.session_state.get(f"words of {session_id}", ())
    return left
