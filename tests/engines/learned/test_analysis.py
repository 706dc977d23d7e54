"""How the learned engine reads, compares and puts together: by whatever its judge says of pairs."""

from __future__ import annotations

from memory_bank.agents.analysis import AnalysisInput, NodeView, Phase, Relation
from memory_bank.agents.integration import IntegrationInput
from memory_bank.agents.structure import StructureInput
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.learned.analysis import MOST_OF_CLAIM, analyse
from memory_bank.engines.learned.integration import integrate
from memory_bank.engines.learned.structure import structure
from memory_bank.judgement.statement import statements_of
from memory_bank.modules.hash_embedder import HashEmbedder
from tests.builders import make_conflict
from tests.judgement.rule_judge import RuleJudge

GUIDE = "Beacon Mill stands near Benenden. Beacon Mill is open. It has four floors."
LEAFLET = "Beacon Mill is a smock mill. Beacon Mill is not open. Wheat was ground there."


def view(number: int, text: str, source: str = "") -> NodeView:
    claims = tuple(
        Claim(
            id=f"c{number}{place:02}",
            text=found.statement.text,
            entry_id=f"e{number}",
            start=found.start,
            end=found.end,
            source=source or f"{number}.txt",
            context=found.statement.context,
        )
        for place, found in enumerate(statements_of(text))
    )
    return NodeView(id=f"n{number}", summary=text, context=text[:60], keywords=(), claims=claims)


def relations(new: NodeView, *others: NodeView, phase: Phase = "all") -> tuple[Relation, ...]:
    given = AnalysisInput(node=new, candidates=(new, *others), phase=phase)
    return analyse(given, HashEmbedder(), RuleJudge()).relations


def test_a_contradiction_is_a_conflict_of_exactly_these_two_claims() -> None:
    new, old = view(2, LEAFLET), view(1, GUIDE)
    relation = next(one for one in relations(new, old) if one.relation == "conflict")
    (found,) = relation.contradictions
    claims = {claim.id: claim.text for node in (new, old) for claim in node.claims}
    assert claims[found.existing_claim] == "Beacon Mill is open."
    assert claims[found.new_claim] == "Beacon Mill is not open."
    assert claims[found.new_claim] in found.description
    assert relation.confidence == found.confidence >= RuleJudge.conflict_between


def test_a_contradiction_inside_one_document_needs_more_and_is_found_once() -> None:
    (relation,) = relations(view(1, "Holt Mill is open. It has four floors. Holt Mill is not open."))
    assert (relation.existing_id, relation.relation) == ("n1", "conflict")
    assert len(relation.contradictions) == 1
    assert relation.confidence >= RuleJudge.conflict_inside


def test_two_documents_in_one_merged_node_are_not_compared_again() -> None:
    first, second = view(1, "Holt Mill is open.", "a.txt"), view(2, "Holt Mill is not open.", "b.txt")
    merged = first.model_copy(update={"id": "n3", "claims": (*first.claims, *second.claims)})
    assert relations(merged) == ()


def test_one_claim_is_a_side_of_few_conflicts() -> None:
    others = [view(number, "Holt Mill is not open.", f"{number}.txt") for number in range(2, 9)]
    found = [one for relation in relations(view(1, "Holt Mill is open."), *others) for one in relation.contradictions]
    assert len(found) == MOST_OF_CLAIM


def test_a_copy_is_merged_and_what_a_phase_does_not_look_for_is_left_out() -> None:
    assert [one.relation for one in relations(view(2, GUIDE), view(1, GUIDE))] == ["merge"]
    assert relations(view(2, GUIDE), view(1, GUIDE), phase="related") == ()
    assert all(one.relation != "conflict" for one in relations(view(2, LEAFLET), view(1, GUIDE), phase="related"))


def test_a_node_that_says_nothing_is_unrelated() -> None:
    assert relations(view(2, "Hm."), view(1, GUIDE)) == ()
    assert relations(view(1, GUIDE), view(2, "")) == ()


def test_claims_are_statements_and_exactly_their_stretch() -> None:
    content = "# Holt Mill\n\nIt is of oak. Is it open?\n\n- open on Sundays from ten\n"
    found = structure(StructureInput(content=content, context="", keywords=()))
    assert [claim.text for claim in found.claims] == ["It is of oak.", "open on Sundays from ten"]
    assert all(claim.text == content[claim.start : claim.end] for claim in found.claims)


def test_what_says_the_same_as_a_refuted_claim_falls_with_it() -> None:
    nodes = (
        view(1, "Holt Mill is open. It has four floors."),
        view(2, "Holt Mill is not open."),
        view(3, "Holt Mill is open."),
    )
    conflict = make_conflict().model_copy(
        update={"claims": (nodes[0].claims[0], nodes[1].claims[0]), "verdict": "second", "status": "resolved"}
    )
    given = IntegrationInput(nodes=nodes, neighbours=(), why="conflict", conflict=conflict)
    merged = integrate(given, RuleJudge())
    assert {claim.text for claim in merged.claims} == {"Holt Mill is not open.", "It has four floors."}
    assert "Holt Mill is open." not in merged.summary
