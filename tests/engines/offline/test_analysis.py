"""Memory Analysis without a model: conflicts as the judge finds them, then merges and relations by similarity."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.analysis import AnalysisInput, NodeView, Phase, Relation
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.analysis import analyse
from memory_bank.judgement.contradictions import NEAREST
from memory_bank.judgement.statement import is_of_list, statements_of
from memory_bank.search.embedding import Embedder, load_embedder
from memory_bank.search.hash_embedder import HashEmbedder
from tests.judgement.rule_judge import RuleJudge

GUIDE = "Beacon Mill stands near Benenden. Beacon Mill is open. It has four floors."
LEAFLET = "Beacon Mill is a smock mill. Beacon Mill is not open. Wheat was ground there."


def view(number: int, text: str, source: str = "", keywords: tuple[str, ...] = ()) -> NodeView:
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
    items = frozenset(claim.id for claim in claims if is_of_list(text, claim.start))
    return NodeView(id=f"n{number}", summary=text, context=text[:60], keywords=keywords, claims=claims, items=items)


def relations(
    new: NodeView, *others: NodeView, phase: Phase = "all", embedder: Embedder | None = None
) -> tuple[Relation, ...]:
    agent_input = AnalysisInput(node=new, candidates=(new, *others), phase=phase)
    return analyse(agent_input, embedder or HashEmbedder(), RuleJudge()).relations


def kinds(*found: Relation) -> dict[str, str]:
    return {relation.existing_id: relation.relation for relation in found}


def test_a_contradiction_is_a_conflict_of_exactly_these_two_claims() -> None:
    new, old = view(2, LEAFLET), view(1, GUIDE)
    relation = next(one for one in relations(new, old) if one.relation == "conflict")
    (found,) = relation.contradictions
    claims = {claim.id: claim.text for node in (new, old) for claim in node.claims}
    assert claims[found.existing_claim] == "Beacon Mill is open."
    assert claims[found.new_claim] == "Beacon Mill is not open."
    assert claims[found.new_claim] in found.description
    assert relation.confidence == found.confidence >= RuleJudge.conflict_between


def test_among_very_many_claims_a_contradiction_must_be_surer() -> None:
    new, old = view(2, LEAFLET), view(1, GUIDE)
    few, many = (AnalysisInput(node=new, candidates=(new, old), claims=claims) for claims in (100, 100_000))
    found = [analyse(each, HashEmbedder(), RuleJudge()).relations for each in (few, many)]
    assert [any(one.relation == "conflict" for one in relations_of_one) for relations_of_one in found] == [True, False]


def test_without_sources_to_check_against_a_contradiction_must_be_surer() -> None:
    class Doubtful(RuleJudge):
        conflict_between = 0.95  # the judge's contradictions have .96

    def is_found(claims: int, *, checkable: bool) -> bool:
        new, old = view(2, LEAFLET), view(1, GUIDE)
        agent_input = AnalysisInput(node=new, candidates=(new, old), claims=claims, checkable=checkable)
        return "conflict" in kinds(*analyse(agent_input, HashEmbedder(), Doubtful()).relations).values()

    assert is_found(40, checkable=True)
    assert not is_found(40, checkable=False)
    assert is_found(4, checkable=False)  # of two short statements one may well deny the other


def test_between_documents_of_one_series_a_contradiction_must_be_surer() -> None:
    march, may = (view(n, "Holt Mill is open.", f"minutes-2024-{n:02}.md") for n in (3, 5))
    april = view(4, "Holt Mill is not open.", "minutes-2024-04.md")
    assert "conflict" not in kinds(*relations(april, march, may)).values()
    letter = view(4, "Holt Mill is not open.", "letter-2024-04.md")
    assert "conflict" in kinds(*relations(letter, march, may)).values()


def test_what_another_document_says_too_is_not_in_conflict_with_it() -> None:
    guide, letter = view(1, "Holt Mill is open.", "a.txt"), view(2, "Holt Mill is not open.", "b.txt")
    quoting = view(2, "Holt Mill is open. Holt Mill is not open.", "b.txt")
    assert kinds(*relations(guide, letter)).get("n2") == "conflict"
    assert "n2" not in [one.existing_id for one in relations(guide, quoting) if one.relation == "conflict"]


def test_rows_of_the_tables_of_one_document_are_not_compared() -> None:
    table = view(1, "| Day | Open |\n|---|---|\n| Holt | the mill is open |\n| Holt | the mill is not open |\n", "a.md")
    assert not any(one.relation == "conflict" for one in relations(table))


def test_each_part_of_a_sentence_may_be_contradicted() -> None:
    plan = view(1, "The dining hall opens on 1 October and the old cellar seats 120 guests.")
    mail = view(2, "The dining hall opens on 3 October. The old cellar seats 90 guests.")
    (relation,) = [one for one in relations(mail, plan) if one.relation == "conflict"]
    claims = {claim.id: claim.text for claim in mail.claims}
    assert sorted(claims[one.new_claim] for one in relation.contradictions) == [claim.text for claim in mail.claims]
    assert {one.existing_claim for one in relation.contradictions} == {plan.claims[0].id}


def test_two_entries_of_lists_of_one_document_are_of_two_things() -> None:
    steps = "1. The dough rests for 30 minutes.\n2. The oven is lit.\n3. The dough rests for 90 minutes.\n"
    assert "conflict" not in kinds(*relations(view(1, steps))).values()
    prose, other = f"{steps}\nThe dough rests for 60 minutes.", "- The dough rests for 45 minutes."
    assert "conflict" in kinds(*relations(view(1, prose))).values()
    assert "conflict" in kinds(*relations(view(2, other), view(1, steps))).values()


def test_a_contradiction_inside_one_document_has_a_higher_threshold_and_is_found_once() -> None:
    (relation,) = relations(view(1, "Holt Mill is open. It has four floors. Holt Mill is not open."))
    assert (relation.existing_id, relation.relation) == ("n1", "conflict")
    assert len(relation.contradictions) == 1
    assert relation.confidence >= RuleJudge.conflict_inside


def test_two_documents_in_one_merged_node_are_not_compared_again() -> None:
    first, second = view(1, "Holt Mill is open.", "a.txt"), view(2, "Holt Mill is not open.", "b.txt")
    merged = first.model_copy(update={"id": "n3", "claims": (*first.claims, *second.claims)})
    assert relations(merged) == ()


def test_what_its_own_document_says_nearly_alike_does_not_keep_a_claim_from_that_of_another() -> None:
    own = view(2, " ".join(f"Holt Mill is open{'!' * number}" for number in range(1, NEAREST + 2)), "a.txt")
    other = view(3, "Holt Mill is not open.", "b.txt")
    new = view(1, "Holt Mill is open.", "a.txt")
    assert kinds(*relations(new, own, other)).get("n3") == "conflict"


def test_a_claim_is_in_one_contradiction_at_most() -> None:
    others = [view(number, "Holt Mill is not open.", f"{number}.txt") for number in range(2, 9)]
    found = [one for relation in relations(view(1, "Holt Mill is open."), *others) for one in relation.contradictions]
    assert len(found) == 1


def test_a_copy_is_merged_and_relations_of_the_other_phase_are_left_out() -> None:
    assert [one.relation for one in relations(view(2, GUIDE), view(1, GUIDE))] == ["merge"]
    assert relations(view(2, GUIDE), view(1, GUIDE), phase="related") == ()
    assert all(one.relation != "conflict" for one in relations(view(2, LEAFLET), view(1, GUIDE), phase="related"))


def test_a_node_without_content_is_unrelated() -> None:
    assert relations(view(2, "Hm."), view(1, GUIDE)) == ()
    assert relations(view(1, GUIDE), view(2, "")) == ()


WOOL = "The wool exchange at Bradford was opened by Lord Palmerston. Merchants met there on Mondays and Thursdays."


def test_a_text_that_adds_to_another_is_not_merged_with_it() -> None:
    more = f"{GUIDE} {WOOL} The Bradford exchange closed. A strike began there in May."
    assert kinds(*relations(view(2, more), view(1, GUIDE))).get("n1") != "merge"


def test_texts_on_one_subject_are_related_and_on_different_subjects_are_not() -> None:
    sails = "The sails of Beacon Mill were tied for good. Beacon Mill near Benenden is open on Sundays."
    found = relations(view(3, sails), view(1, GUIDE), view(2, WOOL), embedder=load_embedder())
    assert kinds(*found) == {"n1": "related"}
    assert found[0].reasoning


def test_a_shared_keyword_relates_less_similar_nodes() -> None:
    first = view(1, "Beacon Mill has no sails.", keywords=("beacon mill", "smock"))
    second = view(2, "The carpenter repaired Beacon Mill with oak.", keywords=("beacon mill", "oak"))
    (relation,) = relations(second, first, embedder=load_embedder())
    assert relation.relation == "related"
    assert "beacon mill" in relation.reasoning


def test_without_candidates_there_is_no_relation() -> None:
    assert analyse(AnalysisInput(node=view(1, GUIDE), candidates=()), HashEmbedder(), RuleJudge()).relations == ()


TEXTS = st.sampled_from([GUIDE, LEAFLET, WOOL, GUIDE.replace("open", "not open"), "The mill is not open.", ""])


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_relations_name_candidates_and_claims_that_exist(text: str, others: list[str]) -> None:
    new = view(1, text)
    nodes = [view(number, other) for number, other in enumerate(others, start=2)]
    found = relations(new, *nodes)
    by_id = {node.id: {claim.id for claim in node.claims} for node in (new, *nodes)}
    assert len(kinds(*found)) == len(found)
    for relation in found:
        assert 0 <= relation.confidence <= 1
        assert bool(relation.contradictions) == (relation.relation == "conflict")
        for one in relation.contradictions:
            assert one.new_claim in by_id["n1"]
            assert one.existing_claim in by_id[relation.existing_id]


@given(TEXTS, TEXTS)
def test_relations_are_symmetric(first: str, second: str) -> None:
    there, back = relations(view(2, second), view(1, first)), relations(view(1, first), view(2, second))
    assert [r.relation for r in there if r.existing_id == "n1"] == [r.relation for r in back if r.existing_id == "n2"]
