"""EML: who wrote to whom, when and about what; the text; what is attached."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import MIMEPart

from memory_bank.modules.documents.decoding import clean
from memory_bank.modules.documents.document import Document, Embedded, TextBuilder, choose_title
from memory_bank.modules.documents.markup import add_html
from memory_bank.modules.documents.package import keep_within_bounds
from memory_bank.modules.documents.plain import decode_text, read_plain

EML_TYPE = "message/rfc822"

_HEADERS = ("Subject", "From", "To", "Cc", "Date")


def read_eml(data: bytes, name: str) -> Document:
    """Read a mail: its headers a line each, its text (of several forms the plain one), the names of what is attached.

    A file without a header is no mail and is read as plain text.
    """
    message = message_from_bytes(data, policy=policy.default)
    if not any(message[header] for header in _HEADERS):
        return read_plain(data, name)
    builder = TextBuilder()
    for header in _HEADERS:
        if value := " ".join(str(message[header] or "").split()):
            builder.add(f"{header}: {value}", "header")
    body = message.get_body(("plain", "html"))
    if body is not None and (content := _content(body)).strip():
        if body.get_content_subtype() == "html":
            add_html(builder, content, name, body.get_content_charset())
        else:
            builder.add(decode_text(content, name, body.get_content_charset()).strip("\n"))
    embedded = tuple(keep_within_bounds(_attached(message, body)))
    for one in embedded:
        builder.add(f"Attachment: {one.name}", "attachment")
    text, headings = builder.build()
    title = choose_title(str(message["Subject"] or ""), headings)
    return Document(name, text, EML_TYPE, headings=headings, title=title, embedded=embedded)


def _attached(message: MIMEPart, body: MIMEPart | None) -> Iterator[Embedded]:
    """What has a name of its own or is no text; a mail inside is one thing, its parts are not listed."""
    waiting: list[MIMEPart] = [message]
    while waiting:
        part = waiting.pop()
        if part is body:
            continue
        if part.get_content_maintype() == "multipart":
            waiting += reversed(list(part.iter_parts()))
        elif part.get_filename() or part.get_content_maintype() != "text":
            content = _content(part)
            written = " ".join(clean(part.get_filename() or part.get_content_type()).split())
            yield Embedded(written, part.get_content_type(), len(content), content)


def _content(part: MIMEPart) -> bytes:
    if part.get_content_type() == EML_TYPE:
        return b"".join(inner.as_bytes() for inner in part.iter_parts())
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""
