"""Questions of public sets and on whole dossiers: each with the statement that answers, and with others that do not."""

from __future__ import annotations

import json
from pathlib import Path

from memory_bank.judgement.statement import statements_of
from training.corpus import HERE, lines
from training.measure import covers
from training.questions import asked_of_public

TEXT = "The mill was built in 1874. It has four floors. The wheel was taken away in 1951."


def test_of_a_public_question_the_statement_with_the_answer_answers_and_the_others_do_not(tmp_path: Path) -> None:
    questions = [
        {"question": "When was it built?", "answers": [{"text": "1874", "answer_start": TEXT.index("1874")}]},
        {"question": "Who built it?", "answers": [{"text": "Ada", "answer_start": 0}]},
    ]
    data = [{"title": "Mill", "paragraphs": [{"context": TEXT, "qas": questions}]}]
    (tmp_path / "small.en.json").write_text(json.dumps({"data": data}), encoding="utf-8")
    found = list(asked_of_public(tmp_path))
    assert {one.question for one in found} == {"When was it built?"}
    assert [one.answers for one in found] == [True, False, False]
    assert found[0].span is not None
    assert found[0].statement.text[slice(*found[0].span)] == "1874"
    assert {(one.language, one.supply) for one in found} == {("en", "public questions")}
    assert not list(asked_of_public(None))


def test_every_passage_of_a_question_on_a_dossier_is_in_one_of_its_statements() -> None:
    passages = missed = 0
    for path in sorted(HERE.glob("dossiers-2[4-9].jsonl")):
        for dossier in lines(path):
            texts = [document["text"] for document in dossier["documents"]]
            placed = [(n, one) for n, text in enumerate(texts) for one in statements_of(text)]
            for question in dossier["questions"]:
                for document, span in question["passages"]:
                    passages += 1
                    missed += not any(covers(texts, (document, span), one) for one in placed)
    assert passages > 1_000
    assert missed < 0.03 * passages
