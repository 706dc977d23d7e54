"""The state of one visitor's tab between redraws: its sessions, its view of one of them, and messages for them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from typing import Any, Literal

import streamlit as st

from memory_bank.bank.events import Event
from memory_bank.views.snapshot import Moment
from memory_bank.views.snapshot_cache import Past
from memory_bank.views.timeline import Task
from pages.shared.server import Server

SESSION_PARAMETER = "run"
"""The address parameter with the session's id. Only whoever knows the address can open the session."""
PLAY_TICKS = 40
"""Ticks that the replay of a session takes at most."""
_VIEW, _SESSIONS, _SESSION_ID = "view", "sessions", "session_id"


@dataclass
class ViewState:
    """A visitor's view of one session.

    `live` is the newest moment. `at` is the event number of the moment shown; None: the newest. `compared_to` is the
    event number of an earlier moment to compare with; `step`: the moment before the current step. `node` is the
    selected node, `passage` the open passage as `entry:start:end`, `citation` the open citation. `pending` is
    background work that the page draws when it is done. `next_page` is the page to switch to at the next redraw.
    """

    session_id: str
    live: Moment = field(default_factory=Moment)
    synced_version: object = None
    at: int | None = None
    compared_to: int | Literal["step"] | None = None
    playing: bool = False
    node: str | None = None
    passage: str | None = None
    citation: str | None = None
    confirming_cancel: bool = False
    pending: list[Future[Any]] = field(default_factory=list)
    next_page: str | None = None
    _past: Past = field(default_factory=Past)

    def update(self, events: Sequence[Event]) -> None:
        """Bring the newest moment up to date with the log. `CorruptLogError` if the log is inconsistent."""
        self._past.follow(self.live, events)

    @property
    def moment(self) -> Moment:
        """The moment shown."""
        return self.live if self.at is None else self._past.at(self.at, self.live.events, "shown")

    @property
    def selected(self) -> str | None:
        """The selected node, or the node it was merged into by the moment shown."""
        return None if self.node is None else self.moment.bank.living(self.node)

    @property
    def earlier(self) -> Moment | None:
        """The moment to compare with; never later than the moment shown."""
        if self.compared_to is None:
            return None
        if self.compared_to != "step":
            return self._past.at(min(self.compared_to, self.seq), self.live.events, "earlier")
        # the step shown is the current one, or the one that has just ended
        before = max((task.after for task in self.tasks() if task.after < self.seq), default=0)
        return self._past.at(before, self.live.events, "earlier")

    def moment_at(self, seq: int) -> Moment:
        """The moment after an event. It is valid until the next call."""
        return self._past.at(min(seq, self.last_seq), self.live.events, "other")

    def tasks(self, now: datetime | None = None) -> list[Task]:
        """The tasks as of the moment shown. The current one of the newest moment lasts until `now`."""
        return self.moment.timeline.tasks(now if self.at is None else None)

    @property
    def last_seq(self) -> int:
        """The number of the newest event."""
        return len(self.live.events)

    @property
    def seq(self) -> int:
        """The number of the event whose moment is shown, also when that is the newest."""
        return self.last_seq if self.at is None else self.at

    def move(self, seq: int | None) -> None:
        """Show the moment after an event. None or the newest event: follow the session."""
        self.at = None if seq is None or seq >= self.last_seq else max(1, seq)

    def step(self, by: int) -> None:
        """Move by this many of the events that change the memory; negative: back."""
        marks = self.live.marks
        target = bisect_right(marks, self.seq) - 1 + by
        self.move(1 if target < 0 else marks[target] if target < len(marks) else None)

    def play(self) -> None:
        """Advance a replay by one tick. At the end it stops, and the page follows the session."""
        self.step(ceil(len(self.live.marks) / PLAY_TICKS))
        self.playing = self.at is not None


def current_view(session_id: str, server: Server) -> ViewState:
    """The visitor's view of a session, brought up to date. Errors as in `Server.events`."""
    view = st.session_state.get(_VIEW)
    if not isinstance(view, ViewState) or view.session_id != session_id:
        view = ViewState(session_id)
    version = server.version(session_id)
    if version != view.synced_version:
        view.update(server.events(session_id))
        view.synced_version = version
    st.session_state[_VIEW] = view
    remember(session_id)
    return view


def current_session() -> str | None:
    """The id of the session in the address, else of the tab's last address. None if there is neither.

    It is written into the address, so that a reload shows the session again.
    """
    note_session_in_address()
    session_id: str | None = st.session_state.get(_SESSION_ID)
    if session_id is not None:
        st.query_params[SESSION_PARAMETER] = session_id
    return session_id


def note_session_in_address() -> None:
    """Remember the session that the address names; the navigation links do not contain it.

    Call it before anything can interrupt the script. Otherwise a link pressed at once would lose the session.
    """
    if SESSION_PARAMETER in st.query_params:
        st.session_state[_SESSION_ID] = st.query_params[SESSION_PARAMETER]


def close_session() -> None:
    """Close the open session: this tab shows none."""
    for key in (_VIEW, _SESSION_ID):
        st.session_state.pop(key, None)
    st.query_params.clear()


def forget(session_id: str) -> None:
    """Remove a session from the tab's list, and close it if it is open."""
    st.session_state[_SESSIONS] = [known for known in sessions() if known != session_id]
    if isinstance(view := st.session_state.get(_VIEW), ViewState) and view.session_id == session_id:
        del st.session_state[_VIEW]
    if st.session_state.get(_SESSION_ID) == session_id:
        del st.session_state[_SESSION_ID]


def remember(session_id: str) -> None:
    """Add a session to the tab's list."""
    if session_id not in sessions():
        st.session_state[_SESSIONS] = [session_id, *sessions()]


def sessions() -> list[str]:
    """The ids of the sessions that this tab started or opened, newest first. Each tab has its own list."""
    known: list[str] = st.session_state.get(_SESSIONS, [])
    return known


def set_messages(session_id: str, messages: Sequence[str]) -> None:
    """Set the messages to be shown with a session."""
    st.session_state[f"messages of {session_id}"] = tuple(messages)


def messages(session_id: str) -> tuple[str, ...]:
    """The messages to be shown with a session."""
    found: tuple[str, ...] = st.session_state.get(f"messages of {session_id}", ())
    return found


def field_state(name: str, value: object, on_choose: Callable[[Any], None]) -> tuple[str, Callable[[], None]]:
    """The key and `on_change` of a field that shows `value`. `on_choose` receives what the person chooses.

    A refresh under way while the value was changed elsewhere still sends the browser's old value. That would be taken
    for a choice and undo the change, so the field gets a new key and the old key is ignored. Otherwise the field is
    left alone: if it were set at every refresh, the browser would drop what the person is choosing.
    """
    counter = f"{name} keys"
    number = st.session_state.get(counter, 0)
    if st.session_state.get(f"{name}-{number}", value) != value:
        number += 1
    key = f"{name}-{number}"
    st.session_state[counter] = number
    if key not in st.session_state:
        st.session_state[key] = value

    def on_change() -> None:
        if st.session_state[counter] == number:
            on_choose(st.session_state[key])

    return key, on_change
