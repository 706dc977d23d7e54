"""Memory Integration on a model: it writes the merged node; which claims it holds is decided by code."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from memory_bank.agents.agent import Language
from memory_bank.agents.analysis import NodeView
from memory_bank.agents.integration import IntegrationInput, IntegrationOutput, NeighbourView
from memory_bank.bank.conflict import Conflict, Evidence, Verdict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.llm.alignment import numbers
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.prompt import as_written, clean_keywords, fenced, rules
from memory_bank.engines.llm.window import Piece, brief, fit, node_piece, same_words, shorten, with_ids
from memory_bank.events import NeighbourUpdate
from memory_bank.one_line import one_line

FENCE = "memory"
SUMMARY_CHARACTERS = 3_000
CONTEXT_CHARACTERS = 400
DESCRIPTION_CHARACTERS = 800


class RepeatedClaim(BaseModel):
    """A claim that says nothing beside another one."""

    claim: int = Field(description="number of the claim that only repeats another one")
    repeats: int = Field(description="number of the claim that it repeats")


class UpdatedNeighbour(BaseModel):
    """How a neighbour describes itself from now on."""

    node: int = Field(description="number of the neighbour")
    context: str = Field(description="one sentence: what it is about, and how it stands to the merged node")
    keywords: list[str]


class IntegrationReply(BaseModel):
    """What the model answers."""

    summary: str = Field(description="the merged node's summary: all that stands, each thing once")
    context: str = Field(description="one sentence: what the merged node is about")
    keywords: list[str] = Field(description="up to 10 key phrases of the merged node")
    repeated_claims: list[RepeatedClaim] = Field(description="empty when no claim repeats another one")
    neighbour_updates: list[UpdatedNeighbour] = Field(description="only neighbours whose description should change")
    merge_description: str = Field(description="what was merged and why, in one or two sentences")


def integrate(given: IntegrationInput, consultation: Consultation) -> IntegrationOutput:
    """The merged node. `InvalidOutputError` when it has no summary, or states what only a refuted claim says."""
    numbered = _Numbered.of(given)
    language = consultation.language
    system = _system(given.conflict, language)
    nodes = [node_piece(number, node, numbered.claims_of(node)) for number, node in enumerate(given.nodes, start=1)]
    verified = _verdict_pieces(given.conflict, numbered)
    neighbours = [_neighbour_piece(number, one) for number, one in numbered.neighbours.items()]
    pieces = [*nodes, *verified, *neighbours]

    def build(kept: Mapping[str, str]) -> str:
        parts = [_USER[language]["nodes"], _block(nodes, kept)]
        if given.conflict is not None:
            parts += [_verdict(given.conflict, numbered, language), _block(verified, kept)]
        if neighbours:
            parts += [_USER[language]["neighbours"], _block(neighbours, kept)]
        return "\n\n".join(parts)

    fitted = fit(consultation, system, build, pieces, needed=len(nodes) + bool(verified))
    reply = consultation.ask(system, fitted.prompt, IntegrationReply)
    return _Reading(given, numbered.only(fitted.shown | _sides(given)), reply, consultation).output()


# -- numbers for ids ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Numbered:
    """What stands behind the numbers: nodes and, after them, neighbours; claims, the two in conflict among them."""

    nodes: dict[int, NodeView]
    neighbours: dict[int, NeighbourView]
    claims: dict[int, Claim]

    @classmethod
    def of(cls, given: IntegrationInput) -> _Numbered:
        nodes = dict(enumerate(given.nodes, start=1))
        neighbours = dict(enumerate(given.neighbours, start=len(nodes) + 1))
        own = [claim for node in given.nodes for claim in node.claims]
        claims = {claim.id: claim for claim in (*own, *(given.conflict.parties if given.conflict else ()))}
        return cls(nodes, neighbours, dict(enumerate(claims.values(), start=1)))

    @property
    def ids(self) -> dict[int, str]:
        """The real ids."""
        nodes = {number: view.id for number, view in self.nodes.items()}
        return nodes | {number: view.id for number, view in self.neighbours.items()}

    def claims_of(self, node: NodeView) -> list[tuple[int, Claim]]:
        """A node's claims by number."""
        own = {claim.id for claim in node.claims}
        return [(number, claim) for number, claim in self.claims.items() if claim.id in own]

    def number(self, claim: Claim) -> int:
        """The number of a claim."""
        return next(number for number, one in self.claims.items() if one.id == claim.id)

    def only(self, shown: Container[str]) -> _Numbered:
        """What of it the model has seen."""
        return _Numbered(
            self.nodes,
            {number: view for number, view in self.neighbours.items() if view.id in shown},
            {number: claim for number, claim in self.claims.items() if claim.id in shown},
        )


