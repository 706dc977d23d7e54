"""Trains the pair model: `python -m training.train --base e5 --out FOLDER`.

Seeds are fixed. On an accelerator, and on a processor that has them, the matrix products are done in bfloat16 (five
times as fast, the same within noise); elsewhere in float32. Of the pairs that do not contradict, which are many, those
are trained on that the network is most wrong about at the time.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from memory_bank.judgement.encoding import words_of_second
from memory_bank.judgement.pair_model import LARGE
from memory_bank.judgement.statement import Statement
from training.bases import Base, load_base
from training.corpus import Label, Pair
from training.figures import figures, figures_of_questions, figures_of_tasks, logits_of, scores, sides_of
from training.network import Network, load, save
from training.questions import Asked, Task, asked, tasks
from training.shipped import load_shipped
from training.supplies import Epochs, held_out, is_held_out, nearest, supplies

BATCH = 64
WARM_UP = 200
"""Steps until the rate is reached."""
SPAN = 0.3
"""What finding the words of an answer weighs beside telling whether there is one."""
KEPT_EACH = 500
"""Steps after which what is learnt so far is written down."""
BUCKET = 40
"""Batches are filled from so many batches' worth of pairs sorted by length, so that little is padding."""
JUDGED_AT = (0.0, 0.3, 0.65)
"""Shares of the steps after which the pools of pairs that do not contradict are judged anew."""
AVERAGED_EACH, AVERAGED = 5, 0.99
"""Each so many steps the weights that are kept move by the rest of `AVERAGED` to those of the step."""


Item = Pair | Asked | Task


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="e5", choices=("e5", "mpnet"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="a folder of a network to go on from, trained or as it ships")
    parser.add_argument("--epochs", type=float, default=4)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--dropout", type=float, default=0.1, help="inside the encoder")
    parser.add_argument("--supplies", default="", help="name=share,… of the supplies (default: all of each)")
    parser.add_argument("--judged", type=int, default=70_000, help="so many pairs of each pool are judged each time")
    parser.add_argument("--pairs", type=int, help="take only so many pairs of the corpus, for the learning curve")
    parser.add_argument("--languages", default="", help="only what is in these, as en,zh")
    parser.add_argument("--frozen", type=int, default=0, help="so many of the lower layers stay as they are")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    shares = {name: float(share) for name, share in (one.split("=") for one in given.supplies.split(",") if one)}
    wanted = {one for one in given.languages.split(",") if one}
    kept, apart = held_out(supplies(wanted))
    if given.pairs is not None:
        kept = random.Random(given.seed).sample(kept, min(given.pairs, len(kept)))
    print(
        {"train": len(kept), "held out": len(apart), **Counter(f"{p.supply}:{p.label.name}" for p in kept)}, flush=True
    )
    questions, kinds = _questions(shares.get("questions", 0), shares.get("tasks", 0), wanted)
    base = load_base(given.base)
    network = Network(base, inner_dropout=given.dropout)
    if given.start and (given.start / f"{LARGE}.onnx").is_file():
        load_shipped(network, given.start, LARGE)
    elif given.start:
        load(network, given.start)
    freeze(base, given.frozen)
    network.to("cuda" if torch.cuda.is_available() else "cpu")
    plan = Plan(given.epochs, given.rate, given.seed, given.judged, given.out)
    averaged = train(network, base, Epochs(kept, shares, given.seed), [questions.kept, kinds.kept], plan)
    save(averaged, base, given.out, rows=len(kept))
    made = figures(averaged, base, apart)
    made |= figures_of_questions(averaged, base, questions.apart) | figures_of_tasks(averaged, base, kinds.apart)
    print(json.dumps(made), flush=True)


def freeze(base: Base, layers: int) -> None:
    """Leave the embeddings and so many lower layers as they are: no gradient is then computed below the others."""
    if not layers:
        return
    base.encoder.embeddings.requires_grad_(requires_grad=False)
    if hasattr(base.encoder.encoder, "relative_attention_bias"):
        base.encoder.encoder.relative_attention_bias.requires_grad_(requires_grad=False)
    for layer in base.encoder.encoder.layer[:layers]:
        layer.requires_grad_(requires_grad=False)


class _Split(NamedTuple):
    """What is trained on, and what is measured on."""

    kept: list
    apart: list


def _questions(share: float, share_of_tasks: float, languages: set[str]) -> tuple[_Split, _Split]:
    found, kinds = (asked(nearest) if share else []), (tasks() if share_of_tasks else [])
    splits = []
    for every, times in ((found, share), (kinds, share_of_tasks)):
        items = [one for one in every if not languages or one.language in languages]
        kept = [one for one in items if not is_held_out(one.group, "questions")]
        more = kept * int(times) + random.Random(1).sample(kept, round(len(kept) * (times % 1)))
        splits.append(_Split(more, [one for one in items if is_held_out(one.group, "questions")]))
    return splits[0], splits[1]


@dataclass(frozen=True)
class Plan:
    """How long and how fast a network is fitted, how many pairs of each pool are judged, and where it is kept."""

    epochs: float
    rate: float
    seed: int
    judged: int
    out: Path


