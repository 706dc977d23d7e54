"""The bank under a plain OpenAI tool-calling loop: your own loop does each step, the bank does the rest."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from openai import OpenAI

from memory_bank import Adapter, Session
from memory_bank.agents.react import EnhancedPrompt

MOST_TURNS = 12


def act(client: OpenAI, model: str, adapter: Adapter, prompt: EnhancedPrompt) -> list[dict[str, Any]]:
    """One step: ask, run the tools that are asked for, until there is an answer. Returns all messages."""
    messages: list[Any] = [
        {"role": "system", "content": adapter.instructions(prompt)},
        {"role": "user", "content": prompt.text},
    ]
    for turn in range(MOST_TURNS):
        tools: dict[str, Any] = {"tools": list(adapter.tools)} if turn < MOST_TURNS - 1 else {}
        message = client.chat.completions.create(model=model, messages=messages, **tools).choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            result = adapter.call(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return messages


def work(session: Session, client: OpenAI, model: str) -> Session:
    """A whole task: the session reads, compares and plans; each step is done by the loop above."""
    while (prompt := session.adapter.enhance()) is not None:
        session.adapter.intercept(act(client, model, session.adapter, prompt))
    return session


if __name__ == "__main__":
    task, *files = sys.argv[1:]
    session = Session.create(task, [Path(file) for file in files])
    session = work(session, OpenAI(), os.environ.get("OPENAI_MODEL", "gpt-4o-mini"))
    sys.stdout.write(f"{session.answer.text if session.answer else session.bank.status}\n")
