"""Cache copies of a session's state, so that going to any earlier moment is fast.

A moment is the result of replaying all events before it. Copies are kept at intervals along the log, so going to an
earlier moment takes one copy and a replay of the few events after it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar, cast

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import Event
from memory_bank.bank.interaction_tree import InteractionTrees
from memory_bank.bank.merges import Merges
from memory_bank.bank.query_graph import QueryGraph
from memory_bank.bank.state import IdCounter
from memory_bank.views.snapshot import Moment
from memory_bank.views.timeline import TaskEffects, Timeline

_STATE_CLASSES = (Moment, Bank, IdCounter, QueryGraph, InteractionTrees, Merges, Timeline, TaskEffects)
"""The classes of a moment and of everything mutable in it that is not a collection. Each is copied."""
_State = TypeVar("_State", bound=object)
_STEP_BACK = 100
"""One more copy is kept this many events before the requested moment: the next request is usually close by."""
_SHARED = "judgements"
"""Name of a dictionary whose values come from events and never change, so that copies share them."""


class Past:
    """The earlier moments of a session, from copies at intervals along the log, made while it follows the log.

    The interval is `apart` events. When there would be more than `most` copies, every second one is dropped and the
    interval is doubled.
    """

    def __init__(self, apart: int = 500, most: int = 32) -> None:
        self._apart, self._most = apart, most
        self._copies: list[Moment] = []
        self._moved: dict[str, tuple[Moment, Moment]] = {}  # for each use its moment, and a copy shortly before

    def follow(self, moment: Moment, events: Sequence[Event]) -> None:
        """Let a moment follow the log and keep copies on the way. Raises what `Moment.follow` raises."""
        while (here := len(moment.events)) < len(events):
            moment.follow(events[: here - here % self._apart + self._apart])
            if len(moment.events) % self._apart == 0:
                self._copies.append(copy_of(moment))
            if len(self._copies) > self._most:
                self._apart *= 2
                self._copies = [copy for copy in self._copies if len(copy.events) % self._apart == 0]

    def at(self, seq: int, events: Sequence[Event], use: str = "") -> Moment:
        """The moment after event `seq`, counted from 1; 0 is before all events.

        It is valid until the next call for the same `use`, which moves it along the log.
        """
        moment, near = self._moved.get(use) or (Moment(), Moment())
        nearest = max((copy for copy in (near, self._before(seq)) if len(copy.events) <= seq), key=_length)
        if seq < _length(moment) or _length(nearest) > _length(moment):
            moment = copy_of(nearest)
        if seq - _length(moment) > 2 * _STEP_BACK:  # whoever goes back one step often goes back another
            moment.follow(events[: seq - _STEP_BACK])
            near = copy_of(moment)
        moment.follow(events[:seq])
        self._moved[use] = moment, near
        return moment

    def _before(self, seq: int) -> Moment:
        """The last copy at or before event `seq`."""
        count = bisect_right(self._copies, seq, key=_length)
        return self._copies[count - 1] if count else Moment()


def _length(moment: Moment) -> int:
    return len(moment.events)


def copy_of(moment: Moment) -> Moment:
    """An independent copy of a moment. Values that came with events are shared: they never change."""
    return _copy(moment, {})


def _copy(state: _State, copies: dict[int, object]) -> _State:
    """Copy an object of `_STATE_CLASSES` and those it refers to, each once: `copies` holds them by original id."""
    existing = copies.get(id(state))
    if existing is not None:
        return cast(_State, existing)
    copy = copies[id(state)] = object.__new__(type(state))
    for name, value in vars(state).items():
        is_state = isinstance(value, _STATE_CLASSES)
        setattr(copy, name, _copy(value, copies) if is_state else _copy_collection(value, deep=name != _SHARED))
    return copy


def _copy_collection(value: object, *, deep: bool) -> object:
    """Copy a collection, and with `deep` the collections that are values of a dictionary. Anything else is returned."""
    if not isinstance(value, dict | list | set):
        return value
    copy = value.copy()
    if deep and isinstance(copy, dict):
        for key, inner in copy.items():
            copy[key] = _copy_collection(inner, deep=False)
    return copy
