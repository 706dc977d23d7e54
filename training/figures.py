"""What a network gets right of what is held out: pairs by supply, questions and tasks by language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch

from memory_bank.judgement.encoding import words_of_second
from memory_bank.judgement.statement import Statement
from training.bases import Base
from training.corpus import Label, Pair
from training.network import Network, batch
from training.questions import Asked, Task

BATCH = 32


def sides_of(one: Asked | Task) -> tuple[Statement, Statement]:
    return (Statement(one.question), one.statement) if isinstance(one, Asked) else (Statement(one.text), Statement(""))


def logits_of(network: Network, base: Base, sides: list, *, compared: bool) -> tuple[torch.Tensor, ...]:
    device = next(network.parameters()).device
    quickly = device.type != "cpu" or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # it multiplies in bfloat16
    with torch.autocast(device.type, torch.bfloat16, enabled=quickly):
        found = network(*(part.to(device) for part in batch(base.tokenizer, sides, compared=compared)))
    return tuple(one.float() for one in found)


@torch.no_grad()
def scores(network: Network, base: Base, pairs: Sequence[tuple], size: int = 64) -> np.ndarray:
    """Probabilities of (entails, neutral, contradicts) for pairs of statements."""
    network.eval()
    found = np.zeros((len(pairs), 3), np.float32)
    order = sorted(range(len(pairs)), key=lambda n: len(pairs[n][0].text) + len(pairs[n][1].text))
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        logits = logits_of(network, base, [pairs[n] for n in chosen], compared=True)[0]
        found[chosen] = torch.softmax(logits, -1).cpu().numpy()
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


@torch.no_grad()
def figures_of_questions(network: Network, base: Base, items: Sequence[Asked]) -> dict[str, object]:
    """By language: questions whose best statement answers; those answered and not told apart by 0.5; spans found."""
    network.eval()
    scored: dict[int, list[tuple[float, Asked, bool]]] = defaultdict(list)
    for start in range(0, len(items), BATCH):
        rows = items[start : start + BATCH]
        found = logits_of(network, base, [sides_of(one) for one in rows], compared=False)
        for n, one in enumerate(rows):
            scored[one.number].append((float(torch.sigmoid(found[1][n, 0])), one, _hits(base, found[2][n], one)))
    made: dict[str, object] = {}
    for language in sorted({one.language for one in items}):
        asked = [rows for rows in scored.values() if rows[0][1].language == language]
        best = [(max(rows, key=lambda row: row[0]), any(one.answers for _, one, _ in rows)) for rows in asked]
        answered = [row for row, any_ in best if any_]
        made[f"questions {language}"] = {
            "n": len(best),
            "first answers": round(float(np.mean([one.answers for _, one, _ in answered])), 3),
            "told whether any": round(float(np.mean([(row[0] >= 0.5) == any_ for row, any_ in best])), 3),
            "span": round(float(np.mean([hit for _, _, hit in answered])), 3),
        }
    return made


def _hits(base: Base, logits: torch.Tensor, one: Asked) -> bool:
    """Whether the likeliest start and end are those of the answer."""
    if one.span is None:
        return False
    first, offsets = words_of_second(base.tokenizer, (Statement(one.question), one.statement))
    own = logits[first : first + len(offsets)]
    start, end = offsets[int(own[:, 0].argmax())][0], offsets[int(own[:, 1].argmax())][1]
    said = one.statement.text
    return said[start:end].strip(" .,") == said[slice(*one.span)].strip(" .,")


@torch.no_grad()
def figures_of_tasks(network: Network, base: Base, items: Sequence[Task]) -> dict[str, object]:
    """By language: tasks whose kind is right."""
    network.eval()
    right: dict[str, list[bool]] = defaultdict(list)
    for start in range(0, len(items), BATCH):
        rows = items[start : start + BATCH]
        said = logits_of(network, base, [sides_of(one) for one in rows], compared=False)[3].argmax(-1)
        for one, place in zip(rows, said, strict=True):
            right[one.language].append(int(place) == one.place)
    return {f"tasks {name}": {"n": len(row), "right": round(float(np.mean(row)), 3)} for name, row in right.items()}
