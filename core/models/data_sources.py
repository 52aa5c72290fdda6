"""Keep data sources: documents that come by themselves, the items listed at each source, and its runs."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from core.models.base import UuidModel
from core.models.library import Collection, Document, DocumentType
from core.models.people import Role, User

LONGEST_KEY = 900  # characters; with the mark of one of a file's documents it fits into Document.source
LONGEST_MESSAGE = 500
MOST_NAMED = 500  # characters of a document's name


class DataSource(UuidModel):
    """A place that documents come from, and that the library is kept in step with."""

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=50, editable=False)
    settings = models.JSONField(default=dict, blank=True)
    secrets = models.TextField(blank=True, editable=False, help_text="Credentials, encrypted.")
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="data_sources")
    document_type = models.CharField(
        max_length=20, choices=DocumentType.choices, blank=True, help_text="Empty: as each document says of itself."
    )
    roles = models.ManyToManyField(
        Role,
        blank=True,
        related_name="+",
        help_text="Roles that read every document of this source, besides the collection's default roles. Not where "
        "readers come from the source.",
    )
    takes_readers = models.BooleanField(
        "readers come from the source",
        default=False,
        help_text="Each document is read by the roles that its groups at the source are mapped to, and by no others. "
        "A group that is mapped to no role reads nothing.",
    )
    readers_hours = models.PositiveIntegerField(
        "readers are believed for",
        default=72,
        validators=[MinValueValidator(1)],
        help_text="Hours. If the source cannot be asked for longer, nobody reads its documents until it answers again.",
    )
    readers_minutes = models.PositiveIntegerField(
        "readers are compared every",
        null=True,
        blank=True,
        validators=[MinValueValidator(5)],
        help_text="Minutes. Between its runs the source is asked only who reads what is here, and what is gone: who "
        "lost a right there loses it here so soon. Nothing is loaded. Empty: with each run.",
    )
    schedule = models.CharField(
        max_length=100, blank=True, help_text='When it is asked, as in cron: "0 3 * * *" is every night at three.'
    )
    is_enabled = models.BooleanField(
        "asked on schedule", default=True, help_text="Without it, the source is asked only when somebody says so."
    )
    requests_per_minute = models.PositiveIntegerField(
        default=120, help_text="How many requests the source gets at the most. 0: as fast as it answers."
    )
    most_withdrawn_percent = models.PositiveSmallIntegerField(
        "stop and ask above",
        default=10,
        validators=[MaxValueValidator(100)],
        help_text="Per cent. A run that would withdraw a larger share of the documents withdraws and loads nothing, "
        "and asks. Readers that the source took away lose their right all the same.",
    )
    erase_days = models.PositiveIntegerField(
        "erase after",
        default=30,
        help_text="Days. What is gone at the source is read by nobody at once, and erased so much later.",
    )
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    listed_at = models.DateTimeField("last listed", null=True, blank=True, editable=False)
    next_run_at = models.DateTimeField("next run", null=True, blank=True, editable=False)
    next_readers_at = models.DateTimeField("readers compared next", null=True, blank=True, editable=False)
    failures = models.PositiveIntegerField(default=0, editable=False, help_text="Runs that failed since one went well.")

    class Meta:
        verbose_name = "source"
        ordering: ClassVar = ["name"]
        indexes: ClassVar = [
            models.Index(fields=["next_run_at"], condition=Q(next_run_at__isnull=False), name="data_source_due")
        ]

    def __str__(self) -> str:
        return self.name


class SourceGroup(UuidModel):
    """A group of readers at a data source, and the role here that its people have. Without a role it reads nothing."""

    source = models.ForeignKey(DataSource, on_delete=models.CASCADE, related_name="groups")
    name = models.CharField(max_length=300, help_text="As the source calls it.")
    role = models.ForeignKey(
        Role, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", help_text="Empty: reads nothing."
    )

    class Meta:
        ordering: ClassVar = ["source", "name"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["source", "name"], name="one_group_per_source")]

    def __str__(self) -> str:
        return self.name


class SyncRun(UuidModel):
    """One time that a data source was asked."""

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        LISTING = "listing", "listing"
        ASKING = "asking", "waits for a decision"
        CHECKING = "checking", "checked before it is live"
        APPLYING = "applying", "withdrawing"
        INGESTING = "ingesting", "reading documents"
        DONE = "done", "done"
        PARTLY_FAILED = "partly_failed", "partly failed"
        FAILED = "failed", "failed"
        STOPPED = "stopped", "stopped"

    class Scope(models.TextChoices):
        """Lists what a run is about."""

        ALL = "all", "documents and readers"
        READERS = "readers", "readers alone"

    ACTIVE: ClassVar = (State.QUEUED, State.LISTING, State.APPLYING, State.INGESTING)
    WAITING: ClassVar = (State.ASKING, State.CHECKING)  # for a decision, or for a check that comes before one

    source = models.ForeignKey(DataSource, on_delete=models.CASCADE, related_name="runs")
    started_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", help_text="Empty: the schedule."
    )
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    scope = models.CharField(
        "about", max_length=10, choices=Scope.choices, default=Scope.ALL, db_default=Scope.ALL.value
    )
    lists = models.BooleanField(default=True, help_text="Otherwise only what failed before is tried again.")
    is_complete = models.BooleanField(default=True, help_text="Whether the source named everything that it holds.")
    may_withdraw = models.BooleanField(default=False, help_text="Somebody allowed it to withdraw as much as it found.")
    error = models.CharField(max_length=LONGEST_MESSAGE, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    listed_at = models.DateTimeField(null=True, blank=True, help_text="When the listing was complete.")
    finished_at = models.DateTimeField(null=True, blank=True)
    known = models.PositiveIntegerField(
        null=True, blank=True, help_text="Items whose documents people could read when the run began."
    )
    listed = models.PositiveIntegerField(default=0, help_text="Items that the source named.")
    to_load = models.PositiveIntegerField(default=0, help_text="Those that are new, changed or failed before.")
    languages = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="How many of the documents that it read are in which language, by its English name; null where it is "
        "not known.",
    )

    class Meta:
        verbose_name = "source run"
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source"],
                condition=Q(state__in=["queued", "listing", "applying", "ingesting"]),
                name="one_active_run",
            )
        ]

    def __str__(self) -> str:
        return f"{self.source}, {self.created_at:%Y-%m-%d %H:%M}"


class SyncItem(UuidModel):
    """Something at a data source that holds one document, or several, as it was listed last."""

    source = models.ForeignKey(DataSource, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=LONGEST_KEY, help_text="What identifies it at the source.")
    name = models.CharField(max_length=MOST_NAMED)
    listed = models.JSONField(default=dict, help_text="What else the listing told of it.")
    fingerprint = models.CharField(max_length=300, blank=True, help_text="Of what is in the library.")
    listed_fingerprint = models.CharField(max_length=300, blank=True, help_text="Of what stands at the source.")
    validator = models.CharField(max_length=300, blank=True)
    groups = ArrayField(
        models.CharField(max_length=300), null=True, blank=True, help_text="Who reads it at the source."
    )
    applied_roles = ArrayField(
        models.UUIDField(), default=list, blank=True, help_text="The roles that read it because the source says so."
    )
    seen_in = models.ForeignKey(SyncRun, on_delete=models.SET_NULL, null=True, blank=True, related_name="items")
    is_stored = models.BooleanField(default=False, help_text="Whether documents in the library came from it.")
    is_pending = models.BooleanField(default=False, help_text="To be loaded in the run that goes on.")
    is_stale = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Its words in the library are not those that were listed: nobody gains them before these are loaded.",
    )
    loaded_hash = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="SHA-256 of what was loaded and not stored yet."
    )
    loaded_at = models.DateTimeField(null=True, blank=True, help_text="When that was.")
    is_gone = models.BooleanField(default=False)
    error = models.CharField(max_length=LONGEST_MESSAGE, blank=True)
    attempts = models.PositiveIntegerField(default=0, help_text="That failed since one went well.")
    next_try_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "document at a source"
        verbose_name_plural = "source contents"
        ordering: ClassVar = ["source", "key"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["source", "key"], name="one_item_per_key")]
        indexes: ClassVar = [
            models.Index(fields=["source", "key"], condition=Q(is_pending=True), name="sync_item_pending"),
            models.Index(fields=["next_try_at"], condition=Q(next_try_at__isnull=False), name="sync_item_due"),
        ]

    def __str__(self) -> str:
        return self.name


class SyncChange(UuidModel):
    """One run's change to one item. An item left as it was has none."""

    class Outcome(models.TextChoices):
        ADDED = "added", "added"
        CHANGED = "changed", "changed"
        GONE = "gone", "gone"
        RETURNED = "returned", "back again"
        FAILED = "failed", "failed"
        LEFT_OUT = "left_out", "left out"
        READERS = "readers", "other readers"
        WAITS = "waits", "waits for the next listing"

    run = models.ForeignKey(SyncRun, on_delete=models.CASCADE, related_name="changes")
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    name = models.CharField(max_length=MOST_NAMED)
    message = models.CharField(max_length=LONGEST_MESSAGE, blank=True)
    document = models.ForeignKey(Document, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering: ClassVar = ["run", "outcome", "name"]
        indexes: ClassVar = [models.Index(fields=["run", "outcome", "name"], name="sync_change_outcome")]

    def __str__(self) -> str:
        return f"{self.name}: {self.get_outcome_display()}"


class WithdrawnGrant(UuidModel):
    """A grant of a document that is withdrawn: nobody reads by it. It is given back when the document is."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="withdrawn_grants")
    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="+")
    granted_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    expires_at = models.DateTimeField(null=True, blank=True)
    since_version = models.PositiveIntegerField(db_default=0, help_text="As of the grant.")
    by_ingestion = models.BooleanField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document", "role"], name="one_withdrawn_grant_per_role")
        ]

    def __str__(self) -> str:
        return f"{self.role}, before {self.document} was withdrawn"


class IntranetHost(UuidModel):
    """A host that is not on the public Internet, and that data sources may nevertheless ask."""

    name = models.CharField(
        max_length=253, unique=True, help_text="As in the address: wiki.example.internal, or an IP address."
    )
    note = models.CharField(max_length=300, blank=True, help_text="What it is, and why documents may come from it.")

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name
