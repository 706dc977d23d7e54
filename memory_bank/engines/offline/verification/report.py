"""The step result of a verification: the verdict in words, and every passage that was weighed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory_bank.agents.react import EnhancedPrompt, StepResult
from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.bank.message import Message
from memory_bank.text.wording import Wording, mark_for_translation

_VERDICT_WORDS: dict[Verdict, str] = {
    "first": mark_for_translation("The first claim holds. {reason}"),
    "second": mark_for_translation("The second claim holds. {reason}"),
    "both": mark_for_translation("Both claims hold. {reason}"),
    "neither": mark_for_translation("Neither claim holds. {reason}"),
    "inconclusive": mark_for_translation("It cannot be settled. {reason}"),
}


class Searched(Protocol):
    """What was searched for, and what could not be fetched."""

    @property
    def asked(self) -> Sequence[str]:
        """The queries."""
        ...

    @property
    def missed(self) -> Sequence[str]:
        """Why web pages could not be fetched."""
        ...


def report(prompt: EnhancedPrompt, conflict: Conflict, verification: Verification, searched: Searched) -> StepResult:
    """The verdict as the result of the step, with every passage that was weighed, for the record."""
    return StepResult(
        answer=Wording(_VERDICT_WORDS[verification.verdict], reason=verification.reason),
        messages=_messages(prompt, conflict, verification, searched),
        verification=verification,
    )


def _messages(
    prompt: EnhancedPrompt, conflict: Conflict, verification: Verification, searched: Searched
) -> tuple[Message, ...]:
    sides = "\n".join(
        f"{side}: {claim.source}: {claim.text}"
        for side, claim in zip(("First", "Second"), conflict.claims, strict=True)
    )
    weighed = tuple(
        Message(
            role="tool",
            name="search" if evidence.entry_id is None else "deep_retrieval",
            content=f"{evidence.source}: {evidence.passage}\n(supports: {evidence.supports})",
            source=evidence.source,
            page=evidence.page,
            from_memory=evidence.entry_id is not None,
        )
        for evidence in verification.evidence
    )
    queries = "Searched for:\n" + "\n".join(searched.asked)
    missed = tuple(Message(role="tool", name="search", content=reason) for reason in searched.missed)
    verdict = f"Verdict: {verification.verdict} ({verification.confidence:.2f}). {verification.reason}"
    return (
        Message(role="user", content=f"{prompt.task.description}\n{sides}"),
        Message(role="assistant", content=queries),
        *weighed,
        *missed,
        Message(role="assistant", content=verdict),
    )
