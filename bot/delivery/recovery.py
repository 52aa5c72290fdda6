"""Finding our stream when a worker died after starting it and before recording where: a stream has no marker."""

from typing import Any

from slack_sdk import WebClient

from bot.identity.own_account import find_own_user_id
from bot.models import Reply


def find_stream(client: WebClient, reply: Reply, messages: list[dict[str, Any]]) -> str:
    """The ts of the stream of ours that is no known reply's, and so this one's; empty when there is none."""
    own = find_own_user_id(client)
    streams = [str(m["ts"]) for m in messages if m.get("user") == own and "streaming_state" in m]
    if streams and not Reply.objects.filter(channel_id=reply.channel_id, ts=streams[-1]).exists():
        reply.is_stream = True
        return streams[-1]
    return ""
