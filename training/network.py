"""The network: one encoder reads two texts at once; heads judge the pair, find an answer, tell what a task asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from memory_bank.bank.task_kind import KINDS
from memory_bank.judgement.encoding import encode
from memory_bank.judgement.statement import Statement
from training.bases import Base

LABELS = 3


class Network(nn.Module):
    """Four heads on a pair of texts, all of logits.

    Of (entails, neutral, contradicts); of whether the second answers the first; of where that answer starts and ends,
    for each token; of the kind of task that the first is. The first two heads see the first token's state, the mean
    state of either text, their difference and product.
    """

    def __init__(self, base: Base, dropout: float = 0.1, inner_dropout: float = 0.0) -> None:
        super().__init__()
        self.encoder = base.encoder
        for module in self.encoder.modules():
            if isinstance(module, nn.Dropout):
                module.p = inner_dropout
        width = self.encoder.config.hidden_size
        self.pair = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(5 * width, width), nn.Tanh(), nn.Dropout(dropout), nn.Linear(width, LABELS)
        )
        self.answers = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(5 * width, width), nn.Tanh(), nn.Dropout(dropout), nn.Linear(width, 1)
        )
        self.span = nn.Linear(width, 2)
        self.kind = nn.Sequential(nn.Dropout(dropout), nn.Linear(2 * width, len(KINDS)))
        self._tells_sides_apart = hasattr(self.encoder.embeddings, "token_type_embeddings")

    def forward(self, ids: Tensor, mask: Tensor, second: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """`ids`, `mask`, `second` (1 on the tokens of the second text): int64, pairs × tokens."""
        kinds = {"token_type_ids": second} if self._tells_sides_apart else {}
        states = self.encoder(input_ids=ids, attention_mask=mask, **kinds).last_hidden_state
        left = (mask * (1 - second)).unsqueeze(-1).to(states.dtype)
        right = (mask * second).unsqueeze(-1).to(states.dtype)
        a = (states * left).sum(1) / left.sum(1)
        b = (states * right).sum(1) / right.sum(1).clamp(min=1)
        features = torch.cat([states[:, 0], a, b, (a - b).abs(), a * b], dim=-1)
        kind = self.kind(torch.cat([states[:, 0], a], dim=-1))
        return self.pair(features), self.answers(features), self.span(states), kind


def batch(tokenizer: Tokenizer, pairs: list[tuple[Statement, Statement]], *, compared: bool) -> list[Tensor]:
    """Pairs of statements as the network takes them, padded to the longest."""
    return [torch.from_numpy(np.asarray(part)) for part in encode(tokenizer, pairs, compared=compared)]


def save(network: Network, base: Base, folder: Path, **notes: Any) -> None:
    """Weights and tokenizer, to go on from."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save({"weights": network.state_dict(), "base": base.name, **notes}, folder / "network.pt")
    base.tokenizer.save(str(folder / "tokenizer.json"))


def load(network: Network, folder: Path) -> None:
    """Weights of a network saved before, of the same base; heads that it did not have stay as they are."""
    network.load_state_dict(torch.load(folder / "network.pt", weights_only=False)["weights"], strict=False)
