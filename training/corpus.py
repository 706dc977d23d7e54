"""The corpus as labelled pairs of statements, each with what stands around it.

Four supplies: families and dossiers written for this project (WRITING.md), the authored pairs and statements that came
before them, and SNLI. Crossings of one family with another, and sentences of one document with their nearest of
another, are the pairs that do not contradict, of which real documents hold so many.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from memory_bank.judgement.statement import CONTEXT_SEPARATOR, PlacedStatement, Statement, statements_of

HERE = Path(__file__).parent / "corpus"
DATA = Path(__file__).parents[1] / "memory_bank" / "judgement" / "data"
"""What ships of the training."""

ACCOUNTS = "dossiers-31"
"""From this file on a dossier is short and dense in agreement: two people speak of one matter."""
Nearest = Callable[[Sequence[Statement], Sequence[Statement]], list[tuple[int, int]]]
"""Which statements of two lists the engine would compare, as pairs of places."""


class Label(IntEnum):
    """Whether B follows from A. `COMPATIBLE` is one of the first two: which is not known."""

    ENTAILS = 0
    NEUTRAL = 1
    CONTRADICTS = 2
    COMPATIBLE = 3


@dataclass(frozen=True)
class Pair:
    """Two statements and how B stands to A. Pairs of one `group` share texts: they are held out together."""

    a: Statement
    b: Statement
    label: Label
    kind: str
    language: str
    supply: str
    group: str

    def turned(self) -> Pair:
        """The same the other way round (not for entailment, which has a direction)."""
        return Pair(self.b, self.a, self.label, self.kind, self.language, self.supply, self.group)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _languages(item: dict[str, Any]) -> str:
    return str(item.get("language", "en"))


# -- families ----------------------------------------------------------------------------------------------------

_RELATIONS = {
    ("a", "b"): Label.ENTAILS,
    ("a2", "b2"): Label.ENTAILS,
    ("a", "b2"): Label.CONTRADICTS,
    ("a2", "b"): Label.CONTRADICTS,
    ("a", "a2"): Label.CONTRADICTS,
    ("b", "b2"): Label.CONTRADICTS,
    ("a", "n"): Label.NEUTRAL,
    ("b", "n"): Label.NEUTRAL,
    ("a2", "n"): Label.NEUTRAL,
    ("b2", "n"): Label.NEUTRAL,
}


def family_pairs() -> list[Pair]:
    """The ten pairs of each family, light ones too, and two crossings of it with others of its file."""
    chance, pairs = random.Random(1), []
    files = [(path, supply) for supply in ("families", "light") for path in sorted(HERE.glob(f"{supply}-*.jsonl"))]
    for path, supply in files:
        families = list(lines(path))
        for number, family in enumerate(families):
            group, language = f"{path.stem}.{number}", _languages(family)
            sides = {key: Statement(family[key]["t"], family[key]["c"]) for key in ("a", "b", "a2", "b2", "n")}
            for (first, second), label in _RELATIONS.items():
                kind = str(family["near"] if label is Label.NEUTRAL else family["kind"])
                pairs.append(Pair(sides[first], sides[second], label, kind, language, supply, group))
            for _ in range(2):
                other = chance.choice(families[:number] + families[number + 1 :])
                side = other[chance.choice(("a", "b", "a2", "b2"))]
                own = sides[chance.choice(("a", "b", "a2", "b2"))]
                crossed = Statement(side["t"], side["c"])
                pairs.append(Pair(own, crossed, Label.NEUTRAL, "crossing", language, "crossings", group))
    return pairs


# -- dossiers ----------------------------------------------------------------------------------------------------


def dossier_pairs(nearest: Nearest) -> list[Pair]:
    """What the dossiers say contradicts or only seems to, and the nearest pairs of everything else.

    Of sentences that say the same one may say more: that they do not contradict is all that is known.
    `nearest` gives the candidate pairs as the engine would look at them.
    """
    pairs = []
    for path in sorted(HERE.glob("dossiers-*.jsonl")):
        supplies = ("accounts", "account negatives") if path.stem >= ACCOUNTS else ("dossiers", "dossier negatives")
        for number, dossier in enumerate(lines(path)):
            pairs += _of_dossier(dossier, f"{path.stem}.{number}", supplies, nearest)
    return pairs


def _of_dossier(dossier: dict[str, Any], group: str, supplies: tuple[str, str], nearest: Nearest) -> Iterator[Pair]:
    language = _languages(dossier)
    documents = [statements_of(document["text"]) for document in dossier["documents"]]
    listed = _listed(dossier, documents)
    for ((first, i), (second, j)), label in listed.items():
        a, b = documents[first][i].statement, documents[second][j].statement
        yield Pair(a, b, label, "dossier", language, supplies[0], group)
    taken = {frozenset(pair) for pair in listed}
    for first, second in combinations_with_replacement(range(len(documents)), 2):
        left, right = ([one.statement for one in documents[n]] for n in (first, second))
        for i, j in nearest(left, right):
            if first == second and i >= j:
                continue
            if frozenset({(first, i), (second, j)}) not in taken:
                yield Pair(left[i], right[j], Label.COMPATIBLE, "nearest", language, supplies[1], group)


_Place = tuple[int, int]
"""A document of a dossier and a statement of it."""


def _listed(dossier: dict[str, Any], documents: list[list[PlacedStatement]]) -> dict[tuple[_Place, _Place], Label]:
    """The pairs of statements that hold the spans that a dossier lists."""
    listed: dict[tuple[_Place, _Place], Label] = {}
    texts = [document["text"] for document in dossier["documents"]]
    labels = {"tempting": Label.COMPATIBLE, "same": Label.COMPATIBLE, "contradictions": Label.CONTRADICTS}
    for key, label in labels.items():
        for first, a, second, b in dossier[key]:
            left, right = _holding(documents[first], texts[first], a), _holding(documents[second], texts[second], b)
            if left is not None and right is not None:
                listed[(first, left), (second, right)] = label
    return listed


def _holding(found: list[PlacedStatement], text: str, span: str) -> int | None:
    """Which statement of a document shares most with a span of it."""
    start = text.find(span)
    shared = [min(one.end, start + len(span)) - max(one.start, start) for one in found]
    best = max(range(len(found)), key=shared.__getitem__, default=None)
    return best if best is not None and shared[best] > 0 else None


# -- copies ------------------------------------------------------------------------------------------------------------

CROPPED_EACH, CUT = 12, (0.1, 0.5)
"""Of so many statements of the dossiers one is also compared with a copy that lacks this share of it at one end."""


def cropped_pairs() -> list[Pair]:
    """Statements and copies of them that begin later or end earlier, as passages have them that were cut out somewhere.

    A copy stands under its own title, another one of its dossier or none.
    """
    chance, pairs = random.Random(2), []
    for path in sorted(HERE.glob("dossiers-*.jsonl")):
        for number, dossier in enumerate(lines(path)):
            found = [[one.statement for one in statements_of(document["text"])] for document in dossier["documents"]]
            for own, other in zip(found, found[1:] + found[:1], strict=True):
                for one in own:
                    if other and chance.randrange(CROPPED_EACH) == 0:
                        copy = Statement(_cut(one.text, chance), chance.choice(("", one.context, _title(other[-1]))))
                        label, language = Label.COMPATIBLE, _languages(dossier)
                        pairs.append(Pair(one, copy, label, "cropped", language, "cropped", f"{path.stem}.{number}"))
    return pairs


def _title(statement: Statement) -> str:
    return statement.context.split(CONTEXT_SEPARATOR)[0]


def _cut(text: str, chance: random.Random) -> str:
    """The text without some words (in Chinese: characters) of its beginning or end."""
    space = " " if " " in text else ""
    parts = text.split(" ") if space else list(text)
    lost = max(1, round(len(parts) * chance.uniform(*CUT)))
    return space.join(parts[lost:] if chance.random() < 0.5 else parts[:-lost]) or text


# -- what there was before, and SNLI -------------------------------------------------------------------------------

_WORDS = {
    "entails": Label.ENTAILS, "entailment": Label.ENTAILS, "neutral": Label.NEUTRAL,
    "contradicts": Label.CONTRADICTS, "contradiction": Label.CONTRADICTS, "contradict": Label.CONTRADICTS,
    "not_contradict": Label.COMPATIBLE,
}  # fmt: skip


def authored_pairs() -> list[Pair]:
    """The pairs and the statements with context that were written before the families."""
    pairs = []
    for name in ("authored_pairs.jsonl", "authored_statements.jsonl"):
        for item in lines(HERE / name):
            a = Statement(item["text_a"], item.get("context_a", ""))
            b = Statement(item["text_b"], item.get("context_b", ""))
            pairs.append(Pair(a, b, _WORDS[item["label"]], item["case"], _languages(item), "authored", item["id"]))
    return pairs


def snli_pairs(path: Path) -> list[Pair]:
    """Captions of pictures and sentences about them; none where the file is not there."""
    if not path.exists():
        return []
    return [
        Pair(Statement(item["text_a"]), Statement(item["text_b"]), _WORDS[item["label"]], "snli", "en", "snli", str(n))
        for n, item in enumerate(lines(path))
    ]
