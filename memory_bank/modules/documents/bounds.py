"""How much of a document is read. What is beyond is refused, or named and not kept; nothing is cut off silently."""

from __future__ import annotations

MOST_BYTES = 200_000_000
"""The largest file that is opened: four times what the page takes, so that only what no person reads is refused."""

MOST_CHARACTERS = 20_000_000
"""The longest text: some twenty books of 500 pages. Beside it in memory stand its bytes and a copy: 200 MB."""

MOST_UNPACKED = 500_000_000
"""Bytes that a package may unpack to. A DOCX unpacks to some ten times its size; what exceeds this is a bomb."""

MOST_PAGES = 5_000
"""Pages of a PDF. An empty page takes a tenth of a millisecond, a full one ten: it is time that ends first."""

MOST_EMBEDDED = 200
"""Pictures and files named for a document; more are decoration."""

MOST_EMBEDDED_BYTES = 50_000_000
"""Bytes of pictures and files that are kept with a document; what comes after is named without its content."""

MOST_REDRAWN_PIXELS = 20_000_000
"""Pixels of pictures that a PDF holds in a form of its own and that are written anew: some four seconds."""

MOST_PICTURE_SIDE = 4_000
"""Pixels of the longer side of a page drawn to be recognised: no more than recognition makes use of."""

SMALL_TEXT = 1_000_000
"""Bytes of a plain text, Markdown, CSV or JSON that are read at once; all else is read in a process of its own."""

SECONDS = 25.0
"""What a process may take to read a file, recognition not counted; starting and refusing fit into the 30 s promised."""

SECONDS_A_PAGE = 0.02
"""What is added for each page that is read: a handbook of thousands of pages may take its time, page by page."""

SECONDS_A_PICTURE = 2.0
"""What is added for each page that is drawn to be recognised, which takes longer than drawing it."""

MOST_SECONDS = SECONDS + MOST_PAGES * (SECONDS_A_PAGE + SECONDS_A_PICTURE)
"""Processor time at most, for a file of the most pages: a process that nobody waits for ends by itself."""

MEMORY = 700_000_000
"""Bytes of address space that a process may take to read a file: with the text outside, under 1 GB."""
