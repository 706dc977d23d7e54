"""Classification by a language model: group a document's numbered passages by topic.

Only numbers are taken from the reply, so a cluster always holds the text's own words. Every passage ends in exactly
one cluster: unknown numbers are dropped, a passage given twice stays in its first cluster, and passages left out
become clusters of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from xml.sax.saxutils import escape

from pydantic import BaseModel

from memory_bank.agents.agent import Engine, Language
from memory_bank.agents.classification import CLASSIFICATION, ClassificationInput, ClassificationOutput, Cluster
from memory_bank.agents.prompt import clean_keywords, clean_text, fenced, rules, unescape_quote
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.window import one_paragraph
from memory_bank.judgement.alignment import invented_numbers
from memory_bank.text.chunking import chunk
from memory_bank.text.iteration import packed
from memory_bank.text.keywords import keywords_of
from memory_bank.text.span import Span
from memory_bank.text.wording import Wording

MOST_PASSAGES = 300
FEW_PASSAGES = 25
LEAST_TOKENS = 40
TOKENS_PER_PASSAGE = 80
"""A passage number takes about four tokens, 5 % of eighty. Up to `FEW_PASSAGES`, passages may be shorter."""
LEAST_ROOM = 64
"""Tokens of passages per request at least, however small the window."""
LONGEST_CONTEXT = 300
FIRST_WORDS = 120
SHORT_TOKENS = 4_000
"""Up to these tokens a text is grouped by the embedded engine: Structure shows it to the model whole."""

PROMPT: dict[Language, str] = {
    "en": """You sort a document by topic. Each line of <document> is one passage; its number stands before it in \
brackets.
- Put the passages about one subject into one cluster, wherever they stand; each passage into exactly one. A heading \
belongs to its text, an example to what it is an example of.
- Rather few clusters than many. If all is about one subject, should_cluster is false and there is one cluster.
- context: one sentence that names the subject and what is said of it, clear without the document.
- keywords: three to eight key phrases from the passages.
- <task> is what the reader works on: of several good divisions choose the one that serves it.
{rules}""",
    "zh": """你按主题整理一份文档。<document> 的每一行是一个段落，以方括号中的编号开头。
- 把讲同一对象的段落放进同一个聚类，不论其位置；每个段落只属于一个聚类。标题归入其正文，例子归入其说明的内容。
- 聚类宁少勿多。如果全部内容只讲一个对象，should_cluster 为 false，只给一个聚类。
- context：一句话，写明对象以及关于它说了什么，不看文档也能明白。
- keywords：三至八个取自段落的关键短语。
- <task> 是读者正在做的工作：若有几种合理的划分，选择有助于它的那一种。
{rules}""",
}


class ClusterReply(BaseModel):
    """One topic as a model gives it. Fields may be missing where the answer was cut off."""

    passages: list[int] = []
    context: str = ""
    keywords: list[str] = []


class ClassificationReply(BaseModel):
    """The topics of a document as a model gives them."""

    should_cluster: bool = True
    clusters: list[ClusterReply]


@dataclass(frozen=True)
class _Topic:
    """Passages that belong together, by number in order, with the model's context and keywords, if any."""

    numbers: tuple[int, ...]
    context: str | None = None
    keywords: tuple[str, ...] = ()


