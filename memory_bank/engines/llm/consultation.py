"""One judgement's conversation with a model: its requests, what was left out, what had to be mended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NoReturn, TypeVar

from pydantic import BaseModel

from memory_bank.agents.agent import Language
from memory_bank.bank.usage import ModelCall, Remark
from memory_bank.engines.llm.client import ModelClient, Request, finish, retry_of
from memory_bank.errors import AgentError, InvalidOutputError

Reply = TypeVar("Reply", bound=BaseModel)

CORRECTION: dict[Language, str] = {
    "en": "Your answer could not be used: {reason}. Answer the request again, complete and correct.",
    "zh": "你的回答无法使用：{reason}。请重新完整、正确地回答上面的请求。",
}


class Consultation:
    """What an agent's code works with: it asks the model, and notes what it did to input and output.

    `failed` is how the first attempt ended: the model is shown its own answer and what was wrong with it.
    """

    def __init__(
        self,
        agent: str,
        client: ModelClient,
        window: int,
        count_tokens: Callable[[str], int],
        language: Language = "en",
        failed: AgentError | None = None,
    ) -> None:
        self.agent = agent
        self.language = language
        self.count_tokens = count_tokens
        self.calls: tuple[ModelCall, ...] = ()
        self.remarks: tuple[Remark, ...] = ()
        self.reasoning = ""
        self._client = client
        self._window = window
        self._failed = failed
        self._said = ""
        self._asked = 0
        self._correction: list[dict[str, str]] = []
        if isinstance(failed, InvalidOutputError) and failed.said:
            told = CORRECTION[language].format(reason=failed.reason)
            self._correction = [{"role": "assistant", "content": failed.said}, {"role": "user", "content": told}]

    @property
    def window_variable(self) -> str:
        """The variable that sets the window; the three agents of research are set as one."""
        return f"{self.agent.partition('_')[0].upper()}_WINDOW"

    def room(self, *texts: str) -> int:
        """How many tokens of the window are left beside these texts; may be negative."""
        return self._window - sum(self.count_tokens(text) for text in texts) - MESSAGE_TOKENS

    def ask(self, system: str, user: str, reply_type: type[Reply]) -> Reply:
        """The model's answer, of the shape asked for. `AgentError` when it cannot be had."""
        self._asked += 1
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        again = self._failed is not None and self._failed.request == self._asked
        messages += self._told(system, user) if again else []
        request = Request(self.agent, messages, reply_type, retry=retry_of(self._failed) if again else "no")
        try:
            answered = finish(self._client.ask(request))
        except AgentError as error:
            error.calls, error.request = (*self.calls, *error.calls), self._asked
            raise
        self.calls = (*self.calls, *answered.calls)
        self.reasoning = "\n".join(part for part in (self.reasoning, answered.reasoning) if part)
        self._said = answered.text
        if answered.cut:
            self.remark("repaired", "the answer was cut off at the limit of its tokens (LLM_MAX_TOKENS)")
        assert answered.value is not None  # noqa: S101 - a shape was asked for
        return answered.value

    def _told(self, system: str, user: str) -> list[dict[str, str]]:
        """What the model is told of its first answer: with the answer itself, as far as there is room for it.

        The input is not fitted anew to make room: it must be the same that the first answer was about.
        """
        room = self.room(system, user, *(message["content"] for message in self._correction))
        return self._correction if room >= 0 else self._correction[1:]

    def remark(self, kind: Literal["left_out", "shortened", "dropped", "repaired"], what: str) -> None:
        """Note what was done to input or output."""
        self.remarks = (*self.remarks, Remark(kind=kind, what=what))

    def refuse(self, reason: str) -> NoReturn:
        """The last answer cannot be used, and why: the model is told, and tried once more."""
        error = InvalidOutputError(self.agent, reason, said=self._said, calls=self.calls)
        error.request = self._asked
        raise error


MESSAGE_TOKENS = 32
"""What the frame around messages takes of a window."""