# -- from the reply to a node ------------------------------------------------------------------------------------


class _Reading:
    """One reply, read against what was to be integrated."""

    def __init__(
        self, given: IntegrationInput, numbered: _Numbered, reply: IntegrationReply, consultation: Consultation
    ) -> None:
        self._given = given
        self._numbered = numbered
        self._reply = reply
        self._consultation = consultation
        self._refuted = given.conflict.refuted if given.conflict else ()
        self._claims = self._kept_claims()
        self._fallen = self._fallen_values()

    def output(self) -> IntegrationOutput:
        """The merged node."""
        summary = brief(as_written(self._reply.summary), SUMMARY_CHARACTERS)
        if not summary:
            self._consultation.refuse("the summary is empty")
        context = brief(as_written(self._reply.context), CONTEXT_CHARACTERS) or shorten(summary, CONTEXT_CHARACTERS)
        self._refuse_fallen("summary", summary)
        self._refuse_fallen("context", context)
        said = brief(with_ids(as_written(self._reply.merge_description), self._numbered.ids), DESCRIPTION_CHARACTERS)
        return IntegrationOutput(
            summary=summary,
            context=context,
            keywords=self._keywords(),
            claims=self._claims,
            neighbour_updates=self._neighbour_updates(),
            merge_description=said or _description(self._given),
        )

    # -- claims --------------------------------------------------------------------------------------------------

    def _kept_claims(self) -> tuple[Claim, ...]:
        """All claims of the nodes, in order, but for refuted ones and repeats."""
        kept = _standing(self._given, self._refuted)
        for one in self._reply.repeated_claims:
            claim, other = (self._numbered.claims.get(number) for number in (one.claim, one.repeats))
            if claim is None or other is None:
                self._drop(f"that claim {one.claim} repeats claim {one.repeats}: they were not both shown")
            elif self._is_repeat(claim, other, kept):
                del kept[claim.id]
                self._drop(f"{claim.id}: it repeats {other.id}")
            elif claim.id in kept:
                self._drop(f"that {claim.id} repeats {other.id}: it is kept, for the two do not stand for each other")
        return tuple(kept.values())

    def _is_repeat(self, claim: Claim, other: Claim, kept: Container[str]) -> bool:
        """Whether a claim may go for a kept one, or with a refuted one: only with the same figures.

        A side of the conflict that stands is what the verdict rests on, and goes for none.
        """
        figures = numbers(claim.text)
        if claim.id == other.id or claim.id not in kept or claim.id in _sides(self._given):
            return False
        if figures != numbers(other.text):
            return False
        return other.id in kept or (bool(figures) and any(other.id == wrong.id for wrong in self._refuted))

    # -- what was refuted ----------------------------------------------------------------------------------------

    def _fallen_values(self) -> frozenset[str]:
        """The figures that only refuted claims state: neither a kept claim, nor another summary, nor the evidence."""
        conflict = self._given.conflict
        if conflict is None or not self._refuted:
            return frozenset()
        texts = [claim.text for claim in self._claims]
        wrong = {claim.id for claim in self._refuted}
        texts += [node.summary for node in self._given.nodes if not wrong & {claim.id for claim in node.claims}]
        texts += [one.passage for one in conflict.evidence if one.supports == conflict.verdict]
        stated = frozenset[str]().union(*(numbers(claim.text) for claim in self._refuted))
        return stated.difference(*(numbers(text) for text in texts))

    def _refuse_fallen(self, part: str, text: str) -> None:
        fallen = sorted(numbers(text) & self._fallen)
        if fallen:
            self._consultation.refuse(f"the {part} states {', '.join(fallen)}, which was refuted; leave that out")

    # -- keywords and neighbours ---------------------------------------------------------------------------------

    def _keywords(self) -> tuple[str, ...]:
        newest_first = [keyword for node in self._given.nodes[::-1] for keyword in node.keywords]
        found = clean_keywords(self._reply.keywords) or clean_keywords(newest_first)
        for keyword in found:
            if numbers(keyword) & self._fallen:
                self._drop(f"the keyword {keyword!r}: it was refuted")
        return tuple(keyword for keyword in found if not numbers(keyword) & self._fallen)

    def _neighbour_updates(self) -> tuple[NeighbourUpdate, ...]:
        updates: dict[str, NeighbourUpdate] = {}
        for found in self._reply.neighbour_updates:
            view = self._numbered.neighbours.get(found.node)
            context = brief(as_written(found.context), CONTEXT_CHARACTERS)
            if view is None:
                self._drop(f"a description of node {found.node}, which is no neighbour that was shown")
            elif not context or view.id in updates:
                self._drop(f"a description of {view.id}: empty, or its second")
            elif (numbers(context) - numbers(view.context)) & self._fallen:
                self._drop(f"a description of {view.id}: it states what was refuted")
            else:
                keywords = clean_keywords(found.keywords) or view.keywords
                updates[view.id] = NeighbourUpdate(node_id=view.id, context=context, keywords=keywords)
        return tuple(updates.values())

    def _drop(self, what: str) -> None:
        self._consultation.remark("dropped", what)


