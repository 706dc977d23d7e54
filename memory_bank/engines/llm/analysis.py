"""Memory Analysis by a language model: which claims of new nodes contradict others, and how nodes stand to each other.

The new nodes of a document are compared in one request, with those claims in memory that bear on theirs. The likely
contradictions by the pair model stand in the prompt as numbered candidates; the model confirms or rejects them and
names others. One that the pair model is sure of is reported even where the model does not mention it. Nodes and claims
are named by number; what does not hold is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field, create_model

from memory_bank.agents.analysis import (
    RELATIONS_BY_PHASE,
    AnalysisInput,
    AnalysisOutput,
    Contradiction,
    Description,
    NodeView,
    Relation,
    RelationType,
)
from memory_bank.agents.prompt import fenced, unescape_quote
from memory_bank.engines.llm.analysis_prompt import CANDIDATE, HEADINGS, system_prompt
from memory_bank.engines.llm.comparison import Comparison, LikelyPair
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.window import fit, node_piece, normalised_words, one_paragraph, with_ids
from memory_bank.judgement.contradictions import describe_contradiction
from memory_bank.judgement.judge import PairJudge
from memory_bank.search.embedding import Embedder
from memory_bank.text.wording import Wording

FENCE = "memory"
MIN_CONFIDENCE = 0.5
"""The model's confidence under which a contradiction is dropped: false alarms are worse than misses."""
SURE, SURE_INSIDE = 0.75, 0.9
"""Probability by the pair model from which a candidate that the model does not mention is a contradiction: between two
documents, and inside one. From 0.75 on 93 of 100 are right in the held-out dossiers of the training corpus."""
GOAL_CHARACTERS = 500
CONTEXT_CHARACTERS = 400
REASON_CHARACTERS = 600


class Checked(BaseModel):
    """Whether the two claims of a candidate contradict each other."""

    candidate: int
    reason: str
    contradiction: bool
    goal_asks: bool | None = Field(None, description="whether the goal asks about it")


class FoundContradiction(BaseModel):
    """Two claims that cannot both be true."""

    new_claim: int
    other_claim: int
    description: str
    confidence: float
    goal_asks: bool | None = Field(None, description="whether the goal asks about it")


class FoundRelation(BaseModel):
    """How a new node stands to another node. The contexts are new descriptions of the two, or empty."""

    node: int
    other: int
    reason: str
    relation: Literal["merge", "related"]
    confidence: float
    context: str = ""
    other_context: str = ""


class AnalysisReply(BaseModel):
    """What the model answers."""

    candidates: list[Checked] = []
    contradictions: list[FoundContradiction] = []
    relations: list[FoundRelation] = []


def analyse(
    inputs: Sequence[AnalysisInput], consultation: Consultation, embedder: Embedder, judge: PairJudge
) -> tuple[AnalysisOutput, ...]:
    """For each input the relations of its node, in the order of its candidates and the nodes before it.

    Of merged nodes the model is asked only where the pair model suspects a pair that was not compared before the merge.
    `InvalidOutputError` for an answer that names nothing that was shown.
    """
    phase = inputs[0].phase
    comparison = Comparison(inputs, embedder, judge)
    if not comparison.likely and (not comparison.memory or all(each.merged for each in inputs)):
        return (AnalysisOutput(relations=()),) * len(inputs)
    language = consultation.language
    chat = any(node.voices for node in comparison.nodes.values())
    system = system_prompt(phase, language, FENCE, candidates=bool(comparison.likely), chat=chat)
    new, memory = comparison.new, comparison.memory
    # The head of a document stands with the first of its nodes only.
    first = {node.head: number for number, node in reversed(list(comparison.nodes.items()))}
    pieces = []
    for number, node in (*new, *memory):
        told = node if first[node.head] == number else node.model_copy(update={"head": ""})
        pieces.append(node_piece(number, told, comparison.claims_of(number), language, claims_only=True))
    goal = fenced("goal", one_paragraph(inputs[0].goal, GOAL_CHARACTERS)) if inputs[0].goal else ""
    heading, new_heading = HEADINGS[language]
    line = CANDIDATE[language]
    likely = "\n".join(line.format(n, pair.new, pair.other) for n, pair in enumerate(comparison.likely, start=1))

    def build(texts: Mapping[str, str]) -> str:
        # What all requests share comes first, the oldest before the newer, so that a server's cache can serve it.
        oldest_first = sorted((number, texts[node.id]) for number, node in memory if node.id in texts)
        known = fenced(FENCE, "\n".join(text for _, text in oldest_first)) if oldest_first else ""
        added = fenced(FENCE, "\n".join(texts[node.id] for _, node in new if node.id in texts))
        parts = (goal, known and f"{heading}\n{known}", f"{new_heading}\n{added}", likely)
        return "\n\n".join(part for part in parts if part)

    fitted = fit(consultation, system, build, pieces, needed=len(new))
    reply = consultation.ask(system, fitted.prompt, _reply_type(len(comparison.likely)))
    shown = comparison.only(fitted.shown)
    return _ReplyChecker(shown, reply, consultation, RELATIONS_BY_PHASE[phase], bool(goal)).outputs()


