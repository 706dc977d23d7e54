"""The other end of `apart`: reads one file, tells what it does on the standard output, and ends."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from memory_bank.errors import UnreadableDocumentError
from memory_bank.modules.child_process import limit
from memory_bank.modules.documents import bounds
from memory_bank.modules.documents.apart import pack, read_frame, write_frame
from memory_bank.modules.documents.reading import read_bytes


def serve() -> int:
    """Read the one file that is asked for; 0 if it told what became of that."""
    limit(bounds.MEMORY, bounds.MOST_SECONDS)
    request = read_frame(sys.stdin.buffer)
    if request is None:
        return 1
    asked, _ = request
    try:
        data = Path(asked["path"]).read_bytes()
        document = read_bytes(data, asked["name"], _recognise if asked["recognise"] else None, _tell_page)
        header, payload = pack(document)
    except UnreadableDocumentError as error:
        header, payload = {"refused": error.reason}, b""
    write_frame(sys.stdout.buffer, header, payload)
    return 0


def _tell_page(done: int, of: int) -> None:
    write_frame(sys.stdout.buffer, {"page": [done, of]})


def _recognise(picture: Image.Image) -> str:
    """Have the picture read by the process that asked."""
    upright = picture.convert("RGB")
    write_frame(sys.stdout.buffer, {"picture": upright.size}, upright.tobytes())
    answer = read_frame(sys.stdin.buffer)
    return "" if answer is None else str(answer[0]["text"])


if __name__ == "__main__":
    sys.exit(serve())
