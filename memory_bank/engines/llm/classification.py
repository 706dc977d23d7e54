"""Classification on a model: it groups numbered passages, so that the words of a cluster are always the text's own.

Whatever it answers, the clusters together are the text: numbers that do not exist are dropped, a passage given
twice stays where it was given first, and passages left out become clusters of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape

from pydantic import BaseModel, Field

from memory_bank.agents.agent import Language
from memory_bank.agents.classification import ClassificationInput, ClassificationOutput, Cluster
from memory_bank.engines.llm.alignment import invented_numbers
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.prompt import as_written, clean, clean_keywords, fenced, rules
from memory_bank.engines.llm.window import brief
from memory_bank.engines.offline.keywords import keywords_of
from memory_bank.modules.chunking import chunk
from memory_bank.modules.span import Span

MOST_PASSAGES = 300
FEW_PASSAGES = 25
LEAST_TOKENS = 40
TOKENS_PER_PASSAGE = 80
"""A number takes about four tokens: one for every eighty is 5 %. A text of few passages may have more."""
LEAST_ROOM = 64
"""Tokens of passages that are sent at least, however small a window is set."""
LONGEST_CONTEXT = 300
FIRST_WORDS = 120

PROMPT: dict[Language, str] = {
    "en": """You sort a document by topic. Every line of <document> is one passage and begins with its number in \
brackets.
- Put the passages about one subject into one cluster, wherever they stand. Every passage belongs to exactly one \
cluster. A heading belongs to its text, an example to what it is an example of.
- A new topic begins where the subject changes, not with every paragraph: rather few clusters than many.
- If everything is about one subject, should_cluster is false, and there is one cluster with all passages.
- passages: the numbers of the cluster's passages.
- context: one sentence that names the subject and what is said of it, clear without the document.
- keywords: three to eight key phrases from the passages.
- <task>, where there is one, is what the reader is working on: of several good divisions choose the one that serves it.
{rules}""",
    "zh": """你按主题整理一份文档。<document> 的每一行是一个段落，以方括号中的编号开头。
