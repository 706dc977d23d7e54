"""The client library of Milvus, loaded when it is first needed and without what it does beside that.

It would read `.env`, keys and all, into the environment of the process, and its logs repeat what it raises.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
from typing import Any

_NOISY = ("pymilvus", "pymilvus.milvus_client", "milvus_lite", "grpc._server")
_ENVIRONMENT = {
    "PYTHON_DOTENV_DISABLED": "1",
    # What Milvus Lite has not written to a file yet it searches row by row, ten times as slowly: let it be little.
    "MILVUS_LITE_MEMTABLE_MEMORY_LIMIT_BYTES": "2000000",
}
_loading = threading.Lock()


def load_pymilvus() -> Any:  # noqa: ANN401 - the library has no types
    """The client library. It takes half a second, and each of its errors is raised: none needs to be logged too."""
    pymilvus = load_with_settings("pymilvus")
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return pymilvus


def load_with_settings(name: str) -> Any:  # noqa: ANN401 - likewise
    """Import a library under the environment that it reads when it is imported, and no longer."""
    with _loading:
        before = {variable: os.environ.get(variable) for variable in _ENVIRONMENT}
        os.environ.update(_ENVIRONMENT)
        try:
            return importlib.import_module(name)
        finally:
            for variable, value in before.items():
                os.environ.pop(variable) if value is None else os.environ.update({variable: value})
