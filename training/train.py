"""Trains a network on rows of tokens: `python -m training.train --base e5 --rows FILE --out FOLDER`.

Seeds are fixed. On an accelerator the matrix products are done in bfloat16, on a processor if asked. Of the pairs that
do not contradict, which are many, those are trained on that the network is most wrong about at the time.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from training.bases import load_base
from training.corpus import Label
from training.figures import figures
from training.network import Network, load, save
from training.rows import LANGUAGES, Kind, Rows
from training.supplies import POOLS

SHARES = {
    "crossings": 0.3, "authored": 2, "snli": 0.25, "dossiers": 4, "dossier negatives": 0.15, "descriptions": 0.25,
    "documents": 0.25, "dossier questions": 3, "accounts": 4, "account negatives": 0.5,
    "account questions": 3, "cropped": 0.5,
}  # fmt: skip
"""How much of a supply an epoch takes (more than 1: more than once); of others, all. `--share` says otherwise."""
WORST = 0.6
"""Share of what an epoch takes of a pool that the network is most wrong about; the rest is taken by chance."""
WARM_UP = 0.04
"""Share of the steps until the rate is reached."""
SPAN = 0.15
"""What finding either end of an answer weighs beside telling whether there is one."""
LEAST_RATE = 0.02
"""Share of the rate that is left at the end."""
HEADS_RATE = 4
"""How many times faster than the encoder the heads learn."""
BUCKET = 40
"""Batches are filled from so many batches' worth of rows sorted by length, so that little is padding."""
SMALLEST_BATCH = 8
JUDGED_AT = (0.0, 0.25, 0.5, 0.75)
"""Shares of the steps after which the pools are judged anew, unless `--judge-at` says otherwise."""
AVERAGED_EACH, AVERAGED = 5, 1 / 15
"""How often the weights that are kept move to those of the step, and the share of the steps that they average over."""
SAID_EACH = 100

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """How long and how fast a network is fitted."""

    epochs: float
    rate: float
    batch: int
    seed: int
    judged: int | None = None
    """Pairs of each pool that are judged at a time, all if none: drawn anew each time."""
    judge_at: tuple[float, ...] = JUDGED_AT
    shares: Mapping[str, float] = field(default_factory=lambda: SHARES)
    frozen: int = 0
    """First layers of the encoder that stay as they are."""
    pairs: int | None = None
    """So many English pairs of the families, the same in each epoch, and nothing else; all there is if none."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="e5", choices=("e5", "mpnet"))
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="a folder of a network to go on from, trained or as it ships")
    parser.add_argument("--epochs", type=float, default=4)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--dropout", type=float, default=0.1, help="inside the encoder")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--bfloat16", action="store_true", help="on a processor too: where it has it, three times faster"
    )
    parser.add_argument("--judged", type=int, help="pairs of each pool that are judged at a time (all)")
    parser.add_argument("--judge-at", type=float, nargs="*", default=JUDGED_AT, help="shares of the steps")
    parser.add_argument("--frozen", type=int, default=0, help="first layers of the encoder that stay as they are")
    parser.add_argument("--pairs", type=int, help="train on so many pairs of the families alone, for a learning curve")
    parser.add_argument("--share", action="append", default=[], metavar="SUPPLY=SHARE", help="instead of SHARES")
    given = parser.parse_args()
    shares = SHARES | {name: float(share) for name, share in (one.split("=") for one in given.share)}
    torch.manual_seed(given.seed)
    base = load_base(given.base)
    network = Network(base, inner_dropout=given.dropout)
    if given.start and (given.start / "network.pt").is_file():
        load(network, given.start)
    elif given.start:
        from training.shipped import load_shipped  # needs onnx, which the tests do without

        load_shipped(network, given.start)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows = RowsOnDevice(Rows.read(given.rows), device, bfloat16=given.bfloat16 or device == "cuda")
    judge_at = tuple(given.judge_at)
    length = (given.epochs, given.rate, given.batch, given.seed)
    plan = Plan(*length, given.judged, judge_at, shares, frozen=given.frozen, pairs=given.pairs)
    averaged = train(network.to(device), rows, plan)
    save(averaged.cpu(), base, given.out)
    print(json.dumps(figures(averaged.to(device), rows)), flush=True)


class RowsOnDevice:
    """Rows whose tokens are kept where the network is, so that a batch is gathered in no time."""

    def __init__(self, rows: Rows, device: str, *, bfloat16: bool = False) -> None:
        self.rows, self.device, self._bfloat16 = rows, device, bfloat16
        self.lengths = rows.lengths.astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self._ids = torch.from_numpy(rows.ids.astype(np.int32)).to(device)
        self._starts, self._lengths, self._firsts, self.labels, self.spans = (
            torch.from_numpy(part.astype(np.int64)).to(device)
            for part in (starts, self.lengths, rows.firsts, rows.labels, rows.spans)
        )

    def batch(self, chosen: Indices) -> tuple[Tensor, Tensor, Tensor]:
        """Token ids, mask, and 1 on the tokens of the second text: rows × tokens."""
        index = torch.as_tensor(chosen, device=self.device)
        places = torch.arange(int(self.lengths[chosen].max()), device=self.device)[None]
        inside = places < self._lengths[index][:, None]
        ids = self._ids[(self._starts[index][:, None] + places).clamp(max=len(self._ids) - 1)].long()
        second = inside & (places >= self._firsts[index][:, None])
        return ids.masked_fill(~inside, Network.PAD), inside.long(), second.long()

    def logits(self, network: Network, chosen: Indices, kind: Kind) -> tuple[Tensor, Tensor | None]:
        """Of the head of a kind, and where a question's answer starts and ends in the second text, if it is told."""
        ids, mask, second = self.batch(chosen)
        with torch.autocast(self.device, torch.bfloat16, enabled=self._bfloat16):
            found, span = network.head(kind, ids, mask, second)
        if span is not None:
            span = span.float().masked_fill(second[:, :, None] == 0, -torch.inf)
        return found.float(), span

    @torch.no_grad()
    def scores(self, network: Network, chosen: Indices, kind: Kind, size: int = 512) -> NDArray[np.float32]:
        """Logits of the head of a kind: rows × its numbers."""
        network.eval()
        order = np.argsort(self.lengths[chosen], kind="stable")
        parts = [order[start : start + size] for start in range(0, len(order), size)]
        found = [self.logits(network, chosen[part], kind)[0].cpu().numpy() for part in parts]
        made = np.zeros((len(chosen), *found[0].shape[1:]), np.float32) if found else np.zeros((0, 1), np.float32)
        for part, own in zip(parts, found, strict=True):
            made[part] = own
        return made


