"""Feed a vector engine: classes of access, pending changes, and its collections.

Triggers of migration 0045 write the first three models, in the transaction of the change, while there is a collection.
"""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from core.models.library import Document


class AccessClass(models.Model):
    """A set of roles that some documents are granted, under a number that an engine gets instead.

    Two classes may have the same roles: a grant to all documents of a class changes its roles, and no document.
    """

    number = models.BigAutoField(primary_key=True)
    roles = ArrayField(models.UUIDField(), help_text="In order. Grants that have ended count until they are taken.")
    digest = models.UUIDField(db_index=True, help_text="Of the roles, to find the class by.")

    def __str__(self) -> str:
        return f"class {self.number}"


class DocumentClass(models.Model):
    """In which class a document is; 0 for one that no role is granted, which has no row among the classes."""

    document = models.OneToOneField(Document, on_delete=models.CASCADE, primary_key=True, related_name="+")
    access_class = models.BigIntegerField(default=0, db_index=True)

    def __str__(self) -> str:
        return f"{self.document_id} in class {self.access_class}"


class EngineChange(models.Model):
    """A document with changes to send to the engine, until they are sent. By its number, since it may be deleted."""

    class Kind(models.TextChoices):
        VECTORS = "vectors", "vectors"  # chunks came, went or were embedded anew
        CLASS = "class", "class"  # it is in another class, or has to be looked at for it

    document_number = models.IntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    made_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.kind} of {self.document_number}"


class EngineCollection(models.Model):
    """A collection that the engine holds of the library. Without one, nothing is written down for an engine."""

    class State(models.TextChoices):
        BUILDING = "building", "being built"
        SERVED = "served", "served"

    state = models.CharField(max_length=8, choices=State.choices, default=State.BUILDING)
    model = models.CharField(max_length=200, help_text="The embedding model of its vectors.")
    dimension = models.PositiveIntegerField()
    built_to = models.IntegerField(default=-1, help_text="The number of the last document that the building reached.")
    made_at = models.DateTimeField(db_default=Now())

    # What this process calls its collections instead of VECTOR_ENGINE_NAME: a measurement has some of its own.
    called: ClassVar[str] = ""

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["state"], name="one_engine_collection_per_state")]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The collection's name in the engine."""
        return f"{self._called()}_{self.pk}"

    @classmethod
    def is_name(cls, name: str) -> bool:
        """Return True if a collection of this name is this installation's: others may share the engine."""
        before, _, number = name.rpartition("_")
        return before == cls._called() and number.isdecimal()

    @classmethod
    def _called(cls) -> str:
        return cls.called or settings.VECTOR_ENGINE_NAME
