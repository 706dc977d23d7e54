"""Answering without a model: the statements that answer a question, quoted whole.

It extracts and does not write. A sentence that was refuted is never quoted, one in dispute is left to the
dispute, and when nothing in memory answers, the answer says so, with the nearest passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memory_bank.agents.react import EnhancedPrompt, Quote, Statement, StepResult, Tools
from memory_bank.agents.react import Passage as Found
from memory_bank.bank.answer import NO_ANSWER
from memory_bank.bank.conflict import Conflict, Evidence, Side
from memory_bank.bank.message import Message
from memory_bank.engines.offline.answering.overview import overview
from memory_bank.engines.offline.answering.passages import Passage, library_passages, passages_of
from memory_bank.engines.offline.answering.selection import (
    ANSWERS,
    STEP,
    Candidate,
    checked,
    choose,
    near,
    read,
    told_apart,
)
from memory_bank.engines.offline.answering.setting_aside import Judged
from memory_bank.engines.offline.answering.side_by_side import changes, comparison, computed_of_two
from memory_bank.engines.offline.answering.spoken import at_times_asked, said_by_speakers
from memory_bank.engines.offline.following.question import vague
from memory_bank.judgement.judge import PairJudge, says_the_same, statement_of, why_without
from memory_bank.judgement.reader import NoReader, Reader
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences
from memory_bank.modules.tokens import words
from memory_bank.one_line import one_line
from memory_bank.task_kind import UNDERSTOOD, TaskKind

NEAREST = 3
MOST_NAMES = 6
"""Documents that are named as searched."""
MOST_SAID, MOST_PARTS = 40, 8
"""Sentences of a task that are heard, and questions in them that are answered."""
ROUNDS = 4
"""Times that an overview is made anew without what may not be affirmed."""
_AND = re.compile(r"[?？;；]\s*|,\s*(?:and\s+)?(?=\w+ )|\s+and\s+|[，,]\s*(?=\S)", re.IGNORECASE)
_FEWEST_SIGNS = 6
_SINGLE = frozenset({TaskKind.FACT, TaskKind.COUNT, TaskKind.WHEN})


@dataclass
class _Answering:
    """One task on its way to an answer."""

    prompt: EnhancedPrompt
    tools: Tools
    embedder: Embedder
    judge: PairJudge
    reader: Reader
    kind: TaskKind | None = None
    """What every part is taken for, where that is given."""
    chosen: list[Candidate] = field(default_factory=list)
    nearest: list[Candidate] = field(default_factory=list)
    bearing: dict[str, Conflict] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    """Parts of the task that found no answer."""

    def part(self, asked: str, pool: Sequence[Passage], library: Sequence[Passage], judged: Judged) -> None:
        """Add what answers one part of the task, in memory or in the reference library."""
        kind = self.kind or self.reader.kind(asked)
        if spoken := said_by_speakers(asked, pool):
            found = near(asked, spoken, self.embedder)
            aside = judged.aside([one.passage for one in found])
            self._add([one for one in found if one.passage not in aside])
            return
        if kind is TaskKind.SUMMARY:
            self._add(_under_titles(_standing(pool, judged)))
            return
        if side_by_side := self._side_by_side(kind, asked, pool, judged):
            self._add(side_by_side)
            return
        ranked = read(asked, pool, self.embedder, self.reader)
        least = STEP if kind is TaskKind.HOW else ANSWERS / 2
        close = [one.passage for one in ranked if one.probability >= least]
        aside = judged.aside(list(dict.fromkeys([*close, *(one.passage for one in ranked[: 2 * NEAREST])])))
        found = choose(kind, ranked, aside, self.judge)
        if (kind is TaskKind.COUNT or not found) and (computed := computed_of_two(asked, ranked, aside)):
            found = [computed]
        disputed = self._bear(asked, judged.conflicts)
        looked_up = read(asked, library, self.embedder, self.reader)
        found = checked(found, looked_up, judged.decided)
        if not (found or disputed or any(one.passage in aside and one.probability >= ANSWERS for one in ranked)):
            found = choose(kind, looked_up, set(), self.judge)
        if kind in _SINGLE:
            found = told_apart(found)
        if disputed or found:
            self._add(found)
        else:
            self.open.append(asked)
        self.nearest += [one for one in ranked[: 2 * NEAREST] if one.passage not in aside][:NEAREST]

    def _side_by_side(self, kind: TaskKind, asked: str, pool: Sequence[Passage], judged: Judged) -> list[Candidate]:
        """What changed, or a comparison, where there are two; a comparison without what may not be affirmed."""
        if kind not in (TaskKind.CHANGES, TaskKind.COMPARISON):
            return []
        own = [one for one in pool if one not in judged.aside(pool)] if kind is TaskKind.COMPARISON else pool
        if kind is TaskKind.COMPARISON:
            return comparison(asked, own, self.embedder)
        return changes(own, self.embedder, self.judge)

    def _add(self, found: Sequence[Candidate]) -> None:
        known = {one.passage for one in self.chosen}
        self.chosen += [one for one in found if one.passage not in known]

    def _bear(self, asked: str, conflicts: Sequence[Conflict]) -> bool:
        """Note the conflicts of which a side would answer the question; whether there are any."""
        claims = [(conflict, claim) for conflict in conflicts for claim in conflict.claims]
        found = self.reader.answers(asked, [statement_of(claim) for _, claim in claims])
        for (conflict, _), one in zip(claims, found, strict=True):
            if one.probability >= ANSWERS:
                self.bearing[conflict.id] = conflict
        return any(one.probability >= ANSWERS for one in found)


def _under_titles(chosen: Sequence[Passage]) -> list[Candidate]:
    """An overview by documents, where there are several."""
    titles = {one.document: str(one.entry.metadata.get("title") or one.source) for one in chosen}
    order = {document: number for number, document in enumerate(titles)}
    grouped = sorted(chosen, key=lambda one: order[one.document])
    return [Candidate(one, 1.0, heading=titles[one.document] if len(titles) > 1 else None) for one in grouped]


def _standing(pool: Sequence[Passage], judged: Judged) -> list[Passage]:
    """An overview without what was refuted or is in dispute; others take its place."""
    left = list(pool)
    for _ in range(ROUNDS):
        chosen = overview(left)
        aside = judged.aside(chosen)
        if not aside:
            return chosen
        left = [one for one in left if one not in aside]
    return [one for one in chosen if one not in aside]


def answer(
    prompt: EnhancedPrompt,
    tools: Tools,
    embedder: Embedder,
    judge: PairJudge,
    reader: Reader,
    kind: TaskKind | None = None,
) -> StepResult:
    """Quoted statements for every part of the task, of memory and of the reference library."""
    task = prompt.task.description
    if (kind or reader.kind(task)) is TaskKind.BEYOND:
        beyond = UNDERSTOOD[TaskKind.BEYOND]
        return StepResult(answer=beyond, messages=_messages(task, (), beyond))
    conflicts = tools.conflicts()
    answering = _Answering(prompt, tools, embedder, judge, reader, None if kind is TaskKind.SEVERAL else kind)
    parts = _parts(task, reader)
    pool = _pool(prompt, tools, (task, *parts))
    library = library_passages(parts, tools, pool)
    judged = Judged(conflicts, embedder, judge)
    for part in parts:
        answering.part(part, pool, library, judged)
    quoted = [one.passage for one in answering.chosen]
    for conflict in conflicts:
        if any(claim.overlaps(one.entry.id, *one.span) for one in quoted for claim in conflict.parties):
            answering.bearing[conflict.id] = conflict
    disputed = any(conflict.undecided for conflict in answering.bearing.values())
    if answering.chosen or disputed or any(_settled(answering)):
        return _result(task, answering)
    return _nothing(task, answering, [*pool, *library])


_ORDERS = frozenset({TaskKind.SUMMARY, TaskKind.LIST, TaskKind.DATES, TaskKind.COMPARISON, TaskKind.CHANGES})
"""Kinds of task that are given as an order as often as they are asked."""


def _asked(task: str, reader: Reader) -> list[str]:
    """What is asked in a task that tells something too: its questions and orders, where these stand alone."""
    said = [span.of(task).strip() for span in sentences(task)]
    asked = [one for one in said if one.endswith(("?", "？"))]
    if len(said) == 1 or any(vague(one) for one in asked):
        return [task]
    return [one for one in said[:MOST_SAID] if one in asked or reader.kind(one) in _ORDERS] or [task]


def _parts(task: str, reader: Reader) -> list[str]:
    """The questions in a task that has several, each as it can be asked by itself."""
    parts: list[str] = []
    for one in _asked(task, reader):
        pieces = [piece.strip() for piece in _AND.split(one) if piece.strip()]
        several = len(pieces) > 1 and reader.kind(one) is TaskKind.SEVERAL
        parts += [piece for piece in pieces if len(piece) >= _FEWEST_SIGNS] if several else [one]
    return parts[:MOST_PARTS] or [task]


def _pool(prompt: EnhancedPrompt, tools: Tools, questions: Sequence[str]) -> list[Passage]:
    """Statements of the entries behind the nodes that bear on the questions, best nodes first."""
    asked: dict[tuple[str, ...], str] = {}
    for question in questions:  # one and its only part differ by no more than a question mark
        asked.setdefault(tuple(words(question)), question)
    nodes = [node for question in asked.values() for node in tools.research(question)]
    found = passages_of([node.id for node in (*nodes, *prompt.nodes)], tools)
    return at_times_asked(prompt.task.description, found)


# -- the result ------------------------------------------------------------------------------------------------------


def _result(task: str, answering: _Answering) -> StepResult:
    statements = [made for one in answering.chosen for made in _statements(one, answering)]
    statements = list({one.quotes[0].text: one for one in (*statements, *_settled(answering))}.values())
    quotes = [one.quotes[0].text for one in statements]
    found = " ".join(" ".join(quote.split()) for quote in quotes) or "What the documents say on this is in dispute."
    return StepResult(
        answer=found,
        messages=_messages(task, quotes, found, [one.passage.found for one in answering.chosen]),
        statements=tuple(statements),
        conflicts=tuple(answering.bearing),
        unanswered=tuple(answering.open),
    )


def _statements(one: Candidate, answering: _Answering) -> Iterator[Statement]:
    """A passage as a sentence of the answer, and then the evidence that settled a dispute about it."""
    turn = one.passage.turn
    who = (f"{turn.speaker} ({turn.day})" if turn.day else turn.speaker) if turn is not None else None
    quotes = (one.passage.quote, *((one.beside.quote,) if one.beside else ()))
    yield Statement(quotes=quotes, value=who or one.label, heading=one.heading)
    for conflict in answering.bearing.values():
        for claim, side in zip(conflict.claims, _SIDES, strict=True):
            if conflict.verdict == side and says_the_same(one.passage.statement, statement_of(claim), answering.judge):
                yield from (Statement(quotes=(_quote(one),)) for one in _speaking(conflict, side))


def _settled(answering: _Answering) -> Iterator[Statement]:
    """What the sources say where they refute both sides of a dispute that bears on the task."""
    for conflict in answering.bearing.values():
        if conflict.verdict == "neither":
            yield from (Statement(quotes=(_quote(found),)) for found in _speaking(conflict, "neither"))


_SIDES: tuple[Side, Side] = ("first", "second")


def _speaking(conflict: Conflict, side: Side) -> list[Evidence]:
    """The surest evidence for a side, if there is any."""
    return [one for one in conflict.evidence if one.supports == side][:1]


def _quote(found: Evidence) -> Quote:
    return Quote(source=found.source, text=found.passage)


def _nothing(task: str, answering: _Answering, searched: Sequence[Passage]) -> StepResult:
    """That there is no answer, what was searched, and what came nearest."""
    nearest = list({one.passage: one for one in answering.nearest}.values())[:NEAREST]
    lines = [f"- “{one_line(one.passage.text)}” ({one_line(one.passage.source)})" for one in nearest]
    names = list(dict.fromkeys(one_line(one.source) for one in searched))
    unread = why_without() if isinstance(answering.reader, NoReader) else None
    found = [NO_ANSWER if unread is None else f"No answer could be given: {unread}"]
    found += ["", f"Searched: {', '.join(names[:MOST_NAMES])}{'…' if len(names) > MOST_NAMES else ''}"] if names else []
    found += ["", "Nearest passages:", *lines] if lines else []
    told = "\n".join(found)
    return StepResult(answer=told, messages=_messages(task, (), told), conflicts=tuple(answering.bearing))


def _messages(
    task: str, quotes: Sequence[str], found: str, looked_up: Sequence[Found | None] = ()
) -> tuple[Message, ...]:
    """The step's messages; what the reference library had and is quoted enters memory with them."""
    brought = dict.fromkeys(one for one in looked_up if one is not None)
    return (
        Message(role="user", content=task),
        *(Message(role="tool", name="search", content=one.text, source=one.source, page=one.page) for one in brought),
        *(Message(role="tool", name="deep_retrieval", content=quote, from_memory=True) for quote in quotes),
        Message(role="assistant", content=found),
    )