class Epochs:
    """What is trained on, an epoch at a time: of each supply its share, of each item one of its rows."""

    def __init__(
        self, on_device: RowsOnDevice, seed: int, shares: Mapping[str, float] = SHARES, pairs: int | None = None
    ) -> None:
        self._on_device, self._shares = on_device, shares
        self._chance = np.random.default_rng(seed)
        rows = on_device.rows
        self._pools: dict[tuple[int, int], Indices] = {}
        self._items: dict[tuple[int, int], list[Indices]] = {}
        for key in {(int(s), int(n)) for s, n in zip(rows.supplies, rows.languages, strict=True)}:
            own = np.flatnonzero((rows.supplies == key[0]) & (rows.languages == key[1]) & ~rows.held_out)
            if str(rows.names[key[0]]) in POOLS:
                self._pools[key] = own
            elif own.size:
                own = own[np.argsort(rows.items[own], kind="stable")]
                self._items[key] = np.split(own, np.flatnonzero(np.diff(rows.items[own])) + 1)
        if pairs is not None:
            key = list(rows.names).index("families"), LANGUAGES.index("en")
            chosen = self._chance.permutation(len(self._items[key]))[:pairs]
            self._pools, self._items = {}, {key: [self._items[key][n] for n in chosen]}

    def judge(self, network: Network, most: int | None = None) -> None:
        """Order the pools, or so many pairs of each, by how surely the network takes one for a contradiction."""
        for key, whole in self._pools.items():
            if not self._share(key):
                continue
            own, rest = np.split(self._chance.permutation(whole), [most or len(whole)])
            logits = self._on_device.scores(network, own, Kind.PAIR)
            contradicts = logits[:, Label.CONTRADICTS] - np.logaddexp(logits[:, 0], logits[:, 1])
            self._pools[key] = np.concatenate([own[np.argsort(-contradicts)], rest])

    def draw(self) -> Indices:
        """The rows of one epoch."""
        return np.concatenate([*map(self._of_pool, self._pools), *map(self._of_items, self._items)])

    def _share(self, key: tuple[int, int]) -> float:
        return self._shares.get(str(self._on_device.rows.names[key[0]]), 1.0)

    def _of_pool(self, key: tuple[int, int]) -> Indices:
        own = self._pools[key]
        count = round(len(own) * self._share(key))
        worst = round(count * WORST)
        return np.concatenate([own[:worst], self._chance.choice(own[worst:], count - worst, replace=False)])

    def _of_items(self, key: tuple[int, int]) -> Indices:
        items, share = self._items[key], self._share(key)
        further = self._chance.choice(len(items), round(len(items) * (share % 1)), replace=False)
        places = [*range(len(items))] * int(share) + [int(n) for n in further]
        return np.array([self._chance.choice(items[n]) for n in places], np.int64)

    def batches(self, size: int) -> Iterator[tuple[Kind, Indices]]:
        """An epoch's batches, each of one kind and of rows of like length."""
        drawn, made = self.draw(), []
        for kind in Kind:
            own = self._chance.permutation(drawn[self._on_device.rows.kinds[drawn] == kind])
            for start in range(0, len(own), size * BUCKET):
                some = own[start : start + size * BUCKET]
                some = some[np.argsort(self._on_device.lengths[some], kind="stable")]
                made += [(kind, some[at : at + size]) for at in range(0, len(some), size)]
        order = self._chance.permutation(len(made))
        return (made[n] for n in order if len(made[n][1]) >= SMALLEST_BATCH)


