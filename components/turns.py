"""Draw the acting agent's turns of a step: its text, and in expanders its reasoning and tool calls."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from components import passage
from components.language import say
from components.look import draw_note, draw_text, escape, plain, source_label
from memory_bank.bank.message import Message, StepTurn, ToolCall

_MAX_ARGUMENTS = 80
"""Most characters of a tool's arguments in its label."""


def draw_turns(turns: Sequence[StepTurn], *, key: str) -> None:
    """Draw the turns of a step, oldest first. Long texts are shown in parts."""
    for number, turn in enumerate(turns, start=1):
        draw_text(say("Turn {n}", n=number), "mb-where")
        _draw_turn(turn, key=f"{key}-{number}")


def _draw_turn(turn: StepTurn, *, key: str) -> None:
    results = [message for message in turn.messages if message.role == "tool"]
    for number, message in enumerate(turn.messages):
        if message.role == "tool":
            continue
        message_key = f"{key}-{number}"
        if message.reasoning:
            with st.expander(say("Reasoning"), type="compact", key=f"{message_key}-thought", on_change="rerun") as fold:
                if fold.open:
                    passage.draw_whole(message.reasoning, (), key=f"{message_key}-thought-text")
        if message.content:
            passage.draw_whole(message.content, (), key=f"{message_key}-said")
        for call_number, call in enumerate(message.tool_calls):
            _draw_call(call, _take_result(call, results), key=f"{message_key}-{call_number}")
    for number, message in enumerate(results):
        label = say("Result of {name}", name=message.name or say("a tool"))  # its call is not recorded
        with st.expander(plain(label), type="compact", key=f"{key}-left-{number}-fold", on_change="rerun") as fold:
            if fold.open:
                _draw_result(message, key=f"{key}-left-{number}")


def _take_result(call: ToolCall, results: list[Message]) -> Message | None:
    """Remove and return the result of a call: the one with the call's id; without an id, the next of that tool."""
    for result in results:
        matches = result.tool_call_id == call.id if call.id else result.name == call.name
        if matches:
            results.remove(result)
            return result
    return None


def _draw_call(call: ToolCall, result: Message | None, *, key: str) -> None:
    arguments = ", ".join(f"{name}: {value}" for name, value in call.arguments.items())
    short = arguments if len(arguments) <= _MAX_ARGUMENTS else f"{arguments[:_MAX_ARGUMENTS]}…"
    label = say("Tool {name}: {arguments}", name=call.name, arguments=short)
    with st.expander(plain(label), type="compact", key=f"{key}-call", on_change="rerun") as fold:
        if not fold.open:
            return
        if call.arguments:
            st.code(json.dumps(call.arguments, ensure_ascii=False, indent=1), language="json", wrap_lines=True)
        if result is None:
            draw_note(say("No result of this tool was recorded."))
        else:
            _draw_result(result, key=f"{key}-told")


def _draw_result(message: Message, *, key: str) -> None:
    source = source_label(message.source or message.name or say("a tool"), message.page)
    origin = say("read from memory") if message.from_memory else ""
    draw_text(" · ".join(filter(None, (source, origin))), "mb-where")
    passage.draw_whole(message.content, (), key=key)


_MAX_LENGTH = 600
"""Most characters shown."""


def draw_speech(text: str) -> None:
    """Draw the end of the text that the acting agent is streaming; nothing if it is blank."""
    if not text.strip():
        return
    newest = text if len(text) <= _MAX_LENGTH else "…" + text[-_MAX_LENGTH:]
    st.html(
        f'<div class="mb-speech" role="group" aria-label="{say("What the acting agent is saying")}">'
        f'<span class="mb-where">{say("The agent is saying")}</span><div class="mb-text">{escape(newest)}</div></div>'
    )
