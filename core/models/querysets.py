"""The questions that the product asks of its tables. `visible_to` is the one rule of access."""

from typing import TYPE_CHECKING, Self, TypeVar

from django.apps import apps
from django.db import models
from django.db.models.functions import Now

from core.models.row_security import bypass_row_security
from core.types import Audience

if TYPE_CHECKING:
    from core.models.library import Chunk, Document, RoleDocumentAccess  # noqa: F401 - named in the type arguments below
    from core.models.verified_answers import VerifiedAnswer


Row = TypeVar("Row", bound=models.Model)


class _VisibleQuerySet(models.QuerySet[Row]):
    """A queryset of rows whose visibility is that of a document."""

    document_field = ""

    def visible_to(self, audience: Audience) -> Self:
        """The rows that every reader of the audience may read; none when any reader has no role.

        One IN subquery per minimal role set. Not a join: a document granted through two roles would come twice,
        and the planner may then walk the vector index first and throw away nearly all it finds.
        """
        if not isinstance(audience, Audience):
            raise TypeError("visible_to needs an Audience")
        if audience.reads_nothing:
            return self.none()
        grants = apps.get_model("core", "RoleDocumentAccess")
        rows = self
        for roles in audience.role_sets:
            granted = grants.objects.in_force().filter(role_id__in=roles).values("document_id")
            rows = rows.filter(**{f"{self.document_field}__in": granted})
        return rows

    def __repr__(self) -> str:
        """Names no row: a queryset's usual repr would print documents into logs and tracebacks."""
        return f"<{type(self).__name__} of {self.model.__name__}>"


class Grants(models.QuerySet["RoleDocumentAccess"]):
    """Which roles may read which documents."""

    def in_force(self) -> "Grants":
        """Those that have no end, or not come to it: by the database's clock, as in footnote_readable_documents."""
        return self.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=Now()))

    def expired(self) -> "Grants":
        """Those that have come to their end and not been taken away yet. Nobody reads anything by them."""
        return self.filter(expires_at__lte=Now())


class DocumentQuerySet(_VisibleQuerySet["Document"]):
    """Documents."""

    document_field = "pk"

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete the documents with their chunks and grants."""
        with bypass_row_security():
            return super().delete()


class ChunkQuerySet(_VisibleQuerySet["Chunk"]):
    """Chunks, visible exactly when their document is."""

    document_field = "document_id"

    def for_reading(self) -> Self:
        """With what a citation needs, and without the embedding, which is large and needed by nobody."""
        return self.select_related("document").defer("embedding", "search")


class VerifiedAnswerQuerySet(models.QuerySet["VerifiedAnswer"]):
    """Verified answers, visible when all that they quote is."""

    def visible_to(self, audience: Audience) -> Self:
        """The answers of which every reader may read all sources, and holds one of the roles, if there are any."""
        return self.quoting_only_readable(audience).narrowed_to(audience)

    def quoting_only_readable(self, audience: Audience) -> Self:
        """The answers of which every reader of the audience may read all sources, for looking after them.

        What quotes nothing, or a document that has been deleted, is none of them.
        """
        if not isinstance(audience, Audience):
            raise TypeError("visible_to needs an Audience")
        documents = apps.get_model("core", "Document").objects.visible_to(audience).values("pk")
        sources = apps.get_model("core", "VerifiedSource").objects.filter(verified_answer=models.OuterRef("pk"))
        unread = sources.filter(models.Q(document=None) | ~models.Q(document__in=documents))
        return self.filter(models.Exists(sources), ~models.Exists(unread))

    def narrowed_to(self, audience: Audience) -> Self:
        """The answers that are not narrowed to roles, or of whose roles every reader holds one."""
        if audience.reads_nothing:
            return self.none()
        narrowing = self.model.roles.through.objects.filter(verifiedanswer=models.OuterRef("pk"))
        rows = self
        for roles in audience.role_sets:
            rows = rows.filter(~models.Exists(narrowing) | models.Exists(narrowing.filter(role__in=roles)))
        return rows

    def __repr__(self) -> str:
        """Names no row."""
        return f"<{type(self).__name__}>"
