"""The research loop, with scripted judgements and with those of the embedded engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.agents.agent import Engine, Judgement
from memory_bank.agents.research import (
    MOST_FOLLOW_UPS,
    MOST_PAGE_IDS,
    ROUNDS,
    Finding,
    Findings,
    FindingsInput,
    MemoryPage,
    Need,
    PlanInput,
    Reflection,
    ReflectionInput,
    Research,
    ResearchPlan,
)
from memory_bank.bank.errors import AgentError
from memory_bank.bank.usage import Remark
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.search.research.researcher import research_question
from tests.scripted import ONE_CALL, ScriptedEngine
from tests.search.research.stories import EMBEDDER, STORY, library_of, titles

OFFLINE = OfflineEngine(EMBEDDER)
WHERE = "Where was the writer of The Tin Lantern born?"


def plan(given: PlanInput) -> ResearchPlan:
    return ResearchPlan(needs=tuple(Need(fact=one, keywords=one, sentence=one) for one in given.requests))


def keep(given: FindingsInput) -> Findings:
    return Findings(findings=given.findings)


def scripted(*reflections: Reflection, page_ids: Sequence[str] = ()) -> ScriptedEngine:
    return ScriptedEngine(
        {
            "research_plan": lambda given: plan(given).model_copy(update={"page_ids": tuple(page_ids)}),
            "research_findings": keep,
            "research_reflection": list(reflections),
        }
    )


def ask_for(*follow_ups: str) -> Reflection:
    return Reflection(enough=False, follow_ups=follow_ups)


def research(engine: Engine, rounds: int = ROUNDS, question: str = WHERE) -> Research:
    return research_question(library_of(STORY), engine, question, rounds)


# -- when it ends --------------------------------------------------------------------------------------------


def test_it_ends_when_the_engine_has_enough() -> None:
    found = research(scripted(ask_for("goats"), Reflection(enough=True)))
    assert (found.stopped, len(found.rounds)) == ("enough", 2)


def test_it_ends_when_nothing_is_left_to_ask() -> None:
    found = research(scripted(ask_for()))
    assert (found.stopped, len(found.rounds)) == ("nothing new", 1)


def test_it_ends_when_only_what_was_asked_before_is_asked_again() -> None:
    found = research(scripted(ask_for(WHERE)))
    assert (found.stopped, len(found.rounds)) == ("nothing new", 1)


def test_it_ends_when_a_round_finds_no_page_that_was_not_known() -> None:
    found = research(scripted(ask_for("lantern"), ask_for("the lantern again")))
    assert (found.stopped, len(found.rounds)) == ("nothing new", 2)


@pytest.mark.parametrize("rounds", [1, 2])
def test_it_ends_when_it_is_out_of_rounds(rounds: int) -> None:
    library = library_of([MemoryPage(id=f"e{n}", title="", text=f"word{n} " * 3) for n in range(1, 60)])
    engine = scripted(*(ask_for(f"word{50 + n}") for n in range(9)))
    found = research_question(library, engine, "word1", rounds)
    assert (found.stopped, len(found.rounds)) == ("out of rounds", rounds)


def test_by_default_there_are_three_rounds() -> None:
    assert ROUNDS == 3


def test_an_engine_that_has_no_judgement_is_not_passed_over() -> None:
    with pytest.raises(AgentError):
        research(ScriptedEngine({"research_plan": [AgentError("research_plan", "no answer")]}))


# -- what the engine is given, and what is believed of it ----------------------------------------------------


def test_a_round_asks_what_the_last_one_left_open() -> None:
    engine = scripted(ask_for("goats", "quays"), Reflection(enough=True))
    found = research(engine)
    assert [one.requests for one in found.rounds] == [(WHERE,), ("goats", "quays")]
    given = [value for name, value in engine.asked if name == "research_reflection"]
    assert isinstance(given[-1], ReflectionInput)
    assert given[-1].requests == (WHERE, "goats", "quays")


def test_a_plan_is_made_from_the_abstracts_of_pages_that_are_named_and_of_those_found() -> None:
    engine = scripted(ask_for("goats"), Reflection(enough=True))
    research(engine)
    first, second = (value for name, value in engine.asked if name == "research_plan")
    assert isinstance(first, PlanInput)
    assert isinstance(second, PlanInput)
    assert [(one.title, one.text[:33]) for one in first.known] == [
        ("The Tin Lantern", "The Tin Lantern: The Tin Lantern ")
    ]
    assert len(second.known) > 1


def test_a_page_that_is_opened_comes_first_and_an_id_of_no_page_is_dropped() -> None:
    found = research(scripted(Reflection(enough=True), page_ids=["e8", "e99"]), question="goats")
    assert found.rounds[0].plan.page_ids == ("e8",)
    assert found.pages[0].id == "e8"


def test_a_finding_without_a_page_that_was_shown_is_not_kept() -> None:
    findings = (Finding(text="a", page_ids=("e99",)), Finding(text="b", page_ids=("e1", "e99")))
    engine = ScriptedEngine(
        {
            "research_plan": plan,
            "research_findings": [Findings(findings=findings)],
            "research_reflection": [Reflection(enough=True)],
        }
    )
    assert research(engine).findings == (Finding(text="b", page_ids=("e1",)),)


def test_a_round_keeps_what_its_judgements_took_and_what_was_noted_of_them() -> None:
    remark = Remark(kind="dropped", what="page 9")

    class Noting(ScriptedEngine):
        def judge(self, agent: Any, given: Any, language: Any = "en", failed: Any = None) -> Judgement[Any]:
            return replace(super().judge(agent, given, language, failed), remarks=(remark,))

    scripts = {"research_plan": plan, "research_findings": keep}
    found = research(Noting({**scripts, "research_reflection": [ask_for("goats"), Reflection(enough=True)]}))
    assert [(one.calls, one.remarks) for one in found.rounds] == [(ONE_CALL * 3, (remark,) * 3)] * 2
    assert (found.usage.calls, found.remarks) == (6, (remark,) * 6)


def test_pages_that_an_earlier_round_read_are_known_as_such() -> None:
    engine = scripted(ask_for("goats"), Reflection(enough=True))
    research(engine)
    first, second = (value for name, value in engine.asked if name == "research_findings")
    assert isinstance(first, FindingsInput)
    assert isinstance(second, FindingsInput)
    assert first.read == ()
    assert set(second.read) == {page.id for page in second.pages} & {page.id for page in first.pages}


def test_no_more_than_five_pages_are_opened_and_five_requests_made() -> None:
    many = tuple(f"e{n}" for n in range(6))
    with pytest.raises(ValueError, match="at most 5"):
        ResearchPlan(needs=(), page_ids=many)
    with pytest.raises(ValueError, match="at most 5"):
        Reflection(enough=False, follow_ups=many)


# -- the embedded engine -------------------------------------------------------------------------------------


def test_a_second_hop_is_found_by_the_name_in_the_first() -> None:
    found = research(OFFLINE)
    assert set(titles(found.pages)[:2]) == {"The Tin Lantern", "Oda Brekke"}
    assert any("Oda Brekke" in request for request in found.rounds[1].requests)
    assert any("born in Vardness" in finding.text for finding in found.findings)


def test_a_bridge_that_no_title_names_is_found_by_its_name() -> None:
    pages = {title: text for title, text in STORY.items() if title != "The Tin Lantern"} | {
        "Oda Brekke": "A writer of plays, whose home was Quillmoor.",
        "Town halls": "The mayor of any place has a trade and a home.",
        "Moor towns": "Quillmoor lies under the ridge of Stell, led by a mayor who bakes.",
        "Ridge towns": "Stellborough lies over the ridge, led by a mayor who bakes.",
    }
    question = "Which trade has the mayor of the place where Oda Brekke had her home?"
    at_once, found = (research_question(library_of(pages), OFFLINE, question, rounds) for rounds in (1, ROUNDS))
    assert any("Quillmoor" in request for request in found.rounds[1].requests)
    places = [titles(one.pages).index("Moor towns") for one in (found, at_once)]
    assert places[0] < places[1]


def test_both_sides_of_a_comparison_are_opened() -> None:
    found = research(OFFLINE, question="Which came first, The Tin Lantern or The Paper Lantern?")
    assert set(found.rounds[0].plan.page_ids) == {"e1", "e5"}
    assert {"The Tin Lantern", "The Paper Lantern"} < set(titles(found.pages)[:3])


def test_every_finding_is_a_sentence_of_its_page() -> None:
    found = research(OFFLINE)
    texts = {page.id: page.text for page in found.pages}
    assert found.findings
    assert all(finding.text in texts[page_id] for finding in found.findings for page_id in finding.page_ids)


def test_a_question_on_one_page_is_enough_after_it() -> None:
    found = research(OFFLINE, question="Who kept goats?")
    assert (found.stopped, titles(found.pages)[0]) == ("enough", "Hill Barn")


def test_a_memory_without_pages_brings_nothing() -> None:
    found = research_question(library_of({}), OFFLINE, WHERE)
    assert (found.pages, found.findings, found.stopped) == ((), (), "nothing new")


TEXTS = st.lists(st.tuples(st.sampled_from(sorted(STORY)), st.sampled_from(sorted(STORY.values()))), max_size=12)


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.text(max_size=40) | st.sampled_from([WHERE, *sorted(STORY)]), st.integers(1, 4))
def test_research_is_bounded_repeatable_and_names_every_page_once(
    given_pages: list[tuple[str, str]], question: str, rounds: int
) -> None:
    pages = [MemoryPage(id=f"e{n}", title=title, text=text) for n, (title, text) in enumerate(given_pages, start=1)]
    first, again = (research_question(library_of(pages), OFFLINE, question, rounds) for _ in range(2))
    assert first == again
    assert 1 <= len(first.rounds) <= rounds
    ids = [page.id for page in first.pages]
    assert len({(page.title, page.text) for page in first.pages}) == len(ids) == len(set(ids))
    assert set(ids) <= {page.id for page in pages}
    for one in first.rounds:
        assert len(one.plan.page_ids) <= MOST_PAGE_IDS
        assert len(one.reflection.follow_ups) <= MOST_FOLLOW_UPS
        assert set(one.page_ids) <= set(ids)
        assert {page_id for finding in one.findings for page_id in finding.page_ids} <= set(ids)