def _sides(given: IntegrationInput) -> frozenset[str]:
    return frozenset(claim.id for claim in given.conflict.parties) if given.conflict else frozenset()


def _standing(given: IntegrationInput, refuted: tuple[Claim, ...]) -> dict[str, Claim]:
    """The nodes' claims by id without refuted ones, and each wording once.

    Where both sides hold, equal words may speak of two things, and all of them stay.
    """
    fallen = {same_words(claim.text) for claim in refuted}
    once = given.conflict is None or given.conflict.verdict != "both"
    kept: dict[str, Claim] = {}
    seen: set[str] = set()
    for claim in (claim for node in given.nodes for claim in node.claims):
        words = same_words(claim.text)
        if words not in fallen and not (once and words in seen):
            kept[claim.id] = claim
            seen.add(words)
    return kept


def _description(given: IntegrationInput) -> str:
    names = " and ".join(node.id for node in given.nodes)
    if given.conflict is None:
        return f"{names} say the same."
    return f"{names}: {given.conflict.description}; verdict {given.conflict.verdict}. {given.conflict.reason}"


# -- the prompt --------------------------------------------------------------------------------------------------


def _verdict_pieces(conflict: Conflict | None, numbered: _Numbered) -> list[Piece]:
    """The dispute with the reason for its verdict, then the evidence."""
    if conflict is None:
        return []
    sides = [
        f"{name}: claim {numbered.number(claim)} ({one_line(claim.source)}): {one_line(claim.text)}"
        for name, side in zip(("first", "second"), conflict.sides, strict=True)
        for claim in side
    ]
    head = "\n".join([f"in dispute: {one_line(conflict.description)}", *sides])
    reason = one_line(conflict.reason or "")
    dispute = Piece(conflict.id, lambda reason, _lines: f"{head}\nreason: {reason}", reason)
    return [dispute, *(_evidence_piece(number, one) for number, one in enumerate(conflict.evidence, start=1))]


def _evidence_piece(number: int, one: Evidence) -> Piece:
    source = one_line(one.source)
    text = f"evidence for {one.supports} ({source}): {one_line(one.passage)}"
    return Piece(f"evidence {number} ({source})", lambda _body, _lines: text)


def _neighbour_piece(number: int, view: NeighbourView) -> Piece:
    text = f"node {number}: {one_line(view.context)}\nkeywords: {one_line(', '.join(view.keywords))}"
    return Piece(view.id, lambda _body, _lines: text)


def _block(pieces: Sequence[Piece], kept: Mapping[str, str]) -> str:
    return fenced(FENCE, "\n".join(kept[piece.id] for piece in pieces if piece.id in kept))


