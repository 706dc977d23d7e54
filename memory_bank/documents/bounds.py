"""Limits on reading a document. Beyond them a file is refused, or an embedded file is left out; no text is cut off."""

from __future__ import annotations

MOST_BYTES = 200_000_000
"""Largest file that is opened: four times the upload limit, so that only what nobody would read is refused."""

MOST_CHARACTERS = 20_000_000
"""Longest text: about twenty books of 500 pages. With its bytes and a copy it takes 200 MB of memory."""

MOST_UNPACKED = 500_000_000
"""Bytes that a ZIP package may unpack to. A DOCX unpacks to about ten times its size; more than this is a ZIP bomb."""

MOST_PAGES = 5_000
"""Pages of a PDF. An empty page takes 0.1 ms and a full one 10 ms, so the time limit is usually reached first."""

MOST_EMBEDDED = 200
"""Embedded pictures and files kept with a document; more than this are decoration."""

MOST_EMBEDDED_BYTES = 50_000_000
"""Bytes of embedded pictures and files kept with a document; the ones after that are left out."""

MOST_REDRAWN_PIXELS = 20_000_000
"""Pixels of PDF pictures that are not stored as image files and must be re-encoded: about four seconds of work."""

MOST_PICTURE_SIDE = 4_000
"""Longer side, in pixels, of a page rendered for text recognition: recognition makes no use of more."""

MAX_IN_PROCESS_BYTES = 1_000_000
"""Largest plain text, Markdown, CSV or JSON file that is read in this process; all else in a separate one."""

SECONDS = 25.0
"""Time to read a file, recognition not counted. Process start and error handling fit in the promised 30 s as well."""

SECONDS_PER_PAGE = 0.02
"""Extra time for each page read, so that a handbook of thousands of pages can be finished."""

SECONDS_PER_PICTURE = 2.0
"""Extra time for each page rendered for recognition; rendering itself takes less."""

MOST_SECONDS = SECONDS + MOST_PAGES * (SECONDS_PER_PAGE + SECONDS_PER_PICTURE)
"""Limit on processor time, enough for a file with the most pages. It ends a process that nobody waits for any more."""

MEMORY = 700_000_000
"""Address space, in bytes, of the reading process. Together with the text in the main process it stays under 1 GB."""
