"""Cross-validation without a model: passages for and against each side are gathered, weighed, and decided.

The reference library is asked first, then the other documents in memory, then the web where that is allowed and the
rest settles nothing. Too little evidence is `inconclusive`.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    return _result(prompt, case, before or _verified(case, tools))


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


def _result(prompt: EnhancedPrompt, case: Case, verification: Verification) -> StepResult:
    return StepResult(
        answer=f"{_VERDICT_WORDS[verification.verdict]} {verification.reason}",
        messages=_messages(prompt, case, verification),
        verification=verification,
    )


def _messages(prompt: EnhancedPrompt, case: Case, verification: Verification) -> tuple[Message, ...]:
    sides = "\n".join(
        f"{which}: {claim.source}: {claim.text}"
        for which, claim in zip(("First", "Second"), case.conflict.claims, strict=True)
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
    asked = "Searched for:\n" + "\n".join(case.asked)
    missed = tuple(Message(role="tool", name="search", content=said) for said in case.missed)
    verdict = f"Verdict: {verification.verdict} ({verification.confidence:.2f}). {verification.reason}"
    return (
        Message(role="user", content=f"{prompt.task.description}\n{sides}"),
        Message(role="assistant", content=asked),
        *heard,
        *missed,
        Message(role="assistant", content=verdict),
    )
