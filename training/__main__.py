"""Makes the shipped models: `make train`. docs/models.md says how long it takes.

The large network, of English pairs, and the small one, of all pairs, questions and tasks; then both in short weights,
and calibrated.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from memory_bank.judgement.pair_model import LARGE, SMALL

DATA = Path(__file__).parents[1] / "memory_bank" / "judgement" / "data"


PAIRS = "crossings=0.3,authored=2,snli=0.15,dossiers=4,dossier negatives=0.15,descriptions=0.25"
"""How much of each supply both networks see in an epoch; of what is not named, all."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        _train("mpnet", work / LARGE, "--languages", "en", "--supplies", PAIRS)
        _train(
            "e5", work / SMALL, "--rate", "1.2e-4", "--dropout", "0.05", "--supplies", f"{PAIRS},questions=1,tasks=1"
        )
        _run("training.export", "mpnet", work / LARGE, DATA, LARGE, 4)
        _run("training.export", "e5", work / SMALL, DATA, SMALL, 8)
        _run("training.second_reading")
        _run("training.calibrate", DATA)


def _train(base: str, out: Path, *options: object) -> None:
    _run("training.train", "--base", base, "--out", out, *options)


def _run(module: str, *given: object) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, given)], check=True)  # noqa: S603 - our own modules


if __name__ == "__main__":
    main()
