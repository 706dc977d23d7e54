"""The events of a session as large as the page must bear: 1,000 nodes and 20,000 events by default."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count

from memory_bank.bank.conflict import Conflict, Evidence, Verification
from memory_bank.bank.events import (
    AgentCalled,
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    EdgeCreated,
    Event,
    NodeAnalysed,
    NodeCreated,
    NodesMerged,
    PlanUpdated,
    PromptEnhanced,
    SourceAdded,
    SourceIngested,
    SourceRead,
    StatusChanged,
    TextClassified,
    TextStreamed,
)
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask
from memory_bank.bank.interaction_tree import Entry, Merge
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.source import Source
from tests.builders import OFFLINE, USAGE, at, make_answer, make_created

SOURCES = 10
WORDS = "river dam mill bridge harbour tower canal market archive survey winter council granite copper".split()


def large_session(nodes: int = 1000, events: int = 20_000, *, finished: bool = True) -> list[Event]:
    """Ten documents read into so many nodes, some of them in conflict; then steps until there are enough events."""
    told = [*_reading(nodes)]
    steps = [*_steps(nodes, events - len(told) - 2)]
    end: list[Event] = [_answer(), StatusChanged(status="finished")] if finished else []
    numbered = enumerate([*told, *steps, *end], start=1)
    return [event.model_copy(update={"seq": seq, "at": at(seq / 10)}) for seq, event in numbered]


def new_node(number: int, other: int) -> list[Event]:
    """A node that comes while somebody watches, related to another."""
    unit = f"s{SOURCES}.1.{number}"
    node, entry = _node(number, SOURCES), _entry(number, SOURCES)
    return [
        _call(f"structure/{unit}", "structure"),
        NodeCreated(node=node, entry=entry, unit=unit),
        NodeAnalysed(node_id=node.id, candidates=()),
        *([EdgeCreated(node_ids=(node.id, f"n{other}"))] if other else []),
    ]


def _answer() -> Event:
    return AnswerGiven(answer=make_answer("e1"))


def _reading(nodes: int) -> Iterator[Event]:
    chance = random.Random(4)
    yield make_created(task="What do the archives say about the river, its dams and its mills?")
    yield StatusChanged(status="running")
    for number in range(1, SOURCES + 1):
        yield SourceAdded(source=_source(number))
    conflicts = count(1)
    for number in range(1, nodes + 1):
        source = 1 + (number - 1) * SOURCES // nodes
        if (number - 1) % (nodes // SOURCES) == 0:
            yield from _begin_source(source, number, nodes)
        yield _call(f"structure/s{source}.1.{number}", "structure")
        yield NodeCreated(node=_node(number, source), entry=_entry(number, source), unit=f"s{source}.1.{number}")
        yield _call(f"analysis/n{number}", "analysis")
        for _ in range(min(3, number - 1)):
            yield EdgeCreated(node_ids=(f"n{number}", f"n{max(1, number - chance.randint(1, 30))}"))
        if number % 25 == 0:
            yield ConflictOpened(conflict=_conflict(f"x{next(conflicts)}", number - 1, number))
        yield NodeAnalysed(node_id=f"n{number}", candidates=tuple(f"n{n}" for n in range(max(1, number - 5), number)))


def _begin_source(number: int, node: int, nodes: int) -> Iterator[Event]:
    if node > 1:
        task = CompletedTask(type="NORMAL", description=f"Read report {number - 1}.txt", status="success", context="")
        yield SourceIngested(source_id=f"s{number - 1}", task=task)
    yield SourceRead(
        source_id=f"s{number}", title=f"Report {number}", media_type="text/plain", characters=9000, pages=0
    )
    yield TextClassified(unit=f"s{number}.1", source_id=f"s{number}", clusters=nodes // SOURCES)


def _steps(nodes: int, events: int) -> Iterator[Event]:
    """Verifications of the first conflicts, with a merge each, among the pieces of what the agent says."""
    made, said = count(nodes + 1), 0
    conflict = 0
    current: CurrentTask | None = None
    while said < events:
        conflict += 1
        completed = _done(current) if current else None
        task = CurrentTask(id=f"t{conflict}", type="NORMAL", description=f"Look into report {conflict}")
        yield PlanUpdated(completed=completed, current=task)
        yield PromptEnhanced(task_id=task.id, node_ids=tuple(f"n{n}" for n in range(conflict * 2, conflict * 2 + 8)))
        said += 2
        for _ in range(min(120, events - said)):
            yield TextStreamed(task_id=task.id, text="and then the archive says ")
            said += 1
        if conflict <= 20 and said + 3 < events:
            yield from _settle(conflict, next(made))
            said += 2
        current = task


def _settle(conflict: int, made: int) -> Iterator[Event]:
    first, second = conflict * 25 - 1, conflict * 25
    verification = Verification(
        conflict_id=f"x{conflict}",
        verdict="second",
        reason="A reference supports it.",
        confidence=0.9,
        evidence=(Evidence(source="register.md", passage="It was finished in 1970.", supports="second"),),
    )
    yield ConflictDecided(verification=verification, decided_by="agent")
    merge = Merge(
        node_ids=(f"n{first}", f"n{second}"),
        at=at(made),
        description="One dam, two years.",
        verdict="second",
        conflict_id=f"x{conflict}",
    )
    node = _node(second, 1).model_copy(update={"id": f"n{made}"})
    yield NodesMerged(node=node, merge=merge)


def _done(task: CurrentTask) -> CompletedTask:
    return CompletedTask(type="NORMAL", description=task.description, status="success", context="It says what it says.")


def _source(number: int) -> Source:
    return Source(
        id=f"s{number}",
        name=f"report {number}.txt",
        role="material",
        path=f"files/s{number}",
        bytes=9000,
        sha256="00" * 32,
    )


def _text(number: int) -> str:
    chance = random.Random(number)
    words = " ".join(chance.choices(WORDS, k=12))
    return f"The {chance.choice(WORDS)} of report {number} was finished in {1900 + number % 100}. It tells of {words}."


def _node(number: int, source: int) -> Node:
    text = _text(number)
    end = text.index(".") + 1
    claim = Claim(
        id=f"c{number}", text=text[:end], entry_id=f"e{number}", start=0, end=end, source=f"report {source}.txt"
    )
    chance = random.Random(number)
    return Node(
        id=f"n{number}",
        summary=text,
        context=f"Report {source}: the {' and the '.join(chance.sample(WORDS, 2))}",
        keywords=tuple(chance.sample(WORDS, 4)),
        timestamp=at(number / 10),
        claims=(claim,),
    )


def _entry(number: int, source: int) -> Entry:
    metadata = {"source": f"report {source}.txt", "source_id": f"s{source}", "start": 0}
    return Entry(id=f"e{number}", text=_text(number), created_at=at(number / 10), metadata=metadata)


def _conflict(conflict_id: str, first: int, second: int) -> Conflict:
    a, b = (_node(number, 1).claims[0] for number in (first, second))
    return Conflict(
        id=conflict_id, node_ids=(f"n{first}", f"n{second}"), claims=(a, b), description="Two years for one dam"
    )


def _call(key: str, agent: str) -> Event:
    return AgentCalled(key=key, agent=agent, provider=OFFLINE.provider, model=OFFLINE.model, output={}, usage=USAGE)
