"""Routes for monitoring: `/health` and `/metrics`. Neither contains anything about a single session."""

from __future__ import annotations

import os
from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from memory_bank.bank.errors import SettingsError
from pages.shared.server import Server

MIN_FREE_BYTES = 50_000_000
"""With less free disk space the server is not healthy."""


def routes(get_server: Callable[[], Server]) -> list[Route]:
    """`/health`, and `/metrics` if the settings turn it on."""

    async def health(_request: Request) -> Response:
        state, healthy = await run_in_threadpool(_health, get_server)
        return JSONResponse(state, 200 if healthy else 503, {"cache-control": "no-store"})

    async def metrics(_request: Request) -> Response:
        try:
            server = get_server()
        except SettingsError:
            return PlainTextResponse("", 503)
        if not server.settings.metrics:
            return PlainTextResponse("", 404)
        load = "".join(f"memory_bank_sessions_{name} {count}\n" for name, count in server.load().items())
        return Response(generate_latest() + load.encode(), media_type=CONTENT_TYPE_LATEST)

    return [Route("/health", health), Route("/metrics", metrics)]


def _health(get_server: Callable[[], Server]) -> tuple[dict[str, object], bool]:
    """The status, and whether the server is healthy: its settings are valid and sessions can be written."""
    try:
        server = get_server()
    except SettingsError as error:
        return {"status": "failing", "setting": error.variable}, False
    folder = server.store.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        disk = os.statvfs(folder)
    except OSError:
        return {"status": "failing", "setting": "STORAGE_DIR", **server.load()}, False
    free = disk.f_bavail * disk.f_frsize
    healthy = os.access(folder, os.W_OK) and free > MIN_FREE_BYTES
    status = {"status": "ok"} if healthy else {"status": "failing", "setting": "STORAGE_DIR"}  # not writable, or full
    return {**status, "free_mb": free // 1_000_000, **server.load()}, healthy
