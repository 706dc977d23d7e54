"""EML: who wrote to whom, when and about what; the text; what is attached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """Read a mail: its headers a line each, its texts (of several forms the plain one), the names of what is attached.

    A file without a header is no mail and is read as plain text.
    """
    message = message_from_bytes(data, policy=policy.default)
    if not any(message[header] for header in _HEADERS):
        return read_plain(data, name)
    builder = TextBuilder()
    for header in _HEADERS:
        if value := " ".join(str(message[header] or "").split()):
            builder.add(f"{header}: {value}", "header")
    texts = list(_texts(message, message.get_body(("plain", "html"))))
    for part in texts:
        _add_text(builder, part, name)
    embedded = tuple(keep_within_bounds(_attached(message, texts)))
    for one in embedded:
        builder.add(f"Attachment: {one.name}", "attachment")
    text, headings = builder.build()
    title = choose_title(str(message["Subject"] or ""), headings)
    return Document(name, text, EML_TYPE, headings=headings, title=title, embedded=embedded)


def _add_text(builder: TextBuilder, part: MIMEPart, name: str) -> None:
    if (content := _content(part)).strip():
        if part.get_content_subtype() == "html":
            add_html(builder, content, name, part.get_content_charset())
        else:
            builder.add(decode_text(content, name, part.get_content_charset()).strip("\n"))


def _texts(part: MIMEPart, body: MIMEPart | None) -> Iterator[MIMEPart]:
    """The texts of a mail in their order, as where a picture stands between two of them; of several forms one."""
    if part.get_content_type() in ("multipart/alternative", "multipart/related"):
        chosen = part.get_body(("plain", "html"))
        yield from () if chosen is None else (chosen,)
    elif part.get_content_maintype() == "multipart":
        for inner in part.iter_parts():
            yield from _texts(inner, body)
    elif part is body or (part.get_content_maintype() == "text" and not _is_attached(part)):
        yield part


def _is_attached(part: MIMEPart) -> bool:
    return bool(part.get_filename()) or part.is_attachment()


def _attached(message: MIMEPart, texts: Sequence[MIMEPart]) -> Iterator[Embedded]:
    """What has a name of its own or is no text; a mail inside is one thing, its parts are not listed."""
    waiting: list[MIMEPart] = [message]
    while waiting:
        part = waiting.pop()
        if any(part is one for one in texts):
            continue
        if part.get_content_maintype() == "multipart":
            waiting += reversed(list(part.iter_parts()))
        elif _is_attached(part) or part.get_content_maintype() != "text":
            content = _content(part)
            written = " ".join(clean(part.get_filename() or part.get_content_type()).split())
            yield Embedded(written, part.get_content_type(), len(content), content)


def _content(part: MIMEPart) -> bytes:
    if part.get_content_type() == EML_TYPE:
        return b"".join(inner.as_bytes() for inner in part.iter_parts())
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""
