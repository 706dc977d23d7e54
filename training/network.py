"""The networks: one encoder reads two texts at once; heads judge the pair, find an answer, tell what a task asks for.

The small network (e5) has all of them. The large one (mpnet) judges pairs, and, from the states of two of its layers,
whether the second text answers the first.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from memory_bank.bank.task_kind import KINDS
from training.bases import Base
from training.rows import Kind

LABELS = 3
ANSWER_LAYERS = (9, 12)
"""Of the large network: what its head for answers reads. What goes into the first layer counts as layer 0."""
ANSWER_UNITS = 128
_WIDTHS = 5
"""The first token's state, the mean state of either text, their distance and product."""


class Network(nn.Module):
    """Heads on a pair of texts, all of logits.

    Of (entails, neutral, contradicts); of whether the second answers the first; of where that answer starts and ends,
    for each token; of the kind of task that the first is.
    """

    PAD = 1
    """The padding token of both bases."""

    def __init__(self, base: Base, dropout: float = 0.1, inner_dropout: float = 0.0) -> None:
        super().__init__()
        self.encoder = base.encoder
        for module in self.encoder.modules():
            if isinstance(module, nn.Dropout):
                module.p = inner_dropout
        width = self.encoder.config.hidden_size
        self.large = base.name == "mpnet"
        self.pair = _head(_WIDTHS * width, width, LABELS, dropout)
        if self.large:
            self.answers = _head(len(ANSWER_LAYERS) * _WIDTHS * width, ANSWER_UNITS, 1, dropout)
        else:
            self.answers = _head(_WIDTHS * width, width, 1, dropout)
            self.span = nn.Linear(width, 2)
            self.kind = nn.Sequential(nn.Dropout(dropout), nn.Linear(2 * width, len(KINDS)))

    def forward(self, ids: Tensor, mask: Tensor, second: Tensor) -> tuple[Tensor, ...]:
        """Of all heads. `ids`, `mask`, `second` (1 on the tokens of the second text): int64, pairs × tokens."""
        states, pooled = self._read(ids, mask, second)
        if self.large:
            return self.pair(pooled[-1]), self.answers(torch.cat(pooled, dim=-1))
        return self.pair(pooled[-1]), self.answers(pooled[-1]), self.span(states), self.kind(_beginning(pooled[-1]))

    def head(self, kind: Kind, ids: Tensor, mask: Tensor, second: Tensor) -> tuple[Tensor, Tensor | None]:
        """Of the head that judges a kind of row, and for a question, if the network tells, where the answer stands."""
        states, pooled = self._read(ids, mask, second)
        if kind is Kind.PAIR:
            return self.pair(pooled[-1]), None
        if kind is Kind.TASK:
            return self.kind(_beginning(pooled[-1])), None
        if self.large:
            return self.answers(torch.cat(pooled, dim=-1)), None
        return self.answers(pooled[-1]), self.span(states)

    def _read(self, ids: Tensor, mask: Tensor, second: Tensor) -> tuple[Tensor, list[Tensor]]:
        """The states of the last layer, and of the layers that heads read the pooled ones."""
        kinds = {} if self.large else {"token_type_ids": second}
        found = self.encoder(input_ids=ids, attention_mask=mask, output_hidden_states=self.large, **kinds)
        last = found.last_hidden_state
        layers = [found.hidden_states[n] for n in ANSWER_LAYERS[:-1]] if self.large else []
        left = (mask * (1 - second)).unsqueeze(-1).to(last.dtype)
        right = (mask * second).unsqueeze(-1).to(last.dtype)
        return last, [_pooled(states, left, right) for states in (*layers, last)]


def _head(inputs: int, units: int, outputs: int, dropout: float) -> nn.Sequential:
    first, second = nn.Linear(inputs, units), nn.Linear(units, outputs)
    return nn.Sequential(nn.Dropout(dropout), first, nn.Tanh(), nn.Dropout(dropout), second)


def _pooled(states: Tensor, left: Tensor, right: Tensor) -> Tensor:
    a = (states * left).sum(1) / left.sum(1)
    b = (states * right).sum(1) / right.sum(1).clamp(min=1)
    return torch.cat([states[:, 0], a, b, (a - b).abs(), a * b], dim=-1)


def _beginning(pooled: Tensor) -> Tensor:
    """The first token's state and the mean of the first text."""
    return pooled[:, : 2 * pooled.shape[1] // _WIDTHS]


def save(network: Network, base: Base, folder: Path) -> None:
    """Weights and tokenizer, to go on from."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save({"weights": network.state_dict(), "base": base.name}, folder / "network.pt")
    base.tokenizer.save(str(folder / "tokenizer.json"))


def load(network: Network, folder: Path) -> None:
    """Weights of a network saved before, of the same base; heads that it did not have stay as they are."""
    network.load_state_dict(torch.load(folder / "network.pt", weights_only=False)["weights"], strict=False)
