"""Chats as people save them: which texts are chats, and who said what in them when.

Recognised are lines such as "Ada: …", "[2023-05-08 13:56] Ada: …", "08.05.23, 13:56 - Ada: …" and "Ada (10:12): …", and
lines with a name and a time above what was said. The text stays as it is. A text that is taken for a chat and is
none would lose the sense of its sentences, hence whatever is in doubt is not a chat.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from memory_bank.modules.documents.document import Document, Turn
from memory_bank.modules.documents.plain import CODE_TYPES, suffix_of
from memory_bank.modules.documents.stamps import LONGEST_HEAD, STAMP, clock_of, day_line, day_of, joined, order_of

PAUSE = timedelta(hours=4)
"""After a longer one a conversation is taken up anew: the next turn answers nothing before it."""
FEWEST_SPEAKERS = 2
"""What one person wrote alone is a diary, a log or a list."""
PREAMBLE = 400
"""Characters that may stand before the first turn: the heading of an export. An article has more."""
SAMPLE = 400
"""Lines by which the way of writing is told: a novel need not be searched to its end."""
NAME_WORDS = 4
"""Words of a name at most: longer ones before a colon are the beginning of a sentence."""


@dataclass(frozen=True, slots=True)
class _Style:
    """A way of writing turns, and what a text must show to be taken for a chat written so.

    `fewest` turns; `each` times as many turns as speakers, for the labels of a list come once each; `openings` is the
    share of lines that open a turn; `talk` the share of turns in which somebody speaks of or to somebody, or asks;
    `prose` the share of characters at most that stand in paragraphs of nobody's. The less a line by itself shows, the
    more is asked for.
    """

    pattern: re.Pattern[str]
    fewest: int
    each: float
    openings: float
    talk: float
    prose: float = 1.0


_LEAD = r"[\u200e\u200f\ufeff\s]*"
_WHO = r"(?P<speaker>(?:[^\W\d_]|[+~@_](?=\S|\s\w))[^:：\n<>\[\]{}|=]{0,58}?)"
_COLON = r"(?::(?=\s|$|[^\x00-\x7f])|：)\s*"


def _style(pattern: str, *, fewest: int, each: float, openings: float, talk: float, prose: float = 1.0) -> _Style:
    return _Style(re.compile(_LEAD + pattern, re.IGNORECASE), fewest, each, openings, talk, prose)


_STAMPED = _style(
    rf"[\[(]?{STAMP}[\])]?(?:\s+[-–—]|\s?[,;|])?\s+(?:<(?P<nick>[^<>\s]{{1,40}})>|{_WHO}{_COLON})",
    fewest=2,
    each=1,
    openings=0.2,
    talk=0.05,
)
_NAMED = _style(rf"{_WHO}\s*[\[(]{STAMP}[\])]{_COLON}", fewest=3, each=1.5, openings=0.2, talk=0.05)
_HEADED = _style(
    rf"{_WHO}(?:\s++[-–—]\s++|,?\s++|\s*+[\[(])(?:(?:today|yesterday)\s+at\s+)?{STAMP}[\])]?\s*$",
    fewest=3,
    each=1.5,
    openings=0.1,
    talk=0.2,
)
_STAMP_FIRST = _style(rf"\[{STAMP}\]\s+{_WHO}\s*$", fewest=3, each=1.5, openings=0.1, talk=0.2)
_BARE = _style(rf"(?:\*\*)?{_WHO}{_COLON}(?:\*\*\s*)?(?=\S)", fewest=4, each=2, openings=0.4, talk=0.3, prose=0.1)
_OF_ROLES = replace(_BARE, fewest=2, each=1, openings=0.02, talk=0.05, prose=1.0)
_STYLES = (_STAMPED, _NAMED, _HEADED, _STAMP_FIRST, _BARE)
_ABOVE = (_HEADED, _STAMP_FIRST)
"""Styles in which the name has a line of its own."""

_NOTICE = re.compile(rf"{_LEAD}[\[(]?{STAMP}[\])]?(?:\s+[-–—])?\s", re.IGNORECASE)
_TALK = re.compile(
    r"\b(?:I|I'm|me|my|mine|you|your|we|us|our|let's|thanks|hi|hello|hey)\b|[?？](?=\W|$)|[我你您咱吗呢吧]",
    re.IGNORECASE,
)
ROLES = frozenset({"user", "assistant", "human", "ai", "bot", "system", "tool", "chatgpt", "claude", "model"})
"""Who speaks where a person talks to a language model: their texts are long."""
_LEVELS = frozenset("trace debug info notice warn warning error err critical fatal severe".split())
_LABELS = _LEVELS | frozenset(
    "note notes nb ps example examples question questions answer answers q a name title author authors date time "
    "subject from to cc bcc re source sources figure fig table step chapter part section summary abstract keywords "
    "phone tel email mail address tip hint important todo fixme input output key value ingredients id type status "
    "description location price version result results problem solution definition theorem proof lemma remark "
    "http https pros cons "
    "注 注意 问 答 备注 说明 标题 作者 日期 时间 地点 例 例如 来源 摘要 关键词 电话 地址 图 表".split()
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is not blank; `follows` says that the line before it is not blank either."""

    start: int
    text: str
    follows: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text.rstrip())


