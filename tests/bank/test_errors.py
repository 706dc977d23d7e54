from __future__ import annotations

import inspect
import re

from memory_bank.bank import errors
from memory_bank.bank.errors import AgentError, MemoryBankError, SettingsError, UnreadableDocumentError


def test_the_drawn_tree_is_the_tree_of_the_classes() -> None:
    drawn: dict[str, str] = {}
    path: list[str] = []
    for line in inspect.cleandoc(errors.__doc__ or "").splitlines():
        if match := re.match(r"([│├└─ ]*)([A-Z]\w+Error)\b", line):
            depth = len(match[1]) // 4
            path[depth:] = [match[2]]
            drawn[match[2]] = path[depth - 1] if depth else "Exception"
    classes = {
        name: found.__bases__[0].__name__
        for name, found in vars(errors).items()
        if isinstance(found, type) and issubclass(found, MemoryBankError)
    }
    assert drawn == classes


def test_messages_say_what_where_and_what_is_allowed() -> None:
    assert str(SettingsError("RETRIEVAL_K", "0", "at least 1")) == "RETRIEVAL_K is '0'; allowed: at least 1"
    assert str(UnreadableDocumentError("scan.png", "it is an image")) == "scan.png: it is an image"
    assert str(AgentError("planning", "no answer")) == "planning: no answer"
