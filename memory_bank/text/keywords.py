"""Key phrases of texts: the n-grams with the highest TF-IDF among the given texts."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from memory_bank.text.tokens import STOP_WORDS, tokenize, words

MAX_KEYWORDS = 6
# scikit-learn's English list (copied, because the library takes seconds to load) without nouns that may be a topic.
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
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
_CHINESE_FIGURE = re.compile("[〇零一二两三四五六七八九十百千万亿]+[年月日号余多人个座米]?")
_CHINESE_GAP = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")


def keywords_of(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Up to `MAX_KEYWORDS` key phrases for each text, best first; none for a text without words."""
    counts_of_texts = [Counter(_phrases(text)) for text in texts]
    document_frequency = Counter(phrase for counts in counts_of_texts for phrase in counts)
    idf = {phrase: math.log((1 + len(texts)) / (1 + n)) + 1 for phrase, n in document_frequency.items()}
    scored = (
        [(-(1 + math.log(n)) * idf[each] * (1.0 + 0.15 * each.count(" ")), each) for each, n in counts.items()]
        for counts in counts_of_texts
    )
    return [_distinct([phrase for _, phrase in sorted(scores)]) for scores in scored]


def _phrases(text: str) -> list[str]:
    """Runs of one to three words within a clause, without stop words except "of"; proper names count twice."""
    phrases: list[str] = []
    for clause in _CLAUSE.split(text):
        run = words(clause)
        is_content = [_is_content_word(word) for word in run]
        allowed = [content or word == "of" for word, content in zip(run, is_content, strict=True)]
        phrases += [word for word, content in zip(run, is_content, strict=True) if content and len(word) > 1]
        for size in (2, 3):
            phrases += [
                " ".join(run[start : start + size])
                for start in range(len(run) - size + 1)
                if is_content[start] and is_content[start + size - 1] and all(allowed[start : start + size])
            ]
    for match in _NAME.finditer(text):
        name = words(match[0])  # without a stop word capitalised at the start of a sentence: "The Aswan High Dam"
        phrases += filter(None, [" ".join(name[1:] if name and name[0] in _STOP_WORDS else name)])
    return phrases


@lru_cache(maxsize=65_536)
def _is_content_word(word: str) -> bool:
    is_figure = not word.isascii() and _CHINESE_FIGURE.fullmatch(word)
    return word not in _STOP_WORDS and bool(_TWO_LETTERS.search(word)) and not is_figure and bool(tokenize(word))


def _distinct(ranked: Sequence[str]) -> tuple[str, ...]:
    """The best phrases, without those that contain a better one or are contained in one."""
    chosen: list[str] = []
    for phrase in (_CHINESE_GAP.sub("", candidate) for candidate in ranked):
        if not any(_contains(phrase, other) or _contains(other, phrase) for other in chosen):
            chosen.append(phrase)
            if len(chosen) == MAX_KEYWORDS:
                break
    return tuple(chosen)


def _contains(phrase: str, part: str) -> bool:
    """Whether a phrase contains another one as whole words or, in Chinese, as characters."""
    return f" {part} " in f" {phrase} " or (part in phrase and not part.isascii())
