"""The answer to a task, with its citations, open disputes and rejected claims."""

from __future__ import annotations

from memory_bank.bank.value import Id, Value, Worded, WordedText, Wordings
from memory_bank.text.wording import Wording

NO_ANSWER = Wording("No answer to this was found in the documents.")
NO_ANSWERS = {"en": NO_ANSWER, "zh": "没有在文档中找到这个问题的答案。"}
"""By the language of the task, like `NO_PASSAGES`."""
HEADING = "## "
"""Starts a heading line above a group of sentences; a heading is not a statement."""
NO_PASSAGE = Wording("(no passage found)")
"""Follows a sentence that no passage supports: it is shown but not affirmed."""
NO_PASSAGES = {"en": NO_PASSAGE, "zh": "（未找到依据）"}
UNCONFIRMED = Wording("(not confirmed)")
"""Follows a sentence and its citations where the passages cited do not confirm it: it is shown but not affirmed."""
UNCONFIRMEDS = {"en": UNCONFIRMED, "zh": "（未获证实）"}


class Citation(Value):
    """The passage `entry.text[start:end]` that `[number]` in the text refers to."""

    number: int
    entry_id: Id
    start: int
    end: int
    source: str
    page: int | None = None


class Dispute(Value):
    """An undecided conflict that concerns the task: both sides, each with its source.

    `checked` tells whether it was verified, and nothing settled it, from one that nobody has verified.
    """

    conflict_id: Id
    sides: tuple[str, str]
    checked: bool = True


class Rejection(Worded):
    """A claim that was left out of the answer, and why."""

    conflict_id: Id
    text: str
    why: WordedText


class Answer(Value):
    """`text` is shown to the person, disputes included; `affirmed` is the part that the answer states as true.

    `lines` are those of `text` that are ours.
    """

    text: str
    affirmed: str
    disputed: tuple[Dispute, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    citations: tuple[Citation, ...] = ()
    lines: Wordings = ()
