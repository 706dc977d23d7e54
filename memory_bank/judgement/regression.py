"""The logistic regressions that read what the networks say: their weights, as `training` wrote them."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray


@cache
def fitted(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The weights of each feature (for several classes: features × classes) and the bias (of each class)."""
    read = json.loads((files("memory_bank.judgement") / "data" / f"{name}.json").read_text(encoding="utf-8"))
    return np.array(read["weights"]), np.array(read["bias"])
