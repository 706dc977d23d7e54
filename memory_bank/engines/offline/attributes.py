"""What a value is the value of: attribute words, and the facts they make of a sentence's values.

A fact is an attribute with one value, the time it holds for, and what narrows it. Facts of differently worded
sentences compare when they are of one attribute ("erected in 1869", "was built in 1905").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory_bank.engines.offline.dates import Precision, year_of
from memory_bank.engines.offline.tokens import NUMERAL, STOPWORDS, Token, stem
from memory_bank.engines.offline.values import Value, ValueKind

_DATE = frozenset({ValueKind.DATE})
_PLACE = frozenset({ValueKind.NAME})
_AMOUNT = frozenset({ValueKind.NUMBER, ValueKind.QUANTITY})


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of which a thing has one value: its trigger words and the kinds its value can be.

    `strength` (0…1) says how surely two differing values contradict. `before_name` is what must stand right
    before a name for it to be the value ("in", "by"). `timed` values hold for a period only.
    """

    name: str
    triggers: frozenset[str]
    kinds: frozenset[ValueKind]
    strength: float
    units: frozenset[str] = frozenset()
    before_name: frozenset[str] = frozenset()
    timed: bool = False


def _attribute(  # noqa: PLR0913 - one row of the table below
    name: str,
    triggers: str,
    kinds: frozenset[ValueKind],
    strength: float,
    *,
    units: str = "",
    before_name: str = "",
    timed: bool = False,
) -> Attribute:
    return Attribute(
        name,
        frozenset(stem(t) for t in triggers.split()),
        kinds,
        strength,
        frozenset(units.split()),
        frozenset(before_name.split()),
        timed,
    )


ATTRIBUTES: tuple[Attribute, ...] = (
    _attribute("birth", "born birth birthdate geboren 出生 生于", _DATE, 0.95),
    _attribute("birthplace", "born birthplace birth", _PLACE, 0.7, before_name="in at"),
    _attribute("death", "died death dead killed deceased 逝世 去世", _DATE, 0.95),
    _attribute("place of death", "died death", _PLACE, 0.7, before_name="in at"),
    _attribute("burial", "buried burial", _DATE | _PLACE, 0.6, before_name="in at"),
    _attribute(
        "foundation",
        "founded founding foundation established establishment formed formation incorporated inception created "
        "organized organised instituted started launched 成立 建立 创立",
        _DATE,
        0.8,
    ),
    _attribute(
        "construction",
        "built constructed construction erected completed completion finished 建成 修建 竣工",
        _DATE,
        0.85,
    ),
    _attribute("start of works", "began begun commenced groundbreaking", _DATE, 0.7),
    _attribute("opening", "opened opening inaugurated 开放 开业", _DATE, 0.75),
    _attribute(
        "closing", "closed closure dissolved disbanded abolished demolished decommissioned 关闭", _DATE, 0.75
    ),
    _attribute(
        "release", "released release published publication premiered aired issued broadcast 发行 出版 上映", _DATE, 0.6
    ),
    _attribute("discovery", "discovered invented discovery 发现", _DATE, 0.7),
    _attribute("listing", "listed added designated", _DATE, 0.6),
    _attribute("marriage", "married wedding", _DATE, 0.5),
    _attribute("last working", "ceased defunct retired worked", _DATE, 0.55),
    _attribute("victory", "won awarded", _DATE, 0.3),
    _attribute(
        "population", "population 人口", _AMOUNT, 0.85, units="none", timed=True
    ),
    _attribute("height", "tall high height elevation altitude rises stands 高 高度", _AMOUNT, 0.8, units="length"),
    _attribute("length", "long length stretches runs 长 长度", _AMOUNT, 0.8, units="length"),
    _attribute(
        "running time", "long length runtime lasts lasted running runs", _AMOUNT, 0.7, units="duration"
    ),
    _attribute("width", "wide width across", _AMOUNT, 0.8, units="length"),
    _attribute("depth", "deep depth", _AMOUNT, 0.8, units="length"),
    _attribute("area", "area covers covering encompasses size 面积", _AMOUNT, 0.75, units="area"),
    _attribute("weight", "weighs weight mass weighing", _AMOUNT, 0.8, units="mass"),
    _attribute("capacity", "capacity seats holds seating", _AMOUNT, 0.75, units="none volume power data"),
    _attribute("speed", "speed fast", _AMOUNT, 0.75, units="speed"),
    _attribute("density", "density", _AMOUNT, 0.75, units="density", timed=True),
    _attribute("power", "power output generates produces", _AMOUNT, 0.7, units="power"),
    _attribute("temperature", "temperature boils melts boiling melting", _AMOUNT, 0.7, units="temperature"),
    _attribute(
        "cost", "cost costs price sold bought worth budget", _AMOUNT, 0.75, units="USD EUR GBP CNY JPY"
    ),
    _attribute(
        "revenue",
        "revenue grossed earned profit income",
        _AMOUNT,
        0.7,
        units="USD EUR GBP CNY JPY",
        timed=True,
    ),
    _attribute(
        "location", "located situated lies headquartered based stands", _PLACE, 0.55, before_name="in at near"
    ),
    _attribute("architect", "designed architect", _PLACE, 0.65, before_name="by architect"),
    _attribute("director", "directed director", _PLACE, 0.7, before_name="by director"),
    _attribute("writer", "written author wrote novelist", _PLACE, 0.6, before_name="by author"),
    _attribute("composer", "composed composer", _PLACE, 0.65, before_name="by composer"),
    _attribute("founder", "founded established created", _PLACE, 0.6, before_name="by"),
    _attribute("inventor", "invented discovered", _PLACE, 0.65, before_name="by"),
    _attribute("painter", "painted sculpted", _PLACE, 0.65, before_name="by"),
    _attribute("builder", "built constructed", _PLACE, 0.55, before_name="by"),
    _attribute("recording", "recorded performed sung", _PLACE, 0.55, before_name="by"),
    _attribute("capital", "capital 首都", _PLACE, 0.8, before_name="is was"),
)

