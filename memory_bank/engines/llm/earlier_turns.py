"""The earlier turns of a step in extracts: of what the agent said and its tools brought, the sentences that count.

They are always taken from the turns as they were, never from an older extract, and nothing is written anew: each
stands word for word under the mark of its result, so that it is cited like the whole of it.
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

from memory_bank.bank.message import Message, Turn
from memory_bank.engines.llm.prompt import fenced
from memory_bank.engines.llm.react_prompt import TOOL_CALL, tool_response
from memory_bank.engines.llm.window import shorten
from memory_bank.engines.offline.relevance import Relevance
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences
from memory_bank.modules.tokens import tokenize
from memory_bank.one_line import one_line

FENCE = "earlier"
BEARS = 0.45
"""Relevance from which a sentence bears on the task."""
TAKEN_UP = 0.25
"""What it adds to a sentence's relevance that the agent went on with a word of it."""
SHORTEST = 40
"""Tokens that are kept of a sentence, however little room there is."""
_CALL_CHARACTERS = 200


@dataclass(frozen=True)
class _Piece:
    """What the agent said in a turn, or one thing that a tool brought, sentence by sentence."""

    turn: int
    called: str
    message: Message
    mark: str | None
    sentences: tuple[str, ...]

    def repeats(self, sentence: str) -> tuple[str, str]:
        """What two places share that say the same: of the same source, or as an answer to the same call."""
        return sentence.casefold(), self.message.source or f"{self.message.role} {self.called}"

    def excerpt(self, shown: Sequence[int], cut: Callable[[str], str]) -> str:
        """Some of its sentences, with a sign where others are left out."""
        text = "" if shown[0] == 0 else "… "
        text += cut(self.sentences[shown[0]])
        for before, place in pairwise(shown):
            text += (" " if place == before + 1 else " … ") + cut(self.sentences[place])
        text += "" if shown[-1] == len(self.sentences) - 1 else " …"
        if self.message.role == "assistant":
            return fenced("said", text)
        return tool_response(self.message.model_copy(update={"content": text}), self.mark)


_Place = tuple[int, int]
"""A piece and a sentence of it, by their numbers."""


