"""Documents made wrong in every way, for the readers: what is made, and what must become of each."""

from __future__ import annotations

import io
import json
import random
import re
import subprocess
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import sandbox, worker
from memory_bank.documents.document import Document
from memory_bank.documents.pictures.lines import load_models
from memory_bank.documents.source_reader import SourceReader
from scripts.forked_reader import ForkedProcess, begin
from scripts.mutation import spoilt_bytes
from scripts.watched import Fault, check_line
from tests.builders import make_source
from tests.documents.hostile import scripted_pdf, wide_xlsx
from tests.documents.pictures.drawn import line
from tests.documents.writers import WRITERS, with_parts

READER = worker.__name__
"""The module that reads a document in a process of its own."""
HEADING = "Beacon Mill"
PARAGRAPHS = ("Beacon Mill was last worked in 1921. It is a smock mill.", "A plan of 1869 shows four floors.")
PICTURES = ("png", "jpeg", "gif", "webp", "tiff", "bmp", "avif")
_PICTURE_SHARE = 0.15
"""Of the cases: each picture that still can be decoded is recognised, which takes the longest."""
_OWN_PROCESS = 50
"""One of so many is read as the app reads it, by a process that loads everything; the others by one forked."""
_CHAT = [
    {"speaker": "Ann", "text": "When was the mill last worked?", "time": "2024-05-01T12:00:00"},
    {"speaker": "Bob", "text": "In 1921, I think.", "time": "2024-05-01T12:01:00"},
]
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?")
_WORDS = (
    "<|>|</|/>|<!--|-->|]]>|<![CDATA[|&#0;|&#xD800;|xmlns='x'|href='../../x'|<w:p>|<w:tbl>|<a:t>|<row>|<c>|<div>|<table>|"
    "<!ENTITY a SYSTEM 'file:///etc/passwd'>&a;|<?xml version='1.0' encoding='utf-7'?>|<tr><td colspan=99999>|<script>|"
    "<meta charset=utf-16>|<pre>|1 0 obj|endobj|stream\n|endstream|xref|trailer|/Kids [2 0 R]|/Length 99999999|<<|>>|"
    "/Type /Page|/Filter /FlateDecode|/Encrypt 1 0 R|/Parent 2 0 R|%PDF-|%%EOF|startxref\n0| Tj|PK\3\4|PK\1\2|PK\5\6|"
    "\xff\xff\xff\xff|\0\0\0\0|\x7f\xff\xff\xff|\x80|{\\rtf1|\\u-10179?|\\bin99999 |\\'|{\\*\\|}|null|\\ud800|# |```|"
    '\n\n|\r|\0|\xef\xbb\xbf|\xff\xfe|"|,|;|\t|\'|[|{|{"a":|1e999|NaN|-|99999999999999999999|IHDR|IDAT|\xff\xda|\xff\xc0|'
    "Content-Type: multipart/mixed; boundary=b\n\n--b\n|Content-Transfer-Encoding: base64\n|=?utf-8?B?=?=|GIF89a|II*\0|"
    "RIFF|VP8L|Exif\0\0|ftypavif|12:00, Ann: |[01.05.24, 12:00:00] Ann: "
)
"""Words of the formats, between bars."""
_TOKENS = tuple(
    token.encode("latin-1") for token in (*_WORDS.split("|"), "| - |", "* " * 50, "> " * 50, "_" * 99, "[a](" * 50)
)


def corpus() -> dict[str, bytes]:
    """Small right documents of every format by their names; the same bytes each time."""
    texts = {
        "rows.csv": b"mill,built\nBeacon,1869\n",
        "rows.tsv": b"mill\tbuilt\nBeacon\t1869\n",
        "data.json": json.dumps({"mill": {"name": HEADING, "built": 1869, "floors": [1, 2.5, None]}}).encode(),
        "lines.jsonl": b'{"mill": "Beacon"}\n{"built": 1869}\n',
        "chat.json": json.dumps(_CHAT).encode(),
        "chat.txt": b"[01.05.24, 12:00:00] Ann: When?\n[01.05.24, 12:01:00] Bob: In 1921.\n",
        "talk.srt": b"1\n00:00:01,000 --> 00:00:02,000\nAnn: When?\n\n00:00:03,000 --> 00:00:04,000\nBob: In 1921.\n",
        "code.py": b'"""The mill."""\n\nBUILT = 1869\n',
        "wide.txt": HEADING.encode("utf-16"),
        "drawing.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><text>Beacon Mill</text></svg>",
        "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
        "wide.xlsx": wide_xlsx(),
        "scripted.pdf": scripted_pdf(),
    }
    for ending in ("odt", "ods", "odp"):  # odfpy declares every namespace that this process has used so far
        WRITERS[ending](HEADING, PARAGRAPHS)
    written = {f"{ending}.{ending}": write(HEADING, PARAGRAPHS) for ending, write in WRITERS.items()}
    written["pictured.docx"] = with_parts(written["docx.docx"], {"word/media/image1.png": _picture("png")})
    written |= {f"scan.{kind}": _picture(kind) for kind in (*PICTURES, "pdf")}
    return {name: _settled(data) for name, data in (texts | written).items()}


