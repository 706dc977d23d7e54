"""What a person looks for in the graph: words, states, sources, steps. What does not fit is hidden or fades."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from components.language import say, say_n
from components.look import NODE_STATES, NodeState, escape
from components.query_graph import SINCE
from memory_bank.events import NodeCreated, NodesMerged, PlanUpdated, SourceIngested, SourceRefused
from memory_bank.moment import Moment
from pages._field import holding
from pages._graph import Scene, Seen, Shown
from pages._visitor import Looking

_WANTED = "wanted"


@dataclass(frozen=True)
class Wanted:
    """What is looked for; at first everything. `steps` are the first and the last, `since` what a comparison found."""

    words: str = ""
    states: tuple[NodeState, ...] = ()
    sources: tuple[str, ...] = ()
    steps: tuple[int, int] | None = None
    used: bool = False
    since: bool = False

    @property
    def hides(self) -> bool:
        """Whether some nodes may not be drawn."""
        return self != Wanted(words=self.words)


def shown(moment: Moment, scene: Scene, wanted: Wanted) -> Shown:
    """The nodes that fit, and of them those with all the words."""
    if wanted == Wanted():
        return Shown()
    made = dict(made_in(moment)) if wanted.steps else {}
    nodes = {node_id: one for node_id, one in scene.seen.items() if _fits(one, scene, wanted, made)}
    words = wanted.words.casefold().split()
    found = frozenset(node_id for node_id, one in nodes.items() if all(word in _text(one) for word in words))
    return Shown(frozenset(nodes) if wanted.hides else None, found if words else None)


def _fits(one: Seen, scene: Scene, wanted: Wanted, made: dict[str, int]) -> bool:
    first, last = wanted.steps or (0, 0)
    return (
        (not wanted.states or one.state in wanted.states or one.since in wanted.states)
        and (not wanted.sources or not one.sources.isdisjoint(wanted.sources))
        and (not wanted.steps or first <= made.get(one.node.id, 0) <= last)
        and (not wanted.used or one.node.id in scene.used)
        and (not wanted.since or one.since is not None or one.state == "merged")
    )


def _text(one: Seen) -> str:
    node = one.node
    said = (node.id, node.context, node.summary, *node.keywords, *(claim.text for claim in node.claims))
    return "\n".join(said).casefold()


def made_in(moment: Moment) -> Iterator[tuple[str, int]]:
    """Every node that ever was, and the number of the step in which it was made."""
    step = 1
    for event in moment.events:
        match event:
            case NodeCreated(node=node) | NodesMerged(node=node):
                yield node.id, step
            case PlanUpdated(completed=task) | SourceIngested(task=task) | SourceRefused(task=task):
                step += task is not None
            case _:
                continue


def draw_filter(look: Looking, scene: Scene) -> Shown:
    """Search and filter above the graph, and how many nodes fit; what is to be drawn."""
    fields = _Fields(look)
    with st.container(key="graph-filter", gap="xsmall"):
        columns = st.columns([4, 3, 3, 3, 3], vertical_alignment="bottom", gap="small")
        with columns[0]:
            words = fields.draw_words()
        with columns[1]:
            states = fields.draw_states()
        with columns[2]:
            sources = fields.draw_sources(scene)
        with columns[3]:
            steps = fields.draw_steps()
        with columns[4], st.container(gap=None):
            used = fields.draw_used()
            since = fields.draw_since()
        wanted = Wanted(words, states, sources, steps, used=used, since=since)
        found = shown(look.moment, scene, wanted)
        _draw_count(look, scene, wanted, found)
    return found


def _wanted(look: Looking) -> Wanted:
    """What the tab looks for in the session, also after it looked at another page."""
    session_id, wanted = st.session_state.get(_WANTED, (None, Wanted()))
    return wanted if session_id == look.session_id else Wanted()


def _want(look: Looking, wanted: Wanted) -> None:
    st.session_state[_WANTED] = (look.session_id, wanted)


class _Fields:
    """The fields, each showing its part of what is looked for; each gives what of it can be had at this moment."""

    def __init__(self, look: Looking) -> None:
        self._look, self._wanted = look, _wanted(look)

    def _holding(self, part: str, value: object, meaning: Callable[[Any], Any]) -> tuple[str, Callable[[], None]]:
        """Key and `on_change` of the field for a part of what is looked for; `meaning` is what a choice in it means."""

        def choose(chosen: object) -> None:
            change: dict[str, Any] = {part: meaning(chosen)}
            _want(self._look, replace(_wanted(self._look), **change))

        return holding(f"wanted-{part}", value, choose)

    def draw_words(self) -> str:
        key, tell = self._holding("words", self._wanted.words, str.strip)
        placeholder = say("Words in topics, summaries, keywords, claims")
        return st.text_input(say("Search"), key=key, on_change=tell, placeholder=placeholder)

    def draw_states(self) -> tuple[NodeState, ...]:
        options = [state for state in NODE_STATES if self._look.earlier is not None or state not in SINCE]
        key, tell = self._holding("states", [one for one in self._wanted.states if one in options], tuple)
        chosen = st.multiselect(
            say("State"),
            options,
            key=key,
            on_change=tell,
            format_func=lambda state: NODE_STATES[state].word,
            placeholder=say("Any"),
        )
        return tuple(chosen)

    def draw_sources(self, scene: Scene) -> tuple[str, ...]:
        there = frozenset[str]().union(*(one.sources for one in scene.seen.values()))
        sources = self._look.moment.bank.sources.values()
        options = list(dict.fromkeys(source.name for source in sources if source.name in there))
        key, tell = self._holding("sources", [name for name in self._wanted.sources if name in options], tuple)
        return tuple(st.multiselect(say("Source"), options, key=key, on_change=tell, placeholder=say("Any")))

    def draw_steps(self) -> tuple[int, int] | None:
        """The steps between which a node was made; None: all, also those to come."""
        document = self._look.moment.bank.insight_doc
        last = len(document.completed_tasks) + (document.current_task is not None)
        if last < 2:
            return None
        first, end = self._wanted.steps or (1, last)
        held = (min(first, last), min(end, last))
        key, tell = self._holding("steps", held, lambda chosen: None if chosen == (1, last) else chosen)
        st.slider(say("Made in steps"), 1, last, key=key, on_change=tell)
        return None if held == (1, last) else held

    def draw_used(self) -> bool:
        key, tell = self._holding("used", self._wanted.used, bool)
        return st.checkbox(say("Read by this step"), key=key, on_change=tell)

    def draw_since(self) -> bool:
        """Offered only where two moments are compared."""
        if self._look.earlier is None:
            return False
        key, tell = self._holding("since", self._wanted.since, bool)
        return st.checkbox(say("Only what changed"), key=key, on_change=tell)


def _draw_count(look: Looking, scene: Scene, wanted: Wanted, found: Shown) -> None:
    """How many nodes there are to see, and the way back to all of them."""
    number, of = len(scene.seen if found.nodes is None else found.nodes), len(scene.seen)
    said = [say_n("{n} of {all} nodes shown", "{n} of {all} nodes shown", number, all=f"{of:,}")]
    if found.found is not None:
        matches = len(found.found)
        said.append(say_n("{n} matches “{words}”", "{n} match “{words}”", matches, words=wanted.words))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="graph-count"):
        st.html(f'<span class="mb-quiet" role="status">{escape(", ".join(said))}</span>', width="content")
        if wanted != Wanted():
            clear = say("Show all")
            st.button(clear, key="wanted-clear", type="tertiary", on_click=_want, args=(look, Wanted()))
