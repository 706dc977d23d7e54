"""Writes the JSON Schema of the session export: `python -m scripts.schema`. A test compares it with the code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from memory_bank.bank.value import STORED_WORDING, Worded
from memory_bank.storage.transfer import SessionExport

PATH = Path(__file__).parent.parent / "docs" / "session-export.schema.json"
OPTIONAL = ("embedding", "files", "wordings")


def schema() -> str:
    """The schema as the text of its file: what an export holds, which is more than what an import insists on."""
    found = SessionExport.model_json_schema()
    found["$defs"]["Wording"], reference = STORED_WORDING, {"$ref": "#/$defs/Wording"}
    for name in {model.__name__ for model in subclasses(Worded)} & found["$defs"].keys():
        found["$defs"][name]["properties"]["wordings"] = {"type": "object", "additionalProperties": reference}
    for described in (found, *found["$defs"].values()):
        if "properties" in described:  # an export writes every key, those that have a default included
            described["required"] = [key for key in described["properties"] if key not in OPTIONAL]
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def subclasses(model: type[Worded]) -> Iterator[type[Worded]]:
    """The models with texts of ours."""
    for each in model.__subclasses__():
        yield each
        yield from subclasses(each)


if __name__ == "__main__":
    PATH.write_text(schema(), encoding="utf-8")
