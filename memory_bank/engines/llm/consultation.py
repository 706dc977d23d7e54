"""The requests of one judgement to a model, with its calls, its remarks and the retry after an invalid answer."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import Literal, NoReturn, TypeVar

from pydantic import BaseModel

from memory_bank.agents.agent import Language
from memory_bank.bank.errors import AgentError, InvalidOutputError
from memory_bank.bank.usage import ModelCall, Remark
from memory_bank.engines.client.client import ModelClient, Request, ask_to_end, retry_of
from memory_bank.text.wording import Wording

Reply = TypeVar("Reply", bound=BaseModel)

CORRECTION: dict[Language, str] = {
    "en": "Your answer could not be used: {reason}. Answer the request again, complete and correct.",
    "zh": "你的回答无法使用：{reason}。请重新完整、正确地回答上面的请求。",
}


@dataclass
class Consultation:
    """Asks the model for an agent, and records what was done to input and output.

    `failed` is the error of the first attempt: the model is shown its own answer and what was wrong with it.
    """

    agent: str
    client: ModelClient
    window: int
    count_tokens: Callable[[str], int]
    language: Language = "en"
    failed: AgentError | None = None
    calls: tuple[ModelCall, ...] = field(default=(), init=False)
    remarks: tuple[Remark, ...] = field(default=(), init=False)
    reasoning: str = field(default="", init=False)
    _answer: str = field(default="", init=False)
    _request_number: int = field(default=0, init=False)

    def room(self, *texts: str) -> int:
        """Tokens of the window left beside these texts; may be negative."""
        return self.window - sum(self.count_tokens(text) for text in texts) - MESSAGE_TOKENS

    def ask(self, system: str, user: str, reply_type: type[Reply]) -> Reply:
        """Ask for an answer of type `reply_type`. `AgentError` when there is none."""
        self._request_number += 1
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        failed = self.failed if self.failed is not None and self.failed.request == self._request_number else None
        if isinstance(failed, InvalidOutputError) and failed.said:
            reason = CORRECTION[self.language].format(reason=failed.reason)
            # The answer is left out where there is no room for it. The input must be the same that it was about.
            if self.room(system, user, failed.said, reason) >= 0:
                messages.append({"role": "assistant", "content": failed.said})
            messages.append({"role": "user", "content": reason})
        request = Request(self.agent, messages, reply_type, retry=retry_of(failed))
        try:
            answered = ask_to_end(self.client.ask(request))
        except AgentError as error:
            error.calls, error.request = (*self.calls, *error.calls), self._request_number
            raise
        self.calls = (*self.calls, *answered.calls)
        self.reasoning = "\n".join(part for part in (self.reasoning, answered.reasoning) if part)
        self._answer = answered.text
        if answered.cut:
            self.repair(Wording("the answer was cut off at the limit of its tokens (LLM_MAX_TOKENS)"))
        assert answered.value is not None  # noqa: S101 - a reply type was given
        return answered.value

    def remark(self, kind: Literal["left_out", "shortened", "dropped", "repaired"], what: str) -> None:
        """Record what was done to input or output."""
        self.remarks = (*self.remarks, Remark(kind=kind, what=what))

    def drop(self, what: str) -> None:
        """Record what was left out of the answer."""
        self.remark("dropped", what)

    def repair(self, what: str) -> None:
        """Record what was put right in the answer."""
        self.remark("repaired", what)

    def remark_unknown(self, template: str, numbers: Iterable[int], shown: Container[int]) -> None:
        """Record the numbers in an answer that stand for nothing the model was shown."""
        unknown = ", ".join(str(number) for number in dict.fromkeys(numbers) if number not in shown)
        if unknown:
            self.drop(Wording(template, numbers=unknown[:100]))

    def refuse(self, reason: str) -> NoReturn:
        """Raise `InvalidOutputError`: the last answer cannot be used. The model is told why and asked once more."""
        error = InvalidOutputError(self.agent, reason, said=self._answer, calls=self.calls)
        error.request = self._request_number
        raise error


MESSAGE_TOKENS = 32
"""Tokens of a window that the frame around messages takes."""