@dataclass(frozen=True, slots=True)
class _Draft:
    """A turn being read: where it begins, its words too, and where its time stands in writing."""

    start: int
    said: int
    end: int
    speaker: str
    written: str = ""
    clock: str = ""
    day_line: str = ""


def as_chat(document: Document) -> Document:
    """The document with its turns if it is a plain text that is surely a chat, else as it is."""
    if document.media_type != "text/plain" or suffix_of(document.name) in CODE_TYPES:
        return document
    return replace(document, turns=find_turns(document.text))


def find_turns(text: str) -> tuple[Turn, ...]:
    """The turns of a chat; none where it is not surely one."""
    lines = list(_lines(text))
    sample = lines[:SAMPLE]
    style = max(_STYLES, key=lambda one: sum(_opening(line, one) is not None for line in sample))
    read = _Reading(text, style)
    for line in lines if any(_opening(line, style) for line in sample) else ():
        read.take(line)
    return tuple(_timed(read.turns)) if read.is_chat() else ()


def _lines(text: str) -> Iterator[_Line]:
    start, follows = 0, False
    for line in text.split("\n"):
        if line.strip():
            yield _Line(start, line, follows)
        follows = bool(line.strip())
        start += len(line) + 1


def _opening(line: _Line, style: _Style) -> re.Match[str] | None:
    """The beginning of a turn in a line, by a speaker that may be one."""
    if style in _ABOVE and len(line.text) > LONGEST_HEAD:
        return None
    found = style.pattern.match(line.text, 0, LONGEST_HEAD)
    if found is None or day_line(line.text):
        return None
    speaker = _speaker(found)
    fits = 0 < len(speaker.split()) <= NAME_WORDS and speaker.casefold() not in (_LABELS if style is _BARE else _LEVELS)
    return found if fits and (style is not _BARE or _is_name(speaker)) else None


def _speaker(found: re.Match[str]) -> str:
    named = found.groupdict()
    return " ".join((named["speaker"] or named.get("nick") or "").replace("\u200e", "").split()).strip("~* ")


def _is_name(words: str) -> bool:
    """Whether words before a bare colon may be a name: each begins with a capital, or it is a single word."""
    found = words.split()
    return len(found) == 1 or all(not word[0].islower() for word in found)


