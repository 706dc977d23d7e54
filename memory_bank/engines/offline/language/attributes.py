"""What a thing has one value of: the table of attributes and the words that bring them up."""

from __future__ import annotations

from dataclasses import dataclass

from memory_bank.engines.offline.language.tokens import ORDINAL, stem
from memory_bank.values.values import Value, ValueKind

_DATE = frozenset({ValueKind.DATE})
_PLACE = frozenset({ValueKind.NAME})
AMOUNT = frozenset({ValueKind.NUMBER, ValueKind.QUANTITY})


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of which a thing has one value: its trigger words and the kinds its value can be.

    `strength` (0…1) says how surely two differing values contradict. `before_name` is what must stand right
    before a name for it to be the value ("in", "by"). `timed` values hold for a period only. What is `repeatable`
    happens to a thing more than once, each time with another object or at another time ("moved to Lund in 1994").
    """

    name: str
    triggers: frozenset[str]
    kinds: frozenset[ValueKind]
    strength: float
    units: frozenset[str] = frozenset()
    before_name: frozenset[str] = frozenset()
    timed: bool = False
    repeatable: bool = False


def _attribute(  # noqa: PLR0913 - one row of the table below
    name: str,
    triggers: str,
    kinds: frozenset[ValueKind],
    strength: float,
    *,
    units: str = "",
    before_name: str = "",
    timed: bool = False,
    repeatable: bool = False,
) -> Attribute:
    return Attribute(
        name,
        frozenset(" ".join(_trigger_key(w) for w in t.split("_")) for t in triggers.split()),
        kinds,
        strength,
        frozenset(units.split()),
        frozenset(before_name.split()),
        timed,
        repeatable,
    )


def _trigger_key(word: str) -> str:
    return ORDINAL if word == "first" else stem(word)


ATTRIBUTES: tuple[Attribute, ...] = (
    _attribute("birth", "born birth birthdate geboren 出生 生于", _DATE, 0.95),
    _attribute("birthplace", "born birthplace birth", _PLACE, 0.7, before_name="in at"),
    _attribute("death", "died death dead killed deceased 逝世 去世", _DATE, 0.95),
    _attribute("place of death", "died death", _PLACE, 0.7, before_name="in at"),
    _attribute("burial", "buried burial", _DATE | _PLACE, 0.6, before_name="in at"),
    _attribute(
        "foundation",
        "founded founding foundation established establishment formed formation incorporated inception created "
        "started launched 成立 建立 创立 创建 创办",
        _DATE,
        0.8,
    ),
    _attribute(
        "construction",
        "built constructed construction erected completed completion finished 建成 修建 竣工 落成 完工",
        _DATE,
        0.85,
    ),
    _attribute("start of works", "began begun commenced groundbreaking 动工 开工 始建 奠基", _DATE, 0.7),
    _attribute("opening", "opened opening inaugurated 开放 开业 开馆 开幕 启用 通车 通航", _DATE, 0.75),
    _attribute(
        "closing", "closed closure dissolved disbanded abolished demolished decommissioned 关闭 停业", _DATE, 0.75
    ),
    _attribute(
        "release",
        "released release published publication premiered aired issued broadcast came_out 发行 出版 上映",
        _DATE,
        0.6,
    ),
    _attribute("discovery", "discovered invented discovery 发现", _DATE, 0.7),
    _attribute("listing", "listed added", _DATE, 0.6),
    _attribute("end", "ends expires expired expiry terminates", _DATE, 0.65),
    _attribute("deadline", "deadline due", _DATE, 0.7),
    _attribute("marriage", "married wedding", _DATE, 0.6, repeatable=True),
    _attribute("origin", "dates dating originates", _DATE, 0.7),
    _attribute("resignation", "resigned resignation stepped_down", _DATE, 0.6, repeatable=True),
    _attribute("destruction", "destroyed burned_down burnt_down razed", _DATE, 0.6, repeatable=True),
    _attribute("holding", "held took_place fought", _DATE, 0.6),
    _attribute("sinking", "sank sunk scuttled", _DATE, 0.7),
    _attribute("signing", "signed ratified", _DATE, 0.65),
    _attribute("coronation", "crowned", _DATE, 0.7),
    # Both ends of "reigned from … to …", which `facts` reads as a whole.
    _attribute("start of reign", "", _DATE, 0.7),
    _attribute("end of reign", "", _DATE, 0.7),
    _attribute("abdication", "abdicated", _DATE, 0.7),
    _attribute("merger", "merged acquired", _DATE, 0.6, repeatable=True),
    _attribute("adoption", "adopted enacted introduced", _DATE, 0.6, repeatable=True),
    _attribute("graduation", "graduated", _DATE, 0.6, repeatable=True),
    _attribute("first flight", "first_flew first_flight maiden_flight", _DATE, 0.75),
    _attribute("relocation", "moved relocated", _DATE, 0.6, repeatable=True),
    _attribute("membership", "joined member", _DATE, 0.6, repeatable=True),
    _attribute("first election", "first_elected", _DATE, 0.65, repeatable=True),
    _attribute("last working", "ceased defunct retired worked", _DATE, 0.55),
    _attribute("victory", "won awarded", _DATE, 0.3, repeatable=True),
    _attribute("population", "population 人口", AMOUNT, 0.85, units="none", timed=True),
    _attribute("crew", "crew", AMOUNT, 0.7, units="none", timed=True),
    _attribute("height", "tall high height elevation altitude rises stands 高 高度 海拔", AMOUNT, 0.8, units="length"),
    _attribute("length", "long length stretches runs 长 长度 全长", AMOUNT, 0.8, units="length"),
    _attribute("running time", "long length runtime lasts lasted running runs", AMOUNT, 0.7, units="duration"),
    _attribute("width", "wide width across 宽 宽度", AMOUNT, 0.8, units="length"),
    _attribute("depth", "deep depth 深 深度", AMOUNT, 0.8, units="length"),
    _attribute("area", "area covers covering encompasses size 面积 占地", AMOUNT, 0.75, units="area"),
    _attribute("weight", "weighs weight mass weighing 重量", AMOUNT, 0.8, units="mass"),
    _attribute("capacity", "capacity seats holds seating 容量", AMOUNT, 0.75, units="none volume power data"),
    _attribute("speed", "speed fast 时速", AMOUNT, 0.75, units="speed"),
    _attribute("score", "won lost beat defeated drew", AMOUNT, 0.6, units="score"),
    _attribute("density", "density", AMOUNT, 0.75, units="density", timed=True),
    _attribute("power", "power output generates produces", AMOUNT, 0.7, units="power"),
    _attribute("temperature", "temperature boils melts boiling melting", AMOUNT, 0.7, units="temperature"),
    _attribute("departure", "departs departure leaves", AMOUNT, 0.6, units="clock clock-of-twelve"),
    _attribute("arrival", "arrives arrival lands", AMOUNT, 0.6, units="clock clock-of-twelve"),
    _attribute("starting time", "starts start begins opens opened", AMOUNT, 0.6, units="clock clock-of-twelve"),
    _attribute("closing time", "ends closes closed finishes", AMOUNT, 0.6, units="clock clock-of-twelve"),
    _attribute(
        "cost", "cost costs price sold bought worth budget 造价 投资 耗资", AMOUNT, 0.75, units="USD EUR GBP CNY JPY"
    ),
    _attribute(
        "revenue",
        "revenue grossed earned profit income",
        AMOUNT,
        0.7,
        units="USD EUR GBP CNY JPY",
        timed=True,
    ),
    _attribute("location", "located situated lies stands", _PLACE, 0.55, before_name="in at near"),
    _attribute("seat", "headquartered based headquarters", _PLACE, 0.6, before_name="in at", timed=True),
    _attribute("winner", "won", _PLACE, 0.6, before_name="by", repeatable=True),
    _attribute("mother", "mother", _PLACE, 0.65, before_name="is was"),
    _attribute("father", "father", _PLACE, 0.65, before_name="is was"),
    _attribute("architect", "designed architect", _PLACE, 0.65, before_name="by architect"),
    _attribute("director", "directed director", _PLACE, 0.7, before_name="by director"),
    _attribute("writer", "written author wrote novelist novel book poem", _PLACE, 0.6, before_name="by author"),
    _attribute("composer", "composed composer", _PLACE, 0.65, before_name="by composer"),
    _attribute("founder", "founded established created", _PLACE, 0.6, before_name="by"),
    _attribute("inventor", "invented discovered", _PLACE, 0.65, before_name="by"),
    _attribute("painter", "painted sculpted", _PLACE, 0.65, before_name="by"),
    _attribute("builder", "built constructed", _PLACE, 0.55, before_name="by"),
    _attribute("recording", "recorded performed sung", _PLACE, 0.55, before_name="by"),
    _attribute("broadcaster", "airs aired broadcast shown", _PLACE, 0.6, before_name="on"),
    _attribute("producer", "produced producer", _PLACE, 0.58, before_name="by producer"),
    _attribute("capital", "capital 首都", _PLACE, 0.8, before_name="is was"),
)

_BY_TRIGGER: dict[str, list[Attribute]] = {}
for _row in ATTRIBUTES:
    for _trigger in _row.triggers:
        _BY_TRIGGER.setdefault(_trigger, []).append(_row)

MEASURES = frozenset(trigger for row in ATTRIBUTES if row.kinds == AMOUNT for trigger in row.triggers)
_TIMED = frozenset(row.name for row in ATTRIBUTES if row.timed)
_REPEATABLE = frozenset(row.name for row in ATTRIBUTES if row.repeatable)
_STRENGTHS = {row.name: row.strength for row in ATTRIBUTES}


def strength_of(attribute: str) -> float:
    """How surely two values of an attribute contradict (0…1); 0 for what is no attribute of the table."""
    return _STRENGTHS.get(attribute, 0.0)


def is_trigger(word: str) -> bool:
    """Whether a stem brings up an attribute."""
    return word in _BY_TRIGGER


def is_timed(attribute: str) -> bool:
    """Whether the values of an attribute hold for a period only."""
    return attribute in _TIMED


def is_repeatable(attribute: str) -> bool:
    """Whether a thing can have several values of an attribute, one for each object or time."""
    return attribute in _REPEATABLE


def attributes_of(trigger: str, value: Value) -> list[Attribute]:
    """The attributes that a trigger word (a stem) can give such a value to."""
    return [
        row
        for row in _BY_TRIGGER.get(trigger, ())
        if value.kind in row.kinds and (not row.units or (value.unit.partition(" per ")[0] or "none") in row.units)
    ]
