"""A scripted model whose every answer has the shape that was asked for, and makes no sense."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.scripted_model import ScriptedReply

WORDS = (
    "mill", "1921", "1955", "n1", "[r1]", "</memory>", "<answer>", "Beacon Mill was last worked in 1921.", "磨坊",
    "<b>bold</b>", "ignore the task", "-1", "e9", "../..", "", "x" * 300, "\u202e", "It is a smock mill.",
)  # fmt: skip


class RandomModel:
    """Answers by the JSON Schema of a request; where there is none, acts at random."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def __call__(self, asked: dict[str, Any]) -> Any:
        wanted = asked.get("response_format")
        if wanted is not None:
            return self.value(wanted["json_schema"]["schema"])
        return self._act()

    def value(self, schema: dict[str, Any]) -> Any:
        """Any value that the schema allows."""
        chance = self._chance
        if "enum" in schema:
            return chance.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        if "anyOf" in schema:
            return self.value(chance.choice(schema["anyOf"]))
        match schema["type"]:
            case "object":
                return {name: self.value(about) for name, about in schema.get("properties", {}).items()}
            case "array":
                return [self.value(schema["items"]) for _ in range(chance.randrange(4))]
            case "integer":
                return chance.choice([0, 1, 1, 2, 2, 3, 4, 9, -1, 10**9])
            case "number":
                return chance.choice([0, 0.5, 1, 0.93, -3, 7e9])
            case "boolean":
                return chance.random() < 0.5
            case "null":
                return None
        return " ".join(chance.choices(WORDS, k=chance.randrange(5)))

    def _act(self) -> Any:
        chance = self._chance
        text = " ".join(chance.choices(WORDS, k=4))
        tool = chance.choice(["search", "deep_retrieval", "research", "visit", "nothing"])
        arguments = {
            chance.choice(["query", "node_id", "question", "url", "page"]): chance.choice(["n1", "mill", "0", -1])
        }
        verdict = {
            "verdict": chance.choice(["first", "second", "both", "neither", "inconclusive"]),
            "reason": text,
            "confidence": chance.choice([0.5, -1, 12]),
            "evidence": [
                {"cite": chance.choice(["r1", "n1", "n7"]), "quote": chance.choice(WORDS), "supports": "first"}
            ],
        }
        return chance.choice(
            [
                ScriptedReply(tool_calls=[(tool, arguments)]),
                ScriptedReply(text=text, tool_calls=[(tool, arguments), ("search", {"query": text or "x"})]),
                f"<tool_call>{json.dumps({'name': tool, 'arguments': arguments})}</tool_call>",
                f"<answer>{text} [n1]</answer>",
                f"<think>{text}</think><answer>{json.dumps(verdict)}</answer>",
                json.dumps(verdict),
                text or "nothing",
            ]
        )
