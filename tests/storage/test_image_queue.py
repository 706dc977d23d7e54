"""The temporary folder of images: each image is in exactly one place, and none is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_bank.storage.image_queue import WaitingImages, sweep


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


def test_an_image_waits_and_then_goes_to_the_sessions_files(tmp_path: Path, files: Path) -> None:
    images = WaitingImages(tmp_path / "waiting", "doc-1")
    images.add("s1", b"picture")
    assert images.path("s1").read_bytes() == b"picture"
    images.move("s1", files / "s1")
    assert (files / "s1").read_bytes() == b"picture"
    assert not images.path("s1").exists()


def test_moved_twice_after_a_crash_it_is_where_it_was(tmp_path: Path, files: Path) -> None:
    images = WaitingImages(tmp_path / "waiting", "doc-1")
    images.add("s1", b"picture")
    images.move("s1", files / "s1")
    images.move("s1", files / "s1")
    assert (files / "s1").read_bytes() == b"picture"


def test_one_that_is_nowhere_is_missed(tmp_path: Path, files: Path) -> None:
    with pytest.raises(FileNotFoundError):
        WaitingImages(tmp_path / "waiting", "doc-1").move("s1", files / "s1")


def test_what_is_left_goes_and_others_stay(tmp_path: Path) -> None:
    one, other = WaitingImages(tmp_path / "waiting", "doc-1"), WaitingImages(tmp_path / "waiting", "doc-2")
    one.add("s1", b"1")
    other.add("s1", b"2")
    one.clear()
    one.clear()
    assert [path.name for path in (tmp_path / "waiting").iterdir()] == ["doc-2"]
    other.clear()
    assert not (tmp_path / "waiting").exists()


def test_a_sweep_keeps_what_is_needed(tmp_path: Path) -> None:
    root = tmp_path / "waiting"
    sweep(root, lambda _doc_id: False)
    for doc_id in ("doc-1", "doc-2"):
        WaitingImages(root, doc_id).add("s1", b"1")
    sweep(root, lambda doc_id: doc_id == "doc-2")
    assert [path.name for path in root.iterdir()] == ["doc-2"]
