"""Read subtitles and transcripts (SRT, WebVTT): what is said, in paragraphs that begin with their time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from memory_bank.documents.chat import find_turns
from memory_bank.documents.document import BY_SUFFIX, Document, suffix_of
from memory_bank.documents.plain import decode_text, read_plain
from memory_bank.text.iteration import grouped

LONGEST = 30
"""Seconds after which a paragraph ends with the sentence."""

_TIMES = re.compile(r"^[ \t]*(?:(\d{1,2}):)?(\d\d):(\d\d)[.,]\d+[ \t]+-->.*", re.MULTILINE)
_NO_CUE = re.compile(r"(?:NOTE|STYLE|REGION)\b")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)? ([^<>\n]{1,80})>")
_MARKUP = re.compile(r"<[^<>\n]*>|\{\\[^{}\n]*\}")
_SPEAKER_CHANGES = re.compile(r"-\s?\S|[^.?!:\n]{1,60}:\s")
_SENTENCE_ENDS = re.compile(r"[.?!…。？！][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True)
class _Cue:
    seconds: int
    text: str


def read_subtitles(data: bytes, name: str) -> Document:
    """Read subtitles without their counters, markup and end times.

    A paragraph reads `[00:01:02] Ada: The mill closed.` If several speakers are named, it is a turn of a conversation,
    `at` the time since the beginning. A text without times is read as plain text.
    """
    cues = list(_cues(decode_text(data, name)))
    if not cues:
        return read_plain(data, name)
    text = "\n\n".join(map(_written, grouped(cues, _begins_anew)))
    turns = tuple(turn.model_copy(update={"at": text[turn.start + 1 :][:8]}) for turn in find_turns(text))
    return Document(name, text, BY_SUFFIX[suffix_of(name)].media_type, turns=turns)


def _cues(text: str) -> Iterator[_Cue]:
    """Yield the cues in order. A line that only repeats the one before it, as where subtitles roll, is left out."""
    before, begun = "", None
    for block in re.split(r"\n\n+", text):
        times = _TIMES.search(block)
        if times is not None:
            hours, minutes, seconds = (int(part or 0) for part in times.groups())
            begun = 3600 * hours + 60 * minutes + seconds
        elif begun is None or _NO_CUE.match(block):
            continue
        said = _MARKUP.sub("", _VOICE.sub(r"\1: ", block[times.end() if times else 0 :]))
        words = [line for each in said.split("\n") if (line := " ".join(unescape(each).split()))]
        yield from (_Cue(begun, line) for line in words if line != before)
        before = words[-1] if words else before


def _begins_anew(paragraph: list[_Cue], cue: _Cue) -> bool:
    seconds, ended = cue.seconds - paragraph[0].seconds, _SENTENCE_ENDS.search(paragraph[-1].text)
    return bool(_SPEAKER_CHANGES.match(cue.text)) or seconds >= (LONGEST if ended else 2 * LONGEST)


def _written(paragraph: list[_Cue]) -> str:
    seconds = paragraph[0].seconds
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"[{clock}] {' '.join(cue.text for cue in paragraph)}"
