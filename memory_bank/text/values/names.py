"""Find proper names in text, and decide whether two names can be the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from memory_bank.text.span import overlaps_any

_WORD = re.compile(r"[^\W\d_][\w'’.&\u0300-\u036f-]*")
_LINKS = frozenset("of the de la le les von van der den del della di da do dos du des al el bin ibn af zu y &".split())
_QUOTED = re.compile(r"[\"“«](?!\s)([^\"“”«»]{2,60})(?<!\s)[\"”»]")

# Words that may be capitalised without being part of a name, such as those that often begin a sentence.
NOT_NAMES = frozenset(
    "the a an in on at by for from to of and or but as it its he she they his her their this that these those there "
    "when while where after before during since until with within without under over into about if although though "
    "because however also not no one two three some many most all both each every other another such than then "
    "now today later earlier i we you our my your who what which whose how why is was are were be been has had have "
    "did does do can could may might will would should must located built born died founded established situated "
    "opened area population height length age date place see edit main first second third new old early late mid "
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday january. mr mrs ms dr sir according despite along among between "
    "through against following based known called named only even just so yet still more less few several part "
    "released recorded published written directed produced designed created type status category name title".split()
)
_TITLES = frozenset(
    "mr mrs ms dr sir dame lord lady prof professor president king queen prince princess saint st rev reverend "
    "admiral general captain colonel major lieutenant sergeant brigadier bishop pope emperor judge senator gen brig "
    "lt col capt jr sr iii ii the".split()
)


class FoundName(NamedTuple):
    """A capitalised phrase: its span, and whether it begins the sentence."""

    start: int
    end: int
    initial: bool


def fold(text: str) -> str:
    """The form in which words are compared: lower case without accents, with plain quotes."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'").replace("–", "-"))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()


def name_words(name: str) -> tuple[str, ...]:
    """The folded words that identify a name: without titles, connectors, possessives and punctuation."""
    words = (re.sub(r"'s$|'$", "", w).strip("'.-&") for w in re.findall(r"[\w'.&-]+", fold(name)))
    identifying = tuple(w for w in words if w and w not in _TITLES and w not in _LINKS)
    return identifying or tuple(fold(name).split())


def find_names(text: str, taken: list[tuple[int, int]]) -> Iterator[FoundName]:
    """Every proper name of `text` outside the spans in `taken`: the longest capitalised phrases, in order."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        word, is_free = match[0], not overlaps_any(*match.span(), taken)
        joined = bool(run) and text[run[-1].end() : match.start()] in (" ", "  ", "\u00a0", "\n")
        if run and not (is_free and joined and (word[0].isupper() or word in _LINKS)):
            yield from _name_of(text, run)
            run = []
        if is_free and (word[0].isupper() or run):
            run.append(match)
    yield from _name_of(text, run)


def _name_of(text: str, run: list[re.Match[str]]) -> Iterator[FoundName]:
    words = list(run)
    while words and not words[-1].group(0)[0].isupper():
        words.pop()
    while words and words[0].group(0).strip(".").lower() in NOT_NAMES:
        words.pop(0)
        while words and not words[0].group(0)[0].isupper():
            words.pop(0)
    while words and words[-1].group(0).lower() in NOT_NAMES and len(words) > 1:
        words.pop()
    if not words:
        return
    start, end = words[0].start(), words[-1].end()
    raw = text[start:end]
    trimmed = re.sub(r"['’]s?$|[.'’-]+$", "", raw) if not re.search(r"\b[A-Z]\.$", raw) else raw
    if len(trimmed) >= 2:
        before = text[:start].rstrip(" \t\"'“”‘’([")
        yield FoundName(start, start + len(trimmed), not before or before[-1] in ".!?:;\n")


def quoted_titles(text: str) -> Iterator[tuple[int, int]]:
    """The spans inside quotation marks that look like titles of works (most words capitalised)."""
    for match in _QUOTED.finditer(text):
        words = [w for w in re.findall(r"[^\W\d_][\w'’-]*", match[1]) if len(w) > 3]
        if words and sum(w[0].isupper() for w in words) >= 0.7 * len(words):
            yield match.span(1)


_MIN_SPELLING_VARIANT = 4  # letters of a word that may be a spelling variant
_MIN_SIMILARITY = 0.75


@lru_cache(maxsize=65536)
def _compatible_word(a: str, b: str) -> bool:
    if a == b or (len(a) == 1 and b.startswith(a)) or (len(b) == 1 and a.startswith(b)):
        return True
    if len(a) >= 4 and len(b) >= 4 and (a.startswith(b) or b.startswith(a)):
        return True
    if min(len(a), len(b)) < _MIN_SPELLING_VARIANT:
        return False
    # The two quick ratios are upper bounds, which already exclude most pairs.
    matcher = SequenceMatcher(None, a, b)
    return all(ratio() >= _MIN_SIMILARITY for ratio in (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio))


def same_name(first: str, second: str) -> bool | None:
    """Whether two names can be the same: True, False, or None if unclear.

    True: one contains all words of the other ("Short", "George Washington Short"), also as initials or spelling
    variants. False: nothing in common, or the words that differ exclude each other ("New York", "New Jersey").
    None: a partial overlap, which may be a longer and a shorter form, or an abbreviation.
    """
    a, b = name_words(first), name_words(second)
    if a == b or "".join(a) == "".join(b):
        return True
    initials_of_a, initials_of_b = ("".join(word[0] for word in words) for words in (a, b))
    if initials_of_a == "".join(b) or initials_of_b == "".join(a):
        return None if len(a) == len(b) == 1 else True
    only_in_a = [w for w in a if not any(_compatible_word(w, v) for v in b)]
    only_in_b = [w for w in b if not any(_compatible_word(w, v) for v in a)]
    if sum(len(w) > 2 for w in set(a) & set(b)) >= 2 and min(len(a), len(b)) >= 3:
        return None  # "National Register of Historic Places", "National Register Information System"
    if not only_in_a or not only_in_b:
        contained = set(a) <= set(b) or set(b) <= set(a)
        return True if contained else None
    return False
