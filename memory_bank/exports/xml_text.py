"""Text that a document of XML or HTML can hold."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text without the characters that XML forbids even in writing; it still has to be escaped."""
    return _FORBIDDEN.sub("", text)
