"""Subtitles are read as what is said, with its times."""

from __future__ import annotations

import time

import pytest

from memory_bank.documents.subtitles import read_subtitles
from tests.documents.conftest import Read

SRT = """1
00:00:01,000 --> 00:00:04,000
<i>The mill closed</i>
in 1901.

2
00:00:31,500 --> 00:00:34,000 X1:40
{\\an8}It was rebuilt

as a school

3
00:01:02,000 --> 00:01:05,000
that is still there.
"""
MEETING = """WEBVTT - a meeting

NOTE nobody said this

STYLE
::cue { color: red }

intro
00:05.000 --> 00:06.000 align:start
<v Ada Lee>When did the mill close?</v>

00:06.000 --> 00:09.000
<v Bob>In 1901, I think &amp; believe.</v>
<v Bob>It burned later.</v>

01:00:10.000 --> 01:00:12.000
<v Ada Lee>Are you sure?</v>
"""


def test_counters_times_and_markup_are_no_text(read: Read) -> None:
    document = read(SRT, "talk.srt")
    assert document.text == (
        "[00:00:01] The mill closed in 1901.\n\n[00:00:31] It was rebuilt as a school that is still there."
    )
    assert (document.media_type, document.turns) == ("application/x-subrip", ())


def test_speakers_are_those_of_a_conversation(read: Read) -> None:
    document = read(MEETING, "meeting.vtt")
    assert document.media_type == "text/vtt"
    assert [(turn.speaker, turn.at, document.text[turn.said : turn.end]) for turn in document.turns] == [
        ("Ada Lee", "00:00:05", "When did the mill close?"),
        ("Bob", "00:00:06", "In 1901, I think & believe."),
        ("Bob", "00:00:06", "It burned later."),
        ("Ada Lee", "01:00:10", "Are you sure?"),
    ]
    assert document.turns[-1].speaker_and_time == "Ada Lee, 01:00:10"
    assert document.turns[-1].day is None


def test_names_before_a_colon_are_speakers_too(read: Read) -> None:
    said = ["Ada: When did it close?", "Bob: In 1901,", "I think.", "Ada: Are you sure?"]
    cues = "\n\n".join(f"{n}\n00:00:{n:02},000 --> 00:00:{n + 1:02},000\n{line}" for n, line in enumerate(said, 1))
    document = read(cues, "meeting.srt")
    assert [turn.speaker for turn in document.turns] == ["Ada", "Bob", "Ada"]
    assert document.text.split("\n\n")[1] == "[00:00:02] Bob: In 1901, I think."


def test_lines_that_roll_are_read_once(read: Read) -> None:
    rolling = "\n\n".join(
        f"00:00:0{n}.000 --> 00:00:0{n}.900\n{before}\n{line}"
        for n, (before, line) in enumerate([(" ", "the mill"), ("the mill", "closed early"), ("closed early", " ")])
    )
    assert read(f"WEBVTT\n\n{rolling}", "a.vtt").text == "[00:00:00] the mill closed early"


@pytest.mark.parametrize(
    "said",
    [
        "<" * 500_000,
        "<v." * 200_000,
        "{\\" * 300_000,
        "00:00:01.000 --> 00:00:01.500\nword\n\n" * 20_000,
        "1" * 900_000,
    ],
)
def test_nothing_keeps_the_reader_busy(said: str) -> None:
    began = time.monotonic()
    read_subtitles(f"00:00:01.000 --> 00:00:02.000\n{said}".encode(), "a.vtt")
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("content", ["WEBVTT\n\nNOTE nothing", "The mill closed.", "00:01 --> nowhere"])
def test_what_has_no_cues_is_text(read: Read, content: str) -> None:
    assert read(content, "a.srt").text == content
