"""Import the Milvus client library only when it is needed, without its side effects.

On import it would read `.env`, API keys included, into the environment of the process. Its logs repeat the errors that
it raises.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memory_bank.bank.errors import LongTermError, not_installed

if TYPE_CHECKING:
    from pymilvus import MilvusClient

_NOISY = ("pymilvus", "pymilvus.milvus_client", "milvus_lite", "grpc._server")
_ENVIRONMENT = {
    "PYTHON_DOTENV_DISABLED": "1",
    # Milvus Lite searches rows not yet written to a file one by one, ten times as slowly: keep them few.
    "MILVUS_LITE_MEMTABLE_MEMORY_LIMIT_BYTES": "2000000",
}
_loading_lock = threading.Lock()


def load_pymilvus() -> Any:  # noqa: ANN401 - the library has no types
    """Import pymilvus, which takes half a second, and silence its logs: every error is raised as well."""
    pymilvus = load_with_settings("pymilvus")
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return pymilvus


def load_with_settings(name: str) -> Any:  # noqa: ANN401 - any module
    """Import a library with the environment variables above set during the import only.

    `LongTermError` if it is not installed.
    """
    with _loading_lock:
        before = {variable: os.environ.get(variable) for variable in _ENVIRONMENT}
        os.environ.update(_ENVIRONMENT)
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise LongTermError(not_installed("milvus")) from error
        finally:
            for variable, value in before.items():
                os.environ.pop(variable) if value is None else os.environ.update({variable: value})


def create_collection(
    client: MilvusClient, name: str, fields: dict[str, dict[str, Any]], index: dict[str, str], **limits: float
) -> None:
    """Create a collection whose searches see everything that was written before.

    `fields` are the arguments of its fields, the type by its name; `index` those of the index of its field `vector`;
    `limits` a `timeout`, where the client sets none.
    """
    pymilvus = load_pymilvus()
    schema = pymilvus.MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    for field, options in fields.items():
        arguments = {key: value for key, value in options.items() if key != "type"}
        schema.add_field(field, getattr(pymilvus.DataType, options["type"]), **arguments)
    parameters = pymilvus.MilvusClient.prepare_index_params()
    parameters.add_index("vector", **index)
    client.create_collection(name, schema=schema, index_params=parameters, consistency_level="Strong", **limits)


def batches(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """Split rows, or keys, into requests of at most `size`."""
    return (rows[start : start + size] for start in range(0, len(rows), size))
