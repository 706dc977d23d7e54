"""Decode bytes to text: detect the encoding and replace characters that no text should hold."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

# Byte order marks. The longer ones come first: the mark of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# Encodings tried for text that is not Unicode. Without this list short texts are taken for rare encodings.
_LEGACY = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "cp874"),
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
]
_WESTERN = "cp1252"
_MAX_ACCENT_SHARE = 0.2
_KOREAN = "cp949"
_NOT_KOREAN = (
    ("euc_jp", re.compile("[\u3131-\u318e]"), 0.3),
    ("gb18030", re.compile("[\u4e00-\u9fff\uf900-\ufaff]"), 0.1),
)
"""Other encodings whose bytes also decode as Korean: (encoding, characters that are rare in Korean, their largest
share in Korean text). Japanese syllables decode as single Korean letters, which people write for laughter; Chinese
decodes as Chinese characters."""
_SAMPLE = 200_000

# Encodings that a file may declare. Python also knows codecs that are none, such as "undefined" and "unicode_escape".
_DECLARABLE = re.compile(r"cp\d|iso8859|iso2022|koi8|gb|hz|big5|euc|shift_jis|mac|tis|johab")
# As in browsers, these names mean encodings with more characters than the standards of the same name.
_AS_BROWSERS_DO = {
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}

_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b")) + b"\x7f"
# Largest share of control bytes. Text holds a stray one; a binary file is full of them (a tenth of random bytes).
_MAX_CONTROL_SHARE = 0.3
_MAX_CONTROL_SHARE_UNDECODED = 0.03

_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Normalise line ends to ``\n`` and replace by U+FFFD what no text should hold.

    Replaced are control characters other than ``\n`` and ``\t``, and lone surrogates, which cannot be encoded. A
    form feed counts as a line end. Everything else is kept exactly.
    """
    text = _CONTROLS.sub("\ufffd", _LINE_ENDS.sub("\n", text))
    if _SURROGATES.search(text):
        # A pair of surrogates becomes the one character it stands for; a lone one is replaced.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clean_line(text: str) -> str:
    """Clean a text and put it on one line: every run of white space becomes one space."""
    return " ".join(clean(text).split())


def decode(data: bytes, declared: str | None = None) -> str | None:
    """Decode a text file and clean it; `None` if it is not text.

    Tried in this order: a byte order mark, UTF-8, the encoding `declared` in the file itself, UTF-16 without a
    mark, then a guess among common encodings.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return clean(data.decode(encoding, "replace"))
    text = _as_utf8(data) or _as_declared(data, declared) or _as_utf16(data) or _guess_encoding(data)
    return None if text is None else clean(text)


def _as_utf8(data: bytes) -> str | None:
    if _control_share(data) > _MAX_CONTROL_SHARE:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    # A file that was cut off or pasted together is still UTF-8 if most of its non-ASCII text decodes.
    damaged = text.count("\ufffd")
    sound = sum(1 for character in text if character > "\x7f") - damaged
    return text if sound >= 2 * damaged else None


def _as_declared(data: bytes, declared: str | None) -> str | None:
    if declared is None or _control_share(data) > _MAX_CONTROL_SHARE_UNDECODED:
        return None
    try:
        encoding = codecs.lookup(declared).name
    except LookupError:
        return None
    if not _DECLARABLE.match(encoding):
        return None
    return data.decode(_AS_BROWSERS_DO.get(encoding, encoding), "replace")


def _as_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark: in Western text every second byte is zero."""
    sample = data[:_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) < 0.2 * len(sample) or min(even, odd) > 0.02 * len(sample):
        return None
    text = data.decode("utf-16-le" if odd > even else "utf-16-be", "replace")
    western = sum(1 for character in text[:_SAMPLE] if character.isspace() or " " <= character < "\u0250")
    return text if western >= 0.7 * len(text[:_SAMPLE]) else None


def _guess_encoding(data: bytes) -> str | None:
    if _control_share(data) > _MAX_CONTROL_SHARE_UNDECODED:
        return None
    sample = data[:_SAMPLE]
    matches = from_bytes(sample, cp_isolation=_LEGACY)
    best = matches.best()
    western = next((match for match in matches if _WESTERN in (match.encoding, *match.could_be_from_charset)), None)
    encoding = best.encoding if best else _WESTERN
    # Many encodings fit a text with few accents equally well; the most common one is taken then.
    few = sum(1 for byte in sample if byte > 127) <= _MAX_ACCENT_SHARE * len(sample)
    if best and western and few and western.chaos <= best.chaos and western.coherence >= best.coherence:
        encoding = _WESTERN
    if encoding == _KOREAN:
        encoding = _east_asian(sample.decode(_KOREAN, "replace"))
    return data.decode(encoding, "replace")


def _east_asian(korean: str) -> str:
    """The encoding of bytes that decode as Korean: another one where the text does not look like Korean."""
    hangul = sum("\uac00" <= character <= "\ud7a3" for character in korean)
    for encoding, rare, max_share in _NOT_KOREAN:
        count = len(rare.findall(korean))
        if count > max_share * (count + hangul):
            return encoding
    return _KOREAN


def _control_share(data: bytes) -> float:
    sample = data[:_SAMPLE]
    return 1 - len(sample.translate(None, _CONTROL_BYTES)) / len(sample) if sample else 0.0
