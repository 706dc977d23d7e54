"""Whole sessions with a strong model's recorded answers, through the real client: what they find, say and cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank.app.evaluation.dossiers import is_right_answer, score_conflicts
from memory_bank.bank.usage import Usage
from tests.cassettes.cassette import Cassette
from tests.cassettes.networks import Kept
from tests.cassettes.playing import Case, Played, cases, play_case, settings_for
from tests.cassettes.server import replaying

CASES = list(cases())


@pytest.fixture(
    scope="module",
    params=[pytest.param(case, marks=pytest.mark.xdist_group(case.name), id=case.name) for case in CASES],
)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    if not found.cassette.exists():
        pytest.skip(f"nothing is recorded for {found.name} yet; record it with: {found.command}")
    return found


@pytest.fixture(scope="module")
def played(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Played:
    cassette = Cassette.read(case.cassette)
    with replaying(cassette) as address:
        return play_case(case, settings_for(address), tmp_path_factory.mktemp(case.name), Kept(cassette.networks))


def test_a_session_is_no_worse_than_when_it_was_recorded(case: Case, played: Played) -> None:
    """As the case's `reached` says; docs/models.md has the figures beside what is wanted."""
    reached = json.loads(case.file.read_text(encoding="utf-8"))["reached"]
    session, checked = played.sessions[0], played.checked
    scored, answer = score_conflicts(session.bank, case.dossier), session.answer
    assert answer is not None
    assert scored["found"] >= reached["found"], scored["missed"]
    assert scored["false_alarms"] <= reached["false_alarms"], scored["alarms"]
    assert scored["verdicts_right"] >= reached["verdicts_right"]
    assert is_right_answer(case.question, answer.text, answer.affirmed) >= reached["answer_right"], answer.text
    assert checked.holding >= reached["sentences_holding"], checked.faults


def test_it_costs_no_more_than_it_may(case: Case, played: Played) -> None:
    usage = sum((session.bank.usage for session in played.sessions), Usage())
    ceiling = json.loads(case.file.read_text(encoding="utf-8"))["ceiling"]
    assert usage.calls <= ceiling["requests"], usage.in_words
    assert usage.tokens <= ceiling["tokens"], usage.in_words


def test_there_are_six_dossiers_one_of_them_chinese_and_two_long_tasks() -> None:
    words = {case.name: sum(len(document.text.split()) for document in case.dossier.documents) for case in CASES}
    assert len([name for name, count in words.items() if count < 1_000]) >= 6
    assert len([name for name, count in words.items() if count > 3_000]) >= 2
    assert any(case.dossier.language == "zh" for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_planted_span_stands_in_its_document(case: Case) -> None:
    texts = {document.name: document.text for document in case.dossier.documents}
    for planted in case.dossier.contradictions:
        for place in (planted.a, planted.b):
            assert place.span in texts[place.document]


@pytest.mark.parametrize("file", sorted(Path(__file__).parent.glob("*.jsonl.gz")), ids=lambda file: file.name)
def test_a_cassette_says_what_answered_and_belongs_to_a_case(file: Path) -> None:
    head = Cassette.read(file).head
    assert file.name == f"{head.name}.jsonl.gz"
    assert head.name in {case.name for case in CASES}
    assert all((head.answered_by, head.date, head.prompts, head.command))
