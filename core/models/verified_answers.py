"""Verified answers: written or taken over by a person, with the words of documents that carry them.

They are the organisation's own, like its documents: retention does not erase them, except a draft that nobody verified.
"""

from typing import ClassVar

from django.core.validators import MaxLengthValidator, MinLengthValidator
from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from core.models.base import UuidModel
from core.models.conversations import Query, QuotedWords, QuoteRow, words_of
from core.models.masking import MaskedTextField
from core.models.people import Role, User
from core.models.querysets import VerifiedAnswerQuerySet

LONGEST_QUESTION = 1000  # characters
LONGEST_ANSWER = 6000  # characters


class VerifiedAnswer(UuidModel):
    """A question, its answer, and who answers for it."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        ACTIVE = "active", "active"
        RETIRED = "retired", "retired"

    question = models.TextField(validators=[MinLengthValidator(3), MaxLengthValidator(LONGEST_QUESTION)])
    text = MaskedTextField(
        blank=True, validators=[MaxLengthValidator(LONGEST_ANSWER)], help_text="The answer, without citation numbers."
    )
    cited_text = MaskedTextField(
        blank=True, help_text="The answer with its citation numbers; empty until every sentence of it is carried."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    owner = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="owned_answers", verbose_name="owner"
    )
    verified_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    verified_at = models.DateTimeField(null=True, blank=True)
    review_on = models.DateField(null=True, blank=True, help_text="From the day after, it is shown as outdated.")
    roles = models.ManyToManyField(
        Role,
        blank=True,
        related_name="verified_answers",
        help_text="None: for everyone who may read all its sources. Otherwise they also hold one of these roles.",
    )
    origin = models.ForeignKey(
        Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="verified_answers"
    )  # the question that it was taken over from
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = VerifiedAnswerQuerySet.as_manager()

    class Meta:
        verbose_name = "verified answer"
        ordering: ClassVar = ["-updated_at"]
        default_permissions = ("view",)
        permissions: ClassVar = [("manage_verified_answers", "Can write, verify and retire verified answers")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=~Q(state="active")
                | (Q(verified_at__isnull=False, review_on__isnull=False) & ~Q(cited_text="")),
                name="active_answer_is_verified",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["state", "review_on"], name="verified_answer_state")]

    def __str__(self) -> str:
        return f"Verified answer {self.id}"


class VerifiedSource(QuoteRow):
    """Words of an edition that carry a verified answer; without words, an edition from which a draft was drawn.

    Both are shown with the answer to readers of all these editions alone.
    """

    verified_answer = models.ForeignKey(VerifiedAnswer, on_delete=models.CASCADE, related_name="sources")

    class Meta:
        ordering: ClassVar = ["verified_answer", "number"]
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["verified_answer", "number"], name="one_verified_source_per_number"),
        ]

    def __str__(self) -> str:
        return f"source {self.number} of {self.verified_answer_id}"


class VerifiedSourceWords(QuotedWords):
    """The words of a source of a verified answer."""

    source = words_of(VerifiedSource)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"words of {self.source_id}"


class VerifiedPhrasing(UuidModel):
    """A way to ask the question of a verified answer, the question itself included."""

    verified_answer = models.ForeignKey(VerifiedAnswer, on_delete=models.CASCADE, related_name="phrasings")
    text = models.TextField(validators=[MinLengthValidator(3), MaxLengthValidator(LONGEST_QUESTION)])
    embedding = VectorField()
    embedding_model = models.CharField(max_length=200)

    class Meta:
        ordering: ClassVar = ["verified_answer", "text"]
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["verified_answer", "text"], name="one_phrasing_per_text"),
        ]
        indexes: ClassVar = [models.Index(fields=["embedding_model"], name="phrasing_embedding_model")]

    def __str__(self) -> str:
        return f"phrasing of {self.verified_answer_id}"
