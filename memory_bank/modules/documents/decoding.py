"""Bytes to text: which encoding, and what is cleaned away."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

# A byte order mark settles the encoding. The longer marks come first: UTF-32's begins like UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# What text is written in where it is not Unicode; without this list short texts are taken for rare encodings.
_LEGACY = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "cp874"),
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
]
_WESTERN = "cp1252"
_WESTERN_SHARE = 0.2
_KOREAN = "cp949"
_STRANGE = (
    ("euc_jp", re.compile("[\u3131-\u318e]"), 0.3),
    ("gb18030", re.compile("[\u4e00-\u9fff\uf900-\ufaff]"), 0.1),
)
"""What Korean has little of, its share, and the encoding of what has more: letters that stand apart, which have the
places of Japan's syllables (people write them for laughing), and Chinese signs."""
_SAMPLE = 200_000

# A file may name its encoding; not each name that Python knows is one ("undefined", "unicode_escape").
_DECLARABLE = re.compile(r"cp\d|iso8859|iso2022|koi8|gb|hz|big5|euc|shift_jis|mac|tis|johab")
# The encodings meant by these names have more characters than the standards of the same name.
_AS_BROWSERS_DO = {
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b")) + b"\x7f"
# Text holds a stray control character; a binary file is full of them (a tenth of random bytes are).
_MOST_CONTROLS = 0.3
_MOST_CONTROLS_UNDECODED = 0.03

_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Normalise line ends to ``\n`` and put U+FFFD for what no text should hold.

    That is control characters other than ``\n`` and ``\t``, and lone surrogates, which cannot be encoded. A
    form feed counts as a line end. Everything else is kept exactly.
    """
    text = _CONTROLS.sub("\ufffd", _LINE_ENDS.sub("\n", text))
    if _SURROGATES.search(text):
        # A pair of surrogates is one character that was written as two; a lone one is none.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def decode(data: bytes, declared: str | None = None) -> str | None:
    """Decode a text file and clean it; `None` if it is not text.

    Tried in this order: a byte order mark, UTF-8, the encoding `declared` in the file itself, UTF-16 without a
    mark, a guess among the encodings in common use.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return clean(data.decode(encoding, "replace"))
    text = _as_utf8(data) or _as_declared(data, declared) or _as_utf16(data) or _as_legacy(data)
    return None if text is None else clean(text)


def _as_utf8(data: bytes) -> str | None:
    if _control_share(data) > _MOST_CONTROLS:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    # A file cut off or pasted together: still UTF-8 if most of what is not ASCII decodes.
    damage = text.count("\ufffd")
    sound = sum(1 for character in text if character > "\x7f") - damage
    return text if sound >= 2 * damage else None


def _as_declared(data: bytes, declared: str | None) -> str | None:
    if declared is None or _control_share(data) > _MOST_CONTROLS_UNDECODED:
        return None
    try:
        encoding = codecs.lookup(declared).name
    except LookupError:
        return None
    if not _DECLARABLE.match(encoding):
        return None
    return data.decode(_AS_BROWSERS_DO.get(encoding, encoding), "replace")


def _as_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark by its zeros: every second byte of Western text."""
    sample = data[:_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) < 0.2 * len(sample) or min(even, odd) > 0.02 * len(sample):
        return None
    text = data.decode("utf-16-le" if odd > even else "utf-16-be", "replace")
    western = sum(1 for character in text[:_SAMPLE] if character.isspace() or " " <= character < "\u0250")
    return text if western >= 0.7 * len(text[:_SAMPLE]) else None


def _as_legacy(data: bytes) -> str | None:
    if _control_share(data) > _MOST_CONTROLS_UNDECODED:
        return None
    sample = data[:_SAMPLE]
    matches = from_bytes(sample, cp_isolation=_LEGACY)
    best = matches.best()
    western = next((m for m in matches if _WESTERN in (m.encoding, *m.could_be_from_charset)), None)
    encoding = best.encoding if best else _WESTERN
    # Many encodings explain a few accents equally well: then it is the most common one.
    few = sum(1 for byte in sample if byte > 127) <= _WESTERN_SHARE * len(sample)
    if best and western and few and western.chaos <= best.chaos and western.coherence >= best.coherence:
        encoding = _WESTERN
    if encoding == _KOREAN:
        encoding = _east_asian(sample.decode(_KOREAN, "replace"))
    return data.decode(encoding, "replace")


def _east_asian(korean: str) -> str:
    """The encoding of bytes that are Korean too: where that looks like no Korean, they say something in another."""
    hangul = sum("\uac00" <= sign <= "\ud7a3" for sign in korean)
    for encoding, strange, most in _STRANGE:
        found = len(strange.findall(korean))
        if found > most * (found + hangul):
            return encoding
    return _KOREAN


def _control_share(data: bytes) -> float:
    sample = data[:_SAMPLE]
    return 1 - len(sample.translate(None, _CONTROL_BYTES)) / len(sample) if sample else 0.0
