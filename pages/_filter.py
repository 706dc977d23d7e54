"""What a person looks for in the graph: words, states, sources, steps. What does not fit is hidden or fades."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from components.language import say, say_n
from components.look import NODE_STATES, NodeState, escape
from components.query_graph import SINCE
from memory_bank.events import NodeCreated, NodesMerged, PlanUpdated, SourceIngested, SourceRefused
from memory_bank.moment import Moment
from pages._graph import Scene, Seen, Shown
from pages._visitor import Looking

_WANTED, _WORDS, _STATES, _SOURCES, _STEPS, _USED, _SINCE = (
    f"wanted-{name}" for name in ("", "words", "states", "sources", "steps", "used", "since")
)


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
    _restore(look)
    with st.container(key="graph-filter", gap="xsmall"):
        columns = st.columns([4, 3, 3, 3, 3], vertical_alignment="bottom", gap="small")
        with columns[0]:
            placeholder = say("Words in topics, summaries, keywords, claims")
            words = st.text_input(say("Search"), key=_WORDS, placeholder=placeholder)
        with columns[1]:
            states = _draw_states(comparing=look.earlier is not None)
        with columns[2]:
            sources = _draw_sources(look.moment, scene)
        with columns[3]:
            steps = _draw_steps(look.moment)
        with columns[4], st.container(gap=None):
            used = st.checkbox(say("Read by this step"), key=_USED)
            since = look.earlier is not None and st.checkbox(say("Only what changed"), key=_SINCE)
        wanted = Wanted(words.strip(), states, sources, steps, used=used, since=since)
        st.session_state[_WANTED] = (look.session_id, wanted)
        found = shown(look.moment, scene, wanted)
        _draw_count(scene, wanted, found)
    return found


def _restore(look: Looking) -> None:
    """Put into the fields what was in them before the person looked at another page, which forgets them."""
    session_id, wanted = st.session_state.get(_WANTED, (None, Wanted()))
    if session_id != look.session_id:
        _fill(Wanted())
    elif _WORDS not in st.session_state:
        _fill(wanted)


def _fill(wanted: Wanted) -> None:
    state = st.session_state
    state[_WORDS], state[_STATES], state[_SOURCES] = wanted.words, list(wanted.states), list(wanted.sources)
    state[_STEPS], state[_USED], state[_SINCE] = wanted.steps, wanted.used, wanted.since


def _draw_states(*, comparing: bool) -> tuple[NodeState, ...]:
    options = [state for state in NODE_STATES if comparing or state not in SINCE]
    st.session_state[_STATES] = [state for state in st.session_state[_STATES] if state in options]
    return tuple(
        st.multiselect(
            say("State"),
            options,
            key=_STATES,
            format_func=lambda state: NODE_STATES[state].word,
            placeholder=say("Any"),
        )
    )


def _draw_sources(moment: Moment, scene: Scene) -> tuple[str, ...]:
    there = frozenset[str]().union(*(one.sources for one in scene.seen.values()))
    options = list(dict.fromkeys(source.name for source in moment.bank.sources.values() if source.name in there))
    st.session_state[_SOURCES] = [name for name in st.session_state[_SOURCES] if name in options]
    return tuple(st.multiselect(say("Source"), options, key=_SOURCES, placeholder=say("Any")))


def _draw_steps(moment: Moment) -> tuple[int, int] | None:
    """The steps between which a node was made; None: all, also those to come."""
    document = moment.bank.insight_doc
    last = len(document.completed_tasks) + (document.current_task is not None)
    if last < 2:
        return None
    first, end = st.session_state[_STEPS] or (1, last)
    slider = f"{_STEPS}-slider-{last}"  # another one for another end: the browser would keep the old values

    def tell() -> None:
        chosen = st.session_state[slider]
        st.session_state[_STEPS] = None if chosen == (1, last) else chosen

    shown = (min(first, last), min(end, last))
    st.session_state[slider] = shown
    st.slider(say("Made in steps"), 1, last, key=slider, on_change=tell)
    return None if shown == (1, last) else shown


def _draw_count(scene: Scene, wanted: Wanted, found: Shown) -> None:
    """How many nodes there are to see, and the way back to all of them."""
    number, of = len(scene.seen if found.nodes is None else found.nodes), len(scene.seen)
    said = [say_n("{n} of {all} nodes shown", "{n} of {all} nodes shown", number, all=f"{of:,}")]
    if found.found is not None:
        matches = len(found.found)
        said.append(say_n("{n} matches “{words}”", "{n} match “{words}”", matches, words=wanted.words))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="graph-count"):
        st.html(f'<span class="mb-quiet" role="status">{escape(", ".join(said))}</span>', width="content")
        if wanted != Wanted():
            st.button(say("Show all"), key="wanted-clear", type="tertiary", on_click=_fill, args=(Wanted(),))
