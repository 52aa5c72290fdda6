"""Proposed changes of documents, and the answers that those who had asked got once a change was in the library.

What somebody wrote is kept apart, under row-level security, and only until it is sent: then it is where the document
lives.
"""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models.base import UuidModel
from core.models.contradictions import SourceContradiction
from core.models.conversations import Query, words_of
from core.models.data_sources import LONGEST_KEY, LONGEST_MESSAGE, DataSource
from core.models.gaps import ContentGap
from core.models.library import Document
from core.models.people import User
from core.values.proposals import STATES_IN_WORDS, WAYS_IN_WORDS, ChangeWay, ProposalState


class ProposedChange(UuidModel):
    """A change of a document that somebody proposed because of a gap or a contradiction."""

    gap = models.ForeignKey(ContentGap, on_delete=models.SET_NULL, null=True, blank=True, related_name="proposals")
    contradiction = models.ForeignKey(
        SourceContradiction, on_delete=models.SET_NULL, null=True, blank=True, related_name="proposals"
    )
    way = models.CharField(max_length=20, choices=[(each.value, WAYS_IN_WORDS[each]) for each in ChangeWay])
    state = models.CharField(
        max_length=20,
        choices=[(each.value, STATES_IN_WORDS[each]) for each in ProposalState],
        default=ProposalState.WAITING,
    )
    document = models.ForeignKey(
        Document,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="proposals",
        help_text="Empty for a new one.",
    )
    document_version = models.PositiveIntegerField(default=0, help_text="For which the text was written.")
    chunk_id = models.UUIDField(null=True, blank=True, help_text="The nearest passage, of which words go along.")
    quote_start = models.PositiveIntegerField(default=0, help_text="Of these words, in characters of the passage.")
    quote_end = models.PositiveIntegerField(default=0)
    source = models.ForeignKey(
        DataSource, on_delete=models.SET_NULL, null=True, blank=True, related_name="proposals", help_text="Not by mail."
    )
    place = models.CharField(
        max_length=LONGEST_KEY, blank=True, help_text="Of a new document: its path, or the key of a space."
    )
    base_fingerprint = models.CharField(max_length=300, blank=True, help_text="Of the item for which it was written.")
    recipient = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    people = models.PositiveIntegerField(default=0, help_text="How many had asked.")
    item_key = models.CharField(max_length=LONGEST_KEY, blank=True, help_text="Of the item that has it when merged.")
    fingerprint = models.CharField(max_length=300, blank=True, help_text="Of that item if it is merged as sent.")
    url = models.URLField(max_length=1000, blank=True)
    number = models.CharField(max_length=200, blank=True, help_text="What identifies it at the source.")
    branch = models.CharField(max_length=200, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    error = models.CharField(max_length=LONGEST_MESSAGE, blank=True)
    proposed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_by = models.ForeignKey(
        User,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who said how it ended.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When the source was last asked about it.")
    merged_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "proposed change"
        ordering: ClassVar = ["-created_at", "pk"]
        default_permissions = ()  # what concerns a document is shown to who may read it
        permissions: ClassVar = [
            ("propose_changes", "Can propose changes of documents where these live, for gaps and contradictions")
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state__in=[each.value for each in ProposalState]), name="proposal_state_known"
            ),
            models.CheckConstraint(condition=Q(way__in=[each.value for each in ChangeWay]), name="proposal_way_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "-created_at"], name="proposal_state_created"),
            models.Index(fields=["-created_at"], name="proposal_created"),
        ]

    def __str__(self) -> str:
        return f"Proposed change of {self.created_at:%Y-%m-%d}"


class ProposalWords(models.Model):
    """The text of a proposed change until it is sent, for its author alone.

    Row-level security shows it to no transaction but one that states an audience which may read the document's edition,
    and to maintenance; that of a new document to maintenance alone.
    """

    proposal = words_of(ProposedChange)
    title = models.CharField(max_length=200)
    question = models.TextField(blank=True)
    text = models.TextField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"words of {self.proposal_id}"


class LateAnswer(UuidModel):
    """An earlier question, asked again for the person who had asked it, since a proposed change is in the library."""

    class State(models.TextChoices):
        QUEUED = "queued", "to be asked again"
        TOLD = "told", "told"
        SILENT = "silent", "not told"

    class Silence(models.TextChoices):
        NOT_ANSWERED = "not_answered", "it is still not answered for them"
        ALREADY = "already", "another change has answered it"
        NO_WAY = "no_way", "no account in Slack and no mail"
        NOT_READABLE = "not_readable", "they may not read the answer any more"
        ERASED = "erased", "the question was erased"
        INACTIVE = "inactive", "their account is not active"
        FAILED = "failed", "it could not be delivered"

    class By(models.TextChoices):
        SLACK = "slack", "Slack"
        MAIL = "mail", "mail"

    proposal = models.ForeignKey(ProposedChange, on_delete=models.CASCADE, related_name="late_answers")
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="late_answers")
    asked_again = models.ForeignKey(Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="late_for")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    silence = models.CharField(max_length=20, choices=Silence.choices, blank=True)
    is_beside = models.BooleanField(
        default=False,
        help_text="Of another gap: told only if the answer quotes the changed document, and not asked again by night.",
    )
    told_by = models.CharField(max_length=10, choices=By.choices, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "pk"]
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["proposal", "query"], name="one_late_answer_per_question")
        ]

    def __str__(self) -> str:
        return f"late answer to {self.query_id}"
