"""Memory Integration by a language model: it writes the merged node; code decides which claims the node keeps."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from memory_bank.agents.agent import Language
from memory_bank.agents.analysis import NodeView
from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.agents.prompt import clean_keywords, fenced, rules, unescape_quote
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.bank.events import NeighbourUpdate
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.window import (
    LABELS,
    Piece,
    conflict_piece,
    fit,
    fixed_piece,
    node_piece,
    normalised_words,
    one_paragraph,
    with_ids,
)
from memory_bank.judgement.alignment import numbers
from memory_bank.text.shortening import shorten
from memory_bank.text.wording import Wording, mark_for_translation, one_line

FENCE = "memory"
SUMMARY_CHARACTERS = 3_000
CONTEXT_CHARACTERS = 400
DESCRIPTION_CHARACTERS = 800


class RepeatedClaim(BaseModel):
    """A claim that only repeats another one."""

    claim: int
    repeats: int


class UpdatedNeighbour(BaseModel):
    """A neighbour's new context and keywords."""

    node: int
    context: str
    keywords: list[str]


class IntegrationReply(BaseModel):
    """What the model answers."""

    summary: str
    context: str
    keywords: list[str]
    repeated_claims: list[RepeatedClaim]
    neighbour_updates: list[UpdatedNeighbour]
    merge_description: str


def integrate(agent_input: IntegrationInput, consultation: Consultation) -> IntegrationOutput:
    """The merged node. `InvalidOutputError` when it has no summary, or states what only a refuted claim says.

    No request is made where only claims are to be left out of a node whose text follows the verdict already.
    """
    if agent_input.written:
        return _without_refuted(agent_input)
    numbered = _Numbered.of(agent_input)
    language = consultation.language
    verified = [_VERIFIED[language]] if agent_input.conflict is not None else []
    system = "\n".join([_ROLE[language], *verified, _FIELDS[language], rules(language, FENCE)])
    nodes = [
        node_piece(number, node, numbered.claims_of(node), language)
        for number, node in enumerate(agent_input.nodes, start=1)
    ]
    words = _USER[language]
    disputes = [_dispute_pieces(conflict, numbered, words) for conflict in agent_input.verdicts]
    pending = [conflict_piece(conflict) for conflict in agent_input.pending]
    neighbours = [_neighbour_piece(number, view, language) for number, view in numbered.neighbours.items()]
    heads, evidence = [dispute[0] for dispute in disputes], [piece for dispute in disputes for piece in dispute[1:]]
    pieces = [*nodes, *heads, *evidence, *pending, *neighbours]

    def build(texts: Mapping[str, str]) -> str:
        parts = [words["nodes"], _block(nodes, texts)]
        for conflict, dispute in zip(agent_input.verdicts, disputes, strict=True):
            parts += [_verdict(conflict, numbered, language), _block(dispute, texts)]
        for heading, others in (("pending", pending), ("neighbours", neighbours)):
            parts += [words[heading], _block(others, texts)] if others else []
        return "\n\n".join(parts)

    fitted = fit(consultation, system, build, pieces, needed=len(nodes) + len(heads))
    reply = consultation.ask(system, fitted.prompt, IntegrationReply)
    shown = numbered.only(fitted.shown | _disputed_ids(agent_input))
    return _ReplyChecker(agent_input, shown, reply, consultation).output()


# -- numbers for ids ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Numbered:
    """Nodes and claims by number. Neighbours are numbered after the nodes; decided claims are among the claims."""

    nodes: dict[int, NodeView]
    neighbours: dict[int, Node]
    claims: dict[int, Claim]

    @classmethod
    def of(cls, agent_input: IntegrationInput) -> _Numbered:
        nodes = dict(enumerate(agent_input.nodes, start=1))
        neighbours = dict(enumerate(agent_input.neighbours, start=len(nodes) + 1))
        own = [claim for node in agent_input.nodes for claim in node.claims]
        parties = [claim for conflict in agent_input.verdicts for claim in conflict.parties]
        claims = {claim.id: claim for claim in (*own, *parties)}
        return cls(nodes, neighbours, dict(enumerate(claims.values(), start=1)))

    @property
    def ids(self) -> dict[int, str]:
        """The real ids of nodes and neighbours."""
        nodes = {number: view.id for number, view in self.nodes.items()}
        return nodes | {number: view.id for number, view in self.neighbours.items()}

    def claims_of(self, node: NodeView) -> list[tuple[int, Claim]]:
        """A node's claims by number."""
        own = {claim.id for claim in node.claims}
        return [(number, claim) for number, claim in self.claims.items() if claim.id in own]

    def number(self, claim: Claim) -> int:
        """The number of a claim."""
        return next(number for number, other in self.claims.items() if other.id == claim.id)

    def only(self, shown: Container[str]) -> _Numbered:
        """The nodes, and the neighbours and claims that the model was shown."""
        return _Numbered(
            self.nodes,
            {number: view for number, view in self.neighbours.items() if view.id in shown},
            {number: claim for number, claim in self.claims.items() if claim.id in shown},
        )


