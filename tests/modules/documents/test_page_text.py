"""The order of reading, from runs of letters and their places alone."""

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.modules.documents.page_text import Run, text_of


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


def test_a_stamp_written_upwards_in_the_margin_comes_last() -> None:
    lines = [run(f"line {number}", 60, 700 - 12 * number) for number in range(9)]
    stamp = run("stamp of the archive", 10, 690, height=110, width=10)
    assert text_of([stamp, *lines]) == "\n".join(line.text for line in lines) + "\n\nstamp of the archive"


def test_a_page_that_nobody_reads_is_left_as_it_was_drawn() -> None:
    runs = [run("a", number % 7, number % 5) for number in range(3_001)]
    assert text_of(runs) == "\n".join("a" for _ in runs)