def _reply_type(candidates: int) -> type[AnalysisReply]:
    """The type of the answer, in which a server can bind the numbers of the candidates."""
    if not candidates:
        return AnalysisReply
    bound = Field(json_schema_extra={"enum": [*range(1, candidates + 1)]})
    checked = create_model("Checked", __base__=Checked, candidate=(int, bound))
    return create_model("AnalysisReply", __base__=AnalysisReply, candidates=(list[checked], []))


# -- from the reply to relations ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ReplyChecker:
    """Checks one reply against what the model was shown, and makes the outputs of it."""

    comparison: Comparison
    reply: AnalysisReply
    consultation: Consultation
    looked_for: tuple[RelationType, ...]
    has_goal: bool

    @property
    def ids(self) -> dict[int, str]:
        """The real ids of the nodes."""
        return {number: node.id for number, node in self.comparison.nodes.items()}

    def outputs(self) -> tuple[AnalysisOutput, ...]:
        """For each new node the relations that hold."""
        conflicts = self._conflicts() if "conflict" in self.looked_for else {}
        named = self._named_relations()
        self._refuse_if_foreign()
        outputs = []
        for number, _node in self.comparison.new:
            others = self.comparison.others_of(number)
            relations = [self._relation(number, other, conflicts, named) for other in others]
            found = [relation for relation in relations if relation is not None]
            outputs.append(AnalysisOutput(relations=tuple(self._with_one_merge(found))))
        return tuple(outputs)

    def _refuse_if_foreign(self) -> None:
        """Refuse an answer that names only claims and nodes that were not shown."""
        claims = [number for each in self.reply.contradictions for number in (each.new_claim, each.other_claim)]
        nodes = [number for each in self.reply.relations for number in (each.node, each.other)]
        shown = [number in self.comparison.claims for number in claims]
        shown += [number in self.comparison.nodes for number in nodes]
        if shown and not any(shown) and not self.reply.candidates:
            self.consultation.refuse("none of the claims and nodes named was shown")

    def _relation(
        self,
        number: int,
        other: int,
        conflicts: Mapping[tuple[int, int], list[Contradiction]],
        named: Mapping[tuple[int, int], FoundRelation],
    ) -> Relation | None:
        contradictions = conflicts.get((number, other))
        entry = named.get((number, other))
        if contradictions:
            if entry is not None and entry.relation == "merge":
                self.consultation.repair(
                    Wording(
                        "merge with {node}: their claims contradict each other, so it is a conflict",
                        node=self.ids[other],
                    )
                )
            return Relation(
                existing_id=self.ids[other],
                relation="conflict",
                confidence=max(each.confidence for each in contradictions),
                reasoning="; ".join(each.description for each in contradictions)[:REASON_CHARACTERS],
                contradictions=tuple(contradictions),
            )
        if entry is None:
            return None
        related = entry.relation == "related"
        nodes = self.comparison.nodes
        return Relation(
            existing_id=self.ids[other],
            relation=entry.relation,
            confidence=_probability(entry.confidence),
            reasoning=self._cleaned(entry.reason, REASON_CHARACTERS),
            new_description=_description(nodes[number], entry.context) if related else None,
            existing_description=_description(nodes[other], entry.other_context) if related else None,
        )

    def _named_relations(self) -> dict[tuple[int, int], FoundRelation]:
        """The relations between nodes that hold, by the new node and the other one; each pair once."""
        named: dict[tuple[int, int], FoundRelation] = {}
        for entry in self.reply.relations:
            pair = self.comparison.pair_of_nodes(entry.node, entry.other)
            if pair is None:
                self.consultation.drop(
                    f"that node {entry.node} and node {entry.other} are {entry.relation}: not to be judged"
                )
            elif entry.relation not in self.looked_for:
                self.consultation.drop(f"{self.ids[pair[1]]}: {entry.relation}, which was not asked for")
            elif pair in named:
                self.consultation.drop(f"{self.ids[pair[1]]}: {entry.relation}, for it was judged before")
            else:
                swapped = {"context": entry.other_context, "other_context": entry.context}
                named[pair] = entry if pair[0] == entry.node else entry.model_copy(update=swapped)
        return named

    def _with_one_merge(self, relations: list[Relation]) -> list[Relation]:
        """Keep only the merge of highest confidence; the other merges become related."""
        merges = sorted((each for each in relations if each.relation == "merge"), key=lambda each: -each.confidence)
        for merge in merges[1:]:
            self.consultation.repair(
                Wording(
                    "merge with {node}: {other} is merged first", node=merge.existing_id, other=merges[0].existing_id
                )
            )
            relations[relations.index(merge)] = merge.model_copy(update={"relation": "related"})
        return [relation for relation in relations if relation.relation in self.looked_for]

    # -- contradictions ------------------------------------------------------------------------------------------

    def _conflicts(self) -> dict[tuple[int, int], list[Contradiction]]:
        """The contradictions that hold, by the new node and the other one; each pair of claims once."""
        conflicts: dict[tuple[int, int], dict[frozenset[int], Contradiction]] = {}
        for new, other, contradiction in self._valid_contradictions():
            owners = (self.comparison.claims[new][0], self.comparison.claims[other][0])
            conflicts.setdefault(owners, {}).setdefault(frozenset((new, other)), contradiction)
        return {owners: list(found.values()) for owners, found in conflicts.items()}

    def _valid_contradictions(self) -> Iterable[tuple[int, int, Contradiction]]:
        """Confirmed candidates, then what the model found itself, then what the pair model is sure of."""
        likely = dict(enumerate(self.comparison.likely, start=1))
        judged: set[int] = set()
        for entry in self.reply.candidates:
            pair = likely.get(entry.candidate)
            if pair is None or entry.candidate in judged:
                self.consultation.drop(
                    f"a judgement of candidate {entry.candidate}, which was not shown, or was judged before"
                )
                continue
            judged.add(entry.candidate)
            if entry.contradiction:
                probability = max(pair.probability, MIN_CONFIDENCE)
                yield from self._valid(pair.new, pair.other, entry.reason, probability, bears=entry.goal_asks)
        for found in self.reply.contradictions:
            yield from self._valid(
                found.new_claim, found.other_claim, found.description, found.confidence, bears=found.goal_asks
            )
        for number, pair in likely.items():
            if number not in judged and {pair.new, pair.other} <= self.comparison.claims.keys():
                yield from self._if_sure(number, pair)

    def _if_sure(self, number: int, pair: LikelyPair) -> Iterable[tuple[int, int, Contradiction]]:
        """A candidate that the model left out, if the pair model is sure of it."""
        if pair.probability < (SURE_INSIDE if self.comparison.inside(pair.new, pair.other) else SURE):
            return
        self.consultation.repair(f"candidate {number} was not judged: the pair model is sure of it")
        (_, new), (_, other) = self.comparison.claims[pair.new], self.comparison.claims[pair.other]
        contradiction = Contradiction(
            new_claim=new.id,
            existing_claim=other.id,
            description=describe_contradiction(other.text, new.text),
            confidence=pair.probability,
            found_by="pair_model",
        )
        yield pair.new, pair.other, contradiction

    def _valid(
        self, one: int, another: int, description: str, confidence: float, *, bears: bool | None
    ) -> Iterable[tuple[int, int, Contradiction]]:
        """A contradiction that the model named, with the claim of the newer node first, if it holds."""
        new, other = self.comparison.ordered(one, another)
        fault = self._fault(new, other, _probability(confidence))
        if fault is not None:
            self.consultation.drop(f"a contradiction: {fault}")
            return
        (_, left), (_, right) = self.comparison.claims[new], self.comparison.claims[other]
        described = self._cleaned(description, CONTEXT_CHARACTERS) or describe_contradiction(right.text, left.text)
        contradiction = Contradiction(
            new_claim=left.id,
            existing_claim=right.id,
            description=described,
            confidence=_probability(confidence),
            bears=bears if self.has_goal else None,
        )
        yield new, other, contradiction

    def _fault(self, new: int, other: int, probability: float) -> str | None:
        """Why a contradiction between two claims is dropped; None where it holds."""
        claims = self.comparison.claims
        if new not in claims or other not in claims:
            return f"claims {new} and {other} were not both shown"
        (owner, left), (other_owner, right) = claims[new], claims[other]
        ids = f"{right.id} and {left.id}"
        if (owner, other_owner) not in self.comparison.comparable:
            return f"{ids} are not to be compared"
        if left.id == right.id or normalised_words(left.text) == normalised_words(right.text):
            return f"{ids} say the same"
        if owner == other_owner and left.source != right.source:
            # Claims of different sources in one merged node were compared before the merge, as two nodes.
            return f"{ids} are of two sources, which were compared before their nodes were merged"
        if probability < MIN_CONFIDENCE:
            return f"{ids}: it is held to be one with a probability of {probability:.2f} only"
        return None

    def _cleaned(self, text: str, characters: int) -> str:
        return one_paragraph(with_ids(unescape_quote(text), self.ids), characters)


def _probability(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _description(node: NodeView, context: str) -> Description | None:
    """A node's new description; None where the model left the context empty."""
    text = one_paragraph(unescape_quote(context), CONTEXT_CHARACTERS)
    return Description(context=text, keywords=node.keywords) if text else None
