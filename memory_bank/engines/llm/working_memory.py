"""The working memory of a step: its turns as a model is shown them (section 5).

Past a threshold the older turns are told in extracts and the newest stay word for word. What was recorded is not
touched, and nothing is remembered here that does not follow from the turns: a step that is gone on with after a crash
shows the same. Turns are cut rarely and many at a time, so that most requests begin like the one before them, which
providers need not read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.agents.react import EnhancedPrompt
from memory_bank.bank.message import Message, Turn
from memory_bank.bank.usage import Remark
from memory_bank.engines.llm.earlier_turns import EarlierTurns
from memory_bank.engines.llm.react_prompt import sent_tokens, wire
from memory_bank.engines.llm.reading import brought
from memory_bank.engines.llm.tool_calls import PAGE_TOKENS, EarlierResults
from memory_bank.modules.embedding import Embedder

LEAST_THRESHOLD = 2_000
LEAST_ROOM = 400
"""Tokens beside what a step begins with, under which there is no working with a window."""
LEAST_RESERVE = 100


@dataclass(frozen=True)
class Bounds:
    """How a window is shared out beside what a step begins with, in tokens.

    `threshold` is what the turns may take word for word. The specification names two, 2,000 tokens and half the window:
    it is the larger of them, for a turn that can be shown whole is worth more than its extract, as far as there is room
    for it. `extracts` is for the older turns, `reserve` for what is told beside the turns.
    """

    window: int
    room: int

    @property
    def extracts(self) -> int:
        """A quarter of the room."""
        return self.room // 4

    @property
    def reserve(self) -> int:
        """An eighth of the room."""
        return max(self.room // 8, LEAST_RESERVE)

    @property
    def threshold(self) -> int:
        """Past it the older turns are told in extracts, until the others take half of it."""
        return min(max(LEAST_THRESHOLD, self.window // 2), self.room - self.extracts - self.reserve)


@dataclass(frozen=True)
class _Cut:
    """The first `older` turns are told in extracts, as chosen when `known` turns were taken."""

    older: int = 0
    known: int = 0

    @property
    def whole(self) -> bool:
        """Whether even the newest turn did not fit as it is."""
        return 0 < self.older == self.known


class WorkingMemory:
    """The turns of one step, and of them what fits."""

    def __init__(self, prompt: EnhancedPrompt, bounds: Bounds, embedder: Embedder, turns: Sequence[Turn] = ()) -> None:
        self.bounds = bounds
        self.turns: list[Turn] = []
        self._embedder = embedder
        claims = () if prompt.conflict is None else (claim.text for claim in prompt.conflict.claims)
        asked = dict.fromkeys([prompt.task.description, prompt.insight_doc.task_goal, *claims])
        self._extracts = EarlierTurns(tuple(asked), embedder)
        self._sizes: list[int] = []
        self._cut = _Cut()
        self._earlier, self._earlier_tokens = "", 0
        self._stale = False
        for turn in turns:
            self.add(turn)

    def add(self, turn: Turn) -> None:
        """One more turn was taken."""
        self.turns.append(turn)
        self._extracts.add(turn)
        # The larger of the two ways in which it may be sent: which it is may be found out in the middle of a step.
        self._sizes.append(
            max(sent_tokens(wire(turn.messages, native=how), (), self._embedder.count_tokens) for how in (True, False))
        )
        known, older, most = len(self.turns), self._cut.older, self.bounds.threshold
        if sum(self._sizes[older:]) > most:
            newest = known if self._sizes[-1] > most else known - 1
            while older < newest and sum(self._sizes[older:]) > most // 2:
                older += 1
        if older != self._cut.older or self._cut.whole:
            self._cut, self._stale = _Cut(older, known), True

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the newest turns, word for word."""
        return tuple(message for turn in self.turns[self._cut.older :] for message in turn.messages)

    @property
    def earlier(self) -> str:
        """The older turns in extracts, marked up; empty when all are shown word for word."""
        self._tell()
        return self._earlier

    def _tell(self) -> None:
        if self._stale:
            self._earlier, self._stale = self._told(), False
            self._earlier_tokens = self._embedder.count_tokens(self._earlier)

    def _told(self) -> str:
        known, older, bounds = self._cut.known, self._cut.older, self.bounds
        if not self._cut.whole:
            return self._extracts.told(0, older, known, bounds.extracts)
        # The newest turn takes the place that is there for turns. What it was to bring is asked for as well.
        calls = [call for message in self.turns[older - 1].messages for call in message.tool_calls]
        queries = [str(value) for call in calls for value in call.arguments.values()]
        newest = self._extracts.told(older - 1, older, known, bounds.threshold, queries)
        return "\n".join([*([self._extracts.told(0, older - 1, known, bounds.extracts)] if older > 1 else []), newest])

    @property
    def tokens(self) -> int:
        """What the turns take as they are shown."""
        self._tell()
        return self._earlier_tokens + sum(self._sizes[self._cut.older :])

    @property
    def results(self) -> EarlierResults:
        """What the older turns brought: it may be read again, and its marks come before those of `messages`."""
        marked = brought([message for turn in self.turns[: self._cut.older] for message in turn.messages])
        return EarlierResults(tuple(marked), min(PAGE_TOKENS, self.bounds.threshold // 2))

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What was done to the turns, for the record."""
        if not self._cut.older:
            return ()
        what = f"turns 1 to {self._cut.older} in extracts, to fit the window of {self.bounds.window} tokens"
        return (Remark(kind="shortened", what=what),)