def _picture(kind: str) -> bytes:
    file = io.BytesIO()
    written = line("Beacon Mill, 1869").convert("RGB")
    then = {"creationDate": time.gmtime(0), "modDate": time.gmtime(0)} if kind == "pdf" else {}
    more = {"save_all": True, "append_images": [written]} if kind in {"tiff", "gif"} else {}
    written.save(file, kind, **then, **more)
    return file.getvalue()


def _settled(data: bytes) -> bytes:
    """A package without the time when it was made."""
    if not data.startswith(b"PK"):
        return data
    return _packed([(name, _TIME.sub(b"2024-01-01T00:00:00", part)) for name, part in _parts(data)])


def _parts(data: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return [(name, package.read(name)) for name in package.namelist()]


def _packed(parts: Sequence[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as package:
        for name, content in parts:
            package.writestr(zipfile.ZipInfo(name), content, method)
    return written.getvalue()


class Documents:
    """Mutated documents by number, and whether reading one ends as it should."""

    def __init__(self, documents: dict[str, bytes]) -> None:
        self._documents = documents
        self._pictures = [name for name in documents if name.startswith("scan.")]
        self._others = [name for name in documents if name not in self._pictures]

    def begin(self) -> None:
        """Load what is loaded once."""
        load_models()
        begin()

    def data(self, number: int) -> bytes:
        """The document of that number, always the same."""
        return self._made(number)[1]

    def attempt(self, data: bytes, number: int, folder: Path) -> str:
        """Read it from the folder: what became of it in a few words; `Fault` where it should not have."""
        name, _ = self._made(number)
        path = folder / "files" / "s1"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        forked = SimpleNamespace(Popen=ForkedProcess, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)
        sandbox.subprocess = forked if number % _OWN_PROCESS else subprocess  # type: ignore[attr-defined]
        source = make_source("s1").model_copy(update={"name": name, "role": "reference"})
        try:
            document = SourceReader(folder).read(source)
        except UnreadableDocumentError as error:
            outcome = "refused: " + check_line(str(error).removeprefix(f"{name}: "))
        else:
            outcome = "read: " + _checked(document)
        if ForkedProcess.told:
            told, ForkedProcess.told = ForkedProcess.told, ""
            raise Fault(f"by the reading process: {told:.300}")
        if path.read_bytes() != data:
            raise Fault("it changed the document")
        path.unlink()
        return outcome

    def _made(self, number: int) -> tuple[str, bytes]:
        chance = random.Random(number)  # noqa: S311 - nothing secret
        name = chance.choice(self._pictures if chance.random() < _PICTURE_SHARE else self._others)
        data = self._documents[name]
        others = [self._documents[chance.choice(self._others)], data]
        if data.startswith(b"PK") and chance.random() < 0.7:
            data = _spoilt_package(data, chance, others)
        else:
            for _ in range(chance.choice((1, 1, 1, 2, 5))):
                data = spoilt_bytes(data, chance, others, _TOKENS)
        if chance.random() < 0.1:
            name = f"it.{chance.choice(list(self._documents)).rpartition('.')[2]}"
        return name, data


def _spoilt_package(data: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    parts = _parts(data)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(parts))
        name, content = parts[at]
        match chance.randrange(10):
            case 0:
                del parts[at]
                parts = parts or [("x", b"")]
            case 1:
                parts[at] = (
                    chance.choice(("../../x", "/etc/x", "word/document.xml", "content.xml", "\u202e")),
                    content,
                )
            case 2:
                parts[at] = (name, chance.choice(parts)[1])
            case _:
                parts[at] = (name, spoilt_bytes(content, chance, others, _TOKENS))
    unique = list(dict(parts).items())
    return _packed(unique, chance.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)))


def _checked(document: Document) -> str:
    """Its media type, if the document is whole."""
    document.text.encode()
    spans = [(page.start, page.end) for page in document.pages] + [(one.start, one.end) for one in document.headings]
    if not document.text.strip() or any(not 0 <= start <= end <= len(document.text) for start, end in spans):
        raise Fault("a document without text, or with a page or heading outside it")
    return document.media_type
