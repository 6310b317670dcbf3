"""How a server is reached: standard input and output, or HTTP on this machine alone."""

import socket
import sys
from contextlib import closing, redirect_stdout
from typing import Any, Final

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from langchain_drift.errors import InvalidInputError

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"
_GONE = (BrokenPipeError, ConnectionResetError)
_GRACE = 5
_WAITING = 128


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client on standard input and output until it goes away."""
    if sys.stdin.isatty():
        sys.stderr.write("Waiting for an MCP client on standard input; stop with Ctrl-C.\n")
    try:
        anyio.run(_stdio, server)
    except* _GONE:
        pass  # nobody is left to answer


async def _stdio(server: Server[Any]) -> None:
    # Standard output is the client's; whatever else is printed goes to standard error.
    async with stdio_server() as (incoming, outgoing):
        with redirect_stdout(sys.stderr):
            await server.run(incoming, outgoing, server.create_initialization_options())


def serve_http(server: Server[Any], port: int) -> None:
    """Serve any number of clients over streamable HTTP on the loopback interface.

    Args:
        server: The server.
        port: Where to listen; 0 for a free one, which is told on standard error.

    Raises:
        InvalidInputError: If the port cannot be used.
    """
    with closing(_listen(port)) as listening:
        place = f"{HOST}:{listening.getsockname()[1]}"
        sys.stderr.write(f"Serving MCP on http://{place}{PATH}; stop with Ctrl-C.\n")
        sys.stderr.flush()
        config = uvicorn.Config(
            server.streamable_http_app(
                streamable_http_path=PATH,
                # No tool speaks first, so nothing needs to be kept of a client that goes away.
                stateless_http=True,
                json_response=True,
                transport_security=_only_from_here(place),
            ),
            log_config=None,
            log_level="warning",
            timeout_graceful_shutdown=_GRACE,
        )
        uvicorn.Server(config).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        # From here on a client waits, and is not turned away, until the program is ready.
        listening.listen(_WAITING)
    except OSError as error:
        listening.close()
        message = f"Port {port} cannot be used: {error.strerror or error}; name another one."
        raise InvalidInputError(message) from error
    return listening


def _only_from_here(place: str) -> TransportSecuritySettings:
    """Refuse what a web page sends here under another name (DNS rebinding) or from elsewhere."""
    hosts = [place, f"localhost:{place.rpartition(':')[2]}"]
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )
