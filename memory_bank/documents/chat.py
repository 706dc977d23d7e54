"""Recognise plain texts that are chats, and split them into turns with speaker and time.

Recognised are lines such as "Ada: …", "[2023-05-08 13:56] Ada: …", "08.05.23, 13:56 - Ada: …" and "Ada (10:12): …", and
lines with a name and a time above the message. The text itself is not changed. Another text mistaken for a chat would
have its sentences torn apart, so a doubtful text is not treated as a chat.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from memory_bank.bank.spoken import SpokenTurn
from memory_bank.documents.chat_times import (
    MAX_TIMESTAMP_SEARCH,
    TIMESTAMP_PATTERN,
    combine,
    detect_date_order,
    match_day_line,
    parse_clock,
    parse_day,
)
from memory_bank.documents.document import CODE_TYPES, PLAIN, Document, suffix_of

PAUSE = timedelta(hours=4)
"""After a longer pause a new sitting begins: the next turn does not answer the one before."""
FEWEST_SPEAKERS = 2
"""Fewer speakers make a diary, a log or a list, not a chat."""
PREAMBLE = 400
"""Characters allowed before the first turn, for the header of an export. An article has more."""
SAMPLE = 400
"""Lines from which the style is detected, so that a novel is not searched to its end."""
NAME_WORDS = 4
"""Largest number of words in a name; more words before a colon are the beginning of a sentence."""


@dataclass(frozen=True, slots=True)
class _Style:
    """A way of writing turns, and the conditions for taking a text in this style as a chat.

    The weaker the evidence of a single line, the stricter the conditions. `pattern` matches the beginning of a turn.
    """

    pattern: re.Pattern[str]
    min_turns: int
    min_turns_per_speaker: float
    """Labels of a list occur once each; speakers speak again."""
    min_opening_share: float
    """Share of lines that open a turn."""
    min_talk_share: float
    """Share of turns that say "I" or "you" or the like, or ask a question."""
    max_prose_share: float = 1.0
    """Share of characters in paragraphs that belong to no speaker."""


_LEAD = r"[\u200e\u200f\ufeff\s]*"
_SPEAKER = r"(?P<speaker>(?:[^\W\d_]|[+~@_](?=\S|\s\w))[^:：\n<>\[\]{}|=]{0,58}?)"
_COLON = r"(?::(?=\s|$|[^\x00-\x7f])|：)\s*"


def _opening_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(_LEAD + pattern, re.IGNORECASE)


_STAMPED = _Style(
    _opening_pattern(
        rf"[\[(]?{TIMESTAMP_PATTERN}[\])]?(?:\s+[-–—]|\s?[,;|])?\s+(?:<(?P<nick>[^<>\s]{{1,40}})>|{_SPEAKER}{_COLON})"
    ),
    min_turns=2,
    min_turns_per_speaker=1,
    min_opening_share=0.2,
    min_talk_share=0.05,
)
"""[2023-05-08 13:56] Ada: …"""
_NAMED = _Style(
    _opening_pattern(rf"{_SPEAKER}\s*[\[(]{TIMESTAMP_PATTERN}[\])]{_COLON}"),
    min_turns=3,
    min_turns_per_speaker=1.5,
    min_opening_share=0.2,
    min_talk_share=0.05,
)
"""Ada (10:12): …"""
_HEADED = replace(
    _NAMED,
    pattern=_opening_pattern(
        rf"{_SPEAKER}(?:\s++[-–—]\s++|,?\s++|\s*+[\[(])(?:(?:today|yesterday)\s+at\s+)?{TIMESTAMP_PATTERN}[\])]?\s*$"
    ),
    min_opening_share=0.1,
    min_talk_share=0.2,
)
"""Ada 13:56, with the message below."""
_STAMP_FIRST = replace(_HEADED, pattern=_opening_pattern(rf"\[{TIMESTAMP_PATTERN}\]\s+{_SPEAKER}\s*$"))
"""[13:56] Ada, with the message below."""
_BARE = _Style(
    _opening_pattern(rf"(?:\*\*)?{_SPEAKER}{_COLON}(?:\*\*\s*)?(?=\S)"),
    min_turns=4,
    min_turns_per_speaker=2,
    min_opening_share=0.4,
    min_talk_share=0.3,
    max_prose_share=0.1,
)
"""Ada: …"""
_ROLES_ONLY = replace(
    _BARE, min_turns=2, min_turns_per_speaker=1, min_opening_share=0.02, min_talk_share=0.05, max_prose_share=1.0
)
"""User: …, with long texts between a person and a language model."""
_STYLES = (_STAMPED, _NAMED, _HEADED, _STAMP_FIRST, _BARE)
_NAME_ABOVE = (_HEADED, _STAMP_FIRST)
"""Styles in which the name has its own line above the message."""

_NOTICE = re.compile(rf"{_LEAD}[\[(]?{TIMESTAMP_PATTERN}[\])]?(?:\s+[-–—])?\s", re.IGNORECASE)
_TALK = re.compile(
    r"\b(?:I|I'm|me|my|mine|you|your|we|us|our|let's|thanks|hi|hello|hey)\b|[?？](?=\W|$)|[我你您咱吗呢吧]",
    re.IGNORECASE,
)
ROLES = frozenset({"user", "assistant", "human", "ai", "bot", "system", "tool", "chatgpt", "claude", "model"})
"""Speakers of a conversation with a language model; their texts are long."""
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
    """A line that is not blank. `follows` is true if the line before it is not blank either."""

    start: int
    text: str
    follows: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text.rstrip())


@dataclass(frozen=True, slots=True)
class _Draft:
    """A turn whose time is not parsed yet: its span, where the words spoken begin, its speaker and the written time.

    `written_date` is its own or that of the line above with only a day, `day_line`.
    """

    start: int
    words_start: int
    end: int
    speaker: str
    written_date: str = ""
    clock: str = ""
    day_line: str = ""


def as_chat(document: Document) -> Document:
    """Add the turns to a document that is a plain text and certainly a chat; return any other unchanged."""
    if document.media_type != PLAIN.media_type or suffix_of(document.name) in CODE_TYPES:
        return document
    return replace(document, turns=find_turns(document.text))


def find_turns(text: str) -> tuple[SpokenTurn, ...]:
    """Find the turns of a chat. The result is empty unless the text is certainly a chat."""
    lines = list(_lines(text))
    sample = lines[:SAMPLE]
    style = max(_STYLES, key=lambda style: sum(_match_opening(line, style) is not None for line in sample))
    if not any(_match_opening(line, style) for line in sample):
        return ()
    parser = _Parser(text, style)
    for line in lines:
        parser.add_line(line)
    return tuple(_with_times(parser.turns)) if parser.is_chat() else ()


def _lines(text: str) -> Iterator[_Line]:
    start, follows = 0, False
    for line in text.split("\n"):
        if line.strip():
            yield _Line(start, line, follows)
        follows = bool(line.strip())
        start += len(line) + 1


def _match_opening(line: _Line, style: _Style) -> re.Match[str] | None:
    """Match the beginning of a turn by a plausible speaker."""
    if style in _NAME_ABOVE and len(line.text) > MAX_TIMESTAMP_SEARCH:
        return None
    opening = style.pattern.match(line.text, 0, MAX_TIMESTAMP_SEARCH)
    if opening is None or match_day_line(line.text):
        return None
    speaker = _speaker(opening)
    words = speaker.split()
    excluded = _LABELS if style is _BARE else _LEVELS
    if not 0 < len(words) <= NAME_WORDS or speaker.casefold() in excluded:
        return None
    # Before a bare colon a name is a single word, or each of its words begins with a capital.
    if style is _BARE and len(words) > 1 and any(word[0].islower() for word in words):
        return None
    return opening


def _speaker(opening: re.Match[str]) -> str:
    groups = opening.groupdict()
    return " ".join((groups["speaker"] or groups.get("nick") or "").replace("\u200e", "").split()).strip("~* ")


class _Parser:
    """Collects the turns of a text line by line in one style, and the statistics that tell whether it is a chat."""

    def __init__(self, text: str, style: _Style) -> None:
        self.turns: list[_Draft] = []
        self._text = text
        self._style = style
        self._line_count = self._characters = self._prose = 0
        self._turns_after_blank = 0
        self._day_line = self._day_date = ""
        self._in_prose = False

    def add_line(self, line: _Line) -> None:
        opening = _match_opening(line, self._style)
        if opening is not None:
            self._start_turn(line, opening)
        elif day := match_day_line(line.text):
            self._day_line, self._day_date = line.text, day["date"] or ""
            return
        elif self._style is _STAMPED and _NOTICE.match(line.text, 0, MAX_TIMESTAMP_SEARCH):
            return
        elif self.turns:
            self._continue_turn(line)
        self._line_count += 1
        self._characters += len(line.text)

    def _start_turn(self, line: _Line, opening: re.Match[str]) -> None:
        self._turns_after_blank += not line.follows
        self._in_prose = False
        stamp = opening.groupdict()
        self.turns.append(
            _Draft(
                start=line.start + _indent(line.text),
                words_start=min(line.start + opening.end() + _indent(line.text[opening.end() :]), line.end),
                end=line.end,
                speaker=_speaker(opening),
                written_date=stamp.get("date") or self._day_date,
                clock=stamp.get("clock") or stamp.get("alone") or "",
                day_line=self._day_line,
            )
        )

    def _continue_turn(self, line: _Line) -> None:
        """Add a line to the last turn. It counts as prose unless its paragraph or an indent ties it to the turn."""
        last = self.turns[-1]
        empty = self._style in _NAME_ABOVE and last.words_start >= last.end
        words_start = line.start + _indent(line.text) if empty else last.words_start
        self.turns[-1] = replace(last, words_start=words_start, end=line.end)
        in_paragraph = line.follows and 2 * self._turns_after_blank > len(self.turns) and not self._in_prose
        self._in_prose = not (in_paragraph or line.text[0].isspace())
        self._prose += len(line.text) if self._in_prose else 0

    def is_chat(self) -> bool:
        """Whether the text is certainly a chat."""
        turns, speakers = self.turns, Counter(turn.speaker for turn in self.turns)
        style = self._style
        if style is _BARE and {speaker.casefold() for speaker in speakers} <= ROLES:
            style = _ROLES_ONLY
        return (
            len(speakers) >= FEWEST_SPEAKERS
            and len(turns) >= max(style.min_turns, style.min_turns_per_speaker * len(speakers))
            and len(self._text[: turns[0].start].strip()) <= PREAMBLE
            and len(turns) >= style.min_opening_share * self._line_count
            and self._prose <= style.max_prose_share * self._characters
            and sum(bool(_TALK.search(self._text, turn.words_start, turn.end)) for turn in turns)
            >= style.min_talk_share * len(turns)
            and all(turn.words_start < turn.end for turn in turns if style in _NAME_ABOVE)
        )


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


# -- times


def _with_times(drafts: Sequence[_Draft]) -> Iterator[SpokenTurn]:
    """Parse the times of the turns, with one order of day and month for all, and number their sittings."""
    dates = [draft.written_date for draft in drafts if draft.written_date]
    order = detect_date_order(dates, twelve_hours=any("m" in draft.clock.lower() for draft in drafts))
    days = {written: parse_day(written, order) for written in dates}
    sitting, before, line_before = 0, None, drafts[0].day_line
    for draft in drafts:
        at = combine(days.get(draft.written_date), parse_clock(draft.clock) if draft.clock else None)
        if is_new_sitting(before, at) or (at is None and draft.day_line != line_before):
            sitting += 1
        yield SpokenTurn(
            start=draft.start,
            said=draft.words_start,
            end=draft.end,
            speaker=draft.speaker,
            at=at and at.isoformat(),
            sitting=sitting,
        )
        before, line_before = at or before, draft.day_line


def is_new_sitting(before: date | None, after: date | None) -> bool:
    """Whether two times are too far apart for one conversation; `False` if one is unknown."""
    if before is None or after is None:
        return False
    if isinstance(before, datetime) and isinstance(after, datetime):
        return abs(after - before) > PAUSE
    day_before, day_after = (at.date() if isinstance(at, datetime) else at for at in (before, after))
    return day_before != day_after
