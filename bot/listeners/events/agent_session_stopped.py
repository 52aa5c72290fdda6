"""Somebody presses stop where we work."""

from typing import Any

from slack_bolt import BoltContext

from bot.delivery.stopping import ask_to_stop


def on_session_stopped(body: dict[str, Any], context: BoltContext) -> None:
    """Keep the wish; Slack hears 200 when it is kept."""
    event = body["event"]
    ask_to_stop(
        team_id=context["team_id"],
        channel_id=event["channel"],
        thread_ts=event["thread_ts"],
        slack_user_id=event["user"],
        pressed_at=float(event["event_ts"]),
    )
