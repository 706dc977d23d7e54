"""The two models that read writing, loaded once a process when first needed.

They are PP-OCRv6 (small), for Chinese, English and other languages in Latin letters, and lie within the package
rapidocr: nothing is downloaded and nothing is written.

The package's own pipeline is not used whole: it looks at every picture in one size, and reads long lines in one piece,
of which it loses about one in ten.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from memory_bank.modules.pictures.layout import Corners

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
}
_MOST_THREADS = 4
_LOADING = threading.Lock()


class Models:
    """What can be asked of the models, about pictures in RGB: one question at a time, whichever thread asks."""

    def __init__(self) -> None:
        import rapidocr  # noqa: PLC0415 - a second, and 60 MB
        from omegaconf import flag_override  # noqa: PLC0415

        folder = Path(rapidocr.__file__).parent / "models"
        self._turn = threading.Lock()
        self._engine = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_preprocess_img": False,  # sizes are chosen by whoever asks
                "Global.use_vertical_padding": False,
                "Det.limit_type": "max",
                "Det.limit_side_len": 1 << 16,
            }
        )
        with flag_override(self._engine.cfg, "allow_objects", True):  # noqa: FBT003
            for part, name in _MODELS.items():
                # a part that is given its model looks for none, on the network least of all
                self._engine.cfg[part].session = _session(folder / name)

    def find(self, page: Image.Image) -> Corners:
        """The corners of all lines of writing, shape (lines, 4, 2)."""
        boxes = self._ask(page, use_det=True).boxes
        return np.zeros((0, 4, 2), np.float32) if boxes is None else np.asarray(boxes, np.float32)

    def read(self, line: Image.Image) -> tuple[str, float]:
        """What a line says, and how sure that is, from 0 to 1."""
        found = self._ask(line, use_rec=True)
        return str(found.txts[0]), float(found.scores[0])

    def _ask(self, image: Image.Image, *, use_det: bool = False, use_rec: bool = False) -> Any:  # noqa: ANN401
        blue_first = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])
        with self._turn:
            return self._engine(blue_first, use_det=use_det, use_cls=False, use_rec=use_rec)


def models() -> Models:
    """The models, loaded if they are not."""
    with _LOADING:
        return _load()


@cache
def _load() -> Models:
    return Models()


def _session(path: Path) -> InferenceSession:
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415

    options = SessionOptions()
    options.intra_op_num_threads = min(os.cpu_count() or 1, _MOST_THREADS)
    # Threads that wait must sleep: where another program wants the same cores, spinning ones cost half as much again.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False  # it would keep the memory of the largest page for good
    options.log_severity_level = 4
    return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
