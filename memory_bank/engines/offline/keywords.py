"""Key phrases of texts: n-grams that stand out against the other texts, by scikit-learn's TF-IDF."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from memory_bank.modules.tokens import words

MOST = 6
_CLAUSE = re.compile(r"[.,;:!?()\[\]\n“”\"，。；：！？、（）]+")
_NAME = re.compile(r"\b[A-Z][\w'’-]*(?: (?:of )?[A-Z][\w'’-]*){1,3}")
_WORDY = re.compile(r"[^\W\d_]{2}")


def keywords_of(texts: Sequence[str], most: int = MOST) -> list[tuple[str, ...]]:
    """For each text up to `most` key phrases, best first; a text without words has none."""
    if not texts:
        return []
    vectorizer = TfidfVectorizer(analyzer=_phrases, sublinear_tf=True, max_features=200_000)
    try:
        matrix = vectorizer.fit_transform(texts)
    except ValueError:  # no text has a phrase
        return [() for _ in texts]
    names = vectorizer.get_feature_names_out()
    found = []
    for row in range(matrix.shape[0]):
        start, end = matrix.indptr[row], matrix.indptr[row + 1]
        scored = zip(matrix.data[start:end], matrix.indices[start:end], strict=True)
        ranked = sorted(((-score * _length_bonus(names[index]), names[index]) for score, index in scored))
        found.append(_distinct([name for _, name in ranked], most))
    return found


def _phrases(text: str) -> list[str]:
    """Runs of one to three words within a clause, no stop word among them but "of"; proper names count twice."""
    found: list[str] = []
    for clause in _CLAUSE.split(text):
        run = words(clause)
        plain = [word not in ENGLISH_STOP_WORDS and bool(_WORDY.search(word)) for word in run]
        fits = [keep or word == "of" for word, keep in zip(run, plain, strict=True)]
        found += [word for word, keep in zip(run, plain, strict=True) if keep and len(word) > 1]
        for size in (2, 3):
            found += [
                " ".join(run[index : index + size])
                for index in range(len(run) - size + 1)
                if plain[index] and plain[index + size - 1] and all(fits[index : index + size])
            ]
    return found + [" ".join(name) for match in _NAME.finditer(text) if (name := _without_opening(words(match[0])))]


def _without_opening(name: list[str]) -> list[str]:
    """A name without the stop word that opened its sentence: "The Aswan High Dam", "In Khartoum"."""
    return name[1:] if name and name[0] in ENGLISH_STOP_WORDS else name


def _length_bonus(phrase: str) -> float:
    return 1.0 + 0.15 * phrase.count(" ")


def _distinct(ranked: Sequence[str], most: int) -> tuple[str, ...]:
    """The best phrases, leaving out those that are part of a better one or hold one."""
    kept: list[str] = []
    for phrase in ranked:
        padded = f" {phrase} "
        if not any(padded in f" {other} " or f" {other} " in padded for other in kept):
            kept.append(phrase)
            if len(kept) == most:
                break
    return tuple(kept)
