"""Verdicts between two copies of one text, in which a value was changed."""

from __future__ import annotations

import pytest

from memory_bank.bank.conflict import Verification
from memory_bank.engines.offline.verification.verify import verify
from tests.engines.offline.memory import Memory

TEXT = (
    "Holm Lighthouse stands on a rock off the northern coast, two miles from the harbour of Aske, and warns ships of "
    "the shoals around it. Holm Lighthouse was built {value} by order of the harbour board, which paid for it with a "
    "toll on every cargo of coal. A keeper and two assistants lived in the cottage beside it until the lamp was "
    "automated."
)


def decide(first: str, second: str, others: dict[str, str] | None = None) -> Verification:
    """The verification of two copies of one text that give these values for when, or by whom, it was built."""
    documents = {"one.txt": TEXT.format(value=first), "two.txt": TEXT.format(value=second)}
    memory = Memory(documents | (others or {}))
    conflict = memory.disagree(first, second)
    verification = verify(memory.prompt("Verify x1.", conflict), conflict, memory).verification
    assert verification is not None
    return verification


def test_nothing_else_leaves_two_copies_open() -> None:
    assert decide("in 1867", "in 1897").verdict == "inconclusive"


@pytest.mark.parametrize(
    ("others", "verdict"),
    [
        ({"diary.txt": "Holm Lighthouse. Postcard of 1867 with its keeper in front."}, "first"),
        ({"diary.txt": "Holm Lighthouse. Postcard of 1897 with its keeper in front."}, "second"),
        ({"diary.txt": "Holm Lighthouse. Postcards of 1867 and of 1897."}, "inconclusive"),
        ({"diary.txt": "The railway to Tarn was opened in 1867."}, "inconclusive"),
        ({"copy.txt": TEXT.format(value="in 1867")}, "first"),
    ],
)
def test_where_the_value_stands_elsewhere_decides_which_copy_was_changed(others: dict[str, str], verdict: str) -> None:
    assert decide("in 1867", "in 1897", others).verdict == verdict


@pytest.mark.parametrize("made_up", ["January 1, 1900", "1 January 1900"])
def test_a_date_that_looks_filled_in_yields_to_an_exact_one(made_up: str) -> None:
    verification = decide("on 14 July 1867", f"on {made_up}")
    assert verification.verdict == "first"
    assert "copies of one text" in verification.reason


def test_a_copy_that_is_wrong_in_one_thing_is_doubted_in_another() -> None:
    changed = TEXT.replace("two miles", "nine miles").replace("Aske", "Tarn")
    documents = {"one.txt": TEXT.format(value="in 1867"), "two.txt": changed.format(value="in 1897")}
    memory = Memory(documents | {"diary.txt": "Holm Lighthouse in 1867, a postcard."})
    memory.disagree("in 1867", "in 1897")
    conflict = memory.disagree("two miles", "nine miles")
    verification = verify(memory.prompt("Verify x2.", conflict), conflict, memory).verification
    assert verification is not None
    assert verification.verdict == "first"


def test_two_things_of_one_name_are_told_apart_by_the_headings_of_their_texts() -> None:
    documents = {
        "one.txt": "Holm House (Aske, Norland) Holm House is a stone villa. The house was listed in 1983.",
        "two.txt": "Holm House (Tarn, Westland) Holm House is a timber farm. The house was listed in 1991.",
    }
    memory = Memory(documents)
    conflict = memory.disagree("1983", "1991")
    verification = verify(memory.prompt("Verify x1.", conflict), conflict, memory).verification
    assert verification is not None
    assert verification.verdict == "both"
    assert "two things of one name" in verification.reason
