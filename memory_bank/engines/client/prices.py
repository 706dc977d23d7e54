"""The cost of requests by the table in `prices.json`. A model not in it has no known cost, which is not zero."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

_DATED = re.compile(r"-\d.*")
"""The suffix of a model version after the family's name: `gpt-4o-2024-08-06`."""


class _Price(BaseModel):
    """USD per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float
    completion: float


class _Prices(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    checked: str
    unit: str
    models: dict[str, _Price]


def cost_usd(model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Cost of one request in USD; None for a model without a known price. Discounts are ignored."""
    price = _price(model)
    if price is None:
        return None
    return (prompt_tokens * price.prompt + completion_tokens * price.completion) / 1_000_000


def prices_date() -> str:
    """Year and month in which the prices were last checked."""
    return _prices().checked


def _price(model: str) -> _Price | None:
    prices = _prices().models
    families = [name for name in prices if model == name or (model.startswith(name) and _DATED.match(model, len(name)))]
    return prices[max(families, key=len)] if families else None


@cache
def _prices() -> _Prices:
    text = files("memory_bank.engines.client").joinpath("prices.json").read_text(encoding="utf-8")
    return _Prices.model_validate(json.loads(text))