class EarlierTurns:
    """The turns of a step, of which any can be told in extracts, held against what the step is about.

    `asked` is the task, the goal, the claims in dispute.
    """

    def __init__(self, asked: Sequence[str], embedder: Embedder) -> None:
        self._asked = tuple(asked)
        self._embedder = embedder
        self._relevance = Relevance(asked, embedder)
        self._pieces: list[_Piece] = []
        self._words: list[frozenset[str]] = []
        self._marks = 0

    def add(self, turn: Turn) -> None:
        """One more turn was taken."""
        index, calls = len(self._words), _calls(turn)
        said = [_spoken(message) for message in turn.messages if message.role == "assistant"]
        self._words.append(frozenset(tokenize(" ".join([*said, *calls]))))
        for message in turn.messages:
            new = message.role == "tool" and not message.from_memory
            self._marks += new
            if message.role in ("assistant", "tool"):
                text = message.content if message.role == "tool" else _spoken(message)
                mark = f"r{self._marks}" if new else None
                self._pieces.append(_Piece(index, "; ".join(calls), message, mark, _sentences(text)))

    def told(self, start: int, end: int, known: int, tokens: int, also: Sequence[str] = ()) -> str:
        """The turns from number `start` (from 0) up to `end` in extracts of at most so many tokens, marked up.

        They are chosen as when `known` turns were taken. `also` is asked beside the task.
        """
        count = self._embedder.count_tokens
        pieces = [piece for piece in self._pieces if start <= piece.turn < end]
        relevance = Relevance((*self._asked, *also), self._embedder) if also else self._relevance
        places = self._ranked(pieces, relevance, known)[:tokens]

        def block(number: int) -> str:
            return _block(pieces, places[:number], lambda text: shorten(text, max(tokens // 8, SHORTEST), count))

        fitting = bisect_right(range(len(places) + 1), tokens, key=lambda number: count(block(number)))
        return block(max(fitting - 1, 0))

    def _ranked(self, pieces: Sequence[_Piece], relevance: Relevance, known: int) -> list[_Place]:
        """All sentences, each once, in the order in which they are kept.

        First what bears on the task, best first; then one sentence of each thing said or brought, newest first; then
        the others.
        """
        once: dict[tuple[str, str], _Place] = {}
        for number, piece in enumerate(pieces):
            for place, sentence in enumerate(piece.sentences):
                once.setdefault(piece.repeats(sentence), (number, place))
        places = list(once.values())
        score = self._scores(pieces, places, relevance, known)
        best = [places[index] for index in np.argsort(-score, kind="stable")]
        bearing = best[: int((score >= BEARS).sum())]
        one_each: dict[int, _Place] = {}
        for number, place in best:
            if pieces[number].message.role == "tool":
                one_each.setdefault(number, (number, place))
            else:  # what was decided is said last
                one_each[number] = max(one_each.get(number, (number, place)), (number, place))
        newest = [one_each[number] for number in sorted(one_each, reverse=True)]
        return list(dict.fromkeys([*bearing, *newest, *best]))

    def _scores(
        self, pieces: Sequence[_Piece], places: Sequence[_Place], relevance: Relevance, known: int
    ) -> NDArray[np.float64]:
        """How much each sentence counts: what it says itself, and as part of a thing with a sentence that says more.

        The agent went on with a word of it if that was new to it then, and it used it in a later turn.
        """
        written = [pieces[number].sentences[place] for number, place in places]
        score = relevance.of(written)
        best = np.zeros(len(pieces))
        went_on = self._went_on(known)
        for index, (number, _place) in enumerate(places):
            if not went_on[pieces[number].turn].isdisjoint(relevance.words_of(written[index])):
                score[index] += TAKEN_UP
            best[number] = max(best[number], score[index])
        whole = best[[number for number, _place in places]] if places else best[:0]
        mean: NDArray[np.float64] = (score + whole) / 2
        return mean

    def _went_on(self, known: int) -> list[frozenset[str]]:
        """Of each turn the words that the agent used after it, and neither before nor in it."""
        later: list[frozenset[str]] = [frozenset()]
        for words in reversed(self._words[1:known]):
            later.append(later[-1] | words)
        before, new = self._relevance.words, []
        for words, after in zip(self._words[:known], reversed(later), strict=True):
            before |= words
            new.append(after - before)
        return new


def _block(pieces: Sequence[_Piece], places: Sequence[_Place], cut: Callable[[str], str]) -> str:
    """The chosen sentences, turn by turn, marked up: no text in them can look like another result or turn."""
    shown: dict[int, list[int]] = {}
    for number, place in sorted(places):
        shown.setdefault(number, []).append(place)
    lines = [f"<{FENCE}>"]
    for (turn, called), numbers in groupby(shown, key=lambda number: (pieces[number].turn, pieces[number].called)):
        done = f" called={quoteattr(shorten(called, _CALL_CHARACTERS))}" if called else ""
        lines.append(f'<turn number="{turn + 1}"{done}>')
        lines += [pieces[number].excerpt(shown[number], cut) for number in numbers]
        lines.append("</turn>")
    return "\n".join([*lines, f"</{FENCE}>"])


def _calls(turn: Turn) -> list[str]:
    called = (call for message in turn.messages for call in message.tool_calls)
    return [one_line(f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}") for call in called]


def _spoken(message: Message) -> str:
    """What the agent said beside its calls; what it thought, where it said nothing."""
    said = TOOL_CALL.sub("", message.content).strip()
    return said or message.reasoning


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(one_line(span.of(text)) for span in sentences(text) if re.search(r"\w", span.of(text)))
