"""Read EML mail: the main headers, the text and the attachments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from email import message_from_bytes, policy
from email.message import MIMEPart
from itertools import islice

from memory_bank.documents import bounds
from memory_bank.documents.decoding import clean_line
from memory_bank.documents.document import BY_SUFFIX, Document, EmbeddedFile, TextBuilder
from memory_bank.documents.markup import add_html
from memory_bank.documents.package import keep_within_bounds
from memory_bank.documents.plain import decode_text, read_plain

EML_TYPE = BY_SUFFIX[".eml"].media_type

_HEADERS = ("Subject", "From", "To", "Cc", "Date")


def read_eml(data: bytes, name: str) -> Document:
    """Read a mail: one line for each header, its texts (plain text before HTML), the names of its attachments.

    A file without mail headers is read as plain text.
    """
    message = message_from_bytes(data, policy=policy.default)
    if not any(message[header] for header in _HEADERS):
        return read_plain(data, name)
    builder = TextBuilder()
    for header in _HEADERS:
        if value := " ".join(str(message[header] or "").split()):
            builder.add(f"{header}: {value}", "header")
    texts = list(_text_parts(message, message.get_body(("plain", "html"))))
    for part in texts:
        charset, content = part.get_content_charset(), _content(part)
        if content.strip() and part.get_content_subtype() == "html":
            add_html(builder, content, name, charset)
        elif content.strip():
            builder.add(decode_text(content, name, charset).strip("\n"))
    attachments = list(islice(_attachments(message, texts), bounds.MOST_EMBEDDED))
    for attachment in attachments:
        builder.add(f"Attachment: {attachment.name}", "attachment")
    time = getattr(message["Date"], "datetime", None)  # in the time zone of the sender
    day = time.date() if isinstance(time, datetime) else None
    return builder.document(name, EML_TYPE, str(message["Subject"] or ""), keep_within_bounds(attachments), day)


def _text_parts(part: MIMEPart, body: MIMEPart | None) -> Iterator[MIMEPart]:
    """Yield the texts of a mail in order, one of each set of alternatives. Two may have a picture between them."""
    if part.get_content_type() in ("multipart/alternative", "multipart/related"):
        chosen = part.get_body(("plain", "html"))
        yield from () if chosen is None else (chosen,)
    elif part.get_content_maintype() == "multipart":
        for inner in part.iter_parts():
            yield from _text_parts(inner, body)
    elif part is body or (part.get_content_maintype() == "text" and not _is_attachment(part)):
        yield part


def _is_attachment(part: MIMEPart) -> bool:
    return bool(part.get_filename()) or part.is_attachment()


def _attachments(message: MIMEPart, texts: Sequence[MIMEPart]) -> Iterator[EmbeddedFile]:
    """Yield the parts that have a file name or are not text. A forwarded mail is one attachment, not its parts."""
    stack: list[MIMEPart] = [message]
    while stack:
        part = stack.pop()
        if any(part is text for text in texts):
            continue
        if part.get_content_maintype() == "multipart":
            stack += reversed(list(part.iter_parts()))
        elif _is_attachment(part) or part.get_content_maintype() != "text":
            content = _content(part)
            name = clean_line(part.get_filename() or part.get_content_type())
            yield EmbeddedFile(name, part.get_content_type(), content)


def _content(part: MIMEPart) -> bytes:
    if part.get_content_type() == EML_TYPE:
        return b"".join(inner.as_bytes() for inner in part.iter_parts())
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""
