"""Which addresses a step may visit: those that something from outside names, word for word.

A document can order an obedient model to write what it knows into the address of somebody else's server, and reading
that page would tell it. What a model makes up itself is therefore not asked for, however often its words come back: in
a refusal, in an answer that repeats them, in a record of what it said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_bank.bank.bank import Bank
from memory_bank.bank.interaction_tree import Entry

_SIGN = r"[\w\-.~:/?#\[\]@!$&'()*+,;=%]"
"""What an address is written in. Letters beyond ASCII are none of it: prose in Chinese has no space before them."""
_ASKED = re.compile(r"(?:https?://)?([\w.-]+(?::\d+)?)([/?].*)?", re.IGNORECASE)
"""A host and what follows. No host has the signs of a sentence in it: its search would take for ever among many."""
_BEGINS = r"(?<![\w.@-])"
_ENDS = rf"/?(?:#|[.,;:!?)\]'*]*+(?!{_SIGN}))"
"""Where a whole address ends: before its fragment, or with the signs of the sentence that it stands in."""
_OWN_WORDS = {"conflict_id", "record_id"}
"""What the metadata of an entry holds that tells of a verification, or of a fact or task of earlier sessions."""


class NamedAddresses:
    """Addresses in the task, in the records, and in what tools brought; safe from any thread."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._brought: set[str] = set()

    def note(self, *texts: str) -> None:
        """Note the addresses in what a tool brings: the step may use them before it is recorded."""
        for text in texts:
            self._brought.update(word for word in _unescaped(text).split() if "." in word)

    def __contains__(self, url: str) -> bool:
        """Whether something names the whole of it.

        The scheme, which may be missing, the case of the host, a slash at the end, and the place in the page make no
        difference.
        """
        asked = _ASKED.fullmatch(url.strip().partition("#")[0])
        if asked is None:
            return False
        host, rest = re.escape(asked[1]), asked[2] or ""
        if not rest.endswith("//"):  # a model could count out what it knows in them
            rest = rest.removesuffix("/")
        named = re.compile(f"{_BEGINS}(?i:{host}){re.escape(rest)}{_ENDS}", re.ASCII)
        return any(named.search(_unescaped(text)) for text in self._texts())

    def _texts(self) -> Iterator[str]:
        yield self._bank.insight_doc.task_goal
        yield from tuple(self._brought)
        for entry in self._bank.trees:
            if not _in_a_models_words(entry):
                yield str(entry.metadata.get("source", ""))
                yield entry.text
        for turns in self._bank.turns.values():  # of a step that goes on after the process died
            for message in (message for turn in turns for message in turn.messages if message.role == "tool"):
                if not message.from_memory:  # as what tools tell the agent, refusals too, is marked
                    yield message.source or ""
                    yield message.content


def _in_a_models_words(entry: Entry) -> bool:
    """Whether a model wrote it: of what it judged, of what it was told earlier, or of a picture that it saw."""
    picture = any(one.type == "image" and one.id == entry.metadata.get("source_id") for one in entry.attachments)
    return picture or not _OWN_WORDS.isdisjoint(entry.metadata)


def _unescaped(text: str) -> str:
    return text.replace("&amp;", "&")
