"""Remove characters that XML and HTML documents must not contain."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text without characters that XML forbids even when escaped. The caller still has to escape the text."""
    return _FORBIDDEN.sub("", text)
