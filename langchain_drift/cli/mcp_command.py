"""The command that serves MCP clients, and its options."""

from typing import Annotated

import typer

from langchain_drift.cli.memory.options import PathOption, ScopeOption


def mcp(
    path: PathOption = None,
    scope: ScopeOption = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="With --http: where to listen, 0 for any.")
    ] = 8000,
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Streamable HTTP on this machine, not standard input.")
    ] = False,
) -> None:
    """Serve the mistake memory and both scores to MCP clients.

    Speaks on standard input and output unless --http is given. Callers use the memory and the
    scope that are named here or by DRIFTGUARD_* settings, and no other.
    """
    from langchain_drift.cli.mcp_serving import serve  # noqa: PLC0415 - needs an extra

    serve(path, scope, http=http, port=port)
