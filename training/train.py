"""Trains the pair model: `python -m training.train --base e5 --out FOLDER`.

Seeds are fixed. On a processor that has them, the matrix products are done in bfloat16 (five times as fast, the same
within noise); elsewhere in float32.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from training.bases import Base, load_base
from training.corpus import Label, Pair
from training.network import Network, batch, load, save
from training.supplies import held_out, supplies

BATCH = 32
WARM_UP = 0.06
KEPT_EACH = 100
"""Steps after which what is learnt so far is written down."""
BUCKET = 40
"""Batches are filled from so many batches' worth of pairs sorted by length, so that little is padding."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="e5", choices=("e5", "minilm", "mpnet"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="a folder of a network to go on from")
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--supplies", default="", help="name=share,… of the supplies (default: all of each)")
    parser.add_argument("--mined", type=Path, default=Path("mined.jsonl"), help="what training.mine wrote")
    parser.add_argument("--pairs", type=int, help="take only so many pairs of the corpus, for the learning curve")
    parser.add_argument("--languages", default="", help="only pairs of these, as en,zh")
    parser.add_argument("--frozen", type=int, default=0, help="so many of the lower layers stay as they are")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    shares = dict(one.split("=") for one in given.supplies.split(",") if one)
    pairs = supplies({name: float(share) for name, share in shares.items()}, given.mined, given.seed)
    wanted = {one for one in given.languages.split(",") if one}
    kept, apart = held_out([pair for pair in pairs if not wanted or pair.language in wanted])
    if given.pairs is not None:
        kept = random.Random(given.seed).sample(kept, min(given.pairs, len(kept)))
    print(
        {"train": len(kept), "held out": len(apart), **Counter(f"{p.supply}:{p.label.name}" for p in kept)}, flush=True
    )
    base = load_base(given.base)
    network = Network(base)
    if given.start:
        load(network, given.start)
    for layer in base.encoder.encoder.layer[: given.frozen]:
        layer.requires_grad_(requires_grad=False)
    plan = Plan(given.epochs, given.rate, given.seed, lambda: save(network, base, given.out, rows=len(kept)))
    train(network, base, kept, plan)
    plan.keep()
    print(json.dumps(figures(network, base, apart)), flush=True)


@dataclass(frozen=True)
class Plan:
    """How long and how fast a network is fitted; `keep` writes it down as it is."""

    epochs: float
    rate: float
    seed: int
    keep: Callable[[], None]


def train(network: Network, base: Base, pairs: Sequence[Pair], plan: Plan) -> None:
    """Fit the network; embeddings of words stay as they are."""
    network.encoder.embeddings.word_embeddings.weight.requires_grad_(requires_grad=False)
    chance, rate = random.Random(plan.seed), plan.rate
    steps = int(len(pairs) * plan.epochs / BATCH)
    groups = [
        {
            "params": [p for n, p in network.named_parameters() if p.requires_grad and n.startswith("encoder")],
            "lr": rate,
        },
        {
            "params": [p for n, p in network.named_parameters() if p.requires_grad and not n.startswith("encoder")],
            "lr": rate * 5,
        },
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    began, done, losses = time.time(), 0, []
    network.train()
    while done < steps:
        for rows in _batches(pairs, chance):
            shown = [
                pair.turned() if pair.label is not Label.ENTAILS and chance.random() < 0.5 else pair for pair in rows
            ]
            made = batch(base.tokenizer, [(pair.a, pair.b) for pair in shown])
            with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16_is_fast()):
                logits, _ = network(made.ids, made.mask, made.second)
            loss = pair_loss(logits.float(), [pair.label for pair in shown])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
            done += 1
            if done % 25 == 0:
                print(
                    f"{done}/{steps} loss {np.mean(losses[-25:]):.3f} {(time.time() - began) / done:.2f} s a step",
                    flush=True,
                )
            if done % KEPT_EACH == 0:
                plan.keep()
            if done >= steps:
                return


def pair_loss(logits: torch.Tensor, labels: Sequence[Label]) -> torch.Tensor:
    """Cross entropy; of a compatible pair only that it does not contradict."""
    logs = functional.log_softmax(logits, dim=-1)
    compatible = torch.logsumexp(logs[:, :2], dim=-1)
    known = torch.tensor([min(label, 2) for label in labels])
    chosen = logs.gather(1, known.unsqueeze(1)).squeeze(1)
    open_ = torch.tensor([label is Label.COMPATIBLE for label in labels])
    return -torch.where(open_, compatible, chosen).mean()


def _batches(pairs: Sequence[Pair], chance: random.Random) -> list[list[Pair]]:
    order = list(pairs)
    chance.shuffle(order)
    made = []
    for start in range(0, len(order), BATCH * BUCKET):
        rows = sorted(order[start : start + BATCH * BUCKET], key=_length)
        made += [rows[at : at + BATCH] for at in range(0, len(rows), BATCH)]
    chance.shuffle(made)
    return made


def _length(pair: Pair) -> int:
    return sum(len(one.text) + min(len(one.context), 160) for one in (pair.a, pair.b))


def _rate(step: int, steps: int) -> float:
    warm = max(1, int(steps * WARM_UP))
    return (
        step / warm if step < warm else max(0.02, 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm))))
    )


def bfloat16_is_fast() -> bool:
    """Whether this processor multiplies in bfloat16."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


@torch.no_grad()
def scores(network: Network, base: Base, pairs: Sequence[tuple], size: int = 64) -> np.ndarray:
    """Probabilities of (entails, neutral, contradicts) for pairs of statements."""
    network.eval()
    found = np.zeros((len(pairs), 3), np.float32)
    order = sorted(range(len(pairs)), key=lambda n: len(pairs[n][0].text) + len(pairs[n][1].text))
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        made = batch(base.tokenizer, [pairs[n] for n in chosen])
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16_is_fast()):
            logits, _ = network(made.ids, made.mask, made.second)
        found[chosen] = torch.softmax(logits.float(), -1).numpy()
    return found


def figures(network: Network, base: Base, pairs: Sequence[Pair]) -> dict[str, object]:
    """By supply: accuracy over three classes, and of contradiction or not; precision and recall of contradictions."""
    found = scores(network, base, [(pair.a, pair.b) for pair in pairs])
    by: dict[str, list[tuple[Label, np.ndarray]]] = defaultdict(list)
    for pair, row in zip(pairs, found, strict=True):
        by[pair.supply if pair.supply in ("snli", "crossings") else f"{pair.supply} {pair.language}"].append(
            (pair.label, row)
        )
    made = {}
    for name, rows in sorted(by.items()):
        said = np.array([row.argmax() for _, row in rows])
        gold = np.array([int(label) for label, _ in rows])
        known = gold < 3
        right = (said == 2) & (gold == 2)
        made[name] = {
            "n": len(rows), "three": round(float((said == gold)[known].mean()), 3) if known.any() else None,
            "two": round(float(((said == 2) == (gold == 2)).mean()), 3),
            "P": round(float(right.sum() / max(1, (said == 2).sum())), 3),
            "R": round(float(right.sum() / max(1, (gold == 2).sum())), 3),
        }  # fmt: skip
    return made


if __name__ == "__main__":
    main()