# -- from the reply to a node ------------------------------------------------------------------------------------


@dataclass
class _ReplyChecker:
    """Checks one reply against what was to be integrated, and makes the output of it."""

    agent_input: IntegrationInput
    numbered: _Numbered
    reply: IntegrationReply
    consultation: Consultation

    def __post_init__(self) -> None:
        self.refuted = tuple(claim for conflict in self.agent_input.verdicts for claim in conflict.refuted)
        self.claims = self._kept_claims()
        self.refuted_figures = self._only_refuted_figures()

    def output(self) -> IntegrationOutput:
        """The merged node."""
        summary = one_paragraph(unescape_quote(self.reply.summary), SUMMARY_CHARACTERS)
        if not summary:
            self.consultation.refuse(Wording("the summary is empty"))
        context = one_paragraph(unescape_quote(self.reply.context), CONTEXT_CHARACTERS) or shorten(
            summary, CONTEXT_CHARACTERS
        )
        self._refuse_refuted(
            summary, mark_for_translation("the summary states {values}, which was refuted; leave that out")
        )
        self._refuse_refuted(
            context, mark_for_translation("the context states {values}, which was refuted; leave that out")
        )
        described = with_ids(unescape_quote(self.reply.merge_description), self.numbered.ids)
        return IntegrationOutput(
            summary=summary,
            context=context,
            keywords=self._keywords(),
            claims=self.claims,
            neighbour_updates=self._neighbour_updates(),
            merge_description=one_paragraph(described, DESCRIPTION_CHARACTERS) or self.agent_input.description,
            follows=_verdicts_followed(self.agent_input),
        )

    # -- claims --------------------------------------------------------------------------------------------------

    def _kept_claims(self) -> tuple[Claim, ...]:
        """All claims of the nodes, in order, without repeats and what the verdict that is carried out refutes."""
        remaining = _unrefuted_claims(self.agent_input)
        for repeat in self.reply.repeated_claims:
            claim, other = (self.numbered.claims.get(number) for number in (repeat.claim, repeat.repeats))
            if claim is None or other is None:
                self.consultation.drop(
                    f"that claim {repeat.claim} repeats claim {repeat.repeats}: they were not both shown"
                )
            elif self._is_repeat(claim, other, remaining):
                del remaining[claim.id]
                self.consultation.drop(
                    Wording("{claim}: it repeats {other_claim}", claim=claim.id, other_claim=other.id)
                )
            elif claim.id in remaining:
                self.consultation.drop(
                    f"that {claim.id} repeats {other.id}: it is kept, for the two do not stand for each other"
                )
        return tuple(remaining.values())

    def _is_repeat(self, claim: Claim, other: Claim, remaining: Container[str]) -> bool:
        """Whether a claim may be dropped as a repeat of a kept or a refuted claim; its figures must be the same.

        A disputed claim that was not refuted is never dropped: the verdict rests on it.
        """
        figures = numbers(claim.text)
        if claim.id == other.id or claim.id not in remaining or claim.id in _disputed_ids(self.agent_input):
            return False
        if figures != numbers(other.text):
            return False
        return other.id in remaining or (bool(figures) and any(other.id == wrong.id for wrong in self.refuted))

    # -- refuted figures -------------------------------------------------------------------------------------------

    def _only_refuted_figures(self) -> frozenset[str]:
        """Figures in dispute that only refuted claims state: no kept claim, no other node's summary, no evidence.

        In dispute are those that the description of the conflict names; if it names none, all of the refuted claims.
        """
        refuted = {claim.id for claim in self.refuted}
        texts = [claim.text for claim in self.claims if claim.id not in refuted]
        texts += [node.summary for node in self.agent_input.nodes if not refuted & {claim.id for claim in node.claims}]
        for conflict in self.agent_input.verdicts:
            texts += [evidence.passage for evidence in conflict.evidence if evidence.supports == conflict.verdict]
        stated = frozenset[str]().union(*map(_disputed_figures, self.agent_input.verdicts))
        return stated.difference(*(numbers(text) for text in texts))

    def _refuse_refuted(self, text: str, template: str) -> None:
        refuted = sorted(numbers(text) & self.refuted_figures)
        if refuted:
            self.consultation.refuse(Wording(template, values=", ".join(refuted)))

    # -- keywords and neighbours ---------------------------------------------------------------------------------

    def _keywords(self) -> tuple[str, ...]:
        newest_first = [keyword for node in self.agent_input.nodes[::-1] for keyword in node.keywords]
        keywords = clean_keywords(self.reply.keywords) or clean_keywords(newest_first)
        for keyword in keywords:
            if numbers(keyword) & self.refuted_figures:
                self.consultation.drop(Wording("the keyword {keyword}: it was refuted", keyword=repr(keyword)))
        return tuple(keyword for keyword in keywords if not numbers(keyword) & self.refuted_figures)

    def _neighbour_updates(self) -> tuple[NeighbourUpdate, ...]:
        updates: dict[str, NeighbourUpdate] = {}
        for update in self.reply.neighbour_updates:
            view = self.numbered.neighbours.get(update.node)
            context = one_paragraph(unescape_quote(update.context), CONTEXT_CHARACTERS)
            if view is None:
                self.consultation.drop(f"a description of node {update.node}, which is no neighbour that was shown")
            elif not context or view.id in updates:
                self.consultation.drop(f"a description of {view.id}: empty, or its second")
            elif (numbers(context) - numbers(view.context)) & self.refuted_figures:
                self.consultation.drop(f"a description of {view.id}: it states what was refuted")
            else:
                keywords = clean_keywords(update.keywords) or view.keywords
                updates[view.id] = NeighbourUpdate(node_id=view.id, context=context, keywords=keywords)
        return tuple(updates.values())


