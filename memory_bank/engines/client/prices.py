"""The cost of requests by the table in `prices.json`. A model not in it has no known cost, which is not zero."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

_DATED = re.compile(r"-\d.*")
"""The suffix of a model version after the family's name: `gpt-4o-2024-08-06`."""


def cost_usd(model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Cost of one request in USD; None for a model without a known price. Discounts are ignored."""
    prices = _prices()
    families = [name for name in prices if model == name or (model.startswith(name) and _DATED.match(model, len(name)))]
    if not families:
        return None
    price = prices[max(families, key=len)]
    return (prompt_tokens * price["prompt"] + completion_tokens * price["completion"]) / 1_000_000


@cache
def _prices() -> dict[str, dict[str, float]]:
    """By model, USD per million tokens."""
    text = files("memory_bank.engines.client").joinpath("prices.json").read_text(encoding="utf-8")
    prices: dict[str, dict[str, float]] = json.loads(text)["models"]
    return prices
