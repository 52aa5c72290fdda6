"""Chunks: the text of documents, shown to those administrators alone who may read the document themselves."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin, viewer_audience
from core.models import Chunk, Document
from core.models.row_security import as_audience

PREVIEW_CHARACTERS = 140


class _ReadableDocumentFilter(RelatedDropdownFilter):
    """Offers the documents that the viewer may read; the others' chunks are not in the list either."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        """Ids and titles of readable documents."""
        readable = Document.objects.visible_to(viewer_audience(request)).order_by("title")
        return [(document_id, title) for document_id, title in readable.values_list("pk", "title")]


@admin.register(Chunk)
class ChunkAdmin(ReadOnlyAdmin):
    """Chunks that the viewer may read. To everyone else they are not there."""

    called = "passage"
    when_empty = (
        "There are no passages that you may read. Passages are made when documents are ingested. Your roles decide "
        "which ones you see."
    )

    list_display = ("show_position", "document", "show_place", "token_count", "show_preview")
    list_display_links = ("show_position",)
    list_filter = (("document", _ReadableDocumentFilter),)
    list_filter_submit = True
    search_fields = ("content", "section_title", "chapter_name")
    ordering = ("document__title", "chunk_index")
    fields: ClassVar = (
        "document",
        "chunk_index",
        "show_place",
        "content",
        "token_count",
        "embedding_model",
        "start_offset",
        "end_offset",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chunk]:
        """The chunks that the viewer may read, without their embeddings."""
        readable = Chunk.objects.visible_to(viewer_audience(request)).for_reading()
        return readable.order_by(*self.get_ordering(request))

    def changelist_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """The list, of which the database shows the viewer's part alone."""
        return self._render_for_viewer(super().changelist_view, request, *args, **options)

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """One chunk."""
        return self._render_for_viewer(super().changeform_view, request, *args, **options)

    def _render_for_viewer(
        self, view: Callable[..., HttpResponse], request: HttpRequest, *args: Any, **options: Any
    ) -> HttpResponse:
        """The rendered page: rows are read while it is rendered."""
        with as_audience(viewer_audience(request)):
            response = view(request, *args, **options)
            return response.render() if isinstance(response, TemplateResponse) else response

    @display(description="#", ordering="chunk_index")
    def show_position(self, chunk: Chunk) -> int:
        """Position in the document, from 0."""
        return chunk.chunk_index

    @display(description="Place", empty_value="–")
    def show_place(self, chunk: Chunk) -> str | None:
        """Chapter, section and page."""
        return chunk.source_reference or None

    @display(description="Text")
    def show_preview(self, chunk: Chunk) -> str:
        """The first words."""
        text = " ".join(chunk.content.split())
        return text if len(text) <= PREVIEW_CHARACTERS else text[:PREVIEW_CHARACTERS].rsplit(" ", 1)[0] + " …"
