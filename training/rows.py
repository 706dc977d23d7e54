"""The corpus as rows of token ids, which training reads: `python -m training.rows mpnet ROWS.npz`.

Encoding takes longer than training on an accelerator, so it is done once. A pair has several rows, of which training
takes one at a time: either way round (not for entailment, which has a direction), and for the families with and without
the titles of two documents before their contexts.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memory_bank.bank.task_kind import KINDS
from memory_bank.judgement.encoding import encode, words_of_second
from memory_bank.judgement.statement import Statement
from training.bases import load_base
from training.corpus import Label, Pair
from training.document_questions import asked_of_documents
from training.questions import Asked, Task, asked, asked_of_dossiers, asked_of_public, tasks
from training.supplies import POOLS, TITLED, document_titles, is_held_out, nearest, supplies, titled

LANGUAGES = ("en", "zh", "de", "fr")
TOGETHER = 512
"""Rows that are encoded at once."""
SEED = 11


class Kind(IntEnum):
    """What a row is, which decides the head that judges it."""

    PAIR = 0
    QUESTION = 1
    TASK = 2


class Row(NamedTuple):
    """Two texts, and what is to be said of them. Rows of one `item` stand for each other."""

    kind: Kind
    sides: tuple[Statement, Statement]
    label: int
    supply: str
    language: str
    group: str
    item: int
    span: tuple[int, int] | None = None
    """Characters of the second text that answer."""
    question: int = -1
    """Rows of one question are ranked together."""


@dataclass(frozen=True)
class Rows:
    """All rows, one array a field, as they are stored."""

    ids: NDArray[np.uint16]
    """Of all rows, one after the other."""
    lengths: NDArray[np.uint16]
    firsts: NDArray[np.uint8]
    """Tokens of the first text."""
    kinds: NDArray[np.uint8]
    labels: NDArray[np.uint8]
    supplies: NDArray[np.uint8]
    names: NDArray[np.str_]
    """Of the supplies."""
    languages: NDArray[np.uint8]
    held_out: NDArray[np.bool_]
    items: NDArray[np.int32]
    spans: NDArray[np.int16]
    """First and last token of the answer, -1 where there is none: rows × 2."""
    questions: NDArray[np.int32]

    @classmethod
    def read(cls, path: Path) -> Rows:
        """Rows as `main` wrote them."""
        with np.load(path) as stored:
            return cls(**{name: stored[name] for name in stored.files})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", choices=("e5", "mpnet"))
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--documents", type=Path, help="folders of real documents that hardly ever contradict themselves"
    )
    parser.add_argument("--sets", type=Path, help="a folder of the sets of documents that have questions of the corpus")
    parser.add_argument("--public", type=Path, help="a folder of questions in SQuAD's form, NAME.LANGUAGE.json")
    given = parser.parse_args()
    base = load_base(given.base)
    languages = {"en"} if given.base == "mpnet" else set(LANGUAGES)
    rows = [*_of_pairs(supplies(languages, given.documents))]
    found = [*asked(nearest), *asked_of_dossiers(), *asked_of_documents(given.sets), *asked_of_public(given.public)]
    rows += _of_questions(one for one in found if one.language in languages)
    if given.base == "e5":
        rows += _of_tasks(tasks())
    write(rows, base.tokenizer, given.out)


def _of_pairs(pairs: Iterable[Pair]) -> Iterator[Row]:
    chance, titles = random.Random(SEED), document_titles()
    for item, pair in enumerate(pairs):
        turnable = pair.label is not Label.ENTAILS and pair.supply not in POOLS
        for way in (pair, pair.turned()) if turnable else (pair,):
            shown = [way]
            if pair.supply in TITLED and not is_held_out(pair.group, pair.supply):
                shown.append(titled(way, chance.choice(titles[pair.language]), chance))
            for one in shown:
                yield Row(Kind.PAIR, (one.a, one.b), one.label, one.supply, one.language, one.group, item)


def _of_questions(found: Iterable[Asked]) -> Iterator[Row]:
    for item, one in enumerate(found):
        sides = (Statement(one.question), one.statement)
        yield Row(Kind.QUESTION, sides, one.answers, one.supply, one.language, one.group, item, one.span, one.number)


def _of_tasks(found: Iterable[Task]) -> Iterator[Row]:
    for item, one in enumerate(found):
        sides = (Statement(one.text), Statement(""))
        yield Row(Kind.TASK, sides, KINDS.index(one.kind), "tasks", one.language, one.group, item)


def write(rows: list[Row], tokenizer: Tokenizer, path: Path) -> None:
    """Encode the rows and store them."""
    names = sorted({row.supply for row in rows})
    ids, firsts = _encoded(rows, tokenizer)
    stored = Rows(
        ids=np.concatenate(ids),
        lengths=np.array([len(one) for one in ids], np.uint16),
        firsts=np.array(firsts, np.uint8),
        kinds=np.array([row.kind for row in rows], np.uint8),
        labels=np.array([row.label for row in rows], np.uint8),
        supplies=np.array([names.index(row.supply) for row in rows], np.uint8),
        names=np.array(names),
        languages=np.array([LANGUAGES.index(row.language) for row in rows], np.uint8),
        held_out=np.array([is_held_out(row.group, row.supply) for row in rows]),
        items=np.array([row.item for row in rows], np.int32),
        spans=np.array([_tokens_of_span(row, tokenizer) for row in rows], np.int16),
        questions=np.array([row.question for row in rows], np.int32),
    )
    np.savez_compressed(path, **vars(stored))
    print({name: sum(row.supply == name for row in rows) for name in names})


def _encoded(rows: list[Row], tokenizer: Tokenizer) -> tuple[list[NDArray[np.uint16]], list[int]]:
    """Token ids of each row, and how many of them are of its first text."""
    ids: list[NDArray[np.uint16]] = [np.empty(0, np.uint16)] * len(rows)
    firsts = [0] * len(rows)
    for compared in (True, False):
        chosen = [n for n, row in enumerate(rows) if (row.kind is Kind.PAIR) is compared]
        for start in range(0, len(chosen), TOGETHER):
            some = chosen[start : start + TOGETHER]
            found = encode(tokenizer, [rows[n].sides for n in some], compared=compared)
            for n, own, mask, second in zip(some, *found, strict=True):
                length = int(mask.sum())
                ids[n], firsts[n] = own[:length].astype(np.uint16), length - int(second.sum())
    return ids, firsts


def _tokens_of_span(row: Row, tokenizer: Tokenizer) -> tuple[int, int]:
    if row.span is None:
        return (-1, -1)
    first, offsets = words_of_second(tokenizer, row.sides)
    inside = [n for n, (start, end) in enumerate(offsets) if start < row.span[1] and row.span[0] < end]
    return (first + inside[0], first + inside[-1]) if inside else (-1, -1)


if __name__ == "__main__":
    main()
