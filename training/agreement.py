"""A second reader's labels against the corpus: `python -m training.agreement sample OUT` and `… compare LABELS`.

`sample` writes 300 pairs without their labels, spread over files and relations; `compare` reads lines of
`{"id", "label"}` and prints the agreement and Cohen's kappa, over three classes and of contradiction or not.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path

from training.corpus import Label, Pair, authored_pairs, family_pairs

SAMPLE, SEED = 300, 23


def sampled() -> dict[str, Pair]:
    """The pairs of the sample by their ids: always the same ones."""
    pairs = [pair for pair in (*family_pairs(), *authored_pairs()) if pair.supply != "crossings"]
    known = [pair for pair in pairs if pair.label is not Label.COMPATIBLE]
    return {f"p{number:03}": pair for number, pair in enumerate(random.Random(SEED).sample(known, SAMPLE))}


def sample(path: Path) -> None:
    """Write the sample without labels."""
    rows = [
        {"id": name, "context_a": p.a.context, "a": p.a.text, "context_b": p.b.context, "b": p.b.text}
        for name, p in sampled().items()
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def compare(path: Path) -> None:
    """Print how far a second reader agrees."""
    ours = sampled()
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    theirs = {line["id"]: Label[line["label"].upper()] for line in lines}
    pairs = [(ours[name].label, label) for name, label in theirs.items() if name in ours]
    print(f"{len(pairs)} pairs; agreement {_agreement(pairs):.3f}, kappa {_kappa(pairs):.3f}")
    two = [(a is Label.CONTRADICTS, b is Label.CONTRADICTS) for a, b in pairs]
    print(f"contradiction or not: agreement {_agreement(two):.3f}, kappa {_kappa(two):.3f}")
    for (a, b), count in Counter((a.name, b.name) for a, b in pairs if a is not b).most_common():
        print(f"  {a} read as {b}: {count}")


def _agreement(pairs: list[tuple]) -> float:
    return sum(a == b for a, b in pairs) / len(pairs)


def _kappa(pairs: list[tuple]) -> float:
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[one] * second[one] for one in first) / len(pairs) ** 2
    return (_agreement(pairs) - chance) / (1 - chance)


if __name__ == "__main__":
    {"sample": sample, "compare": compare}[sys.argv[1]](Path(sys.argv[2]))