def _disputed_figures(conflict: Conflict) -> frozenset[str]:
    """The figures of refuted claims that are in dispute: a claim may say more than what is refuted."""
    stated = frozenset[str]().union(*(numbers(claim.text) for claim in conflict.refuted))
    return stated & numbers(f"{conflict.description} {conflict.reason or ''}") or stated


def _disputed_ids(agent_input: IntegrationInput) -> frozenset[str]:
    return frozenset(claim.id for conflict in agent_input.verdicts for claim in conflict.parties)


def _verdicts_followed(agent_input: IntegrationInput) -> dict[str, Verdict]:
    return {conflict.id: conflict.verdict for conflict in agent_input.decided if conflict.verdict is not None}


def _without_refuted(agent_input: IntegrationInput) -> IntegrationOutput:
    """The only node as it is, without the claims that the verdict refutes."""
    (node,) = agent_input.nodes
    return IntegrationOutput(
        summary=node.summary,
        context=node.context,
        keywords=node.keywords,
        claims=tuple(_unrefuted_claims(agent_input).values()),
        neighbour_updates=(),
        merge_description=agent_input.description,
        follows=_verdicts_followed(agent_input),
    )


def _unrefuted_claims(agent_input: IntegrationInput) -> dict[str, Claim]:
    """The nodes' claims by id, without those that the verdict refutes, and each wording once.

    After a verdict that both sides hold, equal words may be about two things, so repeated wordings stay. What further
    verdicts refute is left out when these are carried out.
    """
    conflict = agent_input.conflict
    refuted_words = {normalised_words(claim.text) for claim in conflict.refuted} if conflict else set[str]()
    unique = all(each.verdict != "both" for each in agent_input.verdicts)
    claims: dict[str, Claim] = {}
    seen: set[str] = set()
    for claim in (claim for node in agent_input.nodes for claim in node.claims):
        words = normalised_words(claim.text)
        if words not in refuted_words and not (unique and words in seen):
            claims[claim.id] = claim
            seen.add(words)
    return claims


# -- the prompt --------------------------------------------------------------------------------------------------


def _dispute_pieces(conflict: Conflict, numbered: _Numbered, words: Mapping[str, str]) -> list[Piece]:
    """The dispute with the reason for its verdict, then each piece of evidence."""
    sides = [
        words["side"].format(
            name=name, number=numbered.number(claim), source=one_line(claim.source), text=one_line(claim.text)
        )
        for name, side in zip(("first", "second"), conflict.sides, strict=True)
        for claim in side
    ]
    head = "\n".join([f"{words['dispute']}{one_line(conflict.description)}", *sides])
    reason = one_line(conflict.reason or "")
    pieces = [Piece(conflict.id, lambda reason, _lines: f"{head}\n{words['reason']}{reason}", reason)]
    for number, each in enumerate(conflict.evidence, start=1):
        source = one_line(each.source)
        text = words["evidence"].format(side=each.supports, source=source, text=one_line(each.passage))
        pieces.append(fixed_piece(f"evidence {number} of {conflict.id} ({source})", text))
    return pieces