def train(network: Network, rows: RowsOnDevice, plan: Plan) -> Network:
    """Fit the network; the embeddings of words stay as they are.

    Returns the average of its weights over the last steps, which judges better than the last ones.
    """
    encoder, heads = _parts_to_fit(network, plan.frozen)
    epochs = Epochs(rows, plan.seed, plan.shares, plan.pairs)
    steps = math.ceil(len(epochs.draw()) * plan.epochs / plan.batch)
    groups = [{"params": encoder, "lr": plan.rate}, {"params": heads, "lr": plan.rate * HEADS_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    kept = max(0.0, 1 - AVERAGED_EACH / (AVERAGED * steps))
    averaged = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(kept))
    judged_at = [int(share * steps) for share in plan.judge_at]
    began, done, losses = time.time(), 0, []
    while done < steps:
        if judged_at and done >= judged_at[0]:
            judged_at.pop(0)
            epochs.judge(network, plan.judged)
        network.train()
        for kind, chosen in epochs.batches(plan.batch):
            loss = _loss(network, rows, kind, chosen)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            losses.append(loss.detach())
            done += 1
            if done % AVERAGED_EACH == 0:
                averaged.update_parameters(network)
            if done % SAID_EACH == 0:
                mean = float(torch.stack(losses[-SAID_EACH:]).mean())
                print(f"{done}/{steps} loss {mean:.3f} {(time.time() - began) / done:.3f} s a step", flush=True)
            if done >= steps or (judged_at and done >= judged_at[0]):
                break
    return averaged.module


def _parts_to_fit(network: Network, frozen: int) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Of the encoder and of the heads; with first layers that stay as they are, all embeddings do."""
    network.encoder.embeddings.word_embeddings.weight.requires_grad_(requires_grad=False)
    layers = list(network.encoder.get_submodule("encoder.layer").children())
    for part in [network.encoder.embeddings, *layers[:frozen]] if frozen else []:
        part.requires_grad_(requires_grad=False)
    fitted: dict[bool, list[nn.Parameter]] = {True: [], False: []}
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            fitted[name.startswith("encoder.")].append(parameter)
    return fitted[True], fitted[False]


def _loss(network: Network, rows: RowsOnDevice, kind: Kind, chosen: Indices) -> Tensor:
    """Of a batch of one kind."""
    found, span = rows.logits(network, chosen, kind)
    index = torch.as_tensor(chosen, device=rows.device)
    labels = rows.labels[index]
    if kind is Kind.PAIR:
        return pair_loss(found, labels)
    if kind is Kind.TASK:
        return functional.cross_entropy(found, labels)
    loss = functional.binary_cross_entropy_with_logits(found[:, 0], labels.float())
    spans = rows.spans[index]
    told = spans[:, 0] >= 0
    if span is not None and told.any():
        for side in (0, 1):
            loss = loss + SPAN * functional.cross_entropy(span[told][:, :, side], spans[told][:, side])
    return loss


def pair_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy; of a compatible pair only that it does not contradict."""
    logs = functional.log_softmax(logits, dim=-1)
    compatible = torch.logsumexp(logs[:, :2], dim=-1)
    chosen = logs.gather(1, labels.clamp(max=Label.CONTRADICTS).unsqueeze(1)).squeeze(1)
    return -torch.where(labels == Label.COMPATIBLE, compatible, chosen).mean()


def _rate(step: int, steps: int) -> float:
    return min(1.0, (step + 1) / (WARM_UP * steps)) * max(LEAST_RATE, 0.5 * (1 + math.cos(math.pi * step / steps)))


if __name__ == "__main__":
    main()
