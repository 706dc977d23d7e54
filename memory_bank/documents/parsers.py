"""The readers that need large libraries. They are imported when the first file comes that needs one, never before."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO
from types import MappingProxyType

from memory_bank.documents.book import CONTAINER, read_epub
from memory_bank.documents.document import Reader
from memory_bank.documents.mail import read_eml
from memory_bank.documents.markup import read_html
from memory_bank.documents.notebook import read_notebook
from memory_bank.documents.opendocument import CONTENT, read_opendocument
from memory_bank.documents.pdf import read_pdf
from memory_bank.documents.rich_text import read_rtf
from memory_bank.documents.sheets import read_xlsx
from memory_bank.documents.slides import read_pptx
from memory_bank.documents.word import read_docx

__all__ = ["BY_SUFFIX", "package_reader", "read_html", "read_pdf", "read_rtf"]

BY_SUFFIX: Mapping[str, Reader] = MappingProxyType({".ipynb": read_notebook, ".eml": read_eml})
"""Readers of text files that are not HTML."""
# Readers of ZIP packages by a part that only this format has.
_PACKAGES: Mapping[str, Reader] = MappingProxyType(
    {
        "word/document.xml": read_docx,
        "ppt/presentation.xml": read_pptx,
        "xl/workbook.xml": read_xlsx,
        CONTAINER: read_epub,
        CONTENT: read_opendocument,
    }
)


def package_reader(data: bytes) -> Reader | None:
    """The reader of a ZIP package; None if it is only an archive."""
    with zipfile.ZipFile(BytesIO(data)) as package:
        parts = set(package.namelist())
    return next((reader for part, reader in _PACKAGES.items() if part in parts), None)
