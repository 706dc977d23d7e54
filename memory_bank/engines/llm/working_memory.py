"""The working memory of a step: its turns as the model is shown them.

Past a threshold the older turns are shown in extracts and the newest word for word. The recorded turns are not changed,
and the state here follows from the turns alone: a step resumed after a crash shows the same. Turns are cut rarely and
many at a time, so that most requests share a prefix with the one before, which providers cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.agents.react import EnhancedPrompt
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.usage import Remark
from memory_bank.engines.llm.earlier_turns import EarlierTurns
from memory_bank.engines.step.prompt import sent_tokens, to_openai_messages
from memory_bank.engines.step.reading import new_tool_results
from memory_bank.engines.step.tool_calls import PAGE_TOKENS, EarlierResults
from memory_bank.search.embedding import Embedder
from memory_bank.text.wording import Wording

LEAST_THRESHOLD = 2_000
MIN_STEP_ROOM = 400
"""Tokens that a window must have beside the opening of a step; with fewer the step cannot work."""
LEAST_RESERVE = 100


@dataclass(frozen=True)
class WindowBudget:
    """How a window is divided, in tokens. `room` is what the opening of a step leaves of `window`.

    `threshold` is what the turns may take word for word. The specification names two, 2,000 tokens and half the window;
    the larger is used where there is room, since a whole turn is worth more than its extract. `extracts` is for the
    older turns, `reserve` for messages beside the turns.
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
        """When the turns exceed it, older ones become extracts until the others take half of it."""
        return min(max(LEAST_THRESHOLD, self.window // 2), self.room - self.extracts - self.reserve)


class WorkingMemory:
    """The turns of one step, shown word for word or in extracts as they fit.

    The first `_older` turns are shown in extracts, chosen when there were `_known` turns. Where these are all, even the
    newest was too long to be shown word for word. `_earlier` is None until the extracts are made anew.
    """

    def __init__(
        self, prompt: EnhancedPrompt, bounds: WindowBudget, embedder: Embedder, turns: Sequence[StepTurn] = ()
    ) -> None:
        self.bounds = bounds
        self.turns: list[StepTurn] = []
        self._embedder = embedder
        claims = () if prompt.conflict is None else (claim.text for claim in prompt.conflict.claims)
        queries = dict.fromkeys([prompt.task.description, prompt.insight_doc.task_goal, *claims])
        self._extracts = EarlierTurns(tuple(queries), embedder)
        self._sizes: list[int] = []
        self._older, self._known = 0, 0
        self._earlier: str | None = ""
        for turn in turns:
            self.add(turn)

    def add(self, turn: StepTurn) -> None:
        """Append a turn."""
        self.turns.append(turn)
        self._extracts.add(turn)
        # The larger size of the two formats: which one the server takes may be learned in the middle of a step.
        count = self._embedder.count_tokens
        self._sizes.append(
            max(sent_tokens(to_openai_messages(turn.messages, native=native), (), count) for native in (True, False))
        )
        known, older, threshold = len(self.turns), self._older, self.bounds.threshold
        if sum(self._sizes[older:]) > threshold:
            most_older = known if self._sizes[-1] > threshold else known - 1
            while older < most_older and sum(self._sizes[older:]) > threshold // 2:
                older += 1
        if older != self._older or 0 < self._older == self._known:
            self._older, self._known, self._earlier = older, known, None

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the newest turns, word for word."""
        return tuple(message for turn in self.turns[self._older :] for message in turn.messages)

    @property
    def earlier(self) -> str:
        """The older turns in extracts, marked up; empty when all are shown word for word."""
        if self._earlier is None:
            self._earlier = self._make_extracts()
        return self._earlier

    def _make_extracts(self) -> str:
        known, older, bounds = self._known, self._older, self.bounds
        if older < known:
            return self._extracts.shortened(0, older, known, bounds.extracts)
        # The extract of the newest turn may fill the threshold. The arguments of its calls serve as queries too.
        calls = [call for message in self.turns[older - 1].messages for call in message.tool_calls]
        queries = [str(value) for call in calls for value in call.arguments.values()]
        newest = self._extracts.shortened(older - 1, older, known, bounds.threshold, queries)
        if older == 1:
            return newest
        return f"{self._extracts.shortened(0, older - 1, known, bounds.extracts)}\n{newest}"

    @property
    def tokens(self) -> int:
        """Tokens that the turns take as shown."""
        return self._embedder.count_tokens(self.earlier) + sum(self._sizes[self._older :])

    @property
    def results(self) -> EarlierResults:
        """The tool results of the older turns: they can be read again, and their marks precede those of `messages`."""
        results = new_tool_results([message for turn in self.turns[: self._older] for message in turn.messages])
        return EarlierResults(tuple(results), min(PAGE_TOKENS, self.bounds.threshold // 2))

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """A remark for the record, if turns are shown in extracts."""
        if not self._older:
            return ()
        what = Wording(
            "turns 1 to {number} in extracts, to fit the window of {tokens} tokens",
            number=self._older,
            tokens=self.bounds.window,
        )
        return (Remark(kind="shortened", what=what),)
