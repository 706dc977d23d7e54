"""Going back in a session's time, at no cost that a person would notice.

A moment is a fold over the events before it. Copies of it are kept along the way, so that going to any earlier moment
is a copy and a fold over the few events that are missing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar, cast

from memory_bank.bank.bank import Bank
from memory_bank.bank.interaction_tree import InteractionTrees
from memory_bank.bank.merges import Merges
from memory_bank.bank.query_graph import QueryGraph
from memory_bank.events import Event
from memory_bank.moment import Moment

_FOLDS = (Moment, Bank, QueryGraph, InteractionTrees, Merges)
_Fold = TypeVar("_Fold", bound=object)
_STEPS = 100
"""So many events before a moment that was asked for another copy is kept: the next one is mostly close by."""
_GIVEN = "judgements"
"""A dictionary whose values came with events and are never changed."""


class Milestones:
    """Copies of a moment along the log, taken while it follows.

    At first one lies `apart` events from the next; when there would be more than `most`, they lie twice as far apart.
    """

    def __init__(self, apart: int = 500, most: int = 32) -> None:
        self._apart, self._most = apart, most
        self._kept: list[Moment] = []

    def follow(self, moment: Moment, events: Sequence[Event]) -> None:
        """Have a moment follow the log, and keep copies on the way. Errors as of `Moment.follow`."""
        while (here := len(moment.events)) < len(events):
            moment.follow(events[: here - here % self._apart + self._apart])
            if len(moment.events) % self._apart == 0:
                self._keep(copy_of(moment))

    def before(self, seq: int) -> Moment:
        """The moment at event `seq`, or not long before it. To be copied, not moved."""
        place = bisect_right(self._kept, seq, key=lambda kept: len(kept.events))
        return self._kept[place - 1] if place else Moment()

    def _keep(self, moment: Moment) -> None:
        self._kept.append(moment)
        if len(self._kept) > self._most:
            self._apart *= 2
            self._kept = [kept for kept in self._kept if len(kept.events) % self._apart == 0]


class PastMoment:
    """A moment that can be moved along the log, forward and back."""

    def __init__(self, milestones: Milestones) -> None:
        self._milestones = milestones
        self._moment = self._near = Moment()

    def at(self, seq: int, events: Sequence[Event]) -> Moment:
        """The moment after event `seq`, from 1; 0: before all. What was given before is moved, or left as it was."""
        known = [kept for kept in (self._near, self._milestones.before(seq)) if len(kept.events) <= seq]
        nearest = max(known, key=lambda kept: len(kept.events))
        here = len(self._moment.events)
        if seq < here or len(nearest.events) > here:
            self._moment = copy_of(nearest)
        if seq - len(self._moment.events) > 2 * _STEPS:  # who goes back one step goes back another
            self._moment.follow(events[: seq - _STEPS])
            self._near = copy_of(self._moment)
        self._moment.follow(events[:seq])
        return self._moment


def copy_of(moment: Moment) -> Moment:
    """A moment that can go on by itself. What the log gave is shared: it never changes."""
    copied: Moment = _copy(moment, {})
    return copied


def _copy(fold: _Fold, copies: dict[int, object]) -> _Fold:
    """A fold and those that it holds, each copied once: some are held by several."""
    known = copies.get(id(fold))
    if known is not None:
        return cast(_Fold, known)
    copied = copies[id(fold)] = object.__new__(type(fold))
    for name, held in vars(fold).items():
        inner = _copy(held, copies) if isinstance(held, _FOLDS) else _collection(held, deep=name != _GIVEN)
        setattr(copied, name, inner)
    return copied


def _collection(held: object, *, deep: bool) -> object:
    """A collection copied, with the collections in it; anything else as it is."""
    if not isinstance(held, dict | list | set):
        return held
    copied = held.copy()
    if deep and isinstance(copied, dict):
        for key, inner in copied.items():
            copied[key] = _collection(inner, deep=False)
    return copied
