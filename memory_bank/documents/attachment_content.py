"""Load the content of an attached file for an agent or a program."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Literal

from memory_bank.bank.errors import ToolError
from memory_bank.bank.interaction_tree import Attachment
from memory_bank.bank.value import Value

MAX_ATTACHMENT_BYTES = 20_000_000
"""Largest file that is handed out. A model takes no more, and neither does a message."""


class AttachmentContent(Value):
    """A file's content: text files as text, images and everything else in base64. It is untrusted."""

    attachment: Attachment
    encoding: Literal["text", "base64"]
    content: str


def content_of(attachment: Attachment, folder: Path) -> AttachmentContent:
    """Read an attachment from a session's folder. Raises `ToolError` if it is elsewhere, missing or too large."""
    if attachment.bytes > MAX_ATTACHMENT_BYTES:
        raise ToolError(f"attachment {attachment.id} is too large to be handed out: {attachment.bytes:,} bytes")
    if "://" in attachment.path:
        raise ToolError(f"attachment {attachment.id} is not here; it is at {attachment.path}")
    try:
        data = (folder / attachment.path).read_bytes()
    except OSError as error:
        raise ToolError(
            f"the file of attachment {attachment.id} is not here, as in a session that was imported"
        ) from error
    if attachment.type != "image":
        try:
            return AttachmentContent(attachment=attachment, encoding="text", content=data.decode())
        except UnicodeDecodeError:
            pass  # a binary document
    return AttachmentContent(attachment=attachment, encoding="base64", content=b64encode(data).decode())
