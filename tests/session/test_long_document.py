"""Questions to the export of a long PDF: each answer stands on the page that it is said to stand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_bank.bank.bank import Bank
from memory_bank.bank.settings import Settings
from memory_bank.session.memory_qa import ask
from memory_bank.session.session import Parts, Session
from memory_bank.storage.transfer import parse_export
from scripts.long_document import Question, Survey, is_right, make_survey, write_pdf

PAGES = 40
SURVEY = make_survey(PAGES)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    """The memory of a session that read the survey, as it comes back from the export."""
    folder = tmp_path_factory.mktemp("survey")
    write_pdf(SURVEY, folder / "survey.pdf")
    settings = Settings(embedding_model="hash")
    session = Session.create(SURVEY.questions[0].text, [folder / "survey.pdf"], sessions=folder, settings=settings)
    for _event in session.run():
        pass
    return Bank.replay(parse_export(session.export().encode()).events)


def test_the_survey_has_its_pages_and_is_the_same_each_time(tmp_path: Path) -> None:
    assert make_survey(PAGES) == SURVEY
    assert len(SURVEY.pages) == PAGES
    for question in SURVEY.questions:
        told = [number for number, page in enumerate(SURVEY.pages, start=1) if question.value in " ".join(page)]
        assert question.page in told
    for name in ("one.pdf", "other.pdf"):
        write_pdf(SURVEY, tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "other.pdf").read_bytes()


TOLD_AT_ONCE = [question for question in SURVEY.questions if " of " not in question.text]
"""What one sentence answers: the embedded engine does not put two together."""


@pytest.mark.slow
@pytest.mark.parametrize("question", TOLD_AT_ONCE, ids=lambda question: question.text)
def test_the_answer_is_right_and_names_its_page(bank: Bank, question: Question) -> None:
    answer = ask(bank, Parts.asking(Settings(embedding_model="hash")), question.text).answer
    passages = "".join(f"survey.pdf, p. {citation.page}: " for citation in answer.citations)
    assert is_right(question, f"{answer.text}\n\n{passages}"), answer.text


def test_an_answer_with_another_value_or_page_is_wrong() -> None:
    question = Question("When?", "1708", 4)
    assert is_right(question, "1708: “It was built in 1708.” [1]\n\n[1] survey.pdf, p. 4: It was built in 1708.")
    assert not is_right(question, "1709: “It was built in 1709.” [1]\n\n[1] survey.pdf, p. 4: It was built in 1708.")
    assert not is_right(question, "1708: “It was built in 1708.” [1]\n\n[1] survey.pdf, p. 41: It was built in 1708.")


def test_a_small_survey_is_one_too() -> None:
    survey: Survey = make_survey(8)
    assert len(survey.questions) == 5
