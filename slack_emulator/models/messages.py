"""The channels and what was said in them."""

import time
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction

from core.models import User

STREAM_LIFETIME_S = 300  # not documented: users report that a stream ends by itself after about five minutes


class LocalChannel(models.Model):
    """A channel, or a person's direct messages with Footnote. Footnote itself is a member of every one."""

    channel_id = models.CharField(max_length=32, unique=True, help_text='Slack\'s form, such as "CGENERAL".')
    name = models.CharField(max_length=80, blank=True)
    topic = models.CharField(max_length=250, blank=True)
    is_im = models.BooleanField(default=False)
    is_private = models.BooleanField(default=False)
    members = models.ManyToManyField(User, related_name="local_channels")
    suggestions = ArrayField(models.CharField(max_length=300), default=list, help_text="Questions to start with.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["is_im", "name"]

    def __str__(self) -> str:
        return self.channel_id

    @property
    def channel_type(self) -> str:
        """Slack's word for what kind of channel this is."""
        if self.is_im:
            return "im"
        return "group" if self.is_private else "channel"


class LocalMessage(models.Model):
    """A message in a channel. Without an author it is Footnote's own."""

    channel = models.ForeignKey(LocalChannel, on_delete=models.CASCADE, related_name="messages")
    ts = models.CharField(max_length=20, help_text="Seconds and microseconds: what Slack names a message by.")
    thread_ts = models.CharField(max_length=20, blank=True, help_text="The ts of the thread; empty at the top.")
    author = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="local_messages")
    only_for = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, related_name="+", help_text="Set on an ephemeral message."
    )
    text = models.TextField(blank=True)
    blocks = models.JSONField(default=list)
    subtype = models.CharField(max_length=40, blank=True, help_text="Slack's word for a message that is not just one.")
    stream = models.JSONField(default=dict, help_text="What was streamed; empty in a message that never was a stream.")
    metadata = models.JSONField(default=dict)
    reactions = ArrayField(models.CharField(max_length=60), default=list, help_text="Names of Footnote's reactions.")
    edited_ts = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering: ClassVar = ["ts"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["channel", "ts"], name="local_ts_unique_per_channel")]
        indexes: ClassVar = [models.Index(fields=["channel", "thread_ts", "ts"], name="local_message_thread")]

    def __str__(self) -> str:
        return f"{self.channel_id}/{self.ts}"

    @property
    def is_streaming(self) -> bool:
        """Return True while the message can grow."""
        return bool(self.stream.get("is_open")) and time.time() - float(self.ts) < STREAM_LIFETIME_S

    @property
    def root_ts(self) -> str:
        """Return the ts of the thread that this message begins or belongs to."""
        return self.thread_ts or self.ts


def make_ts() -> str:
    """Return this moment in Slack's form.

    The digits before the point stay ten until 2286, so such strings sort by time.
    """
    return f"{time.time():.6f}"


@transaction.atomic
def add_message(channel: LocalChannel, **fields: object) -> LocalMessage:
    """Store a message under a ts that is unique in its channel and later than every other message there."""
    LocalChannel.objects.select_for_update().get(pk=channel.pk)
    last = channel.messages.order_by("-ts").values_list("ts", flat=True).first()
    ts = make_ts()
    if last is not None and ts <= last:
        seconds, micros = last.split(".")
        later = int(seconds) * 1_000_000 + int(micros) + 1
        ts = f"{later // 1_000_000}.{later % 1_000_000:06d}"
    return LocalMessage.objects.create(channel=channel, ts=ts, **fields)
