"""The sentences of memory among which an answer is looked for, and the stretch of a long one that is quoted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from memory_bank.agents.react import Quote, Tools
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.spoken import Spoken, turns_of
from memory_bank.engines.offline.claims.spoken import said_sentences
from memory_bank.engines.offline.contradiction.comparison import document_claims
from memory_bank.engines.offline.summary import says_little
from memory_bank.modules.sentences import sentences
from memory_bank.modules.span import Span
from memory_bank.modules.tokens import tokenize

MOST_SENTENCES = 400
LONGEST_QUOTE = 22
"""Words from which a sentence is not quoted whole, but in the stretch of it that answers."""
STEP = 5
BEFORE_VALUE = 2 / 3
"""The share of a stretch around a value that stands before it: what it is a value of mostly does."""
TOPIC_SENTENCES = 6
FEWEST_STEMS = 2
"""Different words that a sentence of a chat must have to be quoted alone."""
RUN_ON = 8
"""Words by which a stretch may run on to the end of its clause."""
_WORD = re.compile(r"\S+")
_CLAUSE_END = re.compile(r"[,.;:)，；。]$")


@dataclass(frozen=True)
class Passage:
    """A stretch of an entry: a sentence, or a part of one. `topic` is what its document is about, as far as known.

    Of what was said in a chat, `turn` is the turn and the topic who said it and when.
    """

    entry: Entry = field(hash=False)
    span: Span
    topic: str
    turn: Spoken | None = None

    @property
    def text(self) -> str:
        """The words, exactly."""
        return self.span.of(self.entry.text)

    @property
    def titled(self) -> str:
        """The words with the topic before them: what a sentence with "it" in it is about."""
        return f"{self.topic} {self.text}".strip()

    @property
    def source(self) -> str:
        """The document's name."""
        return str(self.entry.metadata.get("source", ""))

    @property
    def document(self) -> str:
        """What tells its document from others, those of the same name too."""
        return str(self.entry.metadata.get("source_id") or self.source)

    @property
    def quote(self) -> Quote:
        """The passage as evidence of an answer."""
        return Quote(
            source=self.source, text=self.text, entry_id=self.entry.id, start=self.span.start, end=self.span.end
        )

    def around(self, start: int, end: int) -> Passage:
        """The passage itself if it is short, else the stretch of it around `text[start:end]`."""
        words = self._words()
        if len(words) <= LONGEST_QUOTE:
            return self
        first = next((n for n, word in enumerate(words) if word.end > start), 0)
        last = next((n for n, word in enumerate(words) if word.end >= end), len(words) - 1)
        before = int((LONGEST_QUOTE - (last - first)) * BEFORE_VALUE)
        left = max(0, min(first - before, len(words) - LONGEST_QUOTE))
        right = max(last, min(left + LONGEST_QUOTE, len(words)) - 1)
        return self._part(words[left].start, words[right].end)

    def stretches(self) -> list[Passage]:
        """The passage itself if it is short, else overlapping stretches that cover it."""
        words = self._words()
        last = len(words) - LONGEST_QUOTE
        if last <= 0:
            return [self]
        starts = [*range(0, last, STEP), last]
        return [self._part(words[at].start, words[at + LONGEST_QUOTE - 1].end) for at in starts]

    def run_on(self, sentence: Passage) -> Passage:
        """The passage on to the end of its clause in the sentence it is a stretch of, or for a few words."""
        rest = replace(self, span=Span(self.span.end, sentence.span.end))
        following = rest._words()[:RUN_ON]
        ends = [word.end for word in following if _CLAUSE_END.search(word.of(rest.text))]
        end = next(iter(ends), following[-1].end if following else 0)
        return replace(self, span=Span(self.span.start, self.span.end + end))

    def _words(self) -> list[Span]:
        return [Span(*found.span()) for found in _WORD.finditer(self.text)]

    def _part(self, start: int, end: int) -> Passage:
        return replace(self, span=Span(self.span.start + start, self.span.start + end))


def passages_of(node_ids: Iterable[str], tools: Tools) -> list[Passage]:
    """The sentences of the entries behind some nodes, in the order of the nodes, headings left out."""
    found: list[Passage] = []
    for node_id in dict.fromkeys(node_ids):
        for entry in tools.deep_retrieval(node_id):
            if "conflict_id" in entry.metadata:  # the record of a verification speaks of claims, it makes none
                continue
            if turns := turns_of(entry):
                found += _said(entry, turns)
                continue
            spans = sentences(entry.text)
            topic = str(entry.metadata.get("title") or _guessed_topic(entry.text, spans))
            found += [Passage(entry, span, topic) for span in spans]
        if len(found) >= MOST_SENTENCES:
            break
    return [one for one in found if one.turn is not None or not says_little(one.text)][:MOST_SENTENCES]


def _said(entry: Entry, turns: Sequence[Spoken]) -> Iterator[Passage]:
    """The sentences of a chat. A short reply stands with the question that it answers, and each says little alone."""
    replies = [_replies(before, turn, entry.text) for before, turn in pairwise(turns)]
    for turn, before, is_reply, is_asked in zip(
        turns, (None, *turns), (False, *replies), (*replies, False), strict=False
    ):
        topic = f"{turn.speaker} {turn.day:%d %B %Y}" if turn.day else turn.speaker
        if before is not None and is_reply:
            yield Passage(entry, Span(before.said, turn.end), topic, turn)
        elif not is_asked:
            spans = said_sentences(entry.text, [(turn.said, turn.end)])
            yield from (Passage(entry, span, topic, turn) for span in spans if _tells(span.of(entry.text)))


def _replies(before: Spoken, turn: Spoken, text: str) -> bool:
    """Whether a turn is a short reply to a question that another speaker asked just before."""
    together = before.sitting == turn.sitting and before.speaker != turn.speaker
    asked = text[before.said : before.end].rstrip().endswith(("?", "？"))
    return together and asked and len(text[before.said : turn.end].split()) <= LONGEST_QUOTE


def _tells(sentence: str) -> bool:
    """Whether what was said says something without what was said before it: not "Congratulations!"."""
    return not says_little(sentence) and len(set(tokenize(sentence))) >= FEWEST_STEMS


def _guessed_topic(text: str, spans: Sequence[Span]) -> str:
    """The name that a text without a title is about, as far as its first sentences show it."""
    return document_claims([span.of(text) for span in spans[:TOPIC_SENTENCES]]).topic
