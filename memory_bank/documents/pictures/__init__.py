"""Read pictures offline: check the file, recognise its text (OCR), and describe it.

There are three steps (specification, sections 1, 2, 3 and 7, on images): `read_picture` checks the file, `recognise`
gives the text of an image in memory in reading order with a confidence, and `ocr.describe_picture` a text for a
picture without any. `read_pages` does all of them page by page, reports progress and can be stopped. These two load the
models, once per process; they may be called from any thread. `open_page` returns a page to be shown; `data_urls` all
pages, for models with vision.

The text in a picture is as untrusted as any document.

Where to begin: `picture` (the file and its pixels) with `metadata`; `lines` (find and read lines of text, by models of
the package rapidocr), `layout` (reading order), `ocr` (these together, page by page).
"""

from memory_bank.documents.pictures.ocr import headline, read_pages, recognise
from memory_bank.documents.pictures.picture import data_urls, open_page, read_picture

__all__ = ["data_urls", "headline", "open_page", "read_pages", "read_picture", "recognise"]