def _neighbour_piece(number: int, view: Node, language: Language) -> Piece:
    labels = LABELS[language]
    head = f"{labels['node']} {number}{labels[':']}{one_line(view.context)}"
    return fixed_piece(view.id, f"{head}\n{labels['keywords']}{one_line(', '.join(view.keywords))}")


def _block(pieces: Sequence[Piece], texts: Mapping[str, str]) -> str:
    return fenced(FENCE, "\n".join(texts[piece.id] for piece in pieces if piece.id in texts))


def _verdict(conflict: Conflict, numbered: _Numbered, language: Language) -> str:
    first, second = (numbered.number(claim) for claim in conflict.claims)
    verdict = _VERDICT[language].get(conflict.verdict or "inconclusive", "")
    return f"{_USER[language]['verdict']} {verdict}".format(first=first, second=second)


_ROLE: dict[Language, str] = {
    "en": (
        "You keep the memory of a research task in order: you make one node of several.\n"
        "- The nodes are oldest first, by the dates of their documents; file and date stand in brackets. Where they "
        "differ, the newer one counts, unless a verdict says otherwise or the point is not settled: then name both.\n"
        "- Lose nothing that stands in them (figures, dates, names, reasons), say each thing once, and add nothing."
    ),
    "zh": (
        "你负责整理一项研究任务的记忆：把几个节点合并为一个。\n"
        "- 节点按文件日期从旧到新排列，括号中是文件名和日期。内容不一致时以较新的为准；"
        "核查结论另有说明的按结论写，尚未解决的两种说法都写。\n"
        "- 各节点的内容（数字、日期、名称、理由）一项也不可丢失，每件事只说一次，不可添加。"
    ),
}
_VERIFIED: dict[Language, str] = {
    "en": (
        "- A verdict on two of their claims is final, whatever is newer. A refuted value is the one thing to leave "
        "out: it appears nowhere, not even to be denied. Another claim that states it repeats the refuted claim.\n"
        "- Where both claims hold, say what each belongs to (date, scope, unit, definition). Where neither holds, say "
        "what the evidence supports, or that nothing is established on this point. What evidence says on a point in "
        "dispute belongs in the summary; what else a refuted claim says stays."
    ),
    "zh": (
        "- 对其中两条陈述的核查结论为最终结论，无论新旧。唯一要略去的是被否定的数值：任何地方都不出现，"
        "即使是为了否认它。其他陈述若写有该数值，视为重复被否定的陈述。\n"
        "- 两条都成立时，写明各自对应的日期、范围、单位或定义；都不成立时，写证据支持的内容，或写明此点尚无定论。"
        "证据就争议所说的内容写入 summary；被否定的陈述中其余的内容保留。"
    ),
}
_FIELDS: dict[Language, str] = {
    "en": (
        "summary: at most ten sentences. context: one sentence on what the node is about. keywords: up to 10. "
        "repeated_claims: claims that say no more than another one, with the same figures, and the number of that one; "
        "of two alike name only one. neighbour_updates: neighbours whose description should change by the merge. "
        "merge_description: what was merged and why, in one or two sentences. In sentences call things by name, never "
        "by number."
    ),
    "zh": (
        "summary：最多十句。context：一句话说明节点主题。keywords：最多 10 个。"
        "repeated_claims：内容不多于另一条且数字相同的陈述，并给出那一条的编号；两条相同时只列其一。neighbour_updates：描述因合并而应改变的邻居节点。"
        "merge_description：用一两句话说明合并了什么、为何合并。文字中用名称，不用编号。"
    ),
}
_USER: dict[Language, dict[str, str]] = {
    "en": {
        "nodes": "The nodes to be made one, oldest first:",
        "verdict": "The verification (first is claim {first}, second is claim {second}).",
        "pending": "Not settled yet:",
        "neighbours": "Their neighbours:",
        "dispute": "in dispute: ",
        "side": "{name}: claim {number} ({source}): {text}",
        "reason": "reason: ",
        "evidence": "evidence for {side} ({source}): {text}",
    },
    "zh": {
        "nodes": "需要合并的节点，从旧到新：",
        "verdict": "核查结果（first 指陈述 {first}，second 指陈述 {second}）。",
        "pending": "尚未解决：",
        "neighbours": "它们的邻居节点：",
        "dispute": "争议：",
        "side": "{name}：陈述 {number}（{source}）：{text}",
        "reason": "理由：",
        "evidence": "支持 {side} 的证据（{source}）：{text}",
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
        "first": "结论：陈述 {first} 成立，陈述 {second} 被否定。",
        "second": "结论：陈述 {second} 成立，陈述 {first} 被否定。",
        "both": "结论：两条陈述都成立，可以并存。",
        "neither": "结论：两条陈述都被否定。",
    },
}
