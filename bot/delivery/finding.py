"""Finding our message when a worker died after posting it and before recording where."""

from slack_sdk import WebClient

from bot.models import Reply
from bot.people import identity
from bot.slack.marked import has, messages_since


def marker(reply: Reply) -> str:
    """The id of the first block of our message."""
    return f"reply-{reply.pk}"


def find_posted(client: WebClient, reply: Reply) -> str:
    """The ts of our message; empty when it is not there, or Slack will not let us look.

    A stream carries no mark until it ends: then it is the stream of ours that is no known reply's.
    """
    since = reply.event.ts or f"{reply.created_at.timestamp():.6f}"
    found = messages_since(client, since, channel_id=reply.channel_id, thread_ts=reply.thread_ts)
    for message in found:
        if has(message, marker(reply)):
            return str(message["ts"])
    own = identity.own_user_id(client)
    streams = [str(m["ts"]) for m in found if m.get("user") == own and "streaming_state" in m]
    if streams and not Reply.objects.filter(channel_id=reply.channel_id, ts=streams[-1]).exists():
        reply.is_stream = True
        return streams[-1]
    return ""
