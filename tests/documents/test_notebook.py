"""Notebooks: cells in order, what they put out, pictures."""

from __future__ import annotations

import base64
import json

import pytest

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import EmbeddedFile
from tests.documents.writers import read


def test_a_notebook_gives_its_cells_in_order_and_what_they_put_out() -> None:
    picture = base64.b64encode(b"\x89PNG").decode()
    outputs = [
        {"output_type": "stream", "text": ["line 1\n", "line 2\n"]},
        {"output_type": "display_data", "data": {"image/png": picture, "text/plain": "<Figure>"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no \x1b[31mred\x1b[0m", "traceback": ["x"]},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Mills\n", "Text.\n", "\n", "## Corn\n"]},
        {"cell_type": "code", "source": "# no heading\nx = 1", "outputs": outputs},
        {"cell_type": "raw", "source": 7},
    ]
    document = read(json.dumps({"cells": cells}).encode(), "a.ipynb")
    assert document.text == (
        "# Mills\nText.\n\n## Corn\n\n# no heading\nx = 1\n\nline 1\nline 2\n\n<Figure>\n\nValueError: no red"
    )
    assert [document.text[one.start : one.end] for one in document.headings] == ["# Mills", "## Corn"]
    assert document.embedded == (EmbeddedFile("cell 2.png", "image/png", b"\x89PNG"),)


def test_json_of_another_shape_is_read_as_json_and_broken_json_is_refused() -> None:
    assert read(b'{"cells": 3}', "a.ipynb").text == "cells: 3"
    with pytest.raises(UnreadableDocumentError, match="it is not valid JSON"):
        read(b'{"cells": [', "a.ipynb")
