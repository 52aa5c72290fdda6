"""Handle the files of a message to us."""

from typing import Any

from bot.listeners.events.messages import read_own_user_id
from bot.slack.markup import extract_question
from bot.uploads.intake import receive_files


def take_files(body: dict[str, Any], team_id: str) -> bool:
    """Store the files of a message to us, if there are any. True when the message is nothing else."""
    event = body["event"]
    file_ids = [str(file["id"]) for file in event.get("files") or [] if file.get("id")]
    if not file_ids:
        return False
    receive_files(
        team_id=team_id,
        channel_id=event["channel"],
        user_id=event["user"],
        ts=event["ts"],
        thread_ts=event.get("thread_ts") or event["ts"],
        file_ids=file_ids,
    )
    return not extract_question(event.get("text") or "", own_user_id=read_own_user_id(body))
