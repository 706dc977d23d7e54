"""Chats as people save them: who said what when, and texts that only look like chats."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.spoken import SpokenTurn
from memory_bank.documents.chat import as_chat, find_turns
from memory_bank.documents.chat_times import parse_time
from memory_bank.documents.document import Document
from memory_bank.documents.plain import read_plain
from tests.chats import CHAT, MESSAGES
from tests.documents.conftest import Read

Said = tuple[str, str, date | None]
NOON = datetime.fromisoformat("2023-05-08 13:56")
LATER = NOON + timedelta(minutes=1)
HELLO, REPLY = "Did you sleep well?", "Yes, thank you."


def said(text: str) -> list[Said]:
    return [(turn.speaker, text[turn.said : turn.end], parse_time(turn.at or "")) for turn in find_turns(text)]


TWO = [("Ada", HELLO, NOON), ("Bob", REPLY, LATER)]
FORMATS = {
    "brackets": (f"[2023-05-08 13:56] Ada: {HELLO}\n[2023-05-08 13:57] Bob: {REPLY}\n", TWO),
    "iso with T": (f"2023-05-08T13:56:00Z Ada: {HELLO}\n2023-05-08T13:57:00Z Bob: {REPLY}\n", TWO),
    "WhatsApp, day first, with notices": (
        "08.05.23, 13:55 - Messages and calls are end-to-end encrypted.\n"
        f"08.05.23, 13:56 - Ada: {HELLO}\n08.05.23, 13:57 - Bob: {REPLY}\n08.05.23, 13:58 - Bob left\n",
        TWO,
    ),
    "WhatsApp, twelve hours": (f"5/8/23, 1:56\u202fPM - Ada: {HELLO}\n5/8/23, 1:57\u202fPM - Bob: {REPLY}\n", TWO),
    "WhatsApp on a telephone": (
        f"[08/05/2023, 13:56:00] Ada: {HELLO}\n\u200e[08/05/2023, 13:57:00] ~\u202fBob: {REPLY}\n",
        TWO,
    ),
    "a telephone number": (
        f"08.05.23, 13:56 - +49 170 555: {HELLO}\n08.05.23, 13:57 - Bob: {REPLY}\n",
        [("+49 170 555", HELLO, NOON), TWO[1]],
    ),
    "the day above": (
        f"--- 8 May 2023 ---\nAda (13:56): {HELLO}\nBob (13:57): {REPLY}\n\n9 May 2023\nAda (08:00): Morning!\n",
        [*TWO, ("Ada", "Morning!", datetime.fromisoformat("2023-05-09 08:00"))],
    ),
    "Slack": (
        f"Monday, May 8th, 2023\nAda  1:56 PM\n{HELLO}\n\nBob [1:57 PM]\n{REPLY}\nAll night.\n\nAda  1:58 PM\nGood.\n",
        [TWO[0], ("Bob", f"{REPLY}\nAll night.", LATER), ("Ada", "Good.", NOON + timedelta(minutes=2))],
    ),
    "Discord": (
        f"Ada — 05/08/2023 1:56 PM\n{HELLO}\nBob — Today at 1:57 PM\n{REPLY}\nAda — 05/18/2023 1:58 PM\nWell?\n",
        [TWO[0], ("Bob", REPLY, None), ("Ada", "Well?", datetime.fromisoformat("2023-05-18 13:58"))],
    ),
    "Discord, exported": (
        "=====\nGuild: Home\nChannel: kitchen\n=====\n\n"
        f"[08-May-23 01:56 PM] Ada\n{HELLO}\n\n[08-May-23 01:57 PM] Bob\n{REPLY}\n\n[08-May-23 01:58 PM] Ada\nGood.\n",
        [*TWO, ("Ada", "Good.", NOON + timedelta(minutes=2))],
    ),
    "IRC": (f"[13:56] <ada> {HELLO}\n[13:57] <bob_> {REPLY}\n", [("ada", HELLO, None), ("bob_", REPLY, None)]),
    "names alone": (
        f"Ada: {HELLO}\nBob: {REPLY}\nAda Holt: I did not.\nAda: Nor did I.\nBob: Oh?\nAda Holt: Yes.\n",
        [
            ("Ada", HELLO, None),
            ("Bob", REPLY, None),
            ("Ada Holt", "I did not.", None),
            ("Ada", "Nor did I.", None),
            ("Bob", "Oh?", None),
            ("Ada Holt", "Yes.", None),
        ],
    ),
    "names alone below a day": (
        f"2023-05-08\nAda: {HELLO}\nBob: {REPLY}\nAda: Good for you.\nBob: And you?\n",
        [(who, what, date(2023, 5, 8)) for who, what in (("Ada", HELLO), ("Bob", REPLY))]
        + [("Ada", "Good for you.", date(2023, 5, 8)), ("Bob", "And you?", date(2023, 5, 8))],
    ),
    "Chinese": (
        "小王：你睡得好吗？\n小李：很好，谢谢。\n小王：我也是。\n小李：那我们走吧。\n",
        [(who, what, None) for who, what in (("小王", "你睡得好吗？"), ("小李", "很好，谢谢。"))]
        + [("小王", "我也是。", None), ("小李", "那我们走吧。", None)],
    ),
    "QQ": (
        "小王 2023-05-08 13:56:00\n你睡得好吗？\n小李 2023-05-08 13:57:00\n很好，谢谢。\n"
        "小王 2023-05-08 13:58:00\n我也是。\n",
        [
            ("小王", "你睡得好吗？", NOON),
            ("小李", "很好，谢谢。", LATER),
            ("小王", "我也是。", NOON + timedelta(minutes=2)),
        ],
    ),
    "with a language model": (
        "User: Explain a boiler to me.\n\nAssistant: It heats water.\n\nIt has a burner.\n\nUser: Thanks\n",
        [
            ("User", "Explain a boiler to me.", None),
            ("Assistant", "It heats water.\n\nIt has a burner.", None),
            ("User", "Thanks", None),
        ],
    ),
}


@pytest.mark.parametrize("form", FORMATS)
def test_a_chat_is_read_turn_by_turn(form: str) -> None:
    text, expected = FORMATS[form]
    assert said(text) == expected


INTERVIEW = "Reporter: Do you sell your pictures?\n\nHolt: I do, when you ask me nicely.\n\n" * 6
FALSE_FRIENDS = {
    "a novel with notes": "It was late.\nNote: it rained, as you know.\nShe went and I slept.\nNote: I lied.\nEnd.\n",
    "an interview in an article": "The painter has lived in the old mill since 1990, and rarely speaks. " * 8
    + f"\n\n{INTERVIEW}",
    "an interview between paragraphs": (INTERVIEW + "She shows us the mill, its stairs and the pictures there.\n\n") * 2
    + "The mill was built in 1869 and has been a studio for long. " * 3,
    "a log": "2023-05-08 13:56:10 INFO: started\n2023-05-08 13:56:11 ERROR: what is it?\n2023-05-08 13:56:12 INFO: x\n",
    "a log of programs": "2023-05-08 13:56:10 sshd: in\n2023-05-08 13:56:11 ran: it\n2023-05-08 13:56:12 ran: x\n",
    "records": "Name: Ann\nAge: 5\nName: Bob\nAge: 6\nName: Cem\nAge: 7\n",
    "questions and answers": "Q: Who are you?\nA: I am a mill.\nQ: And you?\nA: We are two mills.\n",
    "a glossary": "Boiler: heats your water\nPump: moves your water\nValve: do you need it?\nPipe: leads to you\n",
    "a table": "speaker,text\nAda,How are you?\nBob,I am well\nAda,Good for you\n",
    "a timetable": "Bonn 10:12\nplatform 3\nBrühl 10:22\nplatform 4\nBonn 11:12\nplatform 3\nBrühl 11:22\nplatform 4\n",
    "a diary": "[2023-05-08 13:56] Ada: I slept.\n[2023-05-09 13:56] Ada: I slept again.\n",
    "settings": "host: mill\nport: 80\nhost: barn\nport: 81\nhost: hut\nport: 82\n",
    "a letter": "Dear Ada,\nhere is my plan: we leave early.\nBob: he drives. You: you sleep.\nYours, Cem\n",
    "nothing": "\n",
}


@pytest.mark.parametrize("kind", FALSE_FRIENDS)
def test_what_only_looks_like_a_chat_is_none(kind: str) -> None:
    assert said(FALSE_FRIENDS[kind]) == []


def test_only_plain_text_is_searched_for_a_chat(read: Read) -> None:
    assert len(read(CHAT, "chat.txt").turns) == len(MESSAGES)
    for name in ("chat.py", "chat.ini", "chat.md", "chat.csv"):
        assert read(CHAT, name).turns == (), name


def test_a_text_stays_as_it_is() -> None:
    document = read_plain(CHAT.encode(), "chat.txt")
    assert as_chat(document).text == document.text == CHAT
    assert as_chat(Document("a.txt", "No chat.", "text/plain")) == Document("a.txt", "No chat.", "text/plain")


def test_a_pause_or_another_day_begins_a_sitting() -> None:
    sittings = [turn.sitting for turn in find_turns(CHAT)]
    assert sittings == sorted(sittings)
    assert len(set(sittings)) == 7
    untimed = "8 May 2023\nAda: You?\nBob: I slept.\n\n9 May 2023\nAda: And you?\nBob: I did not.\n"
    assert [turn.sitting for turn in find_turns(untimed)] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (("05/08/23", "05/20/23"), (date(2023, 5, 8), date(2023, 5, 20))),
        (("05/08/23", "20/08/23"), (date(2023, 8, 5), date(2023, 8, 20))),
        (("05/06/23", "04/07/23"), (date(2023, 6, 5), date(2023, 7, 4))),  # the month first would go back in time
        (("1.2.23", "2.2.23"), (date(2023, 2, 1), date(2023, 2, 2))),
        (("2023/5/8", "2023年5月9日"), (date(2023, 5, 8), date(2023, 5, 9))),
        (("31.02.23", "8 May 2023"), (None, date(2023, 5, 8))),
    ],
)
def test_one_order_of_day_and_month_reads_all_dates(dates: tuple[str, str], days: tuple[date | None, ...]) -> None:
    text = "".join(
        f"[{day} 10:0{n}] {who}: Are you there?\n" for n, (day, who) in enumerate(zip(dates, "XY", strict=True))
    )
    assert tuple(at.date() if isinstance(at, datetime) else at for _, _, at in said(text)) == days


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=40)
LINES = st.one_of(
    WORDS,
    st.builds("[2023-05-08 13:{:02}] {}: {}".format, st.integers(0, 70), st.sampled_from(["Ada", "Bob"]), WORDS),
    st.builds("{}: {}".format, st.sampled_from(["Ada", "Bob", "Note"]), WORDS),
    st.sampled_from(["", "8 May 2023", "Ada  10:12 AM", "Bob — Today at 10:13", "31.02.23, 99:99 - Bob: you?", "  x"]),
)


def assert_tiled(text: str, turns: tuple[SpokenTurn, ...]) -> None:
    """Turns are in order, none reaches into another, and each begins with its head and ends with its last word."""
    edges = [edge for turn in turns for edge in (turn.start, turn.said, turn.end)]
    assert edges == sorted(edges)
    assert not edges or edges[-1] <= len(text)
    for turn in turns:
        assert turn.speaker.split(" ")[0] in text[turn.start : turn.said]
        assert text[turn.start : turn.end] == text[turn.start : turn.end].strip()


@given(st.lists(LINES, max_size=12).map("\n".join))
def test_turns_lie_in_the_text_in_order(text: str) -> None:
    assert_tiled(text, find_turns(text))


@given(st.lists(st.tuples(st.sampled_from(["Ada", "Bob"]), WORDS), min_size=2, max_size=8))
def test_all_words_of_a_stamped_chat_are_said_by_somebody(messages: list[tuple[str, str]]) -> None:
    lines = [
        f"[2023-05-08 13:{n:02}] {who}: you {' '.join(what.split())}".rstrip() for n, (who, what) in enumerate(messages)
    ]
    text = "\n".join(lines)
    turns = find_turns(text)
    if len({who for who, _ in messages}) == 2:
        assert [text[turn.start : turn.end] for turn in turns] == lines
        assert [turn.speaker for turn in turns] == [who for who, _ in messages]


@pytest.mark.parametrize(
    "line",
    [
        "A" + " " * 1_000_000 + "x",
        " " * 1_000_000 + "x",
        "8 May 2023" + " " * 1_000_000 + "x",
        "A" * 1_000_000,
        "A 8.5.23" + ", " * 500_000,
    ],
)
def test_no_line_keeps_the_search_for_turns_busy(line: str) -> None:
    began = time.monotonic()
    assert find_turns(f"{line}\n{line}\n") == ()
    assert time.monotonic() - began < 10


def test_a_long_line_is_said_by_whoever_opens_it_and_is_no_name_and_time() -> None:
    what = "you " * 300
    assert said(f"[2023-05-08 13:56] Ada: {what}\n[2023-05-08 13:57] Bob: {REPLY}\n")[0][1] == what.strip()
    line = "Ada  13:56" + " " * 500 + "x"
    assert said(f"{line}\nAnd you?\nBob  13:57\nI slept.\n" * 3) == []
