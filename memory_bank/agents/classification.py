"""Classification: split a text by topic. A cluster is made of spans of the input, so its words are unchanged."""

from __future__ import annotations

from memory_bank.agents.agent import Agent
from memory_bank.bank.value import Value


class Section(Value):
    """A heading at which the text may be split: characters `start` to `end`."""

    start: int
    end: int
    title: str


class ClassificationInput(Value):
    """A text of exactly one source, with the source's name, its headings and the current task.

    `breaks` are the character offsets at which pages begin. In a chat, `said` are the spans of what one person said,
    without names and times.
    """

    text: str
    source: str
    title: str | None = None
    sections: tuple[Section, ...] = ()
    breaks: tuple[int, ...] = ()
    said: tuple[tuple[int, int], ...] = ()
    task: str | None = None


class Cluster(Value):
    """A topic: its character spans in the text, one sentence about it, and its key phrases."""

    cluster_id: int
    context: str
    keywords: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def content(self, text: str) -> str:
        """The cluster's part of the text, verbatim."""
        return "".join(text[start:end] for start, end in self.spans)


class ClassificationOutput(Value):
    """The clusters, which together cover the whole input. `should_cluster` is False if it has one topic."""

    should_cluster: bool
    clusters: tuple[Cluster, ...]


CLASSIFICATION = Agent("classification", ClassificationInput, ClassificationOutput, temperature=0.4, top_p=0.9)
