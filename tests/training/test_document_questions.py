"""Questions on sets of real documents: what bears the answer, and what else is near."""

from __future__ import annotations

import json
from pathlib import Path

from training.corpus import HERE, lines
from training.document_questions import QUESTIONS, asked_of_documents

LOG = "# The mill\n\nThe mill was built in 1874.\n\nIt has **four** floors, and a wheel.\n\n- Ask for the key\n"


def test_what_bears_the_answer_answers_and_the_rest_of_the_set_does_not(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    asked = [
        {"q": "how high is it", "passages": [["log.md", "It has **four** floors, and a wheel."]]},
        {"q": "Who built it?", "passages": []},
        {"q": "A quotation that stands nowhere?", "passages": [["log.md", "It fell down."]]},
    ]
    text = "".join(json.dumps({"set": "mill", "language": "en", **one}) + "\n" for one in asked)
    questions.write_text(text, encoding="utf-8")
    (tmp_path / "mill").mkdir()
    (tmp_path / "mill" / "log.md").write_text(LOG, encoding="utf-8")
    found = list(asked_of_documents(tmp_path, questions))
    assert {one.question for one in found} == {"how high is it", "Who built it?"}
    assert {one.statement.text for one in found if one.answers} == {"It has **four** floors, and a wheel."}
    assert {one.statement.text for one in found if not one.answers} >= {
        "The mill was built in 1874.",
        "Ask for the key",
    }
    assert not list(asked_of_documents(None))


def test_every_set_with_questions_has_an_origin_for_each_file_that_is_quoted() -> None:
    known = {(one["set"], one["file"]) for one in lines(HERE / "document_origins.jsonl")}
    items = list(lines(QUESTIONS))
    quoted = {(item["set"], file) for item in items for file, _ in item["passages"]}
    assert quoted <= known
    unanswered = sum(not item["passages"] for item in items) / len(items)
    assert 0.15 < unanswered < 0.25
