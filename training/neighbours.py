"""Fits what belongs to an answer of the statements around it: `python -m training.neighbours SETS`.

`SETS` is a folder of the real documents (`document_origins.jsonl` says where they are) whose questions list all that
bears on the answer. Of each question the statement that bears on it and answers it likeliest is taken for the answer.
It says first, by cross-validation over sets, what is told, then writes `neighbours.json`. It depends on both networks
and on the kinds of task, and `make train`, which has no sets, does not run it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from memory_bank.bank.interaction_tree import Entry
from memory_bank.engines.offline.answering.neighbours import around, neighbour_features
from memory_bank.engines.offline.answering.passages import CandidatePassage, in_sections
from memory_bank.engines.offline.answering.selection import read_passages
from memory_bank.judgement.reader import Reader, shared_reader
from memory_bank.judgement.statement import statements_of
from memory_bank.text.span import Span
from training.corpus import DATA, HERE, lines
from training.measure import is_quoted

FOLDS = 6
THRESHOLDS = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


class Row(NamedTuple):
    """A statement beside an answer: what the regression reads, whether it bears on the question, and the set."""

    values: list[float]
    belongs: bool
    group: str


def main() -> None:
    """Fit, say what is told of what was not fitted, and write the weights."""
    rows = list(_rows(Path(sys.argv[1])))
    values, belongs = np.array([row.values for row in rows]), np.array([row.belongs for row in rows])
    regression = LogisticRegression(max_iter=3000)
    groups = [row.group for row in rows]
    chances = cross_val_predict(
        regression, values, belongs, groups=groups, cv=GroupKFold(FOLDS), method="predict_proba"
    )[:, 1]
    print({"statements": len(rows), "belong": int(belongs.sum())})
    for least in THRESHOLDS:
        told = chances >= least
        print(least, {"told": int(told.sum()), "right": int((told & belongs).sum())})
    fitted = regression.fit(values, belongs)
    written = json.dumps({"weights": fitted.coef_[0].round(4).tolist(), "bias": round(float(fitted.intercept_[0]), 4)})
    (DATA / "neighbours.json").write_text(f"{written}\n", encoding="utf-8")


def _rows(sets: Path) -> Iterator[Row]:
    reader = shared_reader()
    questions = sorted(lines(HERE / "document_questions.jsonl"), key=itemgetter("set"))
    for name, asked in groupby(questions, key=itemgetter("set")):
        if (sets / name).is_dir():
            pool = _pool(sets / name)
            for question in asked:
                yield from _of_question(question, pool, reader)


def _pool(folder: Path) -> list[CandidatePassage]:
    """The statements of the documents of a folder."""
    passages = []
    for number, path in enumerate(sorted(folder.iterdir())):
        entry = Entry(
            id=f"document-{number}",
            text=path.read_text(encoding="utf-8", errors="replace"),
            created_at=datetime.min.replace(tzinfo=UTC),
            metadata={"source": path.name},
        )
        passages += [
            CandidatePassage(entry, Span(one.start, one.end), one.statement.context, lead=one.lead, item=one.item)
            for one in statements_of(entry.text, short_items=True, short_joined=True)
        ]
    return in_sections(passages)


def _of_question(question: dict, pool: list[CandidatePassage], reader: Reader) -> Iterator[Row]:
    bearing = [
        one
        for one in pool
        if any(
            one.source == name and is_quoted(one.entry.text, *one.span, words) for name, words in question["passages"]
        )
    ]
    if not bearing:
        return
    answer = max(read_passages(question["q"], bearing, reader), key=lambda one: one.probability).passage
    near = around(answer, pool)
    read, place = read_passages(question["q"], near, reader), near.index(answer)
    for one, values in neighbour_features(reader.kind(question["q"]), read, place):
        if one.probability <= read[place].probability:  # what is likelier than the answer would be the answer
            yield Row(values, one.passage in bearing, question["set"])


if __name__ == "__main__":
    main()
