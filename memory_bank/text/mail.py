"""The parts of a mail as text: its header, and what it quotes of earlier mails."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

from memory_bank.text.span import Span

_FIELD = re.compile(r"[A-Z][\w-]{1,24}:\s")
_QUOTED = re.compile(r"\s*>")
_INTRODUCES = re.compile(r"[:：]\s*$")
_SENDER = re.compile(r"^From:([^<\n]*)", re.MULTILINE)
_PARAGRAPH = re.compile(r"(?:^.*\S.*(?:\n|\Z))+", re.MULTILINE)


def mail_header_end(text: str) -> int:
    """The offset where a mail's header ends: lines of "Name: value" at the top, up to the first empty line; else 0."""
    head, blank_line, _ = text.lstrip("\ufeff\n").partition("\n\n")
    return text.find(head) + len(head) if blank_line and _is_header(head) else 0


class MailHeader(NamedTuple):
    """Where a mail's header stands in a text, and who sent the mail, without an address."""

    span: Span
    sender: str


def mail_headers(text: str) -> list[MailHeader]:
    """The headers of all mails in a text, which may hold several, one below the other."""
    return [
        MailHeader(Span(*paragraph.span()), sender[1].strip() if (sender := _SENDER.search(paragraph[0])) else "")
        for paragraph in _PARAGRAPH.finditer(text)
        if _is_header(paragraph[0])
    ]


def _is_header(paragraph: str) -> bool:
    lines = paragraph.splitlines()
    names = {line.partition(":")[0] for line in lines}
    return all(_FIELD.match(line) for line in lines) and len({"From", "To", "Subject", "Date"} & names) >= 2


def quoted_in_mail(text: str) -> list[Span]:
    """What a mail quotes: lines that begin with ">", and the line that introduces them; none in a text of another kind.

    The introduction ("On Monday Ann wrote:") stands directly above, or above one empty line, and may be wrapped.
    """
    header_end = mail_header_end(text)
    if not header_end:
        return []
    lines = text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    quoted = {n for n, line in enumerate(lines) if starts[n] >= header_end and _QUOTED.match(line)}
    for n in sorted(quoted):
        above = n - 1 if n - 1 in quoted or lines[n - 1].strip() else n - 2
        if above not in quoted and _INTRODUCES.search(lines[above]):
            quoted |= {above, *({above - 1} if "@" in lines[above - 1] else ())}
    return [Span(starts[n], starts[n + 1]) for n in sorted(quoted)]
