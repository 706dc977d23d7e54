"""The parts of a mail as text: its header, and what it quotes of earlier mails."""

from __future__ import annotations

import re
from itertools import accumulate

from memory_bank.text.span import Span

_FIELD = re.compile(r"[A-Z][\w-]{1,24}:\s")
_QUOTED = re.compile(r"\s*>")
_INTRODUCES = re.compile(r"[:：]\s*$")


def mail_header_end(text: str) -> int:
    """The offset where a mail's header ends: lines of "Name: value" at the top, up to the first empty line; else 0."""
    head, blank_line, _ = text.lstrip("\ufeff\n").partition("\n\n")
    lines = head.splitlines()
    names = {line.partition(":")[0] for line in lines}
    all_fields = all(_FIELD.match(line) for line in lines)
    is_header = blank_line and all_fields and len({"From", "To", "Subject", "Date"} & names) >= 2
    return text.find(head) + len(head) if is_header else 0


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
