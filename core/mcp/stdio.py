"""One person's session over standard input and output: the client starts this process."""

from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import close_old_connections
from mcp.server.stdio import stdio_server

from core.mcp.server import make_server
from core.mcp.tools import FootnoteTool


def serve_stdio(person_id: UUID) -> None:
    """Answer the client's messages until it closes standard input. While it runs, prints go to standard error."""
    async_to_sync(_serve)(person_id)


async def _serve(person_id: UUID) -> None:
    server = make_server(person_id, before=_fresh_connection)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _fresh_connection(tool: FootnoteTool) -> None:
    """A session may last for days, and its connection to the database may have broken since the last call."""
    close_old_connections()
