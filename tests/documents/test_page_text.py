"""The order of reading, from runs of letters and their places alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents.page_text import Run, text_of

DAM = "水库的大坝于一九七〇年建成坝高一百一十一米全长三千八百三十米发电量占全国的一半"


def run(text: str, left: float, top: float, height: float = 10, width: float | None = None) -> Run:
    return Run(text, left, top - height, left + (6 * len(text) if width is None else width), top)


PLACES = st.floats(0, 600)
RUNS = st.lists(st.builds(run, st.text("abc", min_size=1, max_size=30), PLACES, PLACES, st.floats(1, 80)), max_size=40)


@given(RUNS)
def test_no_letter_is_lost_or_doubled_wherever_it_stands(runs: list[Run]) -> None:
    letters = sorted("".join(one.text for one in runs))
    assert sorted(letter for letter in text_of(runs) if letter in "abc") == letters


def test_paragraphs_are_parted_by_their_distance_and_lines_are_not() -> None:
    lines = [run("one", 0, 100), run("two", 0, 88), run("three", 0, 64), run("four", 0, 52)]
    assert text_of(lines) == "one\ntwo\n\nthree\nfour"


def test_a_number_at_the_end_of_a_line_is_no_table() -> None:
    assert text_of([run("Chapter", 0, 100), run("12", 400, 100), run("Text below", 0, 88)]) == "Chapter 12\nText below"


def test_lines_that_stand_apart_are_no_table() -> None:
    assert text_of([run("to the right", 300, 100), run("to the left", 0, 88)]) == "to the right\nto the left"


def test_a_stamp_written_upwards_in_the_margin_comes_last() -> None:
    lines = [run(f"line {number}", 60, 700 - 12 * number) for number in range(9)]
    stamp = run("stamp of the archive", 10, 690, height=110, width=10)
    assert text_of([stamp, *lines]) == "\n".join(line.text for line in lines) + "\n\nstamp of the archive"


def test_a_page_that_nobody_reads_is_left_as_it_was_drawn() -> None:
    runs = [run("a", number % 7, number % 5) for number in range(3_001)]
    assert text_of(runs) == "\n".join("a" for _ in runs)


def chinese(text: str, top: float, left: float = 60) -> Run:
    return run(text, left, top, width=10 * len(text))


@pytest.mark.parametrize("at", range(9, 20))
def test_chinese_that_is_wrapped_is_joined_by_nothing_wherever_a_line_ends(at: int) -> None:
    lines = [DAM[start : start + at] for start in range(0, len(DAM), at)]
    assert text_of([chinese(line, 700 - 14 * number) for number, line in enumerate(lines)]) == DAM


def test_a_figure_and_its_unit_are_not_parted() -> None:
    for first, second in (("全长三千米，坝高大约111", "米。"), ("全长三千米，坝高大约为", "1,110米。")):
        assert text_of([chinese(first, 700), chinese(second, 686)]) == first + second


@pytest.mark.parametrize(
    "lines",
    [
        [chinese("水库的大坝", 700), chinese("一九七〇年建成，高一百一十一米。", 686)],  # a heading
        [chinese("水库的大坝于一九七〇年建成。", 700), chinese("坝高一百一十一米。", 686, left=80)],  # indented
        [chinese("坝高：一百一十一米", 700), chinese("全长：三千八百三十米，另有小坝", 686)],  # not full
        [chinese("水库的大坝于一九七〇年建成", 700), chinese("The dam is high.", 686)],
        [run("The dam was built in the year 1970", 60, 700), run("and it is high.", 60, 686)],
        [chinese("水库的大坝于一九七〇年建成", 700), chinese("2、坝高一百一十一米。", 686)],  # an item
        [chinese("甲乙丙丁", 700), chinese("子丑寅卯", 686)],  # no running text
    ],
)
def test_what_is_no_wrapped_chinese_keeps_its_lines(lines: list[Run]) -> None:
    assert text_of(lines) == "\n".join(line.text for line in lines)
