"""Weights rounded to 4 bits: on the steps of the exported file, products changed less than by plain rounding."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from training.rounding import BLOCK, LARGEST, rounded  # noqa: E402

OUTPUTS, INPUTS, ROWS = 24, 2 * BLOCK, 400


def inverse_factor(inputs: torch.Tensor) -> torch.Tensor:
    moment = inputs.T @ inputs + torch.eye(INPUTS)
    return torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(moment)), upper=True)


def alone(weights: torch.Tensor) -> torch.Tensor:
    """Each weight on the nearest step of its block: inputs that have nothing to do with one another."""
    return rounded(weights, torch.eye(INPUTS))


@pytest.fixture(scope="module")
def given() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    common = torch.randn(ROWS, 6, generator=generator) @ torch.randn(6, INPUTS, generator=generator)
    inputs = common + 0.2 * torch.randn(ROWS, INPUTS, generator=generator)
    return torch.randn(OUTPUTS, INPUTS, generator=generator), inputs


def test_each_block_has_at_most_sixteen_values_and_rounding_again_changes_nothing(
    given: tuple[torch.Tensor, torch.Tensor],
) -> None:
    weights, inputs = given
    made = rounded(weights, inverse_factor(inputs))
    for row in made.reshape(OUTPUTS, -1, BLOCK).flatten(0, 1):
        assert len(row.unique()) <= LARGEST + 1
    assert torch.allclose(alone(made), made, atol=1e-5)


def test_the_products_change_less_than_with_plain_rounding(given: tuple[torch.Tensor, torch.Tensor]) -> None:
    weights, inputs = given
    wanted = inputs @ weights.T
    errors = [(inputs @ made.T - wanted).norm() for made in (rounded(weights, inverse_factor(inputs)), alone(weights))]
    assert errors[0] < 0.7 * errors[1]
