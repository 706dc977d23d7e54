"""Extracts of a step's earlier turns: the most relevant sentences of what the agent said and its tools returned.

Sentences are always taken from the original turns, never from an older extract, and never rewritten. Each stands under
the mark of its result, so that it is cited like the whole result.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.prompt import fenced
from memory_bank.bank.message import Message, StepTurn
from memory_bank.engines.step.prompt import TOOL_CALL, tool_response
from memory_bank.search.embedding import Embedder
from memory_bank.search.relevance import Relevance
from memory_bank.text.sentences import sentences
from memory_bank.text.shortening import shorten
from memory_bank.text.tokens import tokenize
from memory_bank.text.wording import one_line

FENCE = "earlier"
RELEVANT_SCORE = 0.45
"""Relevance from which a sentence counts as relevant to the task."""
REUSE_BONUS = 0.25
"""Added to a sentence's relevance when the agent later used a new word of it."""
LEAST_SENTENCE_TOKENS = 40
"""Tokens that a shortened sentence keeps at least."""
_CALL_CHARACTERS = 200


@dataclass(frozen=True)
class _Part:
    """A message of the agent or one tool result, split into sentences.

    `calls` are the tool calls of its turn; `mark` is that of a new tool result.
    """

    turn: int
    calls: str
    message: Message
    mark: str | None
    sentences: tuple[str, ...]

    def excerpt(self, shown: Sequence[int], cut: Callable[[str], str]) -> str:
        """The sentences with these indices, with … where others are left out."""
        text = "" if shown[0] == 0 else "… "
        text += cut(self.sentences[shown[0]])
        for previous, index in pairwise(shown):
            text += (" " if index == previous + 1 else " … ") + cut(self.sentences[index])
        text += "" if shown[-1] == len(self.sentences) - 1 else " …"
        if self.message.role == "assistant":
            return fenced("said", text)
        return tool_response(self.message.model_copy(update={"content": text}), self.mark)


_Place = tuple[int, int]
"""The index of a part, and the index of a sentence in it."""


class EarlierTurns:
    """The turns of a step; any of them can be shown in extracts, chosen by relevance.

    `queries` are the task, the goal and the claims in dispute.
    """

    def __init__(self, queries: Sequence[str], embedder: Embedder) -> None:
        self._queries = tuple(queries)
        self._embedder = embedder
        self._relevance = Relevance(queries, embedder)
        self._parts: list[_Part] = []
        self._turn_words: list[frozenset[str]] = []
        self._mark_count = 0

    def add(self, turn: StepTurn) -> None:
        """Append a turn."""
        index, made = len(self._turn_words), (call for message in turn.messages for call in message.tool_calls)
        calls = [one_line(f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}") for call in made]
        texts = [_assistant_text(message) for message in turn.messages if message.role == "assistant"]
        self._turn_words.append(frozenset(tokenize(" ".join([*texts, *calls]))))
        for message in turn.messages:
            new = message.is_material
            self._mark_count += new
            if message.role in ("assistant", "tool"):
                text = message.content if message.role == "tool" else _assistant_text(message)
                mark = f"r{self._mark_count}" if new else None
                told = (one_line(span.of(text)) for span in sentences(text) if re.search(r"\w", span.of(text)))
                self._parts.append(_Part(index, "; ".join(calls), message, mark, tuple(told)))

    def shortened(self, start: int, end: int, known: int, tokens: int, extra_queries: Sequence[str] = ()) -> str:
        """Extracts of the turns from index `start` up to `end`, of at most `tokens` tokens, marked up.

        Only the first `known` turns count for the choice. `extra_queries` are used beside the queries of the step.
        """
        count = self._embedder.count_tokens
        parts = [part for part in self._parts if start <= part.turn < end]
        relevance = Relevance((*self._queries, *extra_queries), self._embedder) if extra_queries else self._relevance
        places = self._ranked(parts, relevance, known)[:tokens]

        def block(number: int) -> str:
            return _block(
                parts, places[:number], lambda text: shorten(text, max(tokens // 8, LEAST_SENTENCE_TOKENS), count)
            )

        fitting = bisect_right(range(len(places) + 1), tokens, key=lambda number: count(block(number)))
        return block(max(fitting - 1, 0))

    def _ranked(self, parts: Sequence[_Part], relevance: Relevance, known: int) -> list[_Place]:
        """All sentences, without duplicates, in the order in which they are kept."""
        unique: dict[tuple[str, str], _Place] = {}
        for number, part in enumerate(parts):
            origin = part.message.source or f"{part.message.role} {part.calls}"
            for index, sentence in enumerate(part.sentences):
                unique.setdefault((sentence.casefold(), origin), (number, index))
        places = list(unique.values())
        scores = self._scores(parts, places, relevance, known)
        best_first = [places[index] for index in np.argsort(-scores, kind="stable")]
        relevant = best_first[: int((scores >= RELEVANT_SCORE).sum())]
        one_each: dict[int, _Place] = {}
        for place in best_first:
            number = place[0]
            if parts[number].message.role == "tool":
                one_each.setdefault(number, place)
            else:  # the agent states its decision last
                one_each[number] = max(one_each.get(number, place), place)
        newest_first = [one_each[number] for number in sorted(one_each, reverse=True)]
        return list(dict.fromkeys([*relevant, *newest_first, *best_first]))

    def _scores(
        self, parts: Sequence[_Part], places: Sequence[_Place], relevance: Relevance, known: int
    ) -> NDArray[np.float64]:
        """The score of each sentence: the mean of its own relevance and that of the best sentence of its part."""
        texts = [parts[number].sentences[index] for number, index in places]
        scores = relevance.of(texts)
        best_of_part = np.zeros(len(parts))
        taken_up = self._taken_up_words(known)
        for place, (number, _index) in enumerate(places):
            if not taken_up[parts[number].turn].isdisjoint(relevance.words_of(texts[place])):
                scores[place] += REUSE_BONUS
            best_of_part[number] = max(best_of_part[number], scores[place])
        part_scores = best_of_part[[number for number, _index in places]] if places else best_of_part[:0]
        means: NDArray[np.float64] = (scores + part_scores) / 2
        return means

    def _taken_up_words(self, known: int) -> list[frozenset[str]]:
        """For each turn the words that the agent used after it, and neither before nor in it."""
        later: list[frozenset[str]] = [frozenset()]
        for words in reversed(self._turn_words[1:known]):
            later.append(later[-1] | words)
        before, taken_up = self._relevance.words, []
        for words, after in zip(self._turn_words[:known], reversed(later), strict=True):
            before |= words
            taken_up.append(after - before)
        return taken_up


def _block(parts: Sequence[_Part], places: Sequence[_Place], cut: Callable[[str], str]) -> str:
    """The chosen sentences, turn by turn, marked up so that no text in them can look like another result or turn."""
    shown: dict[int, list[int]] = {}
    for number, index in sorted(places):
        shown.setdefault(number, []).append(index)
    lines = [f"<{FENCE}>"]
    for (turn, calls), numbers in groupby(shown, key=lambda number: (parts[number].turn, parts[number].calls)):
        attribute = f" called={quoteattr(shorten(calls, _CALL_CHARACTERS))}" if calls else ""
        lines.append(f'<turn number="{turn + 1}"{attribute}>')
        lines += [parts[number].excerpt(shown[number], cut) for number in numbers]
        lines.append("</turn>")
    return "\n".join([*lines, f"</{FENCE}>"])


def _assistant_text(message: Message) -> str:
    """What the agent said beside its calls; its reasoning where it said nothing."""
    return TOOL_CALL.sub("", message.content).strip() or message.reasoning