_BY_TRIGGER: dict[str, list[Attribute]] = {}
for _row in ATTRIBUTES:
    for _trigger in _row.triggers:
        _BY_TRIGGER.setdefault(_trigger, []).append(_row)

TRIGGERS = frozenset(_BY_TRIGGER)
_TIMED = {row.name for row in ATTRIBUTES if row.timed}
_RELATIVE = frozenset({"who", "which", "whose", "whom", "where"})
_REACH_BACK = 12
_REACH_AHEAD = 6
_PEOPLE = frozenset(stem(w) for w in "people inhabitants residents persons population".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Fact:
    """An attribute of the sentence's subject with its value.

    `years` are the other years that the sentence names, `qualifiers` the words that narrow a count
    ("contributing" of 291 contributing buildings), `position` the token of the value, `trigger` that of the word.
    """

    attribute: str
    value: Value
    strength: float
    position: int
    trigger: int
    years: frozenset[int] = frozenset()
    qualifiers: frozenset[str] = frozenset()


def _unit_fits(row: Attribute, value: Value) -> bool:
    return not row.units or (value.unit or "none") in row.units


def _rows(tokens: Sequence[Token], index: int, value: Value) -> list[Attribute]:
    return [
        r for r in _BY_TRIGGER.get(tokens[index].key, ()) if value.kind in r.kinds and _unit_fits(r, value)
    ]


def _trigger_before(tokens: Sequence[Token], at: int, value: Value) -> tuple[int, Attribute] | None:
    """The nearest attribute word before a value, not across another value of the kind or a relative clause."""
    for index in range(at - 1, max(-1, at - 1 - _REACH_BACK), -1):
        token = tokens[index]
        if token.value and token.value.kind is value.kind:
            return None
        rows = _rows(tokens, index, value)
        if rows:
            return index, rows[0]
        if token.key in _RELATIVE:
            return None
    return None


def _trigger_after(tokens: Sequence[Token], at: int, value: Value) -> tuple[int, Attribute] | None:
    """The nearest attribute word after a value: "In 1970 the dam was completed", "8,849 m high"."""
    for index in range(at + 1, min(len(tokens), at + 1 + _REACH_AHEAD)):
        token = tokens[index]
        if token.key in _RELATIVE or (token.value and token.value.kind is value.kind):
            return None
        rows = _rows(tokens, index, value)
        if rows:
            return index, rows[0]
    return None


def _opens_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether what follows a date may say what it is the date of: it opens its clause, or the text is Chinese."""
    chinese = at + 1 < len(tokens) and "\u3400" <= tokens[at + 1].text[0] <= "\u9fff"
    return at <= 2 or tokens[at].clause or tokens[at - 1].clause or chinese


def _found(tokens: Sequence[Token], at: int, value: Value) -> tuple[int, Attribute] | None:
    before = _trigger_before(tokens, at, value)
    if before:
        return before
    if value.kind is ValueKind.DATE and not _opens_clause(tokens, at):
        return None
    return _trigger_after(tokens, at, value)


_EXACT = frozenset({Precision.DAY, Precision.MONTH, Precision.YEAR})


def _years(tokens: Sequence[Token], at: int) -> frozenset[int]:
    """The years that an amount is given for: named after it and before the next amount, else before it."""
    after = _years_among(tokens[at + 1 :])
    return after or _years_among(tokens[at - 1 :: -1] if at else ()) or _years_among(tokens)


def _years_among(tokens: Sequence[Token]) -> frozenset[int]:
    years: set[int] = set()
    for token in tokens:
        if token.value is None:
            continue
        if token.value.kind in _AMOUNT:
            break
        if token.value.precision in _EXACT:
            years.add(year_of(int(token.value.low)))
    return frozenset(years)


def _counted(tokens: Sequence[Token], at: int) -> tuple[str, frozenset[str]] | None:
    """What a bare number counts: the last word of the noun phrase after it, and the words between."""
    phrase: list[str] = []
    for token in tokens[at + 1 : at + 4]:
        if token.value or not token.content or token.clause:
            break
        if phrase and token.text.endswith(("ing", "ed")):
            break  # "families residing in": the noun came before
        phrase.append(token.key)
    if not phrase or len(phrase[-1]) < 3:
        return None
    return phrase[-1], frozenset(phrase[:-1])


def _count_fact(tokens: Sequence[Token], at: int, value: Value, years: frozenset[int]) -> Fact | None:
    counted = _counted(tokens, at)
    if counted is None:
        return None
    noun, qualifiers = counted
    name = "population" if noun in _PEOPLE else f"number of {tokens[at + 1 + len(qualifiers)].text}"
    key = name if noun in _PEOPLE else f"count:{noun}"
    return Fact(key, value, 0.6, at, at + 1, years, qualifiers)


def _numeric_facts(tokens: Sequence[Token]) -> Iterator[Fact]:
    for at, token in enumerate(tokens):
        value = token.value
        if value is None or value.kind is ValueKind.ORDINAL:
            continue
        years = _years(tokens, at) if value.kind is not ValueKind.DATE else frozenset()
        if value.kind is ValueKind.NUMBER and (count := _count_fact(tokens, at, value, years)):
            yield count
            continue
        found = _found(tokens, at, value)
        if found:
            trigger, row = found
            yield Fact(row.name, value, row.strength, at, trigger, years)


def _name_facts(tokens: Sequence[Token], values: Sequence[Value]) -> Iterator[Fact]:
    starts = {token.start: index for index, token in enumerate(tokens)}
    for value in values:
        at = starts.get(value.start)
        if value.kind is not ValueKind.NAME or not at:
            continue
        found = _trigger_before(tokens, at, value)
        if found is None:
            continue
        trigger, row = found
        between = [t.key for t in tokens[trigger:at]]
        cue = next((k for k in reversed(between) if k in row.before_name), None)
        near = all(k in STOPWORDS or k in row.before_name or k == NUMERAL for k in between[1:])
        if cue and near and between[-1] in row.before_name | {"the"}:
            yield Fact(row.name, value, row.strength, at, trigger)


def _life_dates(text: str, tokens: Sequence[Token]) -> Iterator[Fact]:
    """Birth and death of "Name (3 March 1849 – 7 May 1930)": two dates or a range of years in brackets."""
    for left, right in pairwise(enumerate(tokens)):
        (i, a), (j, b) = left, right
        if not (a.value and b.value and a.value.kind is b.value.kind is ValueKind.DATE):
            continue
        gap = text[a.end : b.start].strip()
        opening = (
            text[: a.start].rstrip()[-1:] in ("(", ";", ",") and "(" in text[max(0, a.start - 60) : a.start]
        )
        if gap in ("–", "—", "-", "−", "--") and opening:
            yield Fact("birth", a.value, 0.95, i, i)
            yield Fact("death", b.value, 0.95, j, j)


def find_facts(text: str, tokens: Sequence[Token], values: Sequence[Value]) -> tuple[Fact, ...]:
    """Every fact of a sentence that an attribute word, a counted noun or a life span in brackets gives."""
    facts = [*_life_dates(text, tokens)]
    used = {fact.position for fact in facts}
    facts += [f for f in _numeric_facts(tokens) if f.position not in used]
    facts += _name_facts(tokens, values)
    return tuple(facts)
