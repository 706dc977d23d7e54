"""Pages of a node's entries: nothing is lost or repeated, and no page is too large."""

from __future__ import annotations

import json
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from memory_bank.app.mcp_sessions import PAGE, pages_of
from memory_bank.bank.interaction_tree import Entry
from tests.builders import make_attachment, make_entry

SMALL = st.integers(0, 300)
ANY = st.one_of(SMALL, st.integers(0, 3 * PAGE), st.sampled_from([PAGE - 1, PAGE, PAGE + 1, 2 * PAGE]))


def entry(number: int, length: int, **metadata: object) -> Entry:
    text = "".join(f"{number}.{place} " for place in range(length // 3 + 1))[:length]
    return make_entry(f"e{number}", text).model_copy(update={"metadata": metadata})


@given(st.lists(st.tuples(ANY, SMALL), max_size=12))
def test_the_pages_together_are_the_entries_word_for_word_and_in_order(sizes: list[tuple[int, int]]) -> None:
    entries = [entry(number, length, note="x" * more) for number, (length, more) in enumerate(sizes)]
    pages = pages_of(entries)
    shown = [piece.shown() for page in pages for piece in page]
    together = [
        (entry_id, "".join(piece["text"] for piece in pieces))
        for entry_id, pieces in groupby(shown, key=lambda piece: piece["id"])
    ]
    assert together == [(one.id, one.text) for one in entries]
    assert [piece["metadata"] for piece in shown if "metadata" in piece] == [one.metadata for one in entries]
    for page in pages:
        assert page
        assert len(json.dumps([piece.shown() for piece in page])) <= 2 * PAGE + 500


def test_small_entries_share_a_page_and_a_long_one_says_where_its_pieces_stand() -> None:
    pages = pages_of([entry(1, 100), entry(2, 200), entry(3, PAGE + 10)])
    assert [[piece.entry.id for piece in page] for page in pages] == [["e1", "e2"], ["e3"], ["e3"]]
    assert "characters" not in pages[0][0].shown()
    (first,), (second,) = ([piece.shown() for piece in page] for page in pages[1:])
    assert (first["characters"], first["of"]) == ([0, PAGE], PAGE + 10)
    assert (second["characters"], "metadata" in second) == ([PAGE, PAGE + 10], False)


def test_metadata_and_attachments_without_end_are_left_out_by_count() -> None:
    many = entry(1, 5, huge="x" * (PAGE + 1), small="kept").model_copy(
        update={"attachments": (make_attachment(),) * 60}
    )
    ((piece,),) = pages_of([many])
    shown = piece.shown()
    assert shown["metadata"] == {"small": "kept"}
    assert (len(shown["attachments"]), shown["attachments_left_out"], shown["metadata_left_out"]) == (50, 10, 1)
    assert shown["attachments"][0] == {"id": "a1", "type": "image", "media_type": "image/png", "bytes": 3}
