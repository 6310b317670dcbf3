"""Serving the memory and the scores to MCP clients."""

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_drift.cli.memory.opening import settings_for
from langchain_drift.cli.memory.scopes import read_scope
from langchain_drift.mistakes.stores.opening import open_store

if TYPE_CHECKING:
    from langchain_drift.mistakes.guard import DriftGuard


def serve(path: Path | None, scope: str | None, *, http: bool, port: int) -> None:
    """Serve until the client goes away, or over HTTP until the program is stopped.

    Raises:
        InvalidInputError: If a setting, the scope or the port cannot be used.
        MissingExtraError: If the SDK is not installed.
        StoreError: If the memory cannot be opened.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    settings = settings_for(path)
    wanted = read_scope(scope)
    # What is wrong with the memory is told now; the slow rest is loaded behind the first answers.
    store = open_store(settings)

    def open_guard() -> "DriftGuard":
        from langchain_drift.mistakes.guard import DriftGuard  # noqa: PLC0415 - slow to load

        return DriftGuard(settings=settings, store=store)

    try:
        from langchain_drift.mcp_server.server import make_server  # noqa: PLC0415 - needs an extra
        from langchain_drift.mcp_server.serving import (  # noqa: PLC0415 - likewise
            serve_http,
            serve_stdio,
        )

        server = make_server(open_guard, wanted)
        if http:
            serve_http(server, port)
        else:
            serve_stdio(server)
    finally:
        store.close()
