"""Prices: by model family, from one dated table, never guessed."""

from __future__ import annotations

import pytest

from memory_bank.engines.client.prices import cost_usd


@pytest.mark.parametrize(
    ("model", "prompt", "completion", "cost"),
    [
        ("gpt-4o", 1_000_000, 0, 2.5),
        ("gpt-4o", 0, 1_000_000, 10.0),
        ("gpt-4o-2024-08-06", 1_000_000, 1_000_000, 12.5),
        ("gpt-4o-mini", 1_000_000, 0, 0.15),
        ("gpt-4o-mini-2024-07-18", 1_000_000, 0, 0.15),
        ("gpt-5-2025-08-07", 1_000_000, 0, 1.25),
        ("deepseek-chat", 1_000, 100, 0.00038),
        ("o3", 0, 0, 0.0),
    ],
)
def test_a_request_costs_what_the_table_says(model: str, prompt: int, completion: int, cost: float) -> None:
    assert cost_usd(model, prompt, completion) == pytest.approx(cost)


@pytest.mark.parametrize("model", ["", "gpt", "gpt-5.1", "gpt-4o-audio-preview", "o3-mini", "my-gpt-4o", "GPT-4o"])
def test_a_model_that_is_not_in_the_table_has_no_known_price(model: str) -> None:
    assert cost_usd(model, 1_000, 1_000) is None
