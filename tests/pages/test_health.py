"""What programs ask of the server: whether it is well, and how much it does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from memory_bank.bank.errors import SettingsError
from memory_bank.bank.settings import Settings
from pages.shared import web
from pages.shared.server import Server


def ask(server: Callable[[], Server], path: str) -> tuple[int, str]:
    answer = TestClient(Starlette(routes=web.routes(server))).get(path)
    return answer.status_code, answer.text


def test_a_server_that_can_write_is_well(tmp_path: Path) -> None:
    here = Server(Settings(storage_dir=tmp_path / "sessions"))
    answer = TestClient(Starlette(routes=web.routes(lambda: here))).get("/health")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    told = answer.json()
    assert told.pop("free_mb") > 0
    assert told == {"status": "ok", "working": 0, "waiting": 0, "resting": 0}


def test_a_server_without_room_is_not_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "MIN_FREE_BYTES", 10**18)
    here = Server(Settings(storage_dir=tmp_path))
    code, text = ask(lambda: here, "/health")
    assert (code, "STORAGE_DIR" in text) == (503, True)


def test_a_wrong_setting_is_named_and_its_value_is_not(tmp_path: Path) -> None:
    def wrong() -> Server:
        raise SettingsError("OPENAI_BASE_URL", "http://user:secret@host", "an address")

    code, text = ask(wrong, "/health")
    assert (code, "OPENAI_BASE_URL" in text, "secret" in text) == (503, True, False)
    assert ask(wrong, "/metrics") == (503, "")


def test_metrics_are_told_by_setting_only(tmp_path: Path) -> None:
    quiet, told = (Server(Settings(storage_dir=tmp_path, metrics=metrics)) for metrics in (False, True))
    assert ask(lambda: quiet, "/metrics")[0] == 404
    code, text = ask(lambda: told, "/metrics")
    assert code == 200
    assert "memory_bank_sessions_working 0" in text
    assert "# TYPE memory_bank_events_total counter" in text


def test_a_server_whose_folder_cannot_be_made_is_not_well(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, text = ask(lambda: Server(Settings(storage_dir=tmp_path / "file" / "sessions")), "/health")
    assert (code, "STORAGE_DIR" in text) == (503, True)
