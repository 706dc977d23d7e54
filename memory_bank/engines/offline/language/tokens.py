"""Words and values of a sentence as one row of tokens, the form in which two sentences are laid side by side.

Numbers, quantities and dates are one token each and all look alike ("#"), so that sentences that differ only in
them line up. Punctuation, brackets, quotes and reference marks such as [1] are not tokens: web text spells them
in many ways. Chinese characters are one token each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from memory_bank.values.names import fold
from memory_bank.values.values import Value, ValueKind, extract_values

NUMERAL = "#"
ORDINAL = "#th"

_STEMMER = snowballstemmer.stemmer("english")
_REFERENCE = re.compile(
    r"\[\s*(?:\d{1,3}|[a-z]|edit|citation needed|note\s\d+|update)\s*\]|\[\s*edit\s*\]|[\ufeff\u200b]",
    re.IGNORECASE,
)
_TREEBANK = re.compile(r"-([LR])[RSC]B-")
# Chinese words that name an attribute stay whole; other characters are a token each.
_CHINESE_WORDS = (
    "出生|生于|逝世|去世|成立|建立|创立|创建|创办|建成|修建|竣工|落成|完工|动工|开工|始建|奠基|通车|通航|开放|开业"
    "|开馆|开幕|启用|关闭|停业|发行|出版|上映|发现|人口|面积|占地|首都|高度|海拔|长度|全长|宽度|深度|重量|容量|时速|造价|投资"
    "|耗资|位于"
)
_WORD = re.compile(
    rf"{_CHINESE_WORDS}|[\u3400-\u9fff]|(?:[^\W_\u3400-\u9fff][\u0300-\u036f]*)+(?:['’](?!s\b)[^\W\d_]+)*"
)
_BREAK = re.compile(r"[.;:()!?|•\n，。；：、（）]|\s[–—-]\s|,")

STOPWORDS = frozenset(
    "a an the and or but of in on at by for from to with as is are was were be been being it its he his him she her "
    "they their them this that these those there here which who whom whose what when where while than then so such "
    "has have had having do does did will would can could may might shall should must also into onto over under about "
    "after before between during through per via not no nor s t if because although though since until upon within "
    "one some any each other more most very just only both all i we you my our your 's "
    "的 了 在 是 于 和 与 为 有 而 之 其".split()
)
NEGATIONS = frozenset(
    "not no never neither nor without cannot n't isn't wasn't aren't weren't doesn't didn't don't hasn't haven't "
    "hadn't won't can't couldn't wouldn't fail unabl incap refus lack 不 没 未 非 无".split()
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word or value: `key` is what alignment compares, `content` marks words that carry meaning.

    `value` is the number, quantity or date that the token is; names stay words. `clause` is true when
    punctuation stands between this token and the one before, `joined` when a hyphen does.
    """

    text: str
    start: int
    end: int
    key: str
    content: bool
    clause: bool
    value: Value | None = None
    joined: bool = False


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The folded stem of a word; words of one or two letters, numbers and Chinese stay as they are."""
    folded = fold(word)
    if len(folded) < 3 or not folded.isascii():
        return folded
    return str(_STEMMER.stemWord(folded.removesuffix("'s")))


def mask_references(text: str) -> str:
    """`text` with reference marks such as [1] and [edit] blanked, every other character where it was.

    Brackets spelt in the Penn Treebank way (-LRB-, -RRB-) become brackets.
    """
    masked = _REFERENCE.sub(lambda m: " " * len(m.group(0)), text)
    return _TREEBANK.sub(lambda m: ("(" if m[1] in "L" else ")").center(len(m.group(0))), masked)


@lru_cache(maxsize=8192)
def tokenise(text: str) -> tuple[tuple[Token, ...], tuple[Value, ...]]:
    """The tokens of a sentence and all its values, names included."""
    masked = mask_references(text)
    values = extract_values(masked)
    numeric = [v for v in values if v.kind is not ValueKind.NAME]
    tokens: list[Token] = []
    position = 0
    for value in [*numeric, None]:
        limit = value.start if value else len(masked)
        for match in _WORD.finditer(masked, position, limit):
            tokens.append(_word_token(masked, match, tokens))
        if value:
            key = ORDINAL if value.kind is ValueKind.ORDINAL else NUMERAL
            clause = _breaks(masked, tokens[-1].end if tokens else 0, value.start)
            tokens.append(Token(value.text, value.start, value.end, key, content=True, clause=clause, value=value))
            position = value.end
    return tuple(tokens), values


def _breaks(text: str, start: int, end: int) -> bool:
    """Whether punctuation between two tokens parts them; not the dot of "Dr. Ortiz" and "J. Hall"."""
    found = _BREAK.search(text, start, end)
    return found is not None and not (text[start:end].rstrip() == "." and _SHORTENED.search(text, 0, start + 1))


_SHORTENED = re.compile(r"\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|Rev|Hon|St|Gen|Col|Capt|Lt|Sgt|Maj|Gov|Sen|Fr)\.$")


def _word_token(text: str, match: re.Match[str], before: list[Token]) -> Token:
    word = match.group(0)
    key = stem(word)
    content = key not in STOPWORDS and fold(word) not in STOPWORDS
    end = before[-1].end if before else 0
    clause = _breaks(text, end, match.start())
    joined = text[end : match.start()] in ("-", "‐")
    return Token(word, match.start(), match.end(), key, content=content, clause=clause, joined=joined)


def negation(tokens: Sequence[Token]) -> Token | None:
    """The first word that denies what the tokens say, or None: two denials in a row are none."""
    for index, token in enumerate(tokens):
        if token.key not in NEGATIONS:
            continue
        after = tokens[index + 1] if index + 1 < len(tokens) else token
        if after.key in NEGATIONS and after is not token:
            return None
        only_then = any(t.key == "until" for t in tokens[index + 1 : index + _UNTIL])
        if after.key not in _AFTER_NOT and not only_then and not _UNDONE.match(after.text):
            return token
    return None


# "Not only", "not until 1902", "no fewer than 30" deny nothing; nor does "not unsafe".
_AFTER_NOT = frozenset(
    stem(w)
    for w in (
        "only until just merely less fewer more later earlier unlike uncommon all every always both necessarily"
    ).split()
)
_UNTIL = 5
_UNDONE = re.compile(r"un(?!i|der|til)[a-z]{3,}$")
