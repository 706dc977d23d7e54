"""Read files of many kinds as text with page and character spans (specification, section 2, "Documents").

Where to begin: `document` (the result, and the table of formats), `reading` (which reader, what is refused), `bounds`
(the limits), `sandbox` and `worker` (reading in a separate process), then the readers. Text: `plain` (text, Markdown,
code, RTF), `markup` (HTML, EPUB), `table` (CSV), `messages` (JSON), `subtitles`, `notebook`, `mail`, all over
`decoding`. ZIP packages: `word`, `slides`, `sheets`, `opendocument`, all over `package`. PDF: `pdf`, with `page_text`
(reading order). `chat` and `messages` recognise chats and their turns, with `chat_times`. `pictures` reads images.
`page_image` draws a page with a passage marked. `source_reader` reads a session's files.
"""

from memory_bank.documents.document import Document, EmbeddedFile, Heading, Page
from memory_bank.documents.reading import read_document
from memory_bank.text.language_detection import detect_language

__all__ = ["Document", "EmbeddedFile", "Heading", "Page", "detect_language", "read_document"]
