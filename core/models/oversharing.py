"""Places where words look confidential or are secrets, risks that too many read them, and who read a source when.

No words of documents are here: places are read again by whoever may read the document at that moment.
"""

from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from core.models.base import UuidModel
from core.models.data_sources import DataSource
from core.models.library import Collection, Document
from core.models.masking import MaskedCharField
from core.models.people import Role, User, UsergroupRole
from core.values.oversharing import RISKS_IN_WORDS, STATES_IN_WORDS, SUBJECTS_IN_WORDS, RiskKind, RiskState

_SCALE = (MinValueValidator(1), MaxValueValidator(5))


class SensitivityLook(models.Model):
    """The edition of a document, or of a part of one, that was looked through last, and by which rules."""

    document = models.OneToOneField(Document, on_delete=models.CASCADE, primary_key=True, related_name="+")
    document_version = models.PositiveIntegerField()
    rules = models.CharField(max_length=80, help_text="The version of the rules and the reader.")
    looked_at = models.DateTimeField(auto_now=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.document_id}, edition {self.document_version}"


class SensitivePlace(UuidModel):
    """A place in an edition whose words look confidential, or are a secret."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="sensitive_places")
    document_version = models.PositiveIntegerField()
    subject = models.CharField(
        max_length=20, choices=[(subject, words) for subject, words in SUBJECTS_IN_WORDS.items()]
    )
    chunk_id = models.UUIDField()
    start = models.PositiveIntegerField(help_text="In characters of its passage.")
    end = models.PositiveIntegerField()
    strength = models.FloatField(help_text="0..1, how sure it is; 1 for secrets.")
    fingerprint = models.CharField(max_length=64, blank=True, help_text="Of a secret: a keyed hash of its words.")

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="sensitive_place_in_order"),
            models.CheckConstraint(condition=Q(strength__gte=0, strength__lte=1), name="sensitive_place_strength_0_1"),
        ]
        indexes: ClassVar = [models.Index(fields=["subject"], name="sensitive_subject")]

    def __str__(self) -> str:
        return f"{self.subject} in {self.document_id}"


class ShownSecret(models.Model):
    """A secret that is meant to be read, such as the password of the guests' Wi-Fi: it is not masked anywhere."""

    fingerprint = models.CharField(max_length=64, primary_key=True)
    reason = MaskedCharField(max_length=300)
    shown_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    shown_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"shown since {self.shown_at:%Y-%m-%d}"


class OversharingRisk(UuidModel):
    """A risk that more people read something than anybody expects."""

    kind = models.CharField(max_length=12, choices=[(each.value, RISKS_IN_WORDS[each]) for each in RiskKind])
    key = models.CharField(max_length=120, unique=True, help_text="Its kind and what it is of: it is found once.")
    # What it is of: a document; a role's grant of one; a usergroup's role; a source, or else a collection.
    document = models.ForeignKey(Document, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    role = models.ForeignKey(Role, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    usergroup = models.ForeignKey(UsergroupRole, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    data_source = models.ForeignKey(DataSource, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    document_version = models.PositiveIntegerField(null=True, blank=True)
    subjects: "ArrayField[Any, Any]" = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    sensitivity = models.PositiveSmallIntegerField(validators=_SCALE)
    reach = models.PositiveSmallIntegerField(validators=_SCALE)
    score = models.PositiveSmallIntegerField(help_text="Sensitivity times reach, 1 to 25.")
    people = models.PositiveIntegerField(help_text="Active people who may read it, or who came by it.")
    people_before = models.PositiveIntegerField(null=True, blank=True, help_text="Without it, or before it.")
    documents = models.PositiveIntegerField(default=1, help_text="That are read so.")
    since = models.DateField(null=True, blank=True, help_text="Of more readers: the day they are compared with.")
    state = models.CharField(
        max_length=10, choices=[(each.value, STATES_IN_WORDS[each]) for each in RiskState], default=RiskState.OPEN.value
    )
    reason = MaskedCharField(max_length=300, blank=True, help_text="Why it is right so.")
    decided_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    accepted_score = models.PositiveSmallIntegerField(null=True, blank=True)
    accepted_people = models.PositiveIntegerField(null=True, blank=True)
    found_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(help_text="When it was found, or opened again because it grew.")
    gone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "oversharing risk"
        ordering: ClassVar = ["-score", "-people", "pk"]
        default_permissions = ()
        permissions: ClassVar = [("view_oversharing", "Can see which documents more people may read than expected")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(score=F("sensitivity") * F("reach")), name="oversharing_score"),
            models.CheckConstraint(
                condition=Q(kind__in=["confidential", "secret"], document__isnull=False)
                | Q(kind="odd_role", document__isnull=False, role__isnull=False)
                | Q(kind="odd_group", role__isnull=False)
                | Q(kind="widened", data_source__isnull=False)
                | Q(kind="widened", collection__isnull=False),
                name="oversharing_of_something",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "-score"], name="oversharing_by_score"),
            models.Index(fields=["opened_at"], name="oversharing_opened"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, found {self.found_at:%Y-%m-%d}"


class ReachSnapshot(UuidModel):
    """Counts who might read a source, or what no source looks after in a collection, on one day; also by role."""

    day = models.DateField()
    data_source = models.ForeignKey(DataSource, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    role = models.ForeignKey(
        Role, on_delete=models.CASCADE, null=True, blank=True, related_name="+", help_text="Empty: of all roles."
    )
    people = models.PositiveIntegerField()
    documents = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()
        ordering: ClassVar = ["day"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["day", "data_source", "collection", "role"], nulls_distinct=False, name="one_reach_per_day"
            ),
            models.CheckConstraint(
                condition=Q(data_source__isnull=True, collection__isnull=False)
                | Q(data_source__isnull=False, collection__isnull=True),
                name="reach_of_source_or_collection",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.people} people on {self.day}"
