"""Looks for give-aways in the corpus: `python -m training.giveaways`.

A classifier that sees one side of a pair alone (its words and pairs of words) must not be able to tell what the pair
is: balanced accuracy of contradiction or not, over groups that it did not see. Also pairs that are there twice.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from memory_bank.text.tokens import tokenize
from training.corpus import Label, Pair, authored_pairs, family_pairs

FOLDS = 5
ALIKE = 0.6
"""Share of their words from which two statements are alike."""


def one_sided(pairs: list[Pair], side: str) -> float:
    """Balanced accuracy of telling contradictions by one side alone."""
    texts = [f"{getattr(pair, side).context} | {getattr(pair, side).text}" for pair in pairs]
    labels = np.array([pair.label is Label.CONTRADICTS for pair in pairs])
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, token_pattern=r"(?u)\w|\b\w+\b")  # noqa: S106
    model = make_pipeline(words, LogisticRegression(max_iter=300, class_weight="balanced"))
    said = cross_val_predict(model, texts, labels, groups=[pair.group for pair in pairs], cv=GroupKFold(FOLDS))
    return float(balanced_accuracy_score(labels, said))


def shared(pair: Pair) -> float:
    """The share of their words that the two sides of a pair have in common (0…1)."""
    a, b = (set(tokenize(side.text)) for side in (pair.a, pair.b))
    return 2 * len(a & b) / max(1, len(a) + len(b))


def main() -> None:
    families = family_pairs()
    supplies = {
        "families": [pair for pair in families if pair.supply != "light"],
        "light": [pair for pair in families if pair.supply == "light"],
        "authored": authored_pairs(),
    }
    for name, pairs in supplies.items():
        told = ", ".join(f"{side} alone {one_sided(pairs, side):.3f}" for side in ("a", "b"))
        print(f"{name}: {len(pairs)} pairs; {told}")
        alike = [pair.label is Label.CONTRADICTS for pair in pairs if shared(pair) >= ALIKE]
        print(f"  of {len(alike)} pairs that share most of their words {np.mean(alike):.2f} contradict")
        twice = Counter(frozenset((pair.a.text, pair.b.text)) for pair in pairs if pair.kind != "crossing")
        print(f"  {sum(count - 1 for count in twice.values())} pairs are there twice")
        print("  ", dict(Counter(pair.label.name for pair in pairs)), dict(Counter(pair.language for pair in pairs)))


if __name__ == "__main__":
    main()
