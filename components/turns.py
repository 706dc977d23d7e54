"""What the acting agent did in a step: what it said, and folded what it thought and what its tools brought."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from components import passage
from components.language import say
from components.look import escape, place, plain
from memory_bank.bank.message import Message, ToolCall, Turn

_LABEL = 80
"""Characters of a tool's arguments that its line shows."""


def draw(turns: Sequence[Turn], *, key: str) -> None:
    """Draw the turns of a step, oldest first. What is long is shown part by part."""
    for number, turn in enumerate(turns, start=1):
        st.html(f'<div class="mb-where">{escape(say("Turn {n}", n=number))}</div>')
        _draw_turn(turn, key=f"{key}-{number}")


def _draw_turn(turn: Turn, *, key: str) -> None:
    answers = [message for message in turn.messages if message.role == "tool"]
    for number, message in enumerate(turn.messages):
        if message.role == "tool":
            continue
        here = f"{key}-{number}"
        if message.reasoning:
            with st.expander(say("Reasoning"), type="compact", key=f"{here}-thought", on_change="rerun") as fold:
                if fold.open:
                    passage.draw_whole(message.reasoning, (), key=f"{here}-thought-text")
        if message.content:
            passage.draw_whole(message.content, (), key=f"{here}-said")
        for place_of, call in enumerate(message.tool_calls):
            _draw_call(call, _answer(call, answers), key=f"{here}-{place_of}")
    for number, message in enumerate(answers):
        _draw_answer_alone(message, key=f"{key}-left-{number}")


def _answer(call: ToolCall, answers: list[Message]) -> Message | None:
    """What a tool answered to a call, taken out of the answers: by the call's id, else the next of that tool."""
    for answer in answers:
        named = answer.tool_call_id == call.id if call.id else answer.name == call.name
        if named:
            answers.remove(answer)
            return answer
    return None


def _draw_call(call: ToolCall, answer: Message | None, *, key: str) -> None:
    given = ", ".join(f"{name}: {value}" for name, value in call.arguments.items())
    short = given if len(given) <= _LABEL else f"{given[:_LABEL]}…"
    label = say("Tool {name}: {arguments}", name=call.name, arguments=short)
    with st.expander(plain(label), type="compact", key=f"{key}-call", on_change="rerun") as fold:
        if not fold.open:
            return
        if call.arguments:
            st.code(json.dumps(call.arguments, ensure_ascii=False, indent=1), language="json", wrap_lines=True)
        if answer is None:
            st.html(f'<div class="mb-empty">{escape(say("No answer of this tool is recorded."))}</div>')
        else:
            _draw_told(answer, key=f"{key}-told")


def _draw_answer_alone(message: Message, *, key: str) -> None:
    """An answer whose call is not recorded."""
    label = say("Answer of {name}", name=message.name or say("a tool"))
    with st.expander(plain(label), type="compact", key=f"{key}-fold", on_change="rerun") as fold:
        if fold.open:
            _draw_told(message, key=key)


def _draw_told(message: Message, *, key: str) -> None:
    where = place(message.source or message.name or say("a tool"), message.page)
    read = say("read from memory") if message.from_memory else ""
    st.html(f'<div class="mb-where">{escape(" · ".join(filter(None, (where, read))))}</div>')
    passage.draw_whole(message.content, (), key=key)