def train(network: Network, base: Base, pairs: Epochs, others: Sequence[Sequence[Item]], plan: Plan) -> Network:
    """Fit the network to what is given, each kind in batches of its own; embeddings of words stay as they are.

    Returns the average of its weights over the last steps, which judges better than the last ones.
    """
    network.encoder.embeddings.word_embeddings.weight.requires_grad_(requires_grad=False)
    chance, rate = random.Random(plan.seed), plan.rate
    steps = int(sum(map(len, (pairs.draw(), *others))) * plan.epochs / BATCH)
    heads = (network.pair, network.answers, network.span, network.kind)
    fitted = [(network.encoder.parameters(), rate), ((p for head in heads for p in head.parameters()), rate * 4)]
    groups = [{"params": [p for p in parameters if p.requires_grad], "lr": own} for parameters, own in fitted]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    averaged = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(AVERAGED))
    judged_at = [int(share * steps) for share in JUDGED_AT]
    began, done, losses = time.time(), 0, []
    while done < steps:
        if judged_at and done >= judged_at[0]:
            judged_at.pop(0)
            pairs.judge(lambda some: scores(network, base, [(p.a, p.b) for p in some])[:, 2].tolist(), plan.judged)
        network.train()
        for rows in _batches([pairs.draw(), *others], chance):
            loss = _loss(network, base, rows, chance)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
            done += 1
            if done % AVERAGED_EACH == 0:
                averaged.update_parameters(network)
            if done % 25 == 0:
                print(
                    f"{done}/{steps} loss {np.mean(losses[-25:]):.3f} {(time.time() - began) / done:.2f} s a step",
                    flush=True,
                )
            if done % KEPT_EACH == 0:
                save(averaged.module, base, plan.out)
            if done >= steps or (judged_at and done >= judged_at[0]):
                break
    return averaged.module


def _loss(network: Network, base: Base, rows: Sequence[Item], chance: random.Random) -> torch.Tensor:
    """Of a batch of one kind."""
    if isinstance(rows[0], Pair):
        shown = [pair.turned() if pair.label is not Label.ENTAILS and chance.random() < 0.5 else pair for pair in rows]
        logits = logits_of(network, base, [(pair.a, pair.b) for pair in shown], compared=True)[0]
        return pair_loss(logits, torch.tensor([pair.label for pair in shown], device=logits.device))
    sides = [sides_of(one) for one in rows]
    found = logits_of(network, base, sides, compared=False)
    if isinstance(rows[0], Task):
        return functional.cross_entropy(found[3], torch.tensor([one.place for one in rows], device=found[3].device))
    right = torch.tensor([float(one.answers) for one in rows], device=found[1].device)
    loss = functional.binary_cross_entropy_with_logits(found[1].squeeze(1), right)
    return loss + SPAN * _span_loss(base, found[2], rows)


def _span_loss(base: Base, logits: torch.Tensor, rows: Sequence[Asked]) -> torch.Tensor:
    """Cross entropy over the words of the statement, of where the answer starts and where it ends."""
    losses = []
    for number, one in enumerate(rows):
        if one.span is not None:
            first, offsets = words_of_second(base.tokenizer, (Statement(one.question), one.statement))
            inside = [n for n, (start, end) in enumerate(offsets) if start < one.span[1] and one.span[0] < end]
            if inside:
                own = logits[number, first : first + len(offsets)]
                ends = torch.tensor([[inside[0]], [inside[-1]]], device=logits.device)
                losses += [functional.cross_entropy(own[:, side][None], ends[side]) for side in (0, 1)]
    return torch.stack(losses).mean() if losses else logits.sum() * 0


def pair_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy; of a compatible pair only that it does not contradict."""
    logs = functional.log_softmax(logits, dim=-1)
    compatible = torch.logsumexp(logs[:, :2], dim=-1)
    chosen = logs.gather(1, labels.clamp(max=Label.CONTRADICTS).unsqueeze(1)).squeeze(1)
    return -torch.where(labels == Label.COMPATIBLE, compatible, chosen).mean()


def _batches(items: Sequence[Sequence[Item]], chance: random.Random) -> list[list[Item]]:
    made = []
    for kind in items:
        order = list(kind)
        chance.shuffle(order)
        for start in range(0, len(order), BATCH * BUCKET):
            rows = sorted(order[start : start + BATCH * BUCKET], key=_length)
            made += [rows[at : at + BATCH] for at in range(0, len(rows), BATCH)]
    chance.shuffle(made)
    return made


def _length(item: Item) -> int:
    sides = (item.a, item.b) if isinstance(item, Pair) else sides_of(item)
    return sum(len(one.text) + min(len(one.context), 160) for one in sides)


def _rate(step: int, steps: int) -> float:
    if step < min(WARM_UP, steps):
        return step / WARM_UP
    return max(0.02, 0.5 * (1 + math.cos(math.pi * step / steps)))


if __name__ == "__main__":
    main()
