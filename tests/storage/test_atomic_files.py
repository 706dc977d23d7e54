from __future__ import annotations

import errno
from pathlib import Path

import pytest

from memory_bank.storage.atomic_files import move_whole, write_output, write_whole
from tests.faults.files import FileFault, Files

FAULTS = [
    FileFault("open", 1, errno.EACCES),
    FileFault("write", 1, errno.ENOSPC),
    FileFault("write", 1, errno.ENOSPC, half=True),
    FileFault("fsync", 1, errno.EIO),
    FileFault("rename", 1, errno.ENOSPC),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("older", [None, b"older"])
def test_a_file_is_there_whole_or_as_it_was(tmp_path: Path, fault: FileFault, older: bytes | None) -> None:
    path = tmp_path / "file"
    if older is not None:
        path.write_bytes(older)
    with Files(tmp_path, fault).patched(), pytest.raises(OSError, match="Errno"):
        write_whole(path, b"new content")
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == ([("file", older)] if older else [])
    write_whole(path, b"new content")
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("file", b"new content")]


@pytest.mark.parametrize("fault", [*FAULTS, FileFault("read", 1, errno.EIO), FileFault("fsync", 2, errno.EIO)], ids=str)
def test_a_file_that_cannot_be_moved_is_still_where_it_was(tmp_path: Path, fault: FileFault) -> None:
    path, target = tmp_path / "waiting", tmp_path / "kept"
    path.write_bytes(b"content")
    with Files(tmp_path, fault).patched(), pytest.raises(OSError, match="Errno"):
        move_whole(path, target)
    assert path.read_bytes() == b"content"
    move_whole(path, target)
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("kept", b"content")]


def test_what_is_moved_lasts_before_it_is_gone_from_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    files = Files(tmp_path)
    count = files.due

    def told(operation: str, path: object) -> bool:
        done.append(operation)
        return count(operation, path)

    monkeypatch.setattr(files, "due", told)
    (tmp_path / "waiting").write_bytes(b"content")
    with files.patched():
        move_whole(tmp_path / "waiting", tmp_path / "kept")
    assert [step for step in done if step not in ("open", "read")] == ["write", "fsync", "rename", "fsync", "unlink"]


def test_what_a_person_names_may_be_a_device_or_a_link(tmp_path: Path) -> None:
    write_output(Path("/dev/null"), "gone")
    assert Path("/dev/null").is_char_device()
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    write_output(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_an_export_that_only_its_owner_may_read_stays_so(tmp_path: Path) -> None:
    target = tmp_path / "private.json"
    target.write_text("old")
    target.chmod(0o600)
    write_output(target, "new")
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o600)


@pytest.mark.parametrize("name", ["n" * 255, "名" * 85])
def test_a_name_may_be_as_long_as_the_file_system_takes(tmp_path: Path, name: str) -> None:
    write_output(tmp_path / name, "new")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_export_lasts_with_its_name(tmp_path: Path) -> None:
    files = Files(tmp_path)
    with files.patched():
        write_output(tmp_path / "out.json", "new")
    assert files.counts["fsync"] == 2, "the file, and the folder that names it"
