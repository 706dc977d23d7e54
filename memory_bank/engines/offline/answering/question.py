"""Answering without a model: the passages that answer a question, quoted, the asked value first.

It extracts and does not write. A sentence that was refuted is never quoted, one in dispute is left to the
dispute, and when nothing in memory answers, the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_bank.agents.react import EnhancedPrompt, Statement, StepResult, Tools
from memory_bank.bank.answer import NO_ANSWER
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.message import Message
from memory_bank.engines.offline.answering.candidates import Candidate
from memory_bank.engines.offline.answering.expected import Expected
from memory_bank.engines.offline.answering.link import linked
from memory_bank.engines.offline.answering.overview import asks_for_overview, overview
from memory_bank.engines.offline.answering.passages import Passage, passages_of
from memory_bank.engines.offline.answering.selection import choose
from memory_bank.engines.offline.answering.setting_aside import Judged
from memory_bank.engines.offline.answering.spoken import asked_of_speakers
from memory_bank.engines.offline.bearing import bearing_on
from memory_bank.engines.offline.claims.claims import ClaimText, claim_features
from memory_bank.engines.offline.following.question import vague
from memory_bank.engines.offline.language.subjects import SubjectKind
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences
from memory_bank.modules.tokens import tokenize, words
from memory_bank.values.values import ValueKind

_PARTS = re.compile(
    r"[?？;；]\s*|,\s*(?=(?:and\s+)?(?:when|how|who|where|which|what|why)\b)"
    r"|\s+and\s+(?=(?:when|how|who|where|which|what|why)\b)|[，,]\s*(?=(?:何时|有?多|谁|哪|什么))",
    re.IGNORECASE,
)

_ORDER = re.compile(
    r"(?:please )?(?:find|tell|list|give|show|name|say|state|summari[sz]e|compare|describe|explain|identify|determine"
    r"|check|look up|work out|calculate)\b|请|列出|说明|总结|比较|描述|解释|查",
    re.IGNORECASE,
)
_CHINESE = re.compile("[\u3400-\u9fff]")
_CHINESE_QUESTION = 3
"""Signs of the shortest question: 有多长."""
_CHINESE_TOPIC = re.compile("[\u3400-\u9fff]{2,}?(?=[是有在于由哪多何什谁几的])")


def answer(prompt: EnhancedPrompt, tools: Tools, embedder: Embedder) -> StepResult:
    """Quoted passages for every part of the task; from the reference library what memory does not hold."""
    question = prompt.task.description
    parts = _parts(question)
    conflicts = tools.conflicts()
    judged = Judged(conflicts)
    pool = _pool(prompt, tools, (question, *parts))
    chosen: list[Candidate] = []
    for part in parts:
        if asks_for_overview(part):
            quotable = [passage for passage in pool if not judged.against(passage)]
            chosen += [Candidate(passage, passage) for passage in overview(quotable)]
        else:
            chosen += _further(part, pool, judged, tools, embedder) or choose(part, pool, judged, embedder, chosen)
    bearing = _bearing(parts, chosen, conflicts, embedder)
    if chosen or any(conflict.status == "disputed" for conflict in bearing):
        return _result(question, chosen, bearing)
    return _looked_up(question, bearing, tools)


def _further(part: str, pool: Sequence[Passage], judged: Judged, tools: Tools, embedder: Embedder) -> list[Candidate]:
    """What answers a question that describes a thing, once its name is found; then the sentence that tells the name."""
    link = linked(part, [passage for passage in pool if not judged.against(passage)])
    if link is None:
        return []
    beyond = passages_of([node.id for node in tools.research(link.question)], tools)
    found = choose(link.question, beyond, judged, embedder, ())
    return [*found, Candidate(link.passage, link.passage)] if found else []


def _asked(task: str) -> str:
    """What is asked in a task that tells something too: its questions and orders alone, where these stand alone."""
    said = [span.of(task).strip() for span in sentences(task)]
    asked = [one for one in said if one.endswith(("?", "？")) or _ORDER.match(one)]
    alone = asked and len(asked) < len(said) and not any(vague(one) for one in asked)
    return " ".join(asked) if alone else task


def _parts(question: str) -> list[str]:
    """The questions in a task; one in Chinese that leaves out what it is about gets it from the one before."""
    parts: list[str] = []
    for part in _PARTS.split(_asked(question)):
        if len(part.split()) + len(part) // 8 > 2 or len(_CHINESE.findall(part)) >= _CHINESE_QUESTION:
            told = _CHINESE_TOPIC.match(parts[0]) if parts and not Expected.of(part).subject else None
            parts.append((told[0] if told else "") + part.strip())
    return parts or [question]


def _pool(prompt: EnhancedPrompt, tools: Tools, questions: Sequence[str]) -> list[Passage]:
    """Sentences of the entries behind the nodes that bear on the questions, best nodes first."""
    asked: dict[tuple[str, ...], str] = {}
    for question in questions:  # one and its only part differ by no more than a question mark
        asked.setdefault(tuple(words(question)), question)
    nodes = [node for question in asked.values() for node in tools.research(question)]
    found = passages_of([node.id for node in (*nodes, *prompt.nodes)], tools)
    return asked_of_speakers(prompt.task.description, found)


def _bearing(
    parts: Sequence[str], chosen: Sequence[Candidate], conflicts: Sequence[Conflict], embedder: Embedder
) -> list[Conflict]:
    """Conflicts that are about the question, or about a sentence that is quoted."""
    close = {conflict.id for part in parts for conflict in bearing_on(part, conflicts, embedder)}
    quoted = [one.sentence for one in chosen]
    return [
        conflict
        for conflict in conflicts
        if conflict.id in close
        or any(claim.overlaps(one.entry.id, *one.span) for one in quoted for claim in conflict.parties)
    ]


def _result(question: str, chosen: Sequence[Candidate], bearing: Sequence[Conflict]) -> StepResult:
    quotes = [" ".join(one.text.split()) for one in chosen]
    found = " ".join(quotes) or "What the documents say on this is in dispute."
    return StepResult(
        answer=found,
        messages=(
            Message(role="user", content=question),
            *(Message(role="tool", name="deep_retrieval", content=quote, from_memory=True) for quote in quotes),
            Message(role="assistant", content=found),
        ),
        statements=tuple(dict.fromkeys(Statement(quotes=(one.passage.quote,), value=_label(one)) for one in chosen)),
        conflicts=tuple(conflict.id for conflict in bearing),
    )


def _label(one: Candidate) -> str | None:
    """The value that is asked for, and of what, where the passage only points to it ("The population was 48").

    Before what was said in a chat stands who said it and on which day.
    """
    found, topic, turn = one.found, one.passage.topic, one.passage.turn
    if turn is not None:
        return f"{turn.speaker} ({turn.day})" if turn.day else turn.speaker
    if found is None or (found.value and found.value.kind is ValueKind.NAME):
        return None
    subject = claim_features(ClaimText(one.sentence.text)).subject
    named = subject.kind is SubjectKind.NAME or set(tokenize(topic)) & set(tokenize(one.text))
    return found.text if named or not topic else f"{topic}, {found.text}"


def _looked_up(question: str, bearing: Sequence[Conflict], tools: Tools) -> StepResult:
    """What the reference library has on a question that memory does not answer; it enters memory as new."""
    passages = tools.search(question)[:3]
    found = f"The documents do not say; looked in {passages[0].source}." if passages else NO_ANSWER
    heard = tuple(
        Message(role="tool", name="search", content=passage.text, source=passage.source, page=passage.page)
        for passage in passages
    )
    return StepResult(
        answer=found,
        messages=(Message(role="user", content=question), *heard, Message(role="assistant", content=found)),
        conflicts=tuple(conflict.id for conflict in bearing),
    )
