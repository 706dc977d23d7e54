"""What stands above an entry, kept in its metadata."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.above import ABOVE, BEFORE_CHARACTERS, Above


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_whatever_an_import_says_stands_above_an_entry_is_words_or_nothing(stored: object) -> None:
    above = Above.of_metadata({"source": "a.md", ABOVE: stored})
    assert above.title == "a.md"
    assert all(isinstance(words, str) for words in above)


def test_of_the_sentence_before_the_end_alone_is_kept() -> None:
    assert len(Above(before="so " * 200).as_metadata()["before"]) == BEFORE_CHARACTERS
