"""Classification without a model: split a text into topics at headings and at changes of embedding.

A topic is a run of passages under one heading whose meaning does not change (after TextTiling: Hearst 1997, with
embeddings in place of word counts). Only the opening of each passage is embedded: it says what the passage is about,
at a third of the cost.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from memory_bank.agents.classification import ClassificationInput, ClassificationOutput, Cluster
from memory_bank.search.embedding import Embedder
from memory_bank.text.chunking import PASSAGE_TOKENS, chunk
from memory_bank.text.keywords import keywords_of
from memory_bank.text.span import Span
from memory_bank.text.summary import central_sentence

CLUSTER_PASSAGES = 3
"""Most passages of one topic."""
OPENING_CHARACTERS = 250
CHANGE = 0.35
"""Cosine between neighbouring passages under which the topic has changed."""
CONTEXT_CHARACTERS = 120


class _Topic(NamedTuple):
    """A run of text under one heading; `start` to `end` are characters."""

    start: int
    end: int
    heading: str | None


def classify(agent_input: ClassificationInput, embedder: Embedder) -> ClassificationOutput:
    """Topics in the order of the text; joined they are the text."""
    topics = _topics(agent_input, embedder)
    texts = [agent_input.text[topic.start : topic.end] for topic in topics]
    clusters = tuple(
        Cluster(
            cluster_id=number,
            context=_context(agent_input, topic, text),
            keywords=keywords,
            spans=((topic.start, topic.end),),
        )
        for number, (topic, text, keywords) in enumerate(zip(topics, texts, keywords_of(texts), strict=True), start=1)
    )
    return ClassificationOutput(should_cluster=len(clusters) > 1, clusters=clusters)


def _topics(agent_input: ClassificationInput, embedder: Embedder) -> list[_Topic]:
    passages = _passages(agent_input, embedder)
    vectors = embedder.embed([passage.of(agent_input.text)[:OPENING_CHARACTERS] for passage in passages])
    headings = {section.start: section for section in agent_input.sections}
    runs: list[list[Span]] = []
    for n, passage in enumerate(passages):
        changed = n > 0 and float(vectors[n - 1] @ vectors[n]) < CHANGE
        starts_topic = passage.start in headings or changed
        full = not runs or len(runs[-1]) >= CLUSTER_PASSAGES
        if full or (starts_topic and not _only_headings(agent_input, runs[-1])):
            runs.append([])
        runs[-1].append(passage)
    topics, heading = [], None
    for run in runs:
        inside = [section.title for start, section in headings.items() if run[0].start <= start < run[-1].end]
        heading = inside[-1] if inside else heading
        topics.append(_Topic(run[0].start, run[-1].end, heading))
    return topics


def _passages(agent_input: ClassificationInput, embedder: Embedder) -> list[Span]:
    """Pieces of the text that fit the embedding model whole; none crosses a heading or a page break."""
    text = agent_input.text
    edges = {0, len(text), *agent_input.breaks, *(section.start for section in agent_input.sections)}
    starts = sorted(edge for edge in edges if 0 <= edge <= len(text))
    passages: list[Span] = []
    for start, end in pairwise(starts):
        for piece in chunk(text[start:end], PASSAGE_TOKENS, embedder.count_tokens):
            passage = Span(start + piece.start, start + piece.end)
            if passages and not passage.of(text).strip():  # such as an empty page
                passage = Span(passages.pop().start, passage.end)
            passages.append(passage)
    return passages


def _only_headings(agent_input: ClassificationInput, run: list[Span]) -> bool:
    """Whether a run holds nothing but headings so far: a chapter title belongs to what follows."""
    start, end = run[0].start, run[-1].end
    inside = (section for section in agent_input.sections if start <= section.start and section.end <= end)
    headings = " ".join(agent_input.text[section.start : section.end] for section in inside)
    return len("".join(agent_input.text[start:end].split())) <= len("".join(headings.split()))


def _context(agent_input: ClassificationInput, topic: _Topic, text: str) -> str:
    """Title and heading, or the central sentence where there is no heading, without repetitions."""
    names = [" ".join(part.split()) for part in (agent_input.title, topic.heading) if part and part.strip()]
    if topic.heading is None or not names:
        # of a chat only what was said, without names and times
        overlaps = ((max(start, topic.start), min(end, topic.end)) for start, end in agent_input.said)
        spoken = "\n\n".join(agent_input.text[start:end] for start, end in overlaps if start < end)
        names.append(central_sentence(spoken or text))
    distinct = [name for n, name in enumerate(names) if not any(name in earlier for earlier in names[:n])]
    context = ": ".join(distinct)
    return context if len(context) <= CONTEXT_CHARACTERS else context[: CONTEXT_CHARACTERS - 1].rstrip() + "…"
