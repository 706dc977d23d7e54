"""The bank under an existing agent framework, Pydantic AI: its agent does each step, the bank does the rest."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart
from pydantic_ai.models import Model

from memory_bank import Adapter, Session
from memory_bank.agents.react import EnhancedPrompt


def tools(adapter: Adapter) -> list[Tool]:
    """The bank's tools as the framework wants them."""

    def calling(name: str) -> Callable[..., str]:
        return lambda **arguments: adapter.call(name, arguments)

    functions = [tool["function"] for tool in adapter.tools]
    return [
        Tool.from_schema(calling(about["name"]), about["name"], about["description"], about["parameters"])
        for about in functions
    ]


async def act(model: Model, adapter: Adapter, prompt: EnhancedPrompt) -> list[dict[str, Any]]:
    """One step by the framework's own loop. Returns its messages in the form the bank takes."""
    agent = Agent(model, instructions=adapter.instructions(prompt), tools=tools(adapter))
    result = await agent.run(prompt.text)
    heard = [
        {"role": "tool", "name": part.tool_name, "content": str(part.content)}
        for part in returned(result.all_messages())
    ]
    return [{"role": "user", "content": prompt.text}, *heard, {"role": "assistant", "content": result.output}]


def returned(messages: list[ModelMessage]) -> list[ToolReturnPart]:
    """What the tools brought."""
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    return [part for message in requests for part in message.parts if isinstance(part, ToolReturnPart)]


async def work(session: Session, model: Model) -> Session:
    """A whole task: the session reads, compares and plans; each step is done by the framework's agent."""
    while (prompt := session.adapter.enhance()) is not None:
        session.adapter.intercept(await act(model, session.adapter, prompt))
    return session


if __name__ == "__main__":
    from pydantic_ai.models.openai import OpenAIChatModel

    task, *files = sys.argv[1:]
    session = asyncio.run(work(Session.create(task, [Path(file) for file in files]), OpenAIChatModel("gpt-4o-mini")))
    sys.stdout.write(f"{session.answer.text if session.answer else session.bank.status}\n")
