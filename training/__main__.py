"""Makes the shipped models: `make train`. docs/models.md says how long it takes.

1. A first small network, of the corpus and SNLI. 2. Pairs that it takes for contradictions and that are none, mined.
3. The large network, of English pairs, and the small one, of all pairs, questions and tasks. 4. Both in short weights,
and calibrated.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from memory_bank.judgement.pair_model import LARGE, SMALL

DATA = Path(__file__).parents[1] / "memory_bank" / "judgement" / "data"


PAIRS = "families=0.8,light=1,mined=0.7,crossings=0.3"
"""How much of each supply both networks see in an epoch."""
CHINESE = "light zh=2,dossiers zh=3,dossier negatives=0.1,dossier negatives zh=0.5"
"""More of what the small network judges alone."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        mined = work / "mined.jsonl"
        _train(
            "e5", work / "first", "--epochs", "1.6", "--rate", "1e-4", "--supplies", "dossiers=0,dossier negatives=0"
        )
        _run("training.export", "e5", work / "first", work / "exported", SMALL, 8)
        _run("training.mine", work / "exported", mined, "--judged", 7000, "--worst", 1300, "--others", 500)
        _train(
            *("mpnet", work / LARGE, "--epochs", "4", "--rate", "5e-5", "--languages", "en", "--frozen", "3"),
            *("--mined", mined, "--supplies", f"{PAIRS},authored=3,dossiers=2,dossier negatives=0.25,snli=0.2"),
        )
        _train(
            *("e5", work / SMALL, "--start", work / "first", "--epochs", "2", "--rate", "6e-5", "--mined", mined),
            *("--supplies", f"{PAIRS},authored=2,dossiers=1,snli=0.1,questions=1,tasks=3,{CHINESE}"),
        )
        _run("training.export", "mpnet", work / LARGE, DATA, LARGE, 4)
        _run("training.export", "e5", work / SMALL, DATA, SMALL, 8)
        _run("training.calibrate", DATA)


def _train(base: str, out: Path, *options: object) -> None:
    _run("training.train", "--base", base, "--out", out, *options)


def _run(module: str, *given: object) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, given)], check=True)  # noqa: S603 - our own modules


if __name__ == "__main__":
    main()
