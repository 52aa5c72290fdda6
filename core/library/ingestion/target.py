"""Describe where documents go, who may read them there, and who brings them."""

from dataclasses import dataclass

from core.access.audiences import audience_of
from core.models import Collection, DataSource, Document, Role, User


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestTarget:
    """A destination for documents, and their readers there."""

    collection: Collection
    roles: tuple[Role, ...] = ()  # besides those that receive what comes into the collection
    by: User | None = None
    decides_readers: bool = True  # whether who brings them may decide who reads what; at the command line one may
    document_type: str = ""  # a value of Document.Type that goes before what a document says of itself
    data_source: DataSource | None = None  # that looks after the documents; they replace nobody else's
    default_roles: bool = True  # whether the collection's default roles receive it

    def readers(self) -> set[Role]:
        """Return the roles that a text is for which comes in now."""
        return {*(self.collection.default_roles.all() if self.default_roles else ()), *self.roles}

    def may_name(self, document: Document) -> bool:
        """Return True if the uploader may learn another document's title and readers."""
        return self.by is None or self._may_read(document)

    def may_touch(self, document: Document) -> bool:
        """Return True if the uploader may put another text in the place of this document's."""
        return self.decides_readers or self._may_read(document)

    def _may_read(self, document: Document) -> bool:
        if self.by is None:
            return False
        return Document.objects.visible_to(audience_of([self.by.pk])).filter(pk=document.pk).exists()
