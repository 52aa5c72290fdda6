"""Our one message about an upload: posted once, and edited as things go on."""

from slack_sdk import WebClient

from bot.blocks.message import Message
from bot.models import Upload
from bot.slack.marked import DeletedMessageError, edit, find, marked, post


def put(client: WebClient, upload: Upload, said: Message) -> None:
    """Put this into our message about the upload, posting it if there is none."""
    said = marked(said, _mark(upload))
    if not upload.message_ts and upload.attempts > 1:
        place = {"channel_id": upload.channel_id, "thread_ts": upload.thread_ts}
        upload.message_ts = find(client, _mark(upload), since=upload.ts, **place)
    if upload.message_ts:
        _edit(client, upload, said)
    else:
        upload.message_ts = post(client, said, channel_id=upload.channel_id, thread_ts=upload.thread_ts)
    upload.save(update_fields=["message_ts"])


def _edit(client: WebClient, upload: Upload, said: Message) -> None:
    try:
        edit(client, said, channel_id=upload.channel_id, ts=upload.message_ts)
    except DeletedMessageError:
        upload.message_ts = ""
        upload.save(update_fields=["message_ts"])
        raise


def _mark(upload: Upload) -> str:
    return f"upload-{upload.pk}"
