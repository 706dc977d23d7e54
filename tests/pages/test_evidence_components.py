"""What shows evidence: parts of a text, lines of code, the turns of a step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components import document_page, passage


@given(st.text(st.sampled_from("ab \n"), max_size=300).map(lambda text: text * 60))
def test_the_parts_of_a_text_are_the_text_and_none_is_long(text: str) -> None:
    parts = passage.parts(text)
    assert "".join(text[start:end] for start, end in parts) == text
    assert all(end - start <= 4000 for start, end in parts)


def test_a_text_is_parted_between_words_where_it_has_any() -> None:
    (_start, end), *_rest = passage.parts("word " * 1000)
    assert end % 5 == 0
    assert passage.parts("x" * 9000) == [(0, 4000), (4000, 8000), (8000, 9000)]


def test_the_lines_around_code_are_whole_and_few() -> None:
    text = "\n".join(f"line {n}" for n in range(100))
    start = text.index("50")
    shown = document_page.lines_around(text, (start, start + 2)).split("\n")
    assert shown == [f"line {n}" for n in range(38, 63)]


def test_of_endless_lines_of_code_only_some_is_shown() -> None:
    assert len(document_page.lines_around("x" * 1_000_000, (500_000, 600_000))) <= 12_000


@pytest.mark.parametrize(
    ("name", "language"),
    [("a.py", "python"), ("A.GO", "go"), ("b.tar.yml", "yaml"), ("c.sql", "sql"), ("d.hpp", "cpp")],
)
def test_a_language_is_known_by_the_ending_of_the_name(name: str, language: str) -> None:
    assert document_page.is_code(name)
    assert document_page.code_language(name) == language


@pytest.mark.parametrize("name", ["notes.md", "tour.pdf", "python", ""])
def test_other_files_are_no_code(name: str) -> None:
    assert not document_page.is_code(name)


def drawn_turns() -> None:
    """Run by AppTest, in a script of its own."""
    from components.turns import draw_turns
    from memory_bank.bank.message import Message, StepTurn, ToolCall

    def told(text: str, name: str, call: str | None = None) -> Message:
        return Message(role="tool", content=text, name=name, tool_call_id=call, source="register.md")

    calls = (
        ToolCall(name="search", arguments={"query": "dam"}, id="c1"),
        ToolCall(name="search", arguments={"query": "river"}, id="c2"),
        ToolCall(name="visit", arguments={}),
        ToolCall(name="lost", arguments={}, id="c3"),
    )
    spoken = Message(role="assistant", content="I look it up.", reasoning="Which year?", tool_calls=calls)
    answers = (told("about the river", "search", "c2"), told("about the dam", "search", "c1"), told("a page", "visit"))
    draw_turns([StepTurn(messages=(spoken, *answers, told("nobody asked", "search", "c9")))], key="t")


def unfolded(*keys: str) -> str:
    """The turns' markup with these folds open."""
    test = AppTest.from_function(drawn_turns)
    test.run()
    for key in keys:
        test.session_state[key] = True
    test.run()
    assert not test.exception
    return "\n".join(element.proto.body for element in test.get("html"))


def test_what_was_thought_and_done_is_folded() -> None:
    folded = unfolded()
    assert "I look it up." in folded
    assert not any(text in folded for text in ("Which year?", "about the dam", "nobody asked"))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("t-1-0-thought", "Which year?"),
        ("t-1-0-0-call", "about the dam"),
        ("t-1-0-1-call", "about the river"),
        ("t-1-0-2-call", "a page"),
        ("t-1-0-3-call", "No result of this tool was recorded."),
        ("t-1-left-0-fold", "nobody asked"),
    ],
)
def test_each_call_has_its_own_answer(key: str, text: str) -> None:
    assert text in unfolded(key)
