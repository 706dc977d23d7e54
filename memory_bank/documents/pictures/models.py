"""Load the two OCR models, for detection and recognition of lines, once per process when first needed.

They are PP-OCRv6 (small), for Chinese, English and other languages in Latin letters. They are part of the package
rapidocr, so nothing is downloaded and nothing is written.

The pipeline of rapidocr is not used as a whole: it scales every picture to one size, and reads long lines in one piece,
which loses about one line in ten.
"""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from memory_bank.bank.errors import UnreadableDocumentError, not_installed
from memory_bank.documents.pictures.layout import Corners
from memory_bank.text.parallel import processors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}
_MAX_THREADS = 4
_LOADING = threading.Lock()


class Models:
    """Runs the models on RGB images, one call at a time; thread-safe."""

    def __init__(self) -> None:
        try:
            import rapidocr  # noqa: PLC0415 - takes a second and 60 MB
        except ModuleNotFoundError as error:
            raise UnreadableDocumentError("text recognition", not_installed("ocr")) from error
        from omegaconf import flag_override  # noqa: PLC0415

        folder = Path(rapidocr.__file__).parent / "models"
        self._lock = threading.Lock()
        self._engine = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_preprocess_img": False,  # the caller chooses the size
                "Global.use_vertical_padding": False,
                "Det.limit_type": "max",
                "Det.limit_side_len": 1 << 16,
            }
        )
        with flag_override(self._engine.cfg, "allow_objects", True):  # noqa: FBT003
            for part, name in _MODELS.items():
                # a part that has its session does not look for a model, also not on the network
                self._engine.cfg[part].session = _session(folder / name)

    def find(self, page: Image.Image) -> Corners:
        """Detect lines of text. Returns their corners, shape (lines, 4, 2)."""
        boxes = self._run(page, use_det=True).boxes
        return np.zeros((0, 4, 2), np.float32) if boxes is None else np.asarray(boxes, np.float32)

    def read(self, line: Image.Image) -> tuple[str, float]:
        """Read the image of a line. Returns its text and a confidence from 0 to 1."""
        result = self._run(line, use_rec=True)
        return str(result.txts[0]), float(result.scores[0])

    def _run(self, image: Image.Image, *, use_det: bool = False, use_rec: bool = False) -> Any:  # noqa: ANN401
        bgr = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])
        with self._lock:
            return self._engine(bgr, use_det=use_det, use_cls=False, use_rec=use_rec)


def models() -> Models:
    """Return the models; the first call loads them."""
    with _LOADING:
        return _load()


_load = cache(Models)


def _session(path: Path) -> InferenceSession:
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415

    options = SessionOptions()
    options.intra_op_num_threads = min(processors(), _MAX_THREADS)
    # Waiting threads must sleep: when other programs need the cores, spinning takes half as much time again.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False  # it would never free the memory of the largest page
    options.log_severity_level = 4
    return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
