"""Cross-validation without a model: passages for and against each side are gathered, weighed, and decided.

The reference library is asked first, then the other documents in memory, then the web where that is allowed and the
rest settles nothing. Too little evidence is `inconclusive`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory_bank.agents.react import EnhancedPrompt, StepResult, Tools
from memory_bank.bank.conflict import Conflict, Verdict, Verification
from memory_bank.bank.message import Message
from memory_bank.engines.offline.verification.case import Case
from memory_bank.engines.offline.verification.readings import from_readings
from memory_bank.engines.offline.verification.same_dispute import settled_before
from memory_bank.engines.offline.verification.voices import Voice, independent
from memory_bank.engines.offline.verification.weighing import Outcome, weigh


def verify(prompt: EnhancedPrompt, conflict: Conflict, tools: Tools) -> StepResult:
    """A verdict on a conflict with every passage that was weighed, or that of the same dispute elsewhere."""
    case = Case.of(prompt, conflict, tools)
    before = settled_before(conflict, case.point, tools.conflicts())
    return report(prompt, conflict, before or _verified(case, tools), case)


def _verified(case: Case, tools: Tools) -> Verification:
    voices = independent(
        [
            *case.from_references(tools),
            *case.from_memory(),
            *case.from_parties(),
            *from_readings(case, tools.conflicts()),
        ]
    )
    outcome = _outcome(case, voices)
    if outcome.verdict == "inconclusive" and tools.web:
        voices = independent([*voices, *case.from_web(tools)])
        outcome = _outcome(case, voices)
    evidence = [voice.evidence for voice in voices]
    return Verification(
        conflict_id=case.conflict.id,
        verdict=outcome.verdict,
        reason=outcome.reason,
        confidence=outcome.confidence,
        evidence=(*evidence, *(case.own_words if case.apart else ())),
    )


def _outcome(case: Case, voices: Sequence[Voice]) -> Outcome:
    apart = case.apart
    if apart is not None:
        return Outcome("both", apart.confidence, apart.words)
    return weigh(case.conflict, voices, case.dates(voices))


_VERDICT_WORDS: dict[Verdict, str] = {
    "first": "The first claim holds.",
    "second": "The second claim holds.",
    "both": "Both claims hold.",
    "neither": "Neither claim holds.",
    "inconclusive": "It cannot be settled.",
}


class Searched(Protocol):
    """What was searched for, and what could not be had."""

    @property
    def asked(self) -> Sequence[str]:
        """The queries."""
        ...

    @property
    def missed(self) -> Sequence[str]:
        """Why pages of the web could not be had."""
        ...


def report(prompt: EnhancedPrompt, conflict: Conflict, verification: Verification, searched: Searched) -> StepResult:
    """A verdict as the result of the step, with everything that was weighed for the record."""
    return StepResult(
        answer=f"{_VERDICT_WORDS[verification.verdict]} {verification.reason}",
        messages=_messages(prompt, conflict, verification, searched),
        verification=verification,
    )


def _messages(
    prompt: EnhancedPrompt, conflict: Conflict, verification: Verification, searched: Searched
) -> tuple[Message, ...]:
    sides = "\n".join(
        f"{which}: {claim.source}: {claim.text}"
        for which, claim in zip(("First", "Second"), conflict.claims, strict=True)
    )
    heard = tuple(
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
    asked = "Searched for:\n" + "\n".join(searched.asked)
    missed = tuple(Message(role="tool", name="search", content=said) for said in searched.missed)
    verdict = f"Verdict: {verification.verdict} ({verification.confidence:.2f}). {verification.reason}"
    return (
        Message(role="user", content=f"{prompt.task.description}\n{sides}"),
        Message(role="assistant", content=asked),
        *heard,
        *missed,
        Message(role="assistant", content=verdict),
    )
