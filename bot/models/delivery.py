"""Store events from Slack and replies to it: one row each, so that every question gets exactly one reply."""

from typing import ClassVar

from django.db import models

from core.models import Query
from core.models.base import UuidModel


class SlackEvent(UuidModel):
    """A question somebody asked in Slack, stored before Slack hears that it arrived.

    Slack sends an event again when it gets no answer in time, and sends a mention as two events: both unique keys
    are needed to answer once.
    """

    class Kind(models.TextChoices):
        MENTION = "mention"
        DIRECT = "direct", "direct message"
        FOLLOW_UP = "follow_up", "follow-up"  # in a channel's thread that we are in, without a mention
        COMMAND = "command", "slash command"
        SELECTION = "selection", "about a message"
        PRIVATE = "private", "private answer"
        SHARE = "share", "shared answer"
        REACTION = "reaction", "emoji on a message"
        UNASKED = "unasked", "overheard in a channel"  # answered when that is sure, and else nothing is said
        RESEARCH = "research", "research into a topic"  # answered by a plan, always in the direct messages

    class State(models.TextChoices):
        RECEIVED = "received"
        ANSWERED = "answered"
        FAILED = "failed"
        SILENT = "silent", "nothing said"  # on purpose
        STOPPED = "stopped", "stopped by the asker"

    # What everyone in a channel reads. All else is read by the asker alone.
    PUBLIC: ClassVar = frozenset({Kind.MENTION, Kind.FOLLOW_UP, Kind.REACTION, Kind.UNASKED, Kind.SHARE})
    # What one person got where a channel is, and may be shown to it.
    BESIDE_A_CHANNEL: ClassVar = frozenset({Kind.PRIVATE, Kind.COMMAND})
    # What is answered in the direct messages, though it was not asked there.
    BELOW_NOTHING: ClassVar = frozenset({Kind.COMMAND, Kind.SELECTION})
    # What belongs to the conversation of its thread.
    IN_THREADS: ClassVar = frozenset({Kind.MENTION, Kind.FOLLOW_UP, Kind.REACTION, Kind.UNASKED, Kind.DIRECT})

    # What is answered by a message that the asker may take away. Elsewhere only they see it, or somebody shared it.
    REMOVABLE: ClassVar = IN_THREADS | {Kind.SELECTION}

    # What is worked on where its asker sees that, and may stop it.
    IN_SESSIONS: ClassVar = IN_THREADS - {Kind.UNASKED}

    event_id = models.CharField(max_length=200, unique=True)
    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    user_id = models.CharField("Slack user", max_length=32)
    ts = models.CharField(
        max_length=32, blank=True, help_text="The message's id in its Slack channel; empty if it is not a message."
    )
    thread_ts = models.CharField(
        max_length=32, blank=True, help_text="The thread to answer in; the message's own ts starts a new one."
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    text = models.TextField(blank=True, help_text="Erased as soon as the query contains the question.")
    selected_text = models.TextField(blank=True, help_text="If set, only this text is searched; erased with the text.")
    filters = models.JSONField(default=dict, blank=True, help_text="Filters given with the question.")
    context_channel_id = models.CharField(
        max_length=32,
        blank=True,
        db_default="",
        default="",
        help_text="The channel that the asker had open and named as this channel; erased with the text.",
    )
    action_token = models.TextField(
        blank=True,
        db_default="",
        help_text="Slack's leave to search for who wrote this message, worth something only with the bot's own token. "
        "Stored only where an administrator lets Footnote search, and erased at the end.",
    )
    about = models.ForeignKey(
        Query,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The earlier question to answer privately, or whose answer is shared.",
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    received_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    stop_asked_at = models.DateTimeField(
        null=True, blank=True, help_text="When the asker wished that answering stops; before the end, that is the end."
    )

    class Meta:
        ordering: ClassVar = ["-received_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                # What was overheard may be asked by an emoji as well, where nothing was said to it.
                fields=["team_id", "channel_id", "ts"],
                condition=~models.Q(ts="") & ~models.Q(kind="unasked"),
                name="one_event_per_message",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["received_at"], condition=models.Q(state="received"), name="slack_event_open"),
            models.Index(fields=["-received_at"], name="slack_event_received"),
            models.Index(fields=["team_id", "user_id", "received_at"], name="slack_event_of_person"),
            models.Index(fields=["team_id", "channel_id", "received_at"], name="slack_event_in_channel"),
        ]

    def __str__(self) -> str:
        return self.event_id

    @property
    def others_of_message(self) -> "models.QuerySet[SlackEvent]":
        """The other events of the same message."""
        same = SlackEvent.objects.filter(team_id=self.team_id, channel_id=self.channel_id, ts=self.ts)
        return same.exclude(pk=self.pk).exclude(ts="")

    @property
    def is_public(self) -> bool:
        """True if everyone in the channel reads the answer."""
        return self.kind in self.PUBLIC

    @property
    def stands_below_question(self) -> bool:
        """True if the answer's readers see the question above it; not where a button asked it, or elsewhere."""
        was_pressed = self.kind in self.IN_THREADS and not self.ts
        return self.kind not in self.BELOW_NOTHING and not was_pressed


class Reply(UuidModel):
    """The one message that answers an event: a sign of work first, which then becomes the answer."""

    class State(models.TextChoices):
        PENDING = "pending"
        PLACED = "placed", "placeholder posted"
        POSTED = "posted"
        FAILED = "failed"
        SILENT = "silent", "nothing said"
        STOPPED = "stopped", "stopped by the asker"

    event = models.OneToOneField(SlackEvent, on_delete=models.CASCADE, related_name="reply")
    query = models.ForeignKey(Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    channel_id = models.CharField(
        max_length=32, blank=True, help_text="Empty until the direct messages with the asker are opened."
    )
    thread_ts = models.CharField(max_length=32, blank=True)
    response_url = models.TextField(
        blank=True, help_text="Where Slack accepts an answer that only the asker sees; erased with the event's text."
    )
    note_url = models.TextField(
        blank=True, help_text="Where a slash command was typed and may be told where the reply is; erased at the end."
    )
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the posted message.")
    is_stream = models.BooleanField(default=False, help_text="The message is a stream that has not ended.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(
        max_length=60, blank=True, help_text="The error from Slack or from answering, as a code."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    placed_at = models.DateTimeField(null=True, blank=True)
    posted_at = models.DateTimeField(null=True, blank=True)
    offered_at = models.DateTimeField(null=True, blank=True, help_text="When the asker was offered a private answer.")
    removed_at = models.DateTimeField(
        null=True, blank=True, help_text="When the asker took the answer away from the conversation."
    )

    class Meta:
        verbose_name_plural = "replies"
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            models.Index(fields=["-created_at"], condition=models.Q(state="failed"), name="reply_failed"),
            models.Index(fields=["channel_id", "thread_ts"], name="reply_of_thread"),
        ]

    def __str__(self) -> str:
        return f"Reply to {self.event_id}"


class QuotedMessage(models.Model):
    """A message of Slack's that was quoted below a reply: where it is, and nothing of what it says."""

    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="quoted_messages")
    permalink = models.TextField(help_text="Where Slack shows the message to those who may read it.")
    words_hash = models.CharField(max_length=64, help_text="SHA-256 of the quoted words, in hexadecimal digits.")
    quoted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"message quoted below {self.reply_id}"


class WatchedThread(models.Model):
    """A channel's thread that we are in, and who spoke there last: who answers whom can be told by that alone."""

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    thread_ts = models.CharField(max_length=32)
    last_speaker = models.CharField(max_length=32, blank=True, help_text="A Slack user; empty for Footnote itself.")
    last_ts = models.CharField(max_length=32, help_text="Slack's id of the last message received.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "channel_id", "thread_ts"], name="one_watch_per_thread")
        ]

    def __str__(self) -> str:
        return f"{self.channel_id}/{self.thread_ts}"