def classify(
    agent_input: ClassificationInput, consultation: Consultation, embedded: Engine | None = None
) -> ClassificationOutput:
    """Group a text into clusters, in as many requests as the window needs. `AgentError` when there is no answer.

    The `embedded` engine groups a short text. `InvalidOutputError` for an answer that puts no passage into any cluster.
    """
    if embedded is not None and consultation.count_tokens(agent_input.text) <= SHORT_TOKENS:
        return embedded.judge(CLASSIFICATION, agent_input).output
    system = PROMPT[consultation.language].format(rules=rules(consultation.language, "name", "document"))
    task = f"{fenced('task', one_paragraph(agent_input.task, 500))}\n" if agent_input.task else ""
    header = f"{fenced('name', one_paragraph(agent_input.title or agent_input.source, 200))}\n{task}"
    room = max(consultation.room(system, header, fenced("document", "")), LEAST_ROOM)
    passages = _passages(agent_input, room // 2, lambda text: consultation.count_tokens(escape(text)))
    lines = [
        f"[{number}] {' '.join(passage.of(agent_input.text).split())}" for number, passage in enumerate(passages, 1)
    ]
    topics: list[_Topic] = []
    numbered = range(1, len(lines) + 1)
    for numbers in packed(numbered, room, lambda number: consultation.count_tokens(escape(lines[number - 1]))):
        document = fenced("document", "\n".join(lines[number - 1] for number in numbers))
        reply = consultation.ask(system, f"{header}{document}", ClassificationReply)
        topics += _topics(reply, numbers, consultation)
    topics.sort(key=lambda topic: topic.numbers)
    clusters = tuple(
        _cluster(agent_input, cluster_id, topic, passages, consultation)
        for cluster_id, topic in enumerate(topics, start=1)
    )
    return ClassificationOutput(should_cluster=len(clusters) > 1, clusters=clusters)


# -- passages ------------------------------------------------------------------------------------------------


def _passages(agent_input: ClassificationInput, largest: int, count: Callable[[str], int]) -> list[Span]:
    """Split the text into paragraphs, long ones into sentences, short ones joined; together they are the whole text."""
    starts = _section_starts(agent_input)
    tokens = count(agent_input.text)
    most = min(MOST_PASSAGES, max(FEW_PASSAGES, tokens // TOKENS_PER_PASSAGE))
    size = max(LEAST_TOKENS, math.ceil(tokens / most))
    bounds = [0, *starts, len(agent_input.text)] if len(starts) <= most // 2 else [0, len(agent_input.text)]
    while True:
        size = min(size, largest)
        passages = [
            Span(start + piece.start, start + piece.end)
            for start, end in pairwise(bounds)
            for piece in chunk(agent_input.text[start:end], size, count, [place - start for place in starts])
        ]
        if len(passages) <= most or size == largest:
            return passages or [Span(0, 0)]
        size *= 2


def _section_starts(agent_input: ClassificationInput) -> list[int]:
    """Starts of sections; a heading right after another heading starts none."""
    starts: list[int] = []
    heading_end = 0
    for section in sorted(agent_input.sections, key=lambda section: section.start):
        if agent_input.text[heading_end : section.start].strip():
            starts.append(section.start)
        heading_end = max(heading_end, section.end)
    return [start for start in starts if start < len(agent_input.text)]


# -- the answer ----------------------------------------------------------------------------------------------


def _topics(reply: ClassificationReply, shown: Sequence[int], consultation: Consultation) -> list[_Topic]:
    """Turn the answer into topics that hold each passage shown exactly once."""
    if not reply.should_cluster and reply.clusters:
        if len(reply.clusters) > 1:
            what = Wording("one topic was given as {number} clusters: they are made one", number=len(reply.clusters))
            consultation.repair(what)
        contexts = dict.fromkeys(cluster.context for cluster in reply.clusters)
        keywords = tuple(keyword for cluster in reply.clusters for keyword in cluster.keywords)
        return [_Topic(tuple(shown), " ".join(contexts), keywords)]
    topics: list[_Topic] = []
    unassigned, unknown, repeated = set(shown), list[int](), list[int]()
    for cluster in reply.clusters:
        named = set(cluster.passages)
        unknown += sorted(named - set(shown))
        repeated += sorted((named & set(shown)) - unassigned)
        if named & unassigned:
            topics.append(_Topic(tuple(sorted(named & unassigned)), cluster.context, tuple(cluster.keywords)))
        unassigned -= named
    if not topics:
        consultation.refuse(
            Wording(
                "no cluster has a passage of the document; they are numbered {number} to {last}",
                number=shown[0],
                last=shown[-1],
            )
        )
    leftover_runs = _runs(sorted(unassigned))
    if unknown:
        consultation.drop(Wording("passages that do not exist: {passages}", passages=_listed(unknown)))
    if repeated:
        consultation.drop(
            Wording("passages given twice stay in their first cluster: {passages}", passages=_listed(repeated)),
        )
    if leftover_runs:
        consultation.repair(
            Wording("passages left out are clusters of their own: {passages}", passages=_listed(sorted(unassigned))),
        )
    return [*topics, *(_Topic(run) for run in leftover_runs)]


def _runs(numbers: Sequence[int]) -> list[tuple[int, ...]]:
    """Split ordered numbers into runs without a gap."""
    runs = groupby(enumerate(numbers), key=lambda item: item[1] - item[0])  # equal as long as there is no gap
    return [tuple(number for _, number in run) for _, run in runs]


def _listed(numbers: Sequence[int]) -> str:
    listed = ", ".join(str(number)[:12] for number in numbers[:10])
    return listed if len(numbers) <= 10 else f"{listed} and {len(numbers) - 10} more"


# -- clusters ------------------------------------------------------------------------------------------------


def _cluster(
    agent_input: ClassificationInput,
    cluster_id: int,
    topic: _Topic,
    passages: Sequence[Span],
    consultation: Consultation,
) -> Cluster:
    spans = [Span(passages[run[0] - 1].start, passages[run[-1] - 1].end) for run in _runs(topic.numbers)]
    content = "".join(span.of(agent_input.text) for span in spans)
    source_text = f"{agent_input.text}\n{agent_input.title}\n{agent_input.source}"
    context = one_paragraph(unescape_quote(topic.context or ""), LONGEST_CONTEXT)
    keywords = clean_keywords(
        unescape_quote(keyword) for keyword in topic.keywords if not invented_numbers(keyword, source_text)
    )
    invented = invented_numbers(context, source_text)
    if invented:
        consultation.repair(
            Wording(
                "cluster {number}: {values} is not in the text", number=cluster_id, values=", ".join(sorted(invented))
            ),
        )
    elif topic.context is not None and not (context and keywords):
        consultation.repair(Wording("cluster {number}: context or keywords were missing", number=cluster_id))
    if invented or not context:
        context = (
            _heading(agent_input, spans[0])
            or one_paragraph(content, FIRST_WORDS)
            or clean_text(agent_input.title or agent_input.source)
        )
    return Cluster(
        cluster_id=cluster_id,
        context=context,
        keywords=keywords or keywords_of([content])[0],
        spans=tuple((span.start, span.end) for span in spans),
    )


def _heading(agent_input: ClassificationInput, span: Span) -> str:
    """The document's title and the heading under which a span begins."""
    above = [section for section in agent_input.sections if section.start <= span.start]
    if not above:
        return ""
    heading = max(above, key=lambda section: section.start).title
    return one_paragraph(
        ": ".join(part for part in (agent_input.title, heading) if part and part.strip()), LONGEST_CONTEXT
    )
