"""What programs ask of the server: whether it is well, and how much it does. Nothing of a session is in either."""

from __future__ import annotations

import os
from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from memory_bank.errors import SettingsError
from pages._server import Server


def routes(server: Callable[[], Server]) -> list[Route]:
    """`/health` and, by setting, `/metrics`."""

    async def health(_request: Request) -> Response:
        state, well = await run_in_threadpool(_health, server)
        return JSONResponse(state, 200 if well else 503, {"cache-control": "no-store"})

    async def metrics(_request: Request) -> Response:
        try:
            here = server()
        except SettingsError:
            return PlainTextResponse("", 503)
        if not here.settings.metrics:
            return PlainTextResponse("", 404)
        working = "".join(f"memory_bank_sessions_{name} {count}\n" for name, count in here.load().items())
        return Response(generate_latest() + working.encode(), media_type=CONTENT_TYPE_LATEST)

    return [Route("/health", health), Route("/metrics", metrics)]


def _health(server: Callable[[], Server]) -> tuple[dict[str, object], bool]:
    """How the server is: well if its settings are right and sessions can be written."""
    try:
        here = server()
    except SettingsError as error:
        return {"status": "failing", "setting": error.variable}, False
    folder = here.store.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        disk = os.statvfs(folder)
    except OSError:
        return {"status": "failing", "setting": "STORAGE_DIR", **here.load()}, False
    free = disk.f_bavail * disk.f_frsize
    well = os.access(folder, os.W_OK) and free > LEAST_FREE
    told = {"status": "ok"} if well else {"status": "failing", "setting": "STORAGE_DIR"}  # its rights, or its room
    return {**told, "free_mb": free // 1_000_000, **here.load()}, well


LEAST_FREE = 50_000_000
"""Bytes of room below which the server is not well."""
