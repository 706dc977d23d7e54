"""The process started by `sandbox`: reads one file, reports progress and result on standard output, and ends."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import bounds
from memory_bank.documents.reading import import_parsers, read_bytes
from memory_bank.documents.sandbox import limit, pack, read_frame, write_frame
from memory_bank.text.wording import stored


def serve_request() -> int:
    """Read the requested file. Returns 0 if it sent a document or a refusal."""
    import_parsers()
    limit(bounds.MEMORY, bounds.MOST_SECONDS)
    frame = read_frame(sys.stdin.buffer)
    if frame is None:
        return 1
    request, _ = frame

    def report_page(done: int, total: int) -> None:
        write_frame(sys.stdout.buffer, {"page": [done, total]})

    try:
        data = Path(request["path"]).read_bytes()
        document = read_bytes(data, request["name"], _recognise if request["recognise"] else None, report_page)
        header, payload = pack(document)
    except UnreadableDocumentError as error:
        header, payload = {"refused": stored(error.reason)}, b""
    write_frame(sys.stdout.buffer, header, payload)
    return 0


def _recognise(picture: Image.Image) -> str:
    """Have the picture read by the parent process."""
    rgb = picture.convert("RGB")
    write_frame(sys.stdout.buffer, {"picture": rgb.size}, rgb.tobytes())
    answer = read_frame(sys.stdin.buffer)
    return "" if answer is None else str(answer[0]["text"])


if __name__ == "__main__":
    sys.exit(serve_request())
