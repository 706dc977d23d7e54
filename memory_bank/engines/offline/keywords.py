"""Key phrases of texts: n-grams that stand out against the other texts, by scikit-learn's TF-IDF."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from memory_bank.modules.tokens import tokenize, words

MOST = 6
# scikit-learn's list holds nouns that a text may well be about, mills among them.
_NOUNS = frozenset("amount bill bottom call cry detail fill fire interest mill mine system".split())
_STOP_WORDS = ENGLISH_STOP_WORDS - _NOUNS
_CLAUSE = re.compile(r"[.,;:!?()\[\]\n“”\"，。；：！？、（）]+")
_NAME = re.compile(r"\b[A-Z][\w'’-]*(?: (?:of )?[A-Z][\w'’-]*){1,3}")
_WORDY = re.compile(r"[^\W\d_]{2}")
_CHINESE_FIGURE = re.compile("[〇零一二两三四五六七八九十百千万亿]+[年月日号余多人个座米]?")
_CHINESE_GAP = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")


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
        plain = [_says_something(word) for word in run]
        fits = [keep or word == "of" for word, keep in zip(run, plain, strict=True)]
        found += [word for word, keep in zip(run, plain, strict=True) if keep and len(word) > 1]
        for size in (2, 3):
            found += [
                " ".join(run[index : index + size])
                for index in range(len(run) - size + 1)
                if plain[index] and plain[index + size - 1] and all(fits[index : index + size])
            ]
    return found + [" ".join(name) for match in _NAME.finditer(text) if (name := _without_opening(words(match[0])))]


@lru_cache(maxsize=65_536)
def _says_something(word: str) -> bool:
    figure = not word.isascii() and _CHINESE_FIGURE.fullmatch(word)
    return word not in _STOP_WORDS and bool(_WORDY.search(word)) and not figure and bool(tokenize(word))


def _without_opening(name: list[str]) -> list[str]:
    """A name without the stop word that opened its sentence: "The Aswan High Dam", "In Khartoum"."""
    return name[1:] if name and name[0] in _STOP_WORDS else name


def _length_bonus(phrase: str) -> float:
    return 1.0 + 0.15 * phrase.count(" ")


def _distinct(ranked: Sequence[str], most: int) -> tuple[str, ...]:
    """The best phrases, leaving out those that are part of a better one or hold one."""
    kept: list[str] = []
    for phrase in (_CHINESE_GAP.sub("", found) for found in ranked):
        if not any(_holds(phrase, other) or _holds(other, phrase) for other in kept):
            kept.append(phrase)
            if len(kept) == most:
                break
    return tuple(kept)


def _holds(phrase: str, part: str) -> bool:
    """Whether a phrase has another one in it, whole words of it or, in Chinese, characters."""
    return f" {part} " in f" {phrase} " or (part in phrase and not part.isascii())
