"""The addresses that a step may visit: only those named word for word by something from outside.

A document could instruct the model to write what it knows into the address of an attacker's server; visiting that page
would leak it. Therefore an address that a model made up is never requested, even if the model's words come back in a
refusal, in an answer that repeats them, or in a record of what it said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_bank.bank.bank import Bank

_URL_CHARACTER = r"[\w\-.~:/?#\[\]@!$&'()*+,;=%]"
"""The characters of an address. ASCII only, because Chinese text follows an address without a space."""
_HOST_AND_REST = re.compile(r"(?:https?://)?([\w.-]+(?::\d+)?)([/?].*)?", re.IGNORECASE)
"""A host and what follows. Punctuation is not allowed in the host; searching for it would take very long."""
_BEGINS = r"(?<![\w.@-])"
_ENDS = rf"/?(?:#|[.,;:!?)\]'*]*+(?!{_URL_CHARACTER}))"
"""The end of a complete address: before its fragment, or before the punctuation of the sentence around it."""
_MODEL_KEYS = {"conflict_id", "record_id"}
"""Metadata keys of entries that a model wrote: about a verification, or about an earlier session."""


class UrlAllowlist:
    """The addresses in the task, in the entries, and in tool results; safe from any thread."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._tool_words: set[str] = set()

    def note(self, *texts: str) -> None:
        """Allow the addresses in a tool result, before the result is recorded."""
        for text in texts:
            self._tool_words.update(word for word in _unescaped(text).split() if "." in word)

    def __contains__(self, url: str) -> bool:
        """Whether a text names the complete address.

        The scheme, which may be missing, the case of the host, a slash at the end, and the fragment make no difference.
        """
        match = _HOST_AND_REST.fullmatch(url.strip().partition("#")[0])
        if match is None:
            return False
        host, rest = re.escape(match[1]), match[2] or ""
        if not rest.endswith("//"):  # a model could encode what it knows in their number
            rest = rest.removesuffix("/")
        pattern = re.compile(f"{_BEGINS}(?i:{host}){re.escape(rest)}{_ENDS}", re.ASCII)
        return any(pattern.search(_unescaped(text)) for text in self._texts())

    def _texts(self) -> Iterator[str]:
        yield self._bank.insight_doc.task_goal
        yield from tuple(self._tool_words)
        for entry in self._bank.trees:
            attached = [each.id for each in entry.attachments if each.type == "image"]
            on_image = entry.metadata.get("source_id") in attached  # a model wrote it, as it did these records
            if not on_image and _MODEL_KEYS.isdisjoint(entry.metadata):
                yield str(entry.metadata.get("source", ""))
                yield entry.text
        for turns in self._bank.turns.values():  # for a step that goes on after a crash
            for message in (message for turn in turns for message in turn.messages if message.is_material):
                yield message.source or ""
                yield message.content


def _unescaped(text: str) -> str:
    return text.replace("&amp;", "&")
