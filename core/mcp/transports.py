"""The two ways by which messages come: standard input and output, and streamable HTTP.

Over standard input and output the client starts a process of one person's. Over HTTP there are no sessions: each
request is independent and is answered with JSON, any number of web processes can answer, in any order, and who asks is
checked at every message. Where a client wants to hear of the progress, the web process sends it beside, and the JSON as
the last event of a stream. The SDK's own streams would hold an event loop for each, and know two ways to end, by the
protocol's version.
"""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import close_old_connections
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

from core.mcp import MAX_BODY
from core.mcp.forms import FootnoteTool
from core.mcp.server import Before, Hearing, make_server
from core.mcp.tools import TOOLS
from core.values.token_audience import TokenAudience

EVENT_STREAM = "text/event-stream"
_NO_JSON = {"code": PARSE_ERROR, "message": "The body is not JSON."}
_NO_MESSAGE = {"code": INVALID_REQUEST, "message": "The body is not a message of JSON-RPC 2.0, each sent on its own."}


def fault_of(body: bytes) -> dict[str, Any] | None:
    """Return the JSON-RPC error for a body that is no message; None where it is one.

    The SDK would answer with its own classes' words, the body and an address of their makers included.
    """
    try:
        jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError as error:
        return _NO_JSON if error.errors(include_input=False)[0]["type"] == "json_invalid" else _NO_MESSAGE
    return None


def find_tool(body: bytes) -> FootnoteTool | None:
    """Return the tool that a message calls; None for other messages, and for a tool that there is not."""
    message = jsonrpc_message_adapter.validate_json(body, by_name=False)
    if not isinstance(message, JSONRPCRequest) or message.method != "tools/call":
        return None
    return TOOLS.get(str((message.params or {}).get("name", "")))


def find_progress_token(body: bytes, accepted: str) -> str | int | None:
    """Return the token under which a client wants to hear of the progress of a call, if it does and can.

    body: a message of JSON-RPC. accepted: its header Accept, which has to name event streams.
    """
    if EVENT_STREAM not in accepted.casefold():
        return None
    message = json.loads(body)
    return progress_token_from_params(message.get("params")) if message.get("method") == "tools/call" else None


async def answer_http(
    person_id: UUID,
    scope: Any,
    receive: Any,
    send: Any,
    *,
    host: str,
    origins: Sequence[str],
    asks_for: TokenAudience | None = None,
    before: Before | None = None,
    hearing: Hearing | None = None,
) -> None:
    """Answer one HTTP request, given as ASGI's scope, receive and send.

    host: the Host header, which the caller has checked. origins: those whose pages may call; a request with another
    Origin gets 403, so that no page which somebody visits can speak to a server in their network. asks_for: who must be
    able to read what is given besides the person. hearing: reports progress to the client, outside of the response,
    which is JSON.
    """
    security = TransportSecuritySettings(allowed_hosts=[host], allowed_origins=list(origins))
    manager = StreamableHTTPSessionManager(
        make_server(person_id, asks_for=asks_for, before=before, hearing=hearing),
        json_response=True,
        stateless=True,
        security_settings=security,
        max_request_body_size=MAX_BODY,
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)


def serve_stdio(person_id: UUID) -> None:
    """Answer the client's messages until it closes standard input. While it runs, prints go to standard error."""
    async_to_sync(_serve_messages)(person_id)


async def _serve_messages(person_id: UUID) -> None:
    server = make_server(person_id, before=_close_stale_connections)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _close_stale_connections(tool: FootnoteTool) -> None:
    """Close connections to the database that may have broken: a session may last for days."""
    close_old_connections()
