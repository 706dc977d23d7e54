"""What is in the file that an entry refers to, for an agent or a program that wants to look at it."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Literal

from memory_bank.bank.interaction_tree import Attachment
from memory_bank.bank.value import Value
from memory_bank.errors import ToolError

MOST_BYTES = 20_000_000
"""What is handed out at once: a model takes no more, and neither does a message."""


class AttachmentContent(Value):
    """A file's content: code and documents of text as text, images and all else in base64. It is untrusted."""

    attachment: Attachment
    encoding: Literal["text", "base64"]
    content: str

    @property
    def data_url(self) -> str:
        """The content as a link that holds it, as models are given images."""
        held = self.content if self.encoding == "base64" else b64encode(self.content.encode()).decode()
        return f"data:{self.attachment.media_type};base64,{held}"


def content_of(attachment: Attachment, folder: Path) -> AttachmentContent:
    """The content of a file in a session's folder. `ToolError` if it is elsewhere, gone or too large."""
    if attachment.bytes > MOST_BYTES:
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
            pass  # a document in a format of its own
    return AttachmentContent(attachment=attachment, encoding="base64", content=b64encode(data).decode())
