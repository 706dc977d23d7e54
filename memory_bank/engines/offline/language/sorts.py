"""What sort of thing a word names: a thing is of one sort only."""

from __future__ import annotations

from memory_bank.engines.offline.language.tokens import stem

# A word of several sorts, such as "place", excludes none of them.
_SORTS = {
    "person": "person people man woman boy girl child actor actress singer musician vocalist drummer guitarist pianist "
    "rapper songwriter composer dancer politician president minister senator king queen prince princess officer "
    "soldier general footballer player quarterback striker goalkeeper athlete boxer wrestler cricketer swimmer driver "
    "painter sculptor entertainer comedian model writer author novelist poet playwright screenwriter journalist "
    "historian philosopher director producer filmmaker scientist engineer architect lawyer priest teacher professor "
    "chef farmer explorer activist entrepreneur businessman businesswoman character",
    "film": "film movie documentary",
    "series": "series sitcom soap show programme program",
    "song": "song single track hit",
    "album": "album ep lp soundtrack",
    "book": "novel book poem magazine newspaper comic",
    "settlement": "city town village borough suburb capital place",
    "country": "country place",
    "state": "state province place",
    "county": "county district region place",
    "land": "island continent peninsula mountain place",
    "water": "river lake sea ocean place",
    "building": "building tower bridge church cathedral castle stadium museum hotel skyscraper palace place",
    "organisation": "company party university college school network channel band club team agency "
    "corporation organisation organization airline studio bank label",
    "site": "website site",
    "animal": "dog cat horse bird fish insect reptile mammal breed",
    "vehicle": "car truck ship aircraft airplane locomotive submarine",
    "disease": "disease illness disorder syndrome",
    "event": "war battle festival tournament earthquake election",
}

# The last sign of a Chinese name tells the sort; those of one row may name one thing.
_CHINESE_SORTS = tuple("桥 馆院 塔 河江 湖 山峰 岛 路街 站 寺庙 坝 厂 船舰 市城镇县".split())


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for sort, row in _SORTS.items():
        for word in row.split():
            table.setdefault(stem(word), set()).add(sort)
    return {word: frozenset(sorts) for word, sorts in table.items()}


_SORTS_OF = _table()


def sorts_of(word: str) -> frozenset[str]:
    """The sorts of thing that a stem may name; empty if unknown."""
    return _SORTS_OF.get(word, frozenset())


def chinese_sort(name: str) -> str:
    """The sort of thing that a Chinese name ends in, as a row of signs; "" if unknown."""
    return next((row for row in _CHINESE_SORTS if name[-1:] and name[-1] in row), "")
