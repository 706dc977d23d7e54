"""Integration without a model: nodes are merged, nothing is invented, and no refuted claim is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.analysis import NodeView
from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.engines.offline.integration import MOST_KEYWORDS, SUMMARY_CHARACTERS, integrate
from tests.builders import make_node
from tests.engines.offline.fake_tools import FakeTools
from tests.judgement.rule_judge import RuleJudge

GUIDE = "Beacon Mill stands near Benenden. Beacon Mill was built in 1772. It has four floors."
LEAFLET = "Beacon Mill is a smock mill. Beacon Mill was built in 1869. It grinds wheat."
VERDICTS: tuple[Verdict, ...] = ("first", "second", "both", "neither")


def views(memory: FakeTools, topic: str = "") -> tuple[NodeView, ...]:
    return tuple(
        NodeView(
            id=node.id,
            summary="\n".join(claim.text for claim in node.claims) or node.summary,
            context=node.context,
            keywords=(f"{node.id} word", "mill"),
            topic=topic,
            claims=node.claims,
        )
        for node in memory.nodes
    )


def merge(memory: FakeTools, conflict: Conflict | None = None, topic: str = "") -> IntegrationOutput:
    neighbour = make_node("n9", "Kent.").model_copy(update={"keywords": ("kent",)})
    return integrate(
        IntegrationInput(
            nodes=views(memory, topic),
            neighbours=(neighbour,),
            why="conflict" if conflict else "merge",
            conflict=conflict,
        ),
        RuleJudge(),
    )


def texts(output: IntegrationOutput) -> list[str]:
    return [claim.text for claim in output.claims]


@pytest.mark.parametrize(("verdict", "named", "gone"), [("first", "1772", "1869"), ("second", "1869", "1772")])
def test_a_merged_node_is_not_named_after_what_was_refuted(verdict: Verdict, named: str, gone: str) -> None:
    memory = FakeTools({"a.txt": GUIDE, "b.txt": LEAFLET})
    conflict = memory.disagree("1772", "1869", verdict)
    nodes = tuple(
        view.model_copy(update={"context": f"Mills: {claim.text}"})
        for view, claim in zip(views(memory), conflict.claims, strict=True)
    )
    merged = integrate(IntegrationInput(nodes=nodes, neighbours=(), why="conflict", conflict=conflict), RuleJudge())
    assert named in merged.context
    assert gone not in merged.context


def test_a_merge_keeps_every_claim_and_every_sentence_once() -> None:
    memory = FakeTools({"a.txt": GUIDE, "b.txt": f"{GUIDE} It was painted white in 1900."})
    output = merge(memory)
    assert output.claims == tuple(claim for node in memory.nodes for claim in node.claims)
    assert output.summary.splitlines().count("It has four floors.") == 1
    assert "It was painted white in 1900." in output.summary
    assert "n1" in output.merge_description
    assert "n2" in output.merge_description


def test_the_newest_node_names_the_merged_one_and_its_keywords_come_first() -> None:
    memory = FakeTools({"a.txt": GUIDE, "b.txt": LEAFLET})
    output = merge(memory)
    assert output.context == memory.nodes[1].context
    assert output.keywords == ("n2 word", "mill", "n1 word")


def test_keywords_are_bounded() -> None:
    memory = FakeTools({f"{number}.txt": f"Mill {number} was built in 1772." for number in range(20)})
    assert len(merge(memory).keywords) == MOST_KEYWORDS


@pytest.mark.parametrize(
    ("verdict", "gone", "kept"),
    [
        ("first", ["1869"], ["1772"]),
        ("second", ["1772"], ["1869"]),
        ("both", [], ["1772", "1869"]),
        ("neither", ["1772", "1869"], []),
    ],
)
def test_a_refuted_claim_is_removed_from_claims_and_summary_and_the_rest_stays(
    verdict: Verdict, gone: list[str], kept: list[str]
) -> None:
    memory = FakeTools({"guide.txt": GUIDE, "leaflet.txt": LEAFLET})
    output = merge(memory, memory.disagree("1772", "1869", verdict))
    claims = " ".join(texts(output))
    assert all(year not in claims and year not in output.summary for year in gone)
    assert all(year in claims and year in output.summary for year in kept)
    assert "It has four floors." in texts(output)
    assert "It has four floors." in output.summary


@pytest.mark.parametrize("verdict", ["second", "neither"])
def test_a_claim_that_says_the_same_as_a_refuted_one_is_removed_too(verdict: Verdict) -> None:
    memory = FakeTools({"guide.txt": f"{GUIDE} In 1772 Beacon Mill was built by Humphrey.", "leaflet.txt": LEAFLET})
    output = merge(memory, memory.disagree("Beacon Mill was built in 1772", "1869", verdict))
    assert not any("1772" in text for text in texts(output))
    assert "1772" not in output.summary


@pytest.mark.parametrize("verdict", ["second", "neither"])
def test_a_claim_that_only_shares_a_figure_with_a_refuted_one_stays(verdict: Verdict) -> None:
    memory = FakeTools({"guide.txt": f"{GUIDE} Benenden Church was burnt in 1772.", "leaflet.txt": LEAFLET})
    output = merge(memory, memory.disagree("Beacon Mill was built in 1772", "1869", verdict))
    assert "Benenden Church was burnt in 1772." in texts(output)


def test_a_contradiction_inside_one_node_leaves_the_node_without_the_refuted_claim() -> None:
    memory = FakeTools({"guide.txt": f"{GUIDE} Beacon Mill was built in 1869."})
    output = merge(memory, memory.disagree("1772", "1869", "first"))
    assert "Beacon Mill was built in 1869." not in texts(output)
    assert "1869" not in output.summary


@pytest.mark.parametrize("verdict", ["both", "neither"])
def test_a_verdict_that_no_claim_states_is_summarised_by_its_reason(verdict: Verdict) -> None:
    memory = FakeTools({"guide.txt": GUIDE, "leaflet.txt": LEAFLET})
    conflict = memory.disagree("1772", "1869", verdict)
    assert merge(memory, conflict).summary.startswith("the register says so\n")


def test_the_summary_is_never_empty_even_where_all_claims_are_refuted() -> None:
    memory = FakeTools({"a.txt": "Beacon Mill was built in 1772.", "b.txt": "Beacon Mill was built in 1869."})
    for verdict in VERDICTS:
        memory.found.clear()
        assert merge(memory, memory.disagree("1772", "1869", verdict)).summary


def test_the_merge_description_names_nodes_reason_and_verdict() -> None:
    memory = FakeTools({"guide.txt": GUIDE, "leaflet.txt": LEAFLET})
    description = merge(memory, memory.disagree("1772", "1869", "first")).merge_description
    for text in ("n1", "n2", "1772 against 1869", "first", "the register says so"):
        assert text in description


@pytest.mark.parametrize(("verdict", "settled"), [("first", "1772"), ("second", "1869")])
def test_the_summary_starts_with_the_claim_that_holds(verdict: Verdict, settled: str) -> None:
    """However long the nodes are, and though their summaries left that sentence out."""
    filler = "Millers of the county kept careful books of all the corn they ground for the farmers around. "
    memory = FakeTools({"guide.txt": GUIDE + filler * 9, "leaflet.txt": LEAFLET + filler * 9})
    conflict = memory.disagree("1772", "1869", verdict)
    nodes = tuple(view.model_copy(update={"summary": filler.strip()}) for view in views(memory))
    output = integrate(IntegrationInput(nodes=nodes, neighbours=(), why="conflict", conflict=conflict), RuleJudge())
    assert output.summary.splitlines() == [f"Beacon Mill was built in {settled}.", filler.strip()]


def test_a_third_value_that_was_found_is_in_the_summary() -> None:
    memory = FakeTools({"guide.txt": GUIDE, "leaflet.txt": LEAFLET})
    conflict = memory.disagree("1772", "1869", "neither").model_copy(
        update={"reason": "a.txt, b.txt gives 1805 instead of both: “It was built in 1805.”."}
    )
    summary = merge(memory, conflict).summary
    assert "1805" in summary
    assert "1772" not in summary


def test_a_summary_sentence_that_contains_a_refuted_claim_is_removed() -> None:
    memory = FakeTools({"guide.txt": GUIDE, "leaflet.txt": LEAFLET})
    conflict = memory.disagree("1772", "1869", "second")
    written = tuple(
        view.model_copy(update={"summary": "As all know, Beacon Mill was built in 1772. So it is."})
        for view in views(memory)
    )
    output = integrate(IntegrationInput(nodes=written, neighbours=(), why="conflict", conflict=conflict), RuleJudge())
    assert "1772" not in output.summary


def test_a_refuted_sentence_is_removed_from_the_summary_also_where_its_claim_begins_with_a_short_one() -> None:
    memory = FakeTools({"guide.txt": "Age. Beacon Mill was built in 1772.", "leaflet.txt": LEAFLET})
    conflict = memory.disagree("1772", "1869", "second")
    written = tuple(
        view.model_copy(update={"summary": "Beacon Mill was built in 1772.\nIt has four floors."})
        for view in views(memory)
    )
    output = integrate(IntegrationInput(nodes=written, neighbours=(), why="conflict", conflict=conflict), RuleJudge())
    assert "1772" not in output.summary
    assert "four floors" in output.summary


PIECES = st.sampled_from(
    [
        "Beacon Mill was built in 1772.",
        "Beacon Mill was built in 1869.",
        "It has four floors.",
        "Sheep graze there.",
        "这座坝的高度是111米。",
    ]
)
DOCUMENTS = st.lists(PIECES, min_size=1, max_size=8).map(" ".join)


@given(DOCUMENTS, DOCUMENTS, st.sampled_from(VERDICTS))
def test_whatever_merges_every_claim_is_one_of_the_nodes_and_every_line_one_of_their_sentences(
    first: str, second: str, verdict: Verdict
) -> None:
    memory = FakeTools(
        {"a.txt": f"{first} Beacon Mill was built in 1772.", "b.txt": f"{second} Beacon Mill was built in 1869."}
    )
    conflict = memory.disagree("1772", "1869", verdict)
    output = merge(memory, conflict)
    own = [claim for node in memory.nodes for claim in node.claims]
    assert all(claim in own for claim in output.claims)
    assert len({claim.id for claim in output.claims}) == len(output.claims)
    assert not {claim.id for claim in output.claims} & {claim.id for claim in conflict.refuted}
    lines = {line for view in views(memory) for line in view.summary.splitlines()} | {"the register says so"}
    assert set(output.summary.splitlines()) <= lines
    assert len(output.summary) <= SUMMARY_CHARACTERS + len("the register says so\n")
    assert output.neighbour_updates == ()