class _Reading:
    """The lines of a text, read in one style: the turns, and what tells whether it is a chat."""

    def __init__(self, text: str, style: _Style) -> None:
        self.turns: list[_Draft] = []
        self._text = text
        self._style = style
        self._count = self._characters = self._prose = 0
        self._spaced = 0
        self._day_line = ""
        self._in_prose = False

    def take(self, line: _Line) -> None:
        """Read the next line."""
        found = _opening(line, self._style)
        if found is not None:
            self._open(line, found)
        elif day_line(line.text):
            self._day_line = line.text
            return
        elif self._style is _STAMPED and _NOTICE.match(line.text, 0, LONGEST_HEAD):
            return
        elif self.turns:
            self._go_on(line)
        self._count += 1
        self._characters += len(line.text)

    def _open(self, line: _Line, found: re.Match[str]) -> None:
        self._spaced += not line.follows
        self._in_prose = False
        stamp = found.groupdict()
        self.turns.append(
            _Draft(
                start=line.start + len(line.text) - len(line.text.lstrip()),
                said=min(line.start + found.end() + _blank(line.text[found.end() :]), line.end),
                end=line.end,
                speaker=_speaker(found),
                written=stamp.get("date") or "",
                clock=stamp.get("clock") or stamp.get("alone") or "",
                day_line=self._day_line,
            )
        )

    def _go_on(self, line: _Line) -> None:
        """A line of the last turn. It is prose where nothing shows that it belongs there: no paragraph, no indent."""
        last = self.turns[-1]
        bodiless = self._style in _ABOVE and last.said >= last.end
        said = line.start + _blank(line.text) if bodiless else last.said
        self.turns[-1] = replace(last, said=said, end=line.end)
        in_paragraph = line.follows and 2 * self._spaced > len(self.turns) and not self._in_prose
        self._in_prose = not (in_paragraph or line.text[0].isspace())
        self._prose += len(line.text) if self._in_prose else 0

    def is_chat(self) -> bool:
        """Whether the text is surely a chat."""
        turns, speakers = self.turns, Counter(turn.speaker for turn in self.turns)
        style = self._style
        if style is _BARE and {speaker.casefold() for speaker in speakers} <= ROLES:
            style = _OF_ROLES
        return (
            len(speakers) >= FEWEST_SPEAKERS
            and len(turns) >= max(style.fewest, style.each * len(speakers))
            and len(self._text[: turns[0].start].strip()) <= PREAMBLE
            and len(turns) >= style.openings * self._count
            and self._prose <= style.prose * self._characters
            and sum(bool(_TALK.search(self._text, turn.said, turn.end)) for turn in turns) >= style.talk * len(turns)
            and all(turn.said < turn.end for turn in turns if style in _ABOVE)
        )


def _blank(text: str) -> int:
    return len(text) - len(text.lstrip())


# -- when ------------------------------------------------------------------------------------------------------


def _timed(drafts: Sequence[_Draft]) -> Iterator[Turn]:
    """The turns with their times, as one order of day and month reads them, and the sittings these make."""
    lines = {draft.day_line: _day_written(draft.day_line) for draft in drafts}
    dates = [written for draft in drafts if (written := draft.written or lines[draft.day_line])]
    order = order_of(dates, twelve_hours=any("m" in draft.clock.lower() for draft in drafts))
    days = {written: day_of(written, order) for written in dates}
    sitting, before, line_before = 0, None, drafts[0].day_line
    for draft in drafts:
        day = days.get(draft.written or lines[draft.day_line])
        at = joined(day, clock_of(draft.clock) if draft.clock else None)
        if parted(before, at) or (at is None and draft.day_line != line_before):
            sitting += 1
        yield Turn(draft.start, draft.said, draft.end, draft.speaker, at, sitting)
        before, line_before = at or before, draft.day_line


def _day_written(line: str) -> str:
    found = day_line(line)
    return (found["date"] or "") if found else ""


def parted(before: date | None, after: date | None) -> bool:
    """Whether two times are too far apart for one conversation; False where one is not known."""
    if before is None or after is None:
        return False
    if isinstance(before, datetime) and isinstance(after, datetime):
        return abs(after - before) > PAUSE
    return _day(before) != _day(after)


def _day(at: date) -> date:
    return at.date() if isinstance(at, datetime) else at
