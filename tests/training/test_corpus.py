"""The corpus: every file is in its form, and the pairs derived from it are what WRITING.md says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memory_bank.app.evaluation.dossiers import read_dossiers
from training.check import faults_of_line, main
from training.corpus import HERE, Label, authored_pairs, cropped_pairs, family_pairs, lines
from training.supplies import held_out, is_held_out

FILES = sorted(path for path in HERE.glob("*.jsonl") if not path.name.startswith("authored"))


def test_every_file_is_in_its_form() -> None:
    assert FILES
    assert main([str(path) for path in FILES]) == 0


def test_every_quotation_of_a_dossier_question_stands_in_its_dossier() -> None:
    dossiers = {name: list(lines(HERE / f"{name}.jsonl")) for name in ("dossiers-22", "dossiers-23")}
    for asked in lines(HERE / "authored_dossier_questions.jsonl"):
        texts = [document["text"] for document in dossiers[asked["dossiers"]][asked["number"]]["documents"]]
        assert bool(asked["passages"]) == (asked["kind"] != "none")
        for quotation in asked["passages"]:
            assert any(quotation in text for text in texts), quotation


def test_the_files_kept_apart_contradict_each_other_in_words_that_stand_in_them_once() -> None:
    dossiers = list(read_dossiers(HERE.parent / "apart"))
    assert sum(len(dossier.contradictions) for dossier in dossiers) == 80
    for dossier in dossiers:
        texts = {document.name: document.text for document in dossier.documents}
        for planted in dossier.contradictions:
            assert planted.a.document != planted.b.document
            assert [texts[side.document].count(side.span) for side in (planted.a, planted.b)] == [1, 1]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "Error"),
        ('{"language": "en"}', "KeyError"),
        ('{"language": "en", "domain": "x", "documents": [{"text": "A."}, {"text": "B."}], "same": [], "tempting": [], '
         '"contradictions": [[0, "C", 1, "B"]]}', "not in document 0"),
        ('{"language": "en", "domain": "x", "passages": [{"text": "A b."}], "questions": [{"passage": 0, '
         '"sentence": "A b.", "span": "c"}]}', "span not in its sentence"),
        ('{"language": "en", "name": "x", "question": "q?", "documents": [{"thing": "a", "text": "A.", "answer": "B"}, '
         '{"thing": "b", "text": "C.", "answer": null}]}', "answer not in its text"),
    ],
)  # fmt: skip
def test_what_is_not_in_its_form_is_told(line: str, fault: str) -> None:
    assert any(fault in one for one in faults_of_line(line))


def test_a_family_makes_ten_pairs_and_two_crossings() -> None:
    pairs = family_pairs()
    own = Counter((pair.group, pair.label) for pair in pairs if pair.supply != "crossings")
    expected = {Label.ENTAILS: 2, Label.CONTRADICTS: 4, Label.NEUTRAL: 4}
    assert {count for (_, label), count in own.items() if count != expected[label]} == set()
    assert sum(pair.supply == "crossings" for pair in pairs) == 2 * len({pair.group for pair in pairs})


def test_a_cropped_copy_is_one_end_of_its_statement_and_contradicts_nothing() -> None:
    pairs = cropped_pairs()
    assert len(pairs) > 1_000
    for pair in pairs:
        whole, copy = pair.a.text, pair.b.text
        assert copy != whole
        assert whole.startswith(copy) or whole.endswith(copy)
    assert {pair.label for pair in pairs} == {Label.COMPATIBLE}


def test_there_are_as_many_pairs_and_languages_as_the_documentation_says() -> None:
    pairs = [pair for pair in (*family_pairs(), *authored_pairs()) if pair.supply != "crossings"]
    languages = Counter(pair.language for pair in pairs)
    assert len(pairs) >= 10_000
    assert languages["zh"] >= 1_200
    assert min(languages["de"], languages["fr"]) >= 100


def test_what_is_held_out_is_whole_groups_and_always_the_same() -> None:
    pairs = family_pairs()
    kept, apart = held_out(pairs)
    assert not {pair.group for pair in kept} & {pair.group for pair in apart}
    assert {pair.group for pair in apart} == {pair.group for pair in pairs if is_held_out(pair.group, pair.supply)}
    assert 0.01 < len(apart) / len(pairs) < 0.1


def test_the_corpus_lies_where_its_script_looks() -> None:
    assert Path(__file__).parents[2] / "training" / "corpus" == HERE
