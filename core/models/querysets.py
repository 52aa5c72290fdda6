"""The questions that the product asks of its tables. `visible_to` is the one rule of access."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models.functions import Now

from core.models.row_security import bypass_row_security
from core.types import Audience

if TYPE_CHECKING:
    from core.models.contradictions import SourceContradiction
    from core.models.library import Chunk, Document, RoleDocumentAccess  # noqa: F401 - named in the type arguments below
    from core.models.verified_answers import VerifiedAnswer


Row = TypeVar("Row", bound=models.Model)


class _VisibleQuerySet(models.QuerySet[Row]):
    """A queryset of rows whose visibility is that of a document, or of one of its editions."""

    document_field = ""
    version_field = ""  # of the edition that a row belongs to; empty where that is the current one

    def visible_to(self, audience: Audience) -> Self:
        """Return the rows that every reader of the audience may read; none when any reader has no role.

        Rows of the current edition need a grant of the document in force, for each of the audience's role sets. Rows
        of a stated edition need one that was given while that edition or an earlier one was current.
        """
        if not isinstance(audience, Audience):
            raise TypeError("visible_to needs an Audience")
        if audience.reads_nothing:
            return self.none()
        rows = self
        for roles in audience.role_sets:
            rows = rows.filter(self._may_read(roles))
        return rows

    def _may_read(self, roles: Collection[UUID]) -> models.Q:
        """Return the condition that one of the roles may read a row.

        A subquery, not a join: a document granted through two roles would come twice, and the planner may then walk
        the vector index first and throw away nearly all it finds.
        """
        granted = apps.get_model("core", "RoleDocumentAccess").objects.in_force().filter(role_id__in=roles)
        if not self.version_field:
            return models.Q(**{f"{self.document_field}__in": granted.values("document_id")})
        of_edition = granted.filter(
            document_id=models.OuterRef(self.document_field), since_version__lte=models.OuterRef(self.version_field)
        )
        return models.Q(models.Exists(of_edition))

    def __repr__(self) -> str:
        """Names no row: a queryset's usual repr would print documents into logs and tracebacks."""
        return f"<{type(self).__name__} of {self.model.__name__}>"


class Grants(models.QuerySet["RoleDocumentAccess"]):
    """Grants of documents to roles, each from one of the document's editions on."""

    def in_force(self) -> "Grants":
        """Those that have no end, or not come to it: by the database's clock, as in footnote_readable_documents."""
        return self.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=Now()))

    def expired(self) -> "Grants":
        """Those that have come to their end and not been taken away yet. Nobody reads anything by them."""
        return self.filter(expires_at__lte=Now())

    def decided(self) -> "Grants":
        """Those of whole documents: the grants of parts are derived from them."""
        return self.filter(document__part_of=None)

    def find_first_versions(self, document_ids: Collection[UUID], audience: Audience) -> dict[UUID, int]:
        """Return the first edition that the whole audience may read, of each document of which it may read any.

        This is the rule of `visible_to` for editions that are named in no row of a table. One query.
        """
        if audience.reads_nothing or not document_ids:
            return {}
        every_role = frozenset[UUID]().union(*audience.role_sets)
        rows = self.in_force().filter(document_id__in=document_ids, role_id__in=every_role)
        granted: dict[UUID, dict[UUID, int]] = {}
        for document, role, version in rows.values_list("document_id", "role_id", "since_version"):
            granted.setdefault(document, {})[role] = version
        return {
            document: max(min(first[role] for role in roles & first.keys()) for roles in audience.role_sets)
            for document, first in granted.items()
            if all(roles & first.keys() for roles in audience.role_sets)
        }


class DocumentQuerySet(_VisibleQuerySet["Document"]):
    """Documents."""

    document_field = "pk"

    def whole(self) -> Self:
        """Those that are no part of another: a part follows its document, and nothing is decided for it alone."""
        return self.filter(part_of=None)

    def readable_in_full_by(self, audience: Audience) -> Self:
        """Those of which the audience may read every restricted section: what is of the whole file is theirs."""
        parts = self.model.objects.filter(part_of=models.OuterRef("pk"), chunk_count__gt=0)
        readable = self.model.objects.visible_to(audience).values("pk")
        return self.visible_to(audience).filter(~models.Exists(parts.exclude(pk__in=readable)))

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete the documents with their chunks and grants."""
        with bypass_row_security():
            return super().delete()


class ChunkQuerySet(_VisibleQuerySet["Chunk"]):
    """Chunks, visible exactly when their document is."""

    document_field = "document_id"

    def for_reading(self) -> Self:
        """With what a citation needs, and without the embedding, which is large and needed by nobody."""
        return self.select_related("document__collection").defer("embedding", "search")


class QuoteQuerySet(_VisibleQuerySet[Row]):
    """Quotes that are kept of an edition, visible to whoever may read that edition and still may read the document."""

    document_field = "document_id"
    version_field = "document_version"


class ContradictionQuerySet(models.QuerySet["SourceContradiction"]):
    """Pairs of documents that contradict each other, visible to whoever may read the editions on both sides."""

    def visible_to(self, audience: Audience) -> Self:
        """The pairs of which every reader of the audience may read both editions; none when any reader has no role."""
        if not isinstance(audience, Audience):
            raise TypeError("visible_to needs an Audience")
        if audience.reads_nothing:
            return self.none()
        granted = apps.get_model("core", "RoleDocumentAccess").objects.in_force()
        rows = self
        for roles in audience.role_sets:
            for side in ("newer", "older"):
                of_edition = granted.filter(
                    role_id__in=roles,
                    document_id=models.OuterRef(f"{side}_id"),
                    since_version__lte=models.OuterRef(f"{side}_version"),
                )
                rows = rows.filter(models.Exists(of_edition))
        return rows

    def up_to_date(self) -> Self:
        """The pairs that are gone, and those whose places are in the editions that the documents hold now."""
        return self.filter(
            models.Q(state="gone")
            | models.Q(newer_version=models.F("newer__version"), older_version=models.F("older__version"))
        )

    def __repr__(self) -> str:
        """Names no row."""
        return f"<{type(self).__name__}>"


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
        sources = apps.get_model("core", "VerifiedSource").objects
        readable = sources.visible_to(audience).values("pk")
        own = sources.filter(verified_answer=models.OuterRef("pk"))
        return self.filter(models.Exists(own), ~models.Exists(own.exclude(pk__in=readable)))

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
