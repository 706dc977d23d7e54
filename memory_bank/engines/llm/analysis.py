"""Memory Analysis on a model: it names relations and contradictions by number; what does not hold is dropped.

The pair model's likely contradictions are put before it, to confirm or reject.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import BaseModel, Field

from memory_bank.agents.agent import Language
from memory_bank.agents.analysis import (
    LOOKED_FOR,
    AnalysisInput,
    AnalysisOutput,
    Contradiction,
    Description,
    NodeView,
    Relation,
    RelationType,
)
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.prompt import as_written, clean_keywords, fenced, rules
from memory_bank.engines.llm.window import brief, fit, node_piece, same_words, with_ids
from memory_bank.judgement.contradictions import candidates, judge_both_ways
from memory_bank.judgement.judge import PairJudge, statement_of
from memory_bank.modules.embedding import Embedder

FENCE = "memory"
NEW = 1
"""The number of the new node."""
DOUBTFUL = 0.5
"""A contradiction that the model holds for less likely than this is none: false alarms are worse than misses."""
LIKELY = 0.4
"""Probability by the pair model from which two claims are put before the model as likely to contradict each other."""
MOST_LIKELY = 12
CONTEXT_CHARACTERS = 400
REASON_CHARACTERS = 600
_STRENGTH: dict[RelationType, int] = {"conflict": 3, "merge": 2, "related": 1, "unrelated": 0}


class FoundContradiction(BaseModel):
    """Two claims that cannot both be true."""

    new_claim: int = Field(description="number of the claim of the new node (node 1)")
    existing_claim: int = Field(description="number of the claim of the other node")
    description: str = Field(description="what exactly the two disagree about, with both values")
    confidence: float = Field(description="probability from 0 to 1 that both cannot be true")


class FoundRelation(BaseModel):
    """How the new node stands to one node."""

    node: int = Field(description="number of the node")
    reasoning: str = Field(description="why, in one or two sentences")
    contradictions: list[FoundContradiction] = Field(description="for a conflict at least one, otherwise empty")
    relation: Literal["conflict", "merge", "related", "unrelated"]
    confidence: float = Field(description="probability from 0 to 1 that the relation is right")
    context: str = Field(description="for related: the other node's context from now on, otherwise empty")
    keywords: list[str] = Field(description="for related: the other node's keywords from now on, otherwise empty")


class AnalysisReply(BaseModel):
    """What the model answers."""

    relations: list[FoundRelation] = Field(description="one for each node that is not unrelated")
    new_context: str = Field(description="the new node's context from now on; empty when no node is related")
    new_keywords: list[str] = Field(description="the new node's keywords from now on; empty when no node is related")


def analyse(given: AnalysisInput, consultation: Consultation, embedder: Embedder, judge: PairJudge) -> AnalysisOutput:
    """At most one relation for each candidate, in their order. `InvalidOutputError` when it names none of them."""
    others = [candidate for candidate in given.candidates if candidate.id != given.node.id]
    itself = len(others) < len(given.candidates) and given.phase != "related"
    if not others and not (itself and len(given.node.claims) > 1):
        return AnalysisOutput(relations=())  # nothing to compare, so nothing to ask
    sheet = _Sheet.of((given.node, *others))
    system = _system(given, consultation.language)
    pieces = [node_piece(number, node, sheet.claims_of(number)) for number, node in sheet.nodes.items()]

    likely = ""
    if "conflict" in LOOKED_FOR[given.phase] and (pairs := sheet.likely(embedder, judge, inside=itself)):
        likely = f"\n\n{_LIKELY[consultation.language]} {'; '.join(f'{new} – {other}' for new, other in pairs)}"

    def build(kept: Mapping[str, str]) -> str:
        new, *rest = kept.values()
        head, tail = _USER[consultation.language]
        return f"{head}\n\n{fenced(FENCE, new)}\n\n{tail}\n\n{fenced(FENCE, chr(10).join(rest))}{likely}"

    fitted = fit(consultation, system, build, pieces, needed=min(2, len(pieces)))
    reply = consultation.ask(system, fitted.prompt, AnalysisReply)
    return _Reading(given, sheet.only(fitted.shown), reply, consultation, itself=itself).output()


# -- numbers for ids ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sheet:
    """The nodes by number, the new one first, and all their claims by number with the number of their node."""

    nodes: dict[int, NodeView]
    claims: dict[int, tuple[int, Claim]]

    @classmethod
    def of(cls, nodes: tuple[NodeView, ...]) -> _Sheet:
        numbered = dict(enumerate(nodes, start=NEW))
        claims = [(number, claim) for number, node in numbered.items() for claim in node.claims]
        return cls(numbered, dict(enumerate(claims, start=1)))

    def claims_of(self, node: int) -> list[tuple[int, Claim]]:
        return [(number, claim) for number, (owner, claim) in self.claims.items() if owner == node]

    def likely(self, embedder: Embedder, judge: PairJudge, *, inside: bool) -> list[tuple[int, int]]:
        """Claims of the new node with those that they may contradict, the likeliest first, by their numbers."""
        news = [(number, claim) for number, (owner, claim) in self.claims.items() if owner == NEW]
        others = [(number, claim) for number, (owner, claim) in self.claims.items() if owner != NEW]
        found = [(a, b) for i, j in _nearest(news, others, embedder) for a, b in [(news[i], others[j])]]
        if inside:
            found += [(a, b) for i, j in _nearest(news, news, embedder) for a, b in [(news[i], news[j])]]
        judged = judge_both_ways([(statement_of(a), statement_of(b)) for (_, a), (_, b) in found], judge)
        order = [n for n in np.argsort(-judged, kind="stable") if judged[n] >= LIKELY]
        return [(found[n][0][0], found[n][1][0]) for n in order[:MOST_LIKELY]]

    def only(self, shown: frozenset[str]) -> _Sheet:
        """What of it the model has seen."""
        return _Sheet(
            {number: node for number, node in self.nodes.items() if node.id in shown},
            {number: (owner, claim) for number, (owner, claim) in self.claims.items() if claim.id in shown},
        )


def _nearest(
    firsts: list[tuple[int, Claim]], seconds: list[tuple[int, Claim]], embedder: Embedder
) -> list[tuple[int, int]]:
    left = [statement_of(claim) for _, claim in firsts]
    return candidates(left, left if firsts is seconds else [statement_of(claim) for _, claim in seconds], embedder)


# -- from the reply to relations ---------------------------------------------------------------------------------


class _Reading:
    """One reply, read against what the model was shown."""

    def __init__(
        self, given: AnalysisInput, sheet: _Sheet, reply: AnalysisReply, consultation: Consultation, *, itself: bool
    ) -> None:
        self._looked_for = LOOKED_FOR[given.phase]
        self._sheet = sheet
        self._reply = reply
        self._consultation = consultation
        self._itself = itself
        self._ids = {number: node.id for number, node in sheet.nodes.items()}

    def output(self) -> AnalysisOutput:
        """What stands of it."""
        known = [found for found in self._reply.relations if self._is_known(found)]
        if self._reply.relations and not known:
            numbers = f"{min(self._ids)} to {max(self._ids)}"
            self._consultation.refuse(f"none of the nodes named was shown; their numbers are {numbers}")
        relations = []
        for number in self._sheet.nodes:
            relation = self._relation(number, [found for found in known if found.node == number])
            if relation is not None:
                relations.append(relation)
        return AnalysisOutput(relations=tuple(self._with_one_merge(relations)))

    def _is_known(self, found: FoundRelation) -> bool:
        if found.node in self._ids and (self._itself or found.node != NEW):
            return True
        self._drop(f"node {found.node}, which was not to be judged")
        return False

    def _relation(self, number: int, entries: list[FoundRelation]) -> Relation | None:
        """The one relation to a node: the strongest named, if it holds and was looked for."""
        if not entries:
            return None
        best = max(entries, key=lambda found: (_STRENGTH[found.relation], _probability(found.confidence)))
        kind, contradictions = best.relation, self._contradictions(number, entries)
        name = self._ids[number]
        if len({found.relation for found in entries}) > 1:
            self._repair(f"{name} was judged {len(entries)} times; the strongest, {kind}, was taken")
        if kind == "merge" and contradictions:
            kind = "conflict"
            self._repair(f"merge with {name}: their claims contradict each other, so it is a conflict")
        elif kind == "conflict" and not contradictions:
            kind = "related" if best.reasoning.strip() else "unrelated"
            self._repair(f"conflict with {name}: it named no two claims that contradict each other, so it is {kind}")
        if kind not in self._looked_for and self._looked_for == ("related",) and kind != "unrelated":
            kind = "related"
        if kind == "unrelated":
            return None
        if kind not in self._looked_for or (number == NEW and kind != "conflict"):
            self._drop(f"{name}: {kind}, which was not asked for")
            return None
        return self._build(number, best, kind, contradictions if kind == "conflict" else ())

    def _build(
        self, number: int, found: FoundRelation, kind: RelationType, contradictions: tuple[Contradiction, ...]
    ) -> Relation:
        node, new = self._sheet.nodes[number], self._sheet.nodes[NEW]
        reply, related = self._reply, kind == "related"
        reasoning = self._said(found.reasoning, REASON_CHARACTERS)
        return Relation(
            existing_id=node.id,
            relation=kind,
            confidence=_probability(found.confidence),
            reasoning=reasoning or "; ".join(one.description for one in contradictions),
            contradictions=contradictions,
            new_description=_description(new, reply.new_context, reply.new_keywords) if related else None,
            existing_description=_description(node, found.context, found.keywords) if related else None,
        )

    def _with_one_merge(self, relations: list[Relation]) -> list[Relation]:
        """The surest merge alone; a node that it was also to be merged with is related."""
        merges = sorted((found for found in relations if found.relation == "merge"), key=lambda one: -one.confidence)
        for other in merges[1:]:
            place = relations.index(other)
            self._repair(f"merge with {other.existing_id}: {merges[0].existing_id} is merged first")
            relations[place] = other.model_copy(update={"relation": "related"})
        return [found for found in relations if found.relation in self._looked_for]

    # -- contradictions ------------------------------------------------------------------------------------------

    def _contradictions(self, number: int, entries: list[FoundRelation]) -> tuple[Contradiction, ...]:
        """Those that hold, each pair of claims once, of every entry that calls the two nodes more than related."""
        found: dict[frozenset[int], Contradiction] = {}
        for entry in entries:
            if entry.relation not in ("conflict", "merge") or "conflict" not in self._looked_for:
                continue
            for one in entry.contradictions:
                new, existing = self._in_order(number, one)
                fault = self._fault(number, new, existing) or _doubt(one)
                if fault is None:
                    found.setdefault(frozenset((new, existing)), self._contradiction(new, existing, one))
                else:
                    self._drop(f"a contradiction with {self._ids[number]}: {fault}")
        return tuple(found.values())

    def _in_order(self, number: int, one: FoundContradiction) -> tuple[int, int]:
        """The new and the existing claim; inside one node the earlier is the existing one."""
        new, existing = one.new_claim, one.existing_claim
        turned = self._owner(new) == number and self._owner(existing) == NEW
        if (number == NEW and new < existing) or (number != NEW and turned):
            return existing, new
        return new, existing

    def _owner(self, claim: int) -> int | None:
        return self._sheet.claims[claim][0] if claim in self._sheet.claims else None

    def _fault(self, number: int, new: int, existing: int) -> str | None:
        """Why two claims cannot contradict each other, if so."""
        owners = (self._owner(new), self._owner(existing))
        if None in owners:
            return f"claims {new} and {existing} were not both shown"
        (_, left), (_, right) = self._sheet.claims[new], self._sheet.claims[existing]
        names = f"{right.id} and {left.id}"
        if owners != (NEW, number):
            return f"{names} are not claims of these two nodes"
        if left.id == right.id or same_words(left.text) == same_words(right.text):
            return f"{names} say the same"
        if number == NEW and left.source != right.source:
            # Claims of different sources in one merged node were compared before the merge, as two nodes.
            return f"{names} are of two sources, which were compared before their nodes were merged"
        return None

    def _contradiction(self, new: int, existing: int, one: FoundContradiction) -> Contradiction:
        (_, left), (_, right) = self._sheet.claims[new], self._sheet.claims[existing]
        said = self._said(one.description, CONTEXT_CHARACTERS)
        return Contradiction(
            new_claim=left.id,
            existing_claim=right.id,
            description=said or brief(f"{right.text} / {left.text}", CONTEXT_CHARACTERS),
            confidence=_probability(one.confidence),
        )

    # -- words ---------------------------------------------------------------------------------------------------

    def _said(self, text: str, characters: int) -> str:
        return brief(with_ids(as_written(text), self._ids), characters)

    def _drop(self, what: str) -> None:
        self._consultation.remark("dropped", what)

    def _repair(self, what: str) -> None:
        self._consultation.remark("repaired", what)


def _probability(said: float) -> float:
    return min(max(said, 0.0), 1.0)


def _doubt(one: FoundContradiction) -> str | None:
    likely = _probability(one.confidence)
    return f"it is held to be one with a probability of {likely:.2f} only" if likely < DOUBTFUL else None


def _description(node: NodeView, context: str, keywords: list[str]) -> Description | None:
    """How a node describes itself from now on; None where the model left that empty."""
    said = brief(as_written(context), CONTEXT_CHARACTERS)
    return Description(context=said, keywords=clean_keywords(keywords) or node.keywords) if said else None


# -- the prompt --------------------------------------------------------------------------------------------------


def _system(given: AnalysisInput, language: Language) -> str:
    kinds = [_RELATIONS[language][kind] for kind in LOOKED_FOR[given.phase]]
    comparing = [_COMPARING[language]] if "conflict" in LOOKED_FOR[given.phase] else []
    if any(node.voices for node in (given.node, *given.candidates)):
        comparing.append(_VOICES[language])
    describing = [_DESCRIBING[language]] if "related" in LOOKED_FOR[given.phase] else []
    parts = [_ROLE[language], *kinds, *comparing, *describing, _REPLYING[language], rules(language, FENCE)]
    return "\n".join(parts)


_ROLE: dict[Language, str] = {
    "en": (
        "You keep the memory of a research task in order. A new node has come; you judge how it stands to each "
        "other node. Give a node the first of these relations that holds, and leave out nodes with none of them:"
    ),
    "zh": (
        "你负责整理一项研究任务的记忆。现在加入了一个新节点，请判断它与其他每个节点的关系。"
        "对每个节点，取下列关系中最先成立的一种；一种都不成立的节点不必列出："
    ),
}
_RELATIONS: dict[Language, dict[RelationType, str]] = {
    "en": {
        "conflict": "- conflict: a claim of the new node and a claim of the other node cannot both be true.",
        "merge": "- merge: both say the same; neither holds anything of weight that the other lacks.",
        "related": (
            "- related: they say different things that help to understand each other: about one person, thing, "
            "place or event, or cause and effect. A shared word alone is not enough."
        ),
    },
    "zh": {
        "conflict": "- conflict（冲突）：新节点的一条 claim 与另一节点的一条 claim 不可能同时为真。",
        "merge": "- merge（合并）：两者说的是同一内容，彼此都没有对方所缺的重要信息。",
        "related": (
            "- related（相关）：内容不同但有助于互相理解：涉及同一人物、事物、地点或事件，或互为因果。"
            "仅有共同的词语还不够。"
        ),
    },
}
_COMPARING: dict[Language, str] = {
    "en": (
        "Compare like with like. Two claims contradict each other only if all of this holds:\n"
        "1. the same subject and the same attribute of it: two things of one name, or height and length, never "
        "contradict each other (the title of the document may tell what a claim is about);\n"
        "2. the same period: figures that change with time (population, price, rank) may differ from year to year;\n"
        "3. the same scope: whole or part, one place or another, with or without something, one way of counting;\n"
        "4. the values still differ after units are converted and rounding is allowed for: 8.8 km and 8,849 m agree, "
        "about 300 and 291 agree, 1970 and July 1970 agree;\n"
        "5. both are stated as fact: a quoted opinion, a hypothesis, a plan, a forecast or a statement that the text "
        "itself rejects is no claim.\n"
        "More detail, other words, or silence on one side is no contradiction. When in doubt there is no conflict: a "
        "false alarm does more harm than a miss. Name each contradiction by the numbers of its two claims. Two claims "
        "inside node 1 that contradict each other are a conflict with node 1; report node 1 for nothing else."
    ),
    "zh": (
        "只比较可比的内容。两条 claim 只有同时满足以下各点才算矛盾：\n"
        "1. 主体相同，属性也相同：同名的两个事物之间、高度与长度之间都不构成矛盾（文档标题可说明 claim 所指）；\n"
        "2. 时期相同：随时间变化的数字（人口、价格、排名），年份不同则可以并存；\n"
        "3. 范围相同：整体或局部、此地或彼地、是否包含某项、统计口径；\n"
        "4. 换算单位并考虑四舍五入之后，数值仍然不同：8.8 公里与 8849 米一致，约 300 与 291 一致，"
        "1970 年与 1970 年 7 月一致；\n"
        "5. 两者都作为事实陈述：引述的观点、假设、计划、预测，或原文自己否定的说法，都不算 claim。\n"
        "更详细、换一种说法、一方未提及，都不是矛盾。拿不准时不算冲突：误报比漏报危害更大。"
        "每处矛盾用两条 claim 的编号指明。node 1 内部两条 claim 互相矛盾时，报告为与 node 1 的 conflict；"
        "除此之外不要列出 node 1。"
    ),
}
_VOICES: dict[Language, str] = {
    "en": (
        "After the number of a claim from a chat stands who said it and when: what two people say of themselves is of "
        "two subjects, and what one says of the moment on two days of two periods."
    ),
    "zh": (
        "出自对话的 claim，编号后注明说话人和时间：两个人各说自己，主体不同；同一人在不同日子说当时的情况，时期不同。"
    ),
}
_DESCRIBING: dict[Language, str] = {
    "en": (
        "For each related node give the context it should have from now on, one sentence on what it is about and how "
        "it stands to the new node, and up to 8 keywords; and once, for the new node, new_context and new_keywords "
        "in view of all its related nodes. A context tells the topic; it takes over no figures from another node."
    ),
    "zh": (
        "对每个 related 节点，给出它今后的 context（一句话：它的主题，以及与新节点的关系）和最多 8 个 keywords；"
        "再结合所有相关节点，为新节点给出一次 new_context 和 new_keywords。context 只说明主题，不搬用其他节点的数字。"
    ),
}
_REPLYING: dict[Language, str] = {
    "en": (
        "Use the numbers of nodes and claims exactly as shown, and in your sentences call things by name instead. An "
        "empty list of relations is a good answer."
    ),
    "zh": "节点与 claim 的编号须与所示完全一致；文字说明中用名称而不用编号。没有任何关系时，返回空列表即可。",
}
_LIKELY: dict[Language, str] = {
    "en": (
        "A small classifier, which is often wrong, takes these claims for contradictions. Look at each, by the numbers "
        "of its claims, and report it or not:"
    ),
    "zh": "一个常会出错的小型分类器认为下列 claim 互相矛盾。请按编号逐一核对，成立的报告，不成立的略去：",
}
_USER: dict[Language, tuple[str, str]] = {
    "en": ("The new node, node 1:", "The other nodes in memory, most similar first:"),
    "zh": ("新节点，即 node 1：", "记忆中的其他节点，最相似的在前："),
}