def _verdict(conflict: Conflict, numbered: _Numbered, language: Language) -> str:
    first, second = (numbered.number(claim) for claim in conflict.claims)
    verdict = _VERDICT[language].get(conflict.verdict or "inconclusive", "")
    return f"{_USER[language]['verdict']} {verdict}".format(first=first, second=second)


def _system(conflict: Conflict | None, language: Language) -> str:
    verified = [_VERIFIED[language]] if conflict is not None else []
    return "\n".join([_ROLE[language], *verified, _FIELDS[language], rules(language, FENCE)])


_ROLE: dict[Language, str] = {
    "en": (
        "You keep the memory of a research task in order: you make one node of several.\n"
        "- The nodes are oldest first. Where they differ, the newer one counts, unless a verification says otherwise.\n"
        "- Keep what is strong in each (figures, dates, names, reasons, evidence) and let one fill the gaps of the "
        "other. Say each thing once. Lose nothing that stands, add nothing that none of them says."
    ),
    "zh": (
        "你负责整理一项研究任务的记忆：把几个节点合并为一个。\n"
        "- 节点按时间从旧到新排列。内容不一致时以较新的为准，除非核查结论另有说明。\n"
        "- 保留各节点的长处（数字、日期、名称、理由、证据），互相补全缺口。每件事只说一次。"
        "成立的内容不可丢失，各节点都没有的内容不可添加。"
    ),
}
_VERIFIED: dict[Language, str] = {
    "en": (
        "- Two of their claims were in conflict and have been verified. The verdict is final: write by it, whatever is "
        "newer. A value that was refuted appears nowhere in summary, context or keywords, not even to be denied; the "
        "record keeps it elsewhere. Another claim that states a refuted value repeats the refuted claim.\n"
        "- Where both claims hold, spell out the distinction (which date, scope, unit or definition each belongs to).\n"
        "- Where neither holds, state what the evidence supports, or that nothing is established on this point."
    ),
    "zh": (
        "- 其中两条 claim 曾互相冲突，现已核查。核查结论为最终结论：无论新旧，一律按结论写。"
        "被否定的数值不得出现在 summary、context 或 keywords 中，即使是为了否认它；它另有存档。"
        "其他 claim 若陈述同一被否定的数值，视为重复被否定的 claim。\n"
        "- 两条都成立时，写明区别（各自对应的日期、范围、单位或定义）。\n"
        "- 两条都不成立时，写证据支持的内容，或写明此点尚无定论。"
    ),
}
_FIELDS: dict[Language, str] = {
    "en": (
        "summary: at most ten sentences. context: one sentence on what the node is about. repeated_claims: claims that "
        "say no more than another one, with the number of the one that they repeat; of two alike name only one. "
        "neighbour_updates: neighbours that are to be described in relation to the merged node. In your sentences "
        "call things by name, never by the number of a node or claim."
    ),
    "zh": (
        "summary：最多十句。context：一句话说明节点主题。repeated_claims：内容不多于另一条的 claim，"
        "并给出被重复的那条的编号；两条相同时只列其一。neighbour_updates：需要结合合并后的节点重新描述的邻居节点。"
        "文字中用名称，不要用节点或 claim 的编号。"
    ),
}
_USER: dict[Language, dict[str, str]] = {
    "en": {
        "nodes": "The nodes to be made one, oldest first:",
        "verdict": "The verification (first is claim {first}, second is claim {second}).",
        "neighbours": "Their neighbours:",
    },
    "zh": {
        "nodes": "需要合并的节点，从旧到新：",
        "verdict": "核查结果（first 指 claim {first}，second 指 claim {second}）。",
        "neighbours": "它们的邻居节点：",
    },
}
_VERDICT: dict[Language, dict[Verdict, str]] = {
    "en": {
        "first": "Verdict: claim {first} holds, claim {second} is refuted.",
        "second": "Verdict: claim {second} holds, claim {first} is refuted.",
        "both": "Verdict: both claims hold; they are compatible.",
        "neither": "Verdict: both claims are refuted.",
    },
    "zh": {
        "first": "结论：claim {first} 成立，claim {second} 被否定。",
        "second": "结论：claim {second} 成立，claim {first} 被否定。",
        "both": "结论：两条 claim 都成立，可以并存。",
        "neither": "结论：两条 claim 都被否定。",
    },
}
