"""Files of many kinds, read as text with page and character spans (specification, section 2, "Documents").

Reading order: `document` (what comes out), `reading` (which reader, what is refused), then the readers: `plain`
(text, Markdown, code), `pdf`, `word`, `markup` (HTML), `table` (CSV), `records` (JSON); `decoding` is beneath them.
"""

from memory_bank.modules.documents.document import Document, Heading, Page
from memory_bank.modules.documents.reading import read_document

__all__ = ["Document", "Heading", "Page", "read_document"]
