"""A text on its way into memory, and several nodes on their way into one: what a whole run does not show."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.analysis import AnalysisInput, AnalysisOutput, Contradiction, Description, Relation
from memory_bank.agents.classification import ClassificationInput, ClassificationOutput, Cluster, Section
from memory_bank.agents.integration import IntegrationInput, IntegrationOutput
from memory_bank.agents.structure import FoundClaim, StructureInput, StructureOutput
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.errors import AgentError
from memory_bank.bank.events import (
    AgentFailed,
    ConflictOpened,
    ConflictReopened,
    EdgeCreated,
    MergeReverted,
    NeighbourUpdate,
    NodesMerged,
    NodeUpdated,
    TextClassified,
)
from memory_bank.bank.settings import AgentSettings
from memory_bank.engines.llm import integration as llm_integration
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.pipeline import Material
from tests.builders import make_source, make_verification
from tests.engines.llm.consulting import judge
from tests.scripted import Script
from tests.session.test_session import classify, integrate, structure
from tests.workbench import Workbench, workbench

FIRST, SECOND = "The dam was finished in 1970.", "The dam was finished in 1968."
WRITTEN = llm_integration.IntegrationReply(
    summary="The dam was finished in 1970 and has four floors.",
    context="the dam",
    keywords=["dam"],
    repeated_claims=[],
    neighbour_updates=[],
    merge_description="one dam",
)


def unrelated(given: AnalysisInput) -> AnalysisOutput:
    return AnalysisOutput(relations=())


def scripts(**own: Script) -> dict[str, Script]:
    ordinary: dict[str, Script] = {
        "classification": classify,
        "structure": structure,
        "analysis": unrelated,
        "integration": integrate,
    }
    return ordinary | own


def material(text: str, **more: object) -> Material:
    return Material(**{"unit": "s1", "text": text, "source": "a.txt"} | more)  # type: ignore[arg-type]


def text_in_memory(bench: Workbench) -> str:
    return "".join(entry.text for entry in bench.bank.trees)


# -- text into memory ------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["dam", "mill", "1970", "was", "Nile.", "Sheep", "\n\n", "\n", " ", "坝", "。", "# Head\n", "12 km"]
)
TEXTS = st.lists(WORDS, max_size=80).map(" ".join)


@given(TEXTS, st.lists(st.integers(0, 200), max_size=4), st.lists(st.integers(0, 200), max_size=3))
def test_whatever_the_text_and_its_headings_nothing_is_lost_and_every_claim_is_where_it_says(
    tmp_path_factory: pytest.TempPathFactory, text: str, breaks: list[int], headings: list[int]
) -> None:
    given_sections = tuple(Section(start=start, end=start + 3, title="Head") for start in sorted(set(headings)))
    with workbench(tmp_path_factory.mktemp("text")) as bench:
        list(bench.pipeline.remember(material(text, breaks=tuple(sorted(breaks)), sections=given_sections)))
        assert text_in_memory(bench) == (text if text.strip() else "")
        for node in bench.bank.query_graph:
            assert bench.bank.trees.entries(node.id)[0].text.strip()
            for claim in node.claims:
                assert bench.bank.trees.entry(claim.entry_id).text[claim.start : claim.end] == claim.text
        starts = [entry.metadata["start"] for entry in bench.bank.trees]
        pieces = [entry.text for entry in bench.bank.trees]
        assert all(text[start:].startswith(piece) for start, piece in zip(starts, pieces, strict=True))


def test_a_text_that_exceeds_the_window_is_classified_in_parts_that_each_fit(tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {number} tells of the dam and the river at length." for number in range(300))
    with workbench(tmp_path, scripts(), classification=AgentSettings(window=512), chunk_ratio=0.5) as bench:
        events = list(bench.pipeline.remember(material(text)))
        assert bench.engine is not None
        parts = [given.text for _, given in bench.engine.asked if isinstance(given, ClassificationInput)]
        assert len(parts) > 1
        assert "".join(parts) == text_in_memory(bench) == text
        assert all(HashEmbedder().count_tokens(part) <= 256 for part in parts)
        units = [event.unit for event in events if isinstance(event, TextClassified)]
        assert units == [f"s1.{number}" for number in range(1, len(parts) + 1)]


def test_headings_and_pages_reach_classification_by_their_places_in_each_part(tmp_path: Path) -> None:
    line = "The dam and the river and the lake behind it are described here.\n\n"
    text = "".join(f"# Part {number}\n{line * 12}" for number in range(6))
    found = [place for place in range(len(text)) if text.startswith("# Part", place)]
    sections = tuple(Section(start=start, end=start + 8, title=text[start + 2 : start + 8]) for start in found)
    with workbench(tmp_path, scripts(), classification=AgentSettings(window=512), chunk_ratio=0.4) as bench:
        list(bench.pipeline.remember(material(text, sections=sections, breaks=tuple(found))))
        assert bench.engine is not None
        asked = [given for _, given in bench.engine.asked if isinstance(given, ClassificationInput)]
    assert len(asked) > 1
    titles = [section.title for given in asked for section in given.sections]
    assert titles == [f"Part {number}" for number in range(6)]
    for given_part in asked:
        for section in given_part.sections:
            assert given_part.text[section.start : section.end] == f"# {section.title}"
        assert all(given_part.text.startswith("# Part", place) for place in given_part.breaks)


def two_topics_by_turns(given: ClassificationInput) -> ClassificationOutput:
    """The first and third sentence are one topic, the second another one."""
    first, second = given.text.index("Wool"), given.text.index("The dam is")
    spans = (((0, first), (second, len(given.text))), ((first, second),))
    clusters = [Cluster(cluster_id=n, context=f"{n}", keywords=(), spans=s) for n, s in enumerate(spans, start=1)]
    return ClassificationOutput(should_cluster=True, clusters=tuple(clusters))


def second_sentence(given: StructureInput) -> StructureOutput:
    start = given.content.find("The dam is")
    claims = () if start < 0 else (FoundClaim(text=given.content[start:], start=start, end=len(given.content)),)
    return StructureOutput(summary=given.content, claims=claims)


def test_a_claim_in_a_later_part_of_its_topic_has_that_parts_page(tmp_path: Path) -> None:
    text = "The dam was finished. Wool is dear. The dam is tall."
    starts = (0, text.index("Wool"), text.index("The dam is"))

    def page(offset: int) -> int:
        return sum(start <= offset for start in starts)

    with workbench(tmp_path, scripts(classification=two_topics_by_turns, structure=second_sentence)) as bench:
        list(bench.pipeline.remember(material(text, page_at=page, breaks=starts)))
        dam, wool = bench.bank.query_graph
        (claim,) = dam.claims
        assert (claim.text, claim.page) == ("The dam is tall.", 3)
        entry = bench.bank.trees.entries(dam.id)[0]
        assert entry.text[claim.start : claim.end] == claim.text
        assert entry.metadata["page"] == 1
        assert entry.metadata["pages"] == [[0, 1], [claim.start, 3]]
        assert bench.bank.trees.entries(wool.id)[0].metadata["page"] == 2
        assert "pages" not in bench.bank.trees.entries(wool.id)[0].metadata


def test_what_a_mail_quotes_is_no_claim_of_the_mail(tmp_path: Path) -> None:
    def each_line(given: StructureInput) -> StructureOutput:
        claims = (
            FoundClaim(text=match[0], start=match.start(), end=match.end())
            for match in re.finditer(r"It opens on .*", given.content)
        )
        return StructureOutput(summary=given.content, claims=tuple(claims))

    mail = "From: Ben\nTo: Ann\n\nIt opens on 1 June.\n\nOn 6 May Ann wrote:\n> It opens on 20 May.\n"
    with workbench(tmp_path, scripts(structure=each_line)) as bench:
        list(bench.pipeline.remember(material(mail)))
        (node,) = bench.bank.query_graph
        assert [(claim.id, claim.text) for claim in node.claims] == [("c1", "It opens on 1 June.")]
        assert "20 May" in text_in_memory(bench)


@pytest.mark.parametrize("text", ["", " \n\t\n "])
def test_a_text_without_a_word_makes_no_node_and_asks_nobody(tmp_path: Path, text: str) -> None:
    with workbench(tmp_path, scripts()) as bench:
        assert list(bench.pipeline.remember(material(text))) == []
        assert bench.engine is not None
        assert bench.engine.asked == []


def test_a_blank_topic_makes_no_node(tmp_path: Path) -> None:
    def with_a_blank_one(given: ClassificationInput) -> ClassificationOutput:
        cut = given.text.index("\n")
        spans = ((0, cut), (cut, len(given.text)))
        clusters = [Cluster(cluster_id=n, context="", keywords=(), spans=(s,)) for n, s in enumerate(spans, start=1)]
        return ClassificationOutput(should_cluster=True, clusters=tuple(clusters))

    with workbench(tmp_path, scripts(classification=with_a_blank_one)) as bench:
        list(bench.pipeline.remember(material("The dam is tall.\n \n")))
        assert [entry.text for entry in bench.bank.trees] == ["The dam is tall."]


def test_remembering_the_same_material_again_changes_nothing(tmp_path: Path) -> None:
    with workbench(tmp_path) as bench:
        given_material = material(f"{FIRST} It is 111 m high.\n\nSheep graze in Kent.")
        list(bench.pipeline.remember(given_material))
        assert list(bench.pipeline.remember(given_material)) == []


# -- comparison ------------------------------------------------------------------------------------------


def relating(make: Callable[[AnalysisInput], Relation]) -> Script:
    """An analysis that gives one relation, to nodes that came after the first."""

    def analyse(given: AnalysisInput) -> AnalysisOutput:
        return AnalysisOutput(relations=(make(given),) if given.node.id != "n1" else ())

    return analyse


def remember_two(bench: Workbench) -> None:
    for unit, text in (("s1", FIRST), ("s2", SECOND)):
        list(bench.pipeline.remember(material(text, unit=unit, source=f"{unit}.txt")))


def contradiction(new_claim: str, existing_claim: str) -> Contradiction:
    return Contradiction(new_claim=new_claim, existing_claim=existing_claim, description="which?", confidence=0.9)


@pytest.mark.parametrize(("new_claim", "existing_claim"), [("c2", "c99"), ("c99", "c1"), ("c2", "c2"), ("n2", "n1")])
def test_a_contradiction_that_names_no_two_claims_of_the_nodes_opens_nothing(
    tmp_path: Path, new_claim: str, existing_claim: str
) -> None:
    def relate(given: AnalysisInput) -> Relation:
        return Relation(
            existing_id="n1",
            relation="conflict",
            confidence=1,
            reasoning="",
            contradictions=(contradiction(new_claim, existing_claim),),
        )

    with workbench(tmp_path, scripts(analysis=relating(relate))) as bench:
        remember_two(bench)
        assert bench.bank.conflicts == {}


def test_one_pair_of_claims_is_one_conflict_however_often_it_is_reported(tmp_path: Path) -> None:
    def relate(given: AnalysisInput) -> Relation:
        both = (contradiction("c2", "c1"), contradiction("c2", "c1"), contradiction("c1", "c2"))
        return Relation(existing_id="n1", relation="conflict", confidence=1, reasoning="", contradictions=both)

    with workbench(tmp_path, scripts(analysis=relating(relate))) as bench:
        remember_two(bench)
        (conflict,) = bench.bank.conflicts.values()
        assert [claim.text for claim in conflict.claims] == [FIRST, SECOND]
        assert conflict.node_ids == ("n1", "n2")
        assert conflict.probability == 0.9


@pytest.mark.parametrize("relation", ["related", "merge"])
@pytest.mark.parametrize("existing_id", ["n2", "n99"])
def test_a_node_is_neither_related_to_nor_merged_with_itself_or_a_missing_one(
    tmp_path: Path, relation: str, existing_id: str
) -> None:
    def relate(given: AnalysisInput) -> Relation:
        return Relation.model_validate(
            {"existing_id": existing_id, "relation": relation, "confidence": 1, "reasoning": ""}
        )

    with workbench(tmp_path, scripts(analysis=relating(relate))) as bench:
        remember_two(bench)
        assert [node.id for node in bench.bank.query_graph] == ["n1", "n2"]
        assert bench.bank.query_graph.edges() == []


def test_related_nodes_describe_themselves_anew_and_are_found_by_it(tmp_path: Path) -> None:
    def relate(given: AnalysisInput) -> Relation:
        return Relation(
            existing_id="n1",
            relation="related",
            confidence=1,
            reasoning="both name the dam",
            new_description=Description(context="quarrel of the engineers", keywords=("quarrel",)),
            existing_description=Description(context="opening day", keywords=("opening",)),
        )

    with workbench(tmp_path, scripts(analysis=relating(relate))) as bench:
        bench.begin()
        remember_two(bench)
        events = bench.recorder.log.events
        assert [event.node_id for event in events if isinstance(event, NodeUpdated)] == ["n2", "n1"]
        assert [event.reason for event in events if isinstance(event, EdgeCreated)] == ["both name the dam"]
        assert bench.recall.retrieve("opening")[0].id == "n1"
        assert bench.recall.retrieve("quarrel")[0].id == "n2"


# -- several nodes into one ------------------------------------------------------------------------------


def test_integration_is_given_the_nodes_oldest_first(tmp_path: Path) -> None:
    """A node of a conflict may have become part of a newer one since."""
    with workbench(tmp_path, scripts()) as bench:
        bench.put("n5", "Newer.", FIRST, seconds=50)
        bench.put("n2", "Older.", SECOND, seconds=20)
        conflict_id = bench.open_conflict("n5", "n2")
        list(bench.pipeline.resolve([make_verification(conflict_id)], "agent"))
        assert bench.engine is not None
        (asked,) = [given for _, given in bench.engine.asked if isinstance(given, IntegrationInput)]
        assert [node.id for node in asked.nodes] == ["n2", "n5"]


@pytest.mark.parametrize(
    ("of_first", "of_second", "order"),
    [
        (date(2020, 1, 1), date(2024, 1, 1), ["n5", "n2"]),
        (date(2024, 1, 1), date(2020, 1, 1), ["n2", "n5"]),
        (date(2020, 1, 1), None, ["n2", "n5"]),  # when they were read
    ],
)
def test_the_dates_of_documents_say_which_node_is_older(
    tmp_path: Path, of_first: date, of_second: date | None, order: list[str]
) -> None:
    with workbench(tmp_path, scripts()) as bench:
        for source_id, dated in (("s1", of_first), ("s2", of_second)):
            bench.bank.sources[source_id] = make_source(source_id).model_copy(update={"dated": dated})
        bench.put("n5", "Newer.", FIRST, seconds=50, source_id="s1")
        bench.put("n2", "Older.", SECOND, seconds=20, source_id="s2")
        conflict_id = bench.open_conflict("n5", "n2")
        list(bench.pipeline.resolve([make_verification(conflict_id)], "agent"))
        assert bench.engine is not None
        (asked,) = [given for _, given in bench.engine.asked if isinstance(given, IntegrationInput)]
        assert [node.id for node in asked.nodes] == order


def test_verdicts_found_together_are_carried_out_with_one_request(tmp_path: Path) -> None:
    """The text follows them all; each verdict has its merge all the same, so that each can be undone."""
    requests: list[dict[str, Any]] = []

    def write(given: IntegrationInput) -> IntegrationOutput:
        judged = judge(llm_integration.integrate, given, *([] if given.written else [WRITTEN]))
        requests.extend(judged.requests)
        return judged.output

    with workbench(tmp_path, scripts(integration=write)) as bench:
        for node_id, claims in (("n1", (FIRST, "It has four floors.")), ("n2", (SECOND,)), ("n3", ("It has six.",))):
            bench.put(node_id, " ".join(claims), *claims)
        verdicts = [make_verification(bench.open_conflict("n1", "n2"))]
        verdicts.append(make_verification(bench.open_conflict("n1", "n3", of=(1, 0))))
        list(bench.pipeline.resolve(verdicts, "agent"))
        assert len(requests) == 1
        merges = [event.merge for event in bench.recorder.log.events if isinstance(event, NodesMerged)]
        assert [merge.node_ids for merge in merges] == [("n1", "n2", "n3"), ("n4",)]
        assert [merge.conflict_id for merge in merges] == [each.conflict_id for each in verdicts]
        (node,) = bench.bank.query_graph
        assert [claim.text for claim in node.claims] == [FIRST, "It has four floors."]

        bench.recorder.record(MergeReverted(node_id=node.id, reason="a person decided"))
        restored = bench.bank.query_graph["n4"]
        assert "It has six." in [claim.text for claim in restored.claims]
        second = verdicts[1].conflict_id
        bench.recorder.record(ConflictReopened(conflict_id=second, reason="", by="person"))
        list(bench.pipeline.resolve([make_verification(second, "second")], "person"))
        assert len(requests) == 2  # the text followed the other verdict


def test_the_merged_node_and_its_neighbours_are_described_as_integration_says(tmp_path: Path) -> None:
    def describe(given: IntegrationInput) -> IntegrationOutput:
        updates = [
            NeighbourUpdate(node_id=view.id, context=f"beside the dam: {view.context}", keywords=("beside",))
            for view in given.neighbours
        ]
        gone = NeighbourUpdate(node_id="n99", context="", keywords=())
        return integrate(given).model_copy(update={"neighbour_updates": (*updates, gone)})

    with workbench(tmp_path, scripts(integration=describe)) as bench:
        bench.put("n1", "One.", FIRST)
        bench.put("n2", "Two.", SECOND)
        bench.put("n3", "The river.")
        bench.relate("n1", "n3")
        bench.relate("n3", "n2")
        conflict_id = bench.open_conflict("n1", "n2")
        events = list(bench.pipeline.resolve([make_verification(conflict_id)], "person"))
        (merged,) = [event.node for event in events if isinstance(event, NodesMerged)]
        assert bench.bank.query_graph["n3"].context == "beside the dam: The river."
        assert bench.bank.query_graph.neighbours(merged.id) == ("n3",)
        assert bench.bank.conflicts[conflict_id].decided_by == "person"
        assert bench.engine is not None
        analysed = [given for _, given in bench.engine.asked if isinstance(given, AnalysisInput)]
        assert [(given.node.id, [view.id for view in given.candidates]) for given in analysed] == [
            (merged.id, [merged.id])
        ]


@pytest.mark.parametrize("verdict", ["first", "neither"])
def test_a_verdict_that_cannot_be_carried_out_fails_the_step_and_is_carried_out_by_the_next(
    tmp_path: Path, verdict: Verdict
) -> None:
    calls: list[IntegrationInput] = []

    def third_time(given: IntegrationInput) -> IntegrationOutput:
        calls.append(given)
        if len(calls) < 3:
            raise AgentError("integration", "busy")
        return integrate(given)

    with workbench(tmp_path, scripts(integration=third_time)) as bench:
        bench.put("n1", "One.", FIRST)
        bench.put("n2", "Two.", SECOND)
        conflict_id = bench.open_conflict("n1", "n2")
        verification = make_verification(conflict_id, verdict)
        with pytest.raises(AgentError):
            list(bench.pipeline.resolve([verification], "agent"))
        assert [node.id for node in bench.bank.query_graph] == ["n1", "n2"]
        assert bench.bank.conflicts[conflict_id].status == "open"
        list(bench.pipeline.resolve([verification], "agent"))
        assert bench.bank.conflicts[conflict_id].status == "resolved"
        assert len(bench.bank.query_graph) == 1


def test_a_merge_that_fails_leaves_both_nodes_as_they_are(tmp_path: Path) -> None:
    def relate(given: AnalysisInput) -> Relation:
        return Relation(existing_id="n1", relation="merge", confidence=1, reasoning="same")

    failing: list[object] = [AgentError("integration", "busy") for _ in range(2)]
    with workbench(tmp_path, scripts(analysis=relating(relate), integration=failing)) as bench:  # type: ignore[arg-type]
        remember_two(bench)
        assert [node.id for node in bench.bank.query_graph] == ["n1", "n2"]
        assert len([event for event in bench.recorder.log.events if isinstance(event, AgentFailed)]) == 2


def test_a_contradiction_inside_one_node_becomes_one_node_without_what_was_refuted(tmp_path: Path) -> None:
    with workbench(tmp_path) as bench:
        bench.begin()
        text = "Holt Mill stands in Kent. Holt Mill was built in 1812. It has four floors. Holt Mill was built in 1842."
        list(bench.pipeline.remember(material(text, title="Holt Mill")))
        (opened,) = [event for event in bench.recorder.log.events if isinstance(event, ConflictOpened)]
        assert opened.conflict.node_ids == ("n1",)
        assert [claim.text[-5:-1] for claim in opened.conflict.claims] == ["1812", "1842"]
        list(bench.pipeline.resolve([make_verification(opened.conflict.id)], "agent"))
        (node,) = bench.bank.query_graph
        assert "1842" not in " ".join(claim.text for claim in node.claims)
        assert "1842" not in node.summary
        assert "1842" in text_in_memory(bench)
        assert bench.bank.open_conflicts() == []
