"""Sentences: every character kept, breaks where a reader sees them, never huge, never slow."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.sentences import MAX_SENTENCE, inside_word, sentences


def split(text: str) -> list[str]:
    return [span.of(text) for span in sentences(text)]


PROSE = st.lists(
    st.sampled_from(
        [
            "Dr. ",
            "Who? ",
            "a b c",
            "1.5",
            "\n",
            "\n\n",
            "- ",
            "# ",
            "| ",
            "He left. ",
            "“Oh. No.” ",
            "(x. y) ",
            "好。",
            "，",
        ]
    ),
    max_size=60,
).map("".join)
ANY_TEXT = st.one_of(PROSE, st.text(st.characters(exclude_categories=()), max_size=300))


@given(ANY_TEXT)
def test_nothing_but_white_space_lies_between_the_sentences(text: str) -> None:
    end = 0
    for span in sentences(text):
        assert text[end : span.start].strip() == ""
        assert end <= span.start < span.end
        assert span.of(text) == span.of(text).strip()
        end = span.end
    assert text[end:].strip() == ""


@given(st.lists(st.sampled_from(["word", " ", "; ", ", ", "x" * 700, "中" * 300, "。", "\n", '"']), max_size=80))
def test_no_sentence_is_longer_than_the_limit(parts: list[str]) -> None:
    assert all(span.end - span.start <= MAX_SENTENCE for span in sentences("".join(parts)))


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith met Ms. Kelly at St. Mary's.",
        "He was born c. 1850 near Mt. Everest.",
        "It was shown by J. S. Bach and W. A. Mozart.",
        "The value is 3.5 million and rises by 0.2 a year.",
        "See No. 5, vol. 3 and approx. 40 pages of Figs. 2 and 3.",
        "It cost approx. £3, later est. (1955) $ 40, and approx. -2 °C outside.",
        "The U.S. Army left.",
        'He said "Stop. Go." and left.',
        "The bridge was opened by Mr.\nSmith in the year\n1932 and painted.",
        "See www.example.com or the file foo.bar.Baz for more.",
        "Oh, Baby! is a film about Who? and others.",
        "价格是3.5元。",
        "Das Sommerfest findet am 15. Juni statt.",
        "Am 3. Mai 2024 wurde das Museum nach der Renovierung wieder eröffnet.",
        "Stand: 3. Mai 2023",
    ],
)
def test_one_sentence_stays_one(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He came. She left! Why?", ["He came.", "She left!", "Why?"]),
        ("It is old .  The hall is new .", ["It is old .", "The hall is new ."]),
        ("It is old. [2] She left.[3] Why?", ["It is old. [2]", "She left.[3]", "Why?"]),
        ("(It was late.) He left.", ["(It was late.)", "He left."]),
        ("他说：“你好。再见。”然后走了。下雨了！", ["他说：“你好。再见。”", "然后走了。", "下雨了！"]),
        ("😀 Yes. Ünder. 好", ["😀 Yes.", "Ünder.", "好"]),
        ("One line\n\nanother line", ["One line", "another line"]),
        ("## 3. Water\nText one. Two", ["## 3. Water", "Text one.", "Two"]),
        ("# Title\nText one. Two", ["# Title", "Text one.", "Two"]),
        ("These:\n- a. b\n- c\n1. d\n2. e", ["These:", "- a. b", "- c", "1. d", "2. e"]),
        ("| a | b |\n| c. D | d |", ["| a | b |", "| c. D | d |"]),
        ("Name | Born\nAda | 1815\n", ["Name | Born", "Ada | 1815"]),
        ("一、第一。\n二、第二", ["一、第一。", "二、第二"]),
        ("Spouse Ada  \nIssue Bob", ["Spouse Ada", "Issue Bob"]),
        ("The fee is due on 15. June is too late.", ["The fee is due on 15.", "June is too late."]),
        ("Es waren 15. Danach kamen noch viele andere.", ["Es waren 15.", "Danach kamen noch viele andere."]),
        ("Contents\n1 Foo 2\n2 Bar 2\n3 Baz 4", ["Contents", "1 Foo 2", "2 Bar 2", "3 Baz 4"]),
    ],
)
def test_a_break_is_seen(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_numbered_section_begins_on_a_line_of_its_own_and_a_figure_does_not() -> None:
    lines = [
        "4.4 One roof spans both pools, and the learner pool lost 9 days in May.",
        "4.5 The café traded all through.",
    ]
    assert split("\n".join(lines)) == lines
    wrapped = "The whole of the works on the main roof, with lights, came to a cost of\n4.5 million pounds in the end."
    assert split(wrapped) == [wrapped]


def test_a_title_above_wrapped_prose_is_a_sentence_of_its_own() -> None:
    text = (
        "The Old Bridge\n"
        "The old bridge across the river was designed by an engineer from London and\n"
        "opened in the spring of that year. It was painted green in the course of the\n"
        "next summer."
    )
    assert split(text)[0] == "The Old Bridge"
    assert len(split(text)) == 3


def test_wrapped_german_is_not_broken_before_nouns() -> None:
    wrapped = (
        "Zum Treffen kamen am Abend etwa 240 Gäste. Die Blaskapelle\n"
        "Tannfeld spielte bis Mitternacht. Die Halle war voll.\n"
        "Der Verkauf brachte 530 Euro für den Brunnen ein. Das\n"
        "Kinderfest leitete Frau Pohl, weil Frau Demir krank war.\n"
        "Dann fiel für 40 Minuten der Strom aus, weil die Öfen die\nSicherung überlastet hatten."
    )
    assert [" ".join(each.split()) for each in split(wrapped)] == [
        "Zum Treffen kamen am Abend etwa 240 Gäste.",
        "Die Blaskapelle Tannfeld spielte bis Mitternacht.",
        "Die Halle war voll.",
        "Der Verkauf brachte 530 Euro für den Brunnen ein.",
        "Das Kinderfest leitete Frau Pohl, weil Frau Demir krank war.",
        "Dann fiel für 40 Minuten der Strom aus, weil die Öfen die Sicherung überlastet hatten.",
    ]


def test_lines_of_a_chat_stay_apart_where_sentences_begin_inside_them() -> None:
    lines = [
        "Ann: The hall was cold again. Nobody had paid",
        "Bob: So",
        "Ann: Tom came late. Typical",
        "Bob: Good then I will bring the tables and the long bench",
    ]
    assert split("\n".join(lines))[-1] == lines[-1]
    assert "Bob: So" in split("\n".join(lines))


def test_a_sentence_wrapped_at_a_name_is_not_broken() -> None:
    text = (
        "The old bridge across the river was designed by an engineer from the city of\n"
        "London and opened in the spring of\n"
        "1932, when it was painted green."
    )
    assert split(text) == [text]


def test_a_run_without_full_stops_is_cut_where_entries_end() -> None:
    text = " ; ".join(f"Born in the year {year}, in a town of the north" for year in range(1900, 1940))
    pieces = split(text)
    assert len(pieces) > 1
    assert all(piece.startswith("Born") for piece in pieces)
    assert all(MAX_SENTENCE / 3 < len(piece) <= MAX_SENTENCE for piece in pieces)


def test_a_long_quotation_is_cut_at_its_sentences() -> None:
    text = "“" + "It was a fine day in the town. " * 40 + "”"
    assert split(text)[1] == "It was a fine day in the town."


@pytest.mark.parametrize(
    "unit", ["It was “a fine” day. ", "他说你好。", "no stop here ", '"(“', "a. ", "x", " ", "\n ", "😀 Yes. "]
)
def test_time_is_in_proportion_to_the_text(unit: str) -> None:
    text = (unit * 400_000)[:400_000]  # the sentence library alone takes 20 s and more for some of these
    started = time.thread_time()
    sentences(text)
    assert time.thread_time() - started < 10


def test_inside_word() -> None:
    assert inside_word("word", 2)
    assert not inside_word("a word", 2)
    assert not inside_word("a word", 1)
    assert not inside_word("中文", 1)
    assert not inside_word("word", 0)
    assert not inside_word("word", 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("全长１．２４公里。很美。", ["全长１．２４公里。", "很美。"]),
        (
            "第四天：青石大桥\n青石大桥于1968年建成，横跨清水河，连接老城和新\n区，每天有四万辆汽车经过。",
            ["第四天：青石大桥", "青石大桥于1968年建成，横跨清水河，连接老城和新\n区，每天有四万辆汽车经过。"],
        ),
    ],
    ids=["full-width point", "title and wrapped lines"],
)
def test_chinese_points_titles_and_wrapped_lines(text: str, expected: list[str]) -> None:
    assert [span.of(text) for span in sentences(text)] == expected


def test_a_chinese_sentence_ends_before_a_figure_but_not_in_a_quotation() -> None:
    text = "老人有十一位。2月25日开会。他说：“会议开了。3号楼装了电梯。”谢谢！"
    assert [span.of(text) for span in sentences(text)] == [
        "老人有十一位。",
        "2月25日开会。",
        "他说：“会议开了。3号楼装了电梯。”",
        "谢谢！",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "2. 如果属于原来接种过疫苗的，只要胸透正常，哪怕皮\n\n试结果阳性，就说明没问题。医生会建议你吃药。",
            ["2. 如果属于原来接种过疫苗的，只要胸透正常，哪怕皮\n\n试结果阳性，就说明没问题。", "医生会建议你吃药。"],
        ),
        (
            "The board may only lend against land, and only where the\n\nborrower has held it ten years. It may ask.",
            [
                "The board may only lend against land, and only where the\n\nborrower has held it ten years.",
                "It may ask.",
            ],
        ),
        ("milk and a little butter\n\nbread from the mill", ["milk and a little butter", "bread from the mill"]),
        (
            "# What the council decided in the meeting of the spring\n\niron gates stay.",
            ["# What the council decided in the meeting of the spring", "iron gates stay."],
        ),
        ("新的一年，新的开始\n\n我们搬家了。", ["新的一年，新的开始", "我们搬家了。"]),
    ],
)
def test_a_blank_line_inside_a_sentence_does_not_end_it(text: str, expected: list[str]) -> None:
    assert split(text) == expected
