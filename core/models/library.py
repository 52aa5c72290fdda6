"""The library: collections, documents, their chunks, and who may read them."""

from typing import Any, ClassVar

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone
from pgvector.django import VectorField

from core.models.base import UuidModel
from core.models.masking import MaskedCharField, MaskedTextField
from core.models.people import Role, User
from core.models.querysets import ChunkQuerySet, DocumentQuerySet, Grants
from core.models.row_security import bypass_row_security
from core.types import Edition
from core.values.document_names import reference_of

EMBEDDING_DIMENSION = 384  # of all-MiniLM-L6-v2, the default embedding model, and of a new installation's column
RECOGNISED = "recognised"  # in a chunk's metadata: true where some of its text was recognised on a picture
PAGE = "page"  # in a chunk's metadata: its page_number again, for SQL that looks there
LATER_PAGES = "later_pages"  # in a chunk's metadata: [offset in the content, page] where it goes on to another page
CUT_AS = "cut"  # in a chunk's metadata: how its document was cut into chunks, core.library.ingestion.chunking.CUT
SEARCH_CONFIGURATION = "footnote"  # stems English words and leaves none out; made by a migration


class Collection(UuidModel):
    """A shelf of the library. Every document is in one."""

    name = models.CharField(max_length=100, unique=True)
    description = models.CharField(max_length=300, blank=True)
    default_roles: "models.ManyToManyField[Role, CollectionRole]" = models.ManyToManyField(
        Role,
        through="CollectionRole",
        blank=True,
        related_name="default_collections",
        help_text="Roles that are granted each document when it is ingested into this collection.",
    )
    owner = models.ForeignKey(
        User,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who keeps its documents true. They are asked in Slack where one may be out of date.",
    )
    is_asked_last = models.BooleanField(
        "asked last",
        default=False,
        db_default=False,
        help_text="For guides that seem near to many questions about something else: their passages count only where "
        "the question names the collection, or where no other document that the asker may read holds the answer.",
    )
    reads_comments = models.BooleanField(
        "read comments",
        default=False,
        db_default=False,
        help_text="Also read the open comments in Word, Excel, PowerPoint, OpenDocument and PDF files. They are "
        "remarks among authors, and whoever may read the document reads them: each becomes a passage of its own that "
        "says Comment, who wrote it and when. Resolved comments are never read. A change holds for what is read from "
        "then on: documents of a data source are read again at its next run, others when they are uploaded again.",
    )

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class CollectionRole(UuidModel):
    """A role receives what is ingested into a collection.

    Nothing is read through this row: ingestion writes ordinary RoleDocumentAccess rows from it.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="collection_roles")
    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="collection_roles")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["collection", "role"], name="one_role_per_collection")]

    def __str__(self) -> str:
        return f"{self.role} receives {self.collection}"


class DocumentType(models.TextChoices):
    """The kind of a document."""

    PAPER = "paper"
    BOOK = "book"
    MANUAL = "manual"
    STATEMENT = "statement"
    MINUTES = "minutes"
    PAGE = "page"
    NOTE = "note"
    REPORT = "report"
    OTHER = "other"


class Document(UuidModel):
    """A source that answers may cite. Ingesting the same source again replaces its text and keeps its grants.

    A document is known by its collection, the data source that looks after it, if one does, and its source: where its
    text came from, and nothing that it says of itself.
    """

    Type = DocumentType

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="documents")
    source = models.CharField(
        max_length=1000,
        help_text="Where the text came from: an address, arxiv:ID or a path. Unique in a collection, or in the data "
        "source that the document comes from.",
    )
    data_source = models.ForeignKey(
        "DataSource", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="documents"
    )
    sync_item = models.ForeignKey(
        "SyncItem", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="documents"
    )
    part_of = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        editable=False,
        db_index=False,  # but for the partial index below
        related_name="parts",
        help_text="The document whose restricted sections this holds; empty for a whole one. See core.models."
        "section_rules.",
    )
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Since when nobody reads it, because it is gone at its source."
    )
    title = MaskedCharField(max_length=500)
    document_type = models.CharField(max_length=20, choices=Type.choices, default=Type.PAGE)
    document_date = models.DateField(null=True, blank=True)
    source_url = models.URLField(
        max_length=1000, blank=True, help_text="Shown and linked. A file can state any address."
    )
    full_citation = MaskedTextField(blank=True)
    # Null where there is none, which the index leaves out of what is looked for.
    arxiv_id = models.CharField(max_length=40, null=True, blank=True, help_text="A file can state any.")  # noqa: DJ001
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the source's bytes.")
    original_hash = models.CharField(
        max_length=64,
        blank=True,
        default="",
        editable=False,
        help_text="SHA-256 of the file that is kept as it came; empty where none is kept.",
    )
    original_name = models.CharField("original", max_length=300, blank=True, default="", editable=False)
    original_type = models.CharField(max_length=100, blank=True, default="", editable=False)
    original_size = models.PositiveBigIntegerField(null=True, blank=True, editable=False, help_text="In bytes.")
    number = models.IntegerField(
        unique=True, editable=False, db_default=models.Func(models.Value("core_document_number"), function="nextval")
    )
    version = models.PositiveIntegerField(
        default=1, help_text="Of its edition, from 1. Goes up each time the text or its description is replaced."
    )
    chunk_count = models.PositiveIntegerField(default=0)
    extent = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="What its file holds and what was left out, in numbers, as core.library.ingestion.extent counts; "
        "null where it was ingested before that was counted.",
    )
    left_out_count = models.PositiveIntegerField(null=True, blank=True, editable=False)
    metadata = models.JSONField(default=dict, blank=True)
    owner = models.ForeignKey(
        User,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who keeps it true, if not the owner of its collection.",
    )
    confirmed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When its owner last said that it still holds."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ingested_at = models.DateTimeField()
    roles: "models.ManyToManyField[Role, RoleDocumentAccess]" = models.ManyToManyField(
        Role, through="RoleDocumentAccess", related_name="documents"
    )

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["title"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["collection", "source"],
                condition=models.Q(data_source__isnull=True),
                name="one_document_per_collection_and_source",
            ),
            models.UniqueConstraint(
                fields=["data_source", "source"],
                condition=models.Q(data_source__isnull=False),
                name="one_document_per_data_source_and_source",
            ),
            models.CheckConstraint(condition=~models.Q(arxiv_id=""), name="document_arxiv_id_null_or_set"),
            models.CheckConstraint(
                condition=models.Q(document_type__in=DocumentType.values), name="document_type_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["document_type", "document_date"], name="document_type_date"),
            models.Index(fields=["document_date"], name="document_date"),
            models.Index(fields=["arxiv_id"], name="document_arxiv_id"),
            models.Index(fields=["collection", "content_hash"], name="document_collection_hash"),
            models.Index(
                fields=["withdrawn_at"],
                condition=models.Q(withdrawn_at__isnull=False),
                name="document_withdrawn",
            ),
            models.Index(fields=["original_hash"], condition=~models.Q(original_hash=""), name="document_original"),
            models.Index(fields=["part_of"], condition=models.Q(part_of__isnull=False), name="document_parts"),
        ]

    def __str__(self) -> str:
        return str(self.title)

    @property
    def edition(self) -> Edition:
        """The edition that the row holds."""
        return Edition(self.pk, self.version)

    def delete(self, *args: Any, **options: Any) -> tuple[int, dict[str, int]]:
        """Delete the document with its chunks and grants."""
        with bypass_row_security():
            return super().delete(*args, **options)


class RoleDocumentAccess(UuidModel):
    """A role may read a document, from one of its editions on. This table alone decides who reads what.

    A grant opens the current edition and those that follow. Revoking it closes every edition, and a later grant opens
    none of the earlier ones again. So the readers of an edition are the roles with a grant of since_version or before.
    """

    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="document_access")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="role_access")
    granted_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    granted_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(
        "until", null=True, blank=True, help_text="From then on the role may no longer read the document."
    )
    since_version = models.PositiveIntegerField(
        db_default=0,
        editable=False,
        help_text="The first edition of the document that the role may read. A trigger sets it where it is 0.",
    )
    by_ingestion = models.BooleanField(
        default=False,
        help_text="Granted when the document was ingested; otherwise somebody decided it for the document.",
    )

    objects = Grants.as_manager()

    class Meta:
        verbose_name_plural = "role document access"
        permissions: ClassVar = [
            ("decide_who_reads", "Can decide who reads documents"),
            ("preview_texts", "Can preview the texts of documents as somebody else sees them"),
        ]
        constraints: ClassVar = [
            # With the end of the grant, so that the rule of access is answered from the index alone.
            models.UniqueConstraint(
                fields=["role", "document"], include=["expires_at"], name="one_grant_per_role_and_document"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["expires_at"], condition=models.Q(expires_at__isnull=False), name="grants_that_end")
        ]

    def __str__(self) -> str:
        return f"{self.role} may read {self.document}"


class Chunk(UuidModel):
    """A passage of one document, within one section, short enough for the embedding model to read whole."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    document_number = models.IntegerField(editable=False, db_default=-1)  # Document.number, written by a trigger
    chunk_index = models.PositiveIntegerField(help_text="Position in the document, from 0.")
    content = MaskedTextField()
    token_count = models.PositiveIntegerField(help_text="Word pieces of the content, counted by the embedding model.")
    embedding = VectorField()  # the column's dimension is that of the corpus's model; `reembed` changes it
    embedding_model = models.CharField(max_length=200)
    page_number = models.PositiveIntegerField(null=True, blank=True, help_text="Page on which the chunk starts.")
    chapter_name = MaskedCharField(max_length=300, blank=True)
    section_title = MaskedCharField(max_length=300, blank=True)
    context = models.TextField(
        blank=True,
        default="",
        help_text="The document's title, identifier and citation and the headings: searched with the content.",
    )
    start_offset = models.PositiveIntegerField(help_text="Of the content in the document's text, in characters.")
    end_offset = models.PositiveIntegerField()
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    search = models.GeneratedField(
        expression=SearchVector("context", weight="B", config=SEARCH_CONFIGURATION)
        + SearchVector("content", weight="A", config=SEARCH_CONFIGURATION),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects = ChunkQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["document", "chunk_index"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document", "chunk_index"], name="one_chunk_per_position"),
            models.CheckConstraint(condition=~models.Q(content=""), name="chunk_content_not_empty"),
            models.CheckConstraint(condition=models.Q(token_count__gt=0), name="chunk_token_count_positive"),
            models.CheckConstraint(condition=~models.Q(embedding_model=""), name="chunk_embedding_model_named"),
            models.CheckConstraint(
                condition=models.Q(start_offset__lt=models.F("end_offset")), name="chunk_offsets_in_order"
            ),
            models.CheckConstraint(
                condition=models.Q(page_number__isnull=True) | models.Q(page_number__gt=0),
                name="chunk_page_from_one",
            ),
        ]
        indexes: ClassVar = [
            # m, ef_construction: the values of the data model's section 3.1 (pgvector's defaults).
            GinIndex(fields=["search"], name="chunk_search_gin"),
            models.Index(fields=["chapter_name"], name="chunk_chapter"),
            models.Index(fields=["section_title"], name="chunk_section"),
        ]

    def __str__(self) -> str:
        return f"chunk {self.chunk_index} of {self.document_id}"

    @property
    def source_reference(self) -> str:
        """`Chapter X, Section Y, Page Z`, absent parts left out."""
        return reference_of(self.chapter_name, self.section_title, self.page_number)


class EmbeddingModel(models.Model):
    """The model that embedded every chunk of the corpus. One row, from the first ingestion on; `reembed` changes it."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    name = models.CharField(max_length=200, help_text="As stored with each chunk.")
    setting = models.CharField(max_length=1000, help_text="The value of EMBEDDING_MODEL for this model.")
    dimension = models.PositiveIntegerField(help_text="Length of its vectors.")
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=models.Q(id=1), name="one_embedding_model")]

    def __str__(self) -> str:
        return self.name


class LibraryVersion(models.Model):
    """The number of the last change to chunks or to grants that some of the database's processes made.

    Triggers write it, and no number comes twice: all numbers of a kind together identify one state of the library. What
    is kept in memory is compared with them before it is used.
    """

    class Kind(models.TextChoices):
        CHUNKS = "chunks", "chunks"
        GRANTS = "grants", "grants"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    slot = models.PositiveSmallIntegerField()
    change = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["kind", "slot"], name="one_count_per_kind_and_slot")]

    def __str__(self) -> str:
        return f"change {self.change} of {self.kind}"
