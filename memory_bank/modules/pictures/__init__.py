"""Pictures, read offline: what the file is, what is written in it, and the text that stands for it.

Three steps, each of which may be had alone (specification, sections 1, 2, 3 and 7, on images):

    picture = read_picture(path, name)       # the file checked: format, size, kind, date, camera
    recognised = recognise(picture)          # what is written in it, in reading order, with a confidence
    text = describe(picture, recognised)     # the text of its entry in the Interaction Tree

`read_pages(path, name)` does these in turn, page by page, for progress and a way to stop. `recognise` takes a picture
in memory too (`PIL.Image.Image`); `recognise_page(image)` gives its text alone, which is what a reader of scanned PDF
pages needs. Only these load the models, once a process; they may be called from any thread. `open_pixels` gives a page
to be shown, `data_urls` all pages for models that see.

What is written in a picture is as little to be trusted as any document.

Reading order: `picture` (what the file is, and its pixels) with `metadata` and `kind`; `models` (what the package
rapidocr brings), `lines` (writing found and read), `layout` (its reading order), `ocr` (these together);
`description` (the text of its entry); `pages` (all of it in turn); `data_url`.
"""

from memory_bank.modules.pictures.data_url import data_urls
from memory_bank.modules.pictures.description import describe
from memory_bank.modules.pictures.ocr import Line, Recognised, recognise, recognise_page, recognise_pages
from memory_bank.modules.pictures.pages import PictureRead, headline, read_pages
from memory_bank.modules.pictures.picture import Picture, open_pixels, read_picture

__all__ = [
    "Line",
    "Picture",
    "PictureRead",
    "Recognised",
    "data_urls",
    "describe",
    "headline",
    "open_pixels",
    "read_pages",
    "read_picture",
    "recognise",
    "recognise_page",
    "recognise_pages",
]