- 把讲同一对象的段落放进同一个聚类，不论其位置。每个段落只属于一个聚类。标题归入其正文，例子归入其说明的内容。
- 对象改变时才开始新主题，不必每段一个主题：宁少勿多。
- 如果全部内容只讲一个对象，should_cluster 为 false，并给出一个包含全部段落的聚类。
- passages：该聚类的段落编号。
- context：一句话，写明对象以及关于它说了什么，不看文档也能明白。
- keywords：三至八个取自段落的关键短语。
- <task>（如果有）是读者正在做的工作：若有几种合理的划分，选择有助于它的那一种。
{rules}""",
}


class ClusterReply(BaseModel):
    """One topic as a model gives it. What is missing, as after an answer that was cut off, is mended."""

    passages: list[int] = Field(default=[], description="numbers of the passages of this topic")
    context: str = Field(default="", description="one sentence: the subject and what is said of it")
    keywords: list[str] = Field(default=[], description="three to eight key phrases")


class ClassificationReply(BaseModel):
    """The topics of a document as a model gives them."""

    should_cluster: bool = Field(default=True, description="false if everything is about one subject")
    clusters: list[ClusterReply]


@dataclass(frozen=True)
class _Topic:
    """Passages that belong together, by number and in order, and what the model says of them, if it does."""

    numbers: tuple[int, ...]
    context: str | None = None
    keywords: tuple[str, ...] = ()


def classify(given: ClassificationInput, consultation: Consultation) -> ClassificationOutput:
    """The topics of a text, in as many requests as the window asks for. `AgentError` when none can be had.

    `InvalidOutputError` for an answer that puts no passage into any cluster.
    """
    system = PROMPT[consultation.language].format(rules=rules(consultation.language, "name", "document"))
    frame = _frame(given)
    room = max(consultation.room(system, frame, fenced("document", "")), LEAST_ROOM)
    passages = _passages(given, room // 2, lambda text: consultation.count_tokens(escape(text)))
    lines = [f"[{number}] {' '.join(passage.of(given.text).split())}" for number, passage in enumerate(passages, 1)]
    topics: list[_Topic] = []
    for numbers in _requests(lines, room, consultation.count_tokens):
        document = fenced("document", "\n".join(lines[number - 1] for number in numbers))
        reply = consultation.ask(system, f"{frame}{document}", ClassificationReply)
        topics += _topics(reply, numbers, consultation)
    topics.sort(key=lambda topic: topic.numbers)
    clusters = tuple(
        _cluster(given, cluster_id, topic, _spans(topic, passages), consultation)
        for cluster_id, topic in enumerate(topics, start=1)
    )
    return ClassificationOutput(should_cluster=len(clusters) > 1, clusters=clusters)


def _frame(given: ClassificationInput) -> str:
    """What stands before the document: its name, and the task."""
    task = f"{fenced('task', clean(given.task, 500))}\n" if given.task else ""
    return f"{fenced('name', clean(given.title or given.source, 200))}\n{task}"


# -- passages ------------------------------------------------------------------------------------------------


def _passages(given: ClassificationInput, largest: int, count: Callable[[str], int]) -> list[Span]:
    """Paragraphs, or sentences of long ones, or several short ones: joined they are the text.

    A heading begins one, unless there are more headings than passages there may be.
    """
    starts = _section_starts(given)
    tokens = count(given.text)
    most = min(MOST_PASSAGES, max(FEW_PASSAGES, tokens // TOKENS_PER_PASSAGE))
    size = max(LEAST_TOKENS, math.ceil(tokens / most))
    edges = [0, *starts, len(given.text)] if len(starts) <= most // 2 else [0, len(given.text)]
    while True:
        size = min(size, largest)
        found = [
            Span(start + piece.start, start + piece.end)
            for start, end in pairwise(edges)
            for piece in chunk(given.text[start:end], size, count, [place - start for place in starts])
        ]
        if len(found) <= most or size == largest:
            return found or [Span(0, 0)]
        size *= 2


def _section_starts(given: ClassificationInput) -> list[int]:
    """Where sections begin; a heading right after another one begins none."""
    starts: list[int] = []
    heading_end = 0
    for section in sorted(given.sections, key=lambda section: section.start):
        if given.text[heading_end : section.start].strip():
            starts.append(section.start)
        heading_end = max(heading_end, section.end)
    return [start for start in starts if start < len(given.text)]


def _requests(lines: Sequence[str], room: int, count: Callable[[str], int]) -> Iterator[range]:
    """Numbers of adjacent passages that fit into one request."""
    first, taken = 1, 0
    for number, line in enumerate(lines, start=1):
        tokens = count(escape(line))
        if number > first and taken + tokens > room:
            yield range(first, number)
            first, taken = number, 0
        taken += tokens
    yield range(first, len(lines) + 1)


# -- the answer ----------------------------------------------------------------------------------------------


def _topics(reply: ClassificationReply, shown: range, consultation: Consultation) -> list[_Topic]:
    """The answer made a division of the passages that were shown: each in exactly one topic."""
    if not reply.should_cluster and reply.clusters:
        if len(reply.clusters) > 1:
            consultation.remark("repaired", f"one topic was given as {len(reply.clusters)} clusters: they are made one")
        return [_one_topic(reply.clusters, shown)]
    topics: list[_Topic] = []
    free, unknown, twice = set(shown), list[int](), list[int]()
    for cluster in reply.clusters:
        wanted = set(cluster.passages)
        unknown += sorted(wanted - set(shown))
        twice += sorted((wanted & set(shown)) - free)
        if wanted & free:
            topics.append(_Topic(tuple(sorted(wanted & free)), cluster.context, tuple(cluster.keywords)))
        free -= wanted
    if not topics:
        consultation.refuse(f"no cluster has a passage of the document; they are numbered {shown[0]} to {shown[-1]}")
    left = _runs(sorted(free))
    if unknown:
        consultation.remark("dropped", f"passages that do not exist: {_listed(unknown)}")
    if twice:
        consultation.remark("dropped", f"passages given twice stay in their first cluster: {_listed(twice)}")
    if left:
        consultation.remark("repaired", f"passages left out are clusters of their own: {_listed(sorted(free))}")
    return [*topics, *(_Topic(run) for run in left)]


def _one_topic(clusters: Sequence[ClusterReply], shown: range) -> _Topic:
    contexts = dict.fromkeys(cluster.context for cluster in clusters)
    keywords = tuple(keyword for cluster in clusters for keyword in cluster.keywords)
    return _Topic(tuple(shown), " ".join(contexts), keywords)


def _runs(numbers: Sequence[int]) -> list[tuple[int, ...]]:
    """Numbers in order as runs without a gap."""
    runs: list[list[int]] = []
    for number in numbers:
        if not runs or number != runs[-1][-1] + 1:
            runs.append([])
        runs[-1].append(number)
    return [tuple(run) for run in runs]


def _listed(numbers: Sequence[int]) -> str:
    named = ", ".join(str(number)[:12] for number in numbers[:10])
    return named if len(numbers) <= 10 else f"{named} and {len(numbers) - 10} more"


# -- clusters ------------------------------------------------------------------------------------------------


def _spans(topic: _Topic, passages: Sequence[Span]) -> tuple[Span, ...]:
    """Where the topic stands in the text, passages that follow one another as one stretch."""
    return tuple(Span(passages[run[0] - 1].start, passages[run[-1] - 1].end) for run in _runs(topic.numbers))


def _cluster(
    given: ClassificationInput, cluster_id: int, topic: _Topic, spans: tuple[Span, ...], consultation: Consultation
) -> Cluster:
    content = "".join(span.of(given.text) for span in spans)
    known = f"{given.text}\n{given.title}\n{given.source}"
    context = brief(as_written(topic.context or ""), LONGEST_CONTEXT)
    keywords = clean_keywords(as_written(keyword) for keyword in topic.keywords if not invented_numbers(keyword, known))
    invented = invented_numbers(context, known)
    if invented:
        consultation.remark("repaired", f"cluster {cluster_id}: {', '.join(sorted(invented))} is not in the text")
    elif topic.context is not None and not (context and keywords):
        consultation.remark("repaired", f"cluster {cluster_id}: context or keywords were missing")
    if invented or not context:
        context = _heading(given, spans[0]) or brief(content, FIRST_WORDS) or clean(given.title or given.source)
    return Cluster(
        cluster_id=cluster_id,
        context=context,
        keywords=keywords or keywords_of([content])[0],
        spans=tuple((span.start, span.end) for span in spans),
    )


def _heading(given: ClassificationInput, span: Span) -> str:
    """The heading under which a stretch begins, after the name of the document."""
    above = [section for section in given.sections if section.start <= span.start]
    if not above:
        return ""
    heading = max(above, key=lambda section: section.start).title
    return brief(": ".join(part for part in (given.title, heading) if part and part.strip()), LONGEST_CONTEXT)
