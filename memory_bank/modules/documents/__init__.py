"""Files of many kinds, read as text with page and character spans (specification, section 2, "Documents").

Reading order: `document` (what comes out), `reading` (which reader, what is refused), `bounds` (how much is read),
`apart` and `worker` (in a process of its own), then the readers. Of text: `plain` (text, Markdown, code), `markup`
(HTML), `table` (CSV), `records` (JSON), `notebook`, `mail`, `rich_text`; `decoding` is beneath them. Of packages:
`word`, `slides`, `sheets`, `opendocument`, `book` (EPUB), over `package`. Of PDF: `pdf`, with `pdf_runs`, `page_text`
(the order of reading) and `pdf_embedded`. `chat` and `messages` tell what is a chat and who said what when,
with `stamps` for the times. `language` says what language a text is in.
"""

from memory_bank.modules.documents.document import Document, Embedded, Heading, Page, Turn
from memory_bank.modules.documents.language import language_of
from memory_bank.modules.documents.reading import read_document

__all__ = ["Document", "Embedded", "Heading", "Page", "Turn", "language_of", "read_document"]
