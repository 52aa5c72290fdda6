"""Our one message about an upload: posted once, and edited as things go on."""

from slack_sdk import WebClient

from bot.blocks.message import Message
from bot.models import Upload
from bot.slack.idempotent import IdempotentMessage


def put(client: WebClient, upload: Upload, said: Message) -> None:
    """Put this into our message about the upload, posting it if there is none."""

    def record(ts: str) -> None:
        upload.message_ts = ts
        upload.save(update_fields=["message_ts"])

    IdempotentMessage(
        client=client,
        team_id=upload.team_id,
        channel_id=upload.channel_id,
        thread_ts=upload.thread_ts,
        marker=f"upload-{upload.pk}",
        ts=upload.message_ts,
        since=upload.ts if upload.attempts > 1 else "",
        record=record,
    ).put(said)
