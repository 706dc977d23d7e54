"""RTF: its words."""

from __future__ import annotations

from tests.documents.writers import read


def test_rich_text_is_its_words_in_every_code_page() -> None:
    data = rb"{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}}\f0 \b Bold\b0  and \'cc\'e8\'eb\par \u27700?}"
    assert read(data, "a.rtf").text == "Bold and Мил\n水"
