"""Rounds a network's weights to 4 bits so that its products change least (GPTQ; Frantar et al. 2022, arXiv:2210.17323).

Rounding each weight to the nearest of sixteen steps undoes most of what training went on to learn from weights that
were in 4 bits already: it moves them by less than half a step. Here the inputs of a product are rounded one after the
other, and what each rounding changes is made good by those that come after, as far as they go together in real texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from memory_bank.judgement.statement import Statement
from training.bases import Base
from training.network import Network, batch

BLOCK = 64
"""Inputs that share a step and a zero point, as the exported file has them."""
LARGEST = 15
DAMPING = 0.01
"""Share of the mean of the diagonal that is added to it, so that the inverse exists."""
TOGETHER = 32

Sides = tuple[Statement, Statement]
"""The two texts that the network reads."""


@torch.no_grad()
def round_to_4_bits(network: Network, base: Base, pairs: Sequence[Sides]) -> None:
    """Round the products of the large network, by what they are multiplied with in `pairs`.

    Every block keeps its smallest and its largest weight, so that rounding the outcome once more changes nothing.
    """
    products = {
        name: module
        for name, module in network.named_modules()
        if isinstance(module, nn.Linear) and module.out_features > LARGEST
    }
    moments = _moments_of_inputs(network, base, pairs, products)
    factors: dict[int, Tensor] = {}
    for name, module in products.items():
        moment = moments[name]
        if id(moment) not in factors:  # queries, keys and values are made of the same
            factors[id(moment)] = _inverse_factor(moment)
        module.weight.copy_(rounded(module.weight, factors[id(moment)]))


def rounded(weights: Tensor, factor: Tensor) -> Tensor:
    """Weights (outputs × inputs) on sixteen steps for each block, errors made good by later inputs.

    `factor` is the upper Cholesky factor of the inverse of the inputs' second moments, inputs × inputs.
    """
    left, made = weights.clone(), torch.empty_like(weights)
    for start in range(0, weights.shape[1], BLOCK):
        block = slice(start, start + BLOCK)
        original = weights[:, block]
        low, high = original.amin(1).clamp(max=0), original.amax(1).clamp(min=0)
        step = ((high - low) / LARGEST).clamp(min=torch.finfo(torch.float32).tiny)
        zero = (-low / step).round()
        ends = (original == original.amin(1, keepdim=True)) | (original == original.amax(1, keepdim=True))
        errors = torch.empty_like(original)
        for n in range(original.shape[1]):
            wanted = torch.where(ends[:, n], original[:, n], left[:, start + n])
            made[:, start + n] = ((wanted / step + zero).round().clamp(0, LARGEST) - zero) * step
            errors[:, n] = (left[:, start + n] - made[:, start + n]) / factor[start + n, start + n]
            rest = slice(start + n + 1, start + original.shape[1])
            left[:, rest] -= errors[:, n, None] * factor[start + n, rest]
        left[:, start + BLOCK :] -= errors @ factor[block, start + BLOCK :]
    return made


def _inverse_factor(moment: Tensor) -> Tensor:
    damped = moment + DAMPING * moment.diagonal().mean() * torch.eye(len(moment))
    return torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(damped)), upper=True)


def _moments_of_inputs(
    network: Network, base: Base, pairs: Sequence[Sides], products: dict[str, nn.Linear]
) -> dict[str, Tensor]:
    """For each product the second moments of its inputs over the tokens of some pairs; shared where the inputs are."""
    moments: dict[str, Tensor] = {}
    seen: dict[int, Tensor] = {}
    mask = torch.empty(0)

    def look(name: str, given: Tensor) -> None:
        if id(given) not in seen:
            rows = given[mask] if given.ndim == 3 else given
            if name not in moments:
                moments[name] = torch.zeros(rows.shape[1], rows.shape[1])
            seen[id(given)] = moments[name].addmm_(rows.T, rows)
            kept.append(given)
        moments[name] = seen[id(given)]

    kept: list[Tensor] = []  # so that no other input gets the identity of one that is gone
    hooks = [
        module.register_forward_pre_hook(lambda _module, inputs, name=name: look(name, inputs[0]))
        for name, module in products.items()
    ]
    network.eval()
    for start in range(0, len(pairs), TOGETHER):
        ids, mask_, second = batch(base.tokenizer, list(pairs[start : start + TOGETHER]), compared=True)
        mask = mask_.bool()
        network(ids, mask_, second)
        seen.clear()
        kept.clear()
    for hook in hooks:
        hook.remove()
    return moments
