"""Key phrases of texts: n-grams that stand out against the other texts, by TF-IDF."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from memory_bank.modules.tokens import STOP_WORDS, tokenize, words

MOST = 6
# scikit-learn's list of English ones, without nouns that a text may well be about; the library takes seconds to load.
_STOP_WORDS = STOP_WORDS | frozenset(
    """
    across afterwards almost alone along already although always among amongst amoungst another anyhow anyone
    anything anyway anywhere around back became become becomes becoming beforehand behind beside besides beyond
    cant co con couldnt de describe done due eg eight eleven elsewhere empty enough etc even ever everyone
    everything everywhere except fifteen fifty find first five former formerly forty found four front full get
    give go hasnt hence hereafter hereby herein hereupon however hundred ie inc indeed keep last latter latterly
    least less ltd made many may meanwhile might moreover mostly move much must name namely never nevertheless
    next nine nobody none noone nothing now nowhere often one onto others otherwise part perhaps please put re see
    seem seemed seeming seems serious several show side sincere six sixty somehow someone something sometime
    sometimes somewhere still take ten thence thereafter thereby therefore therein thereupon thick thin third
    though three throughout thru together top toward towards twelve twenty two un us via well whatever whence
    whenever whereafter whereas whereby wherein whereupon wherever whither whoever whole
    """.split()
)
_CLAUSE = re.compile(r"[.,;:!?()\[\]\n“”\"，。；：！？、（）]+")
_NAME = re.compile(r"\b[A-Z][\w'’-]*(?: (?:of )?[A-Z][\w'’-]*){1,3}")
_WORDY = re.compile(r"[^\W\d_]{2}")
_CHINESE_FIGURE = re.compile("[〇零一二两三四五六七八九十百千万亿]+[年月日号余多人个座米]?")
_CHINESE_GAP = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")


def keywords_of(texts: Sequence[str], most: int = MOST) -> list[tuple[str, ...]]:
    """For each text up to `most` key phrases, best first; a text without words has none."""
    counted = [Counter(_phrases(text)) for text in texts]
    texts_with = Counter(phrase for counts in counted for phrase in counts)
    weights = {phrase: math.log((1 + len(texts)) / (1 + n)) + 1 for phrase, n in texts_with.items()}
    return [_best({phrase: (1 + math.log(n)) * weights[phrase] for phrase, n in one.items()}, most) for one in counted]


def _best(scores: dict[str, float], most: int) -> tuple[str, ...]:
    ranked = sorted((-score * _length_bonus(phrase), phrase) for phrase, score in scores.items())
    return _distinct([phrase for _, phrase in ranked], most)


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
