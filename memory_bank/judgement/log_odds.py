"""Log odds of probabilities, the scale on which judgements of several networks add up."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEAST = 1e-5
"""Probability below which, and above one minus which, no difference is made."""


def log_odds(probabilities: ArrayLike) -> NDArray[np.float64]:
    """The natural logarithm of the odds of each probability, in the shape given."""
    clipped = np.clip(np.asarray(probabilities, np.float64), LEAST, 1 - LEAST)
    odds: NDArray[np.float64] = np.log(clipped / (1 - clipped))
    return odds
