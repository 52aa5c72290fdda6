"""The documents that the caller may read; and, for who looks after the library, collections and deletion."""

from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import HasRights, audience, caller, rights_of
from adminsite.api.filters import CollectionFilter, DocumentFilter
from adminsite.api.serializers import DocumentJson, ErrorJson
from core.api import count_answers_with_words_of
from core.errors import NotFoundError
from core.models import AuditEvent, AuthToken, Collection, Document


class CollectionJson(serializers.ModelSerializer[Collection]):
    """A collection, with how many documents are in it and who receives what comes in."""

    documents = serializers.IntegerField(source="documents_held")
    default_roles: Any = serializers.SlugRelatedField(slug_field="name", many=True, read_only=True)

    class Meta:
        model = Collection
        fields = ("id", "name", "description", "documents", "default_roles")


@extend_schema_view(
    get=extend_schema(operation_id="list_collections", responses={200: CollectionJson(many=True), 403: ErrorJson})
)
class CollectionsView(ListAPIView[Collection]):
    """Collections, into which documents are handed in."""

    token_scope = AuthToken.Scope.INGEST
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=("core.view_collection",))
    serializer_class = CollectionJson
    filterset_class = CollectionFilter
    queryset = (
        Collection.objects.annotate(documents_held=Count("documents", filter=Q(documents__part_of=None)))
        .prefetch_related("default_roles")
        .order_by("name", "pk")
    )


class DocumentView(APIView):
    """One document."""

    token_scope = AuthToken.Scope.INGEST
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(delete=("core.view_document", "core.delete_document"))

    @extend_schema(operation_id="delete_document", request=None, responses={204: None, 403: ErrorJson, 404: ErrorJson})
    def delete(self, request: Request, document_id: Any) -> Response:
        """Delete a document for good, with its words in answers that cite it."""
        with transaction.atomic():
            document = Document.objects.whole().filter(pk=document_id).select_for_update().first()
            if document is None:
                raise NotFoundError("There is no such document.")
            AuditEvent.objects.create(
                actor=caller(request),
                action=AuditEvent.Action.DELETE,
                object_type="document",
                object_id=str(document.pk),
                details={
                    "chunks": document.chunk_count,
                    "answers": count_answers_with_words_of([document.pk]),
                    "collection": str(document.collection_id),
                },
            )
            document.delete()
        return Response(status=204)


@extend_schema_view(get=extend_schema(operation_id="list_documents"))
class DocumentListView(ListAPIView[Document]):
    """The documents that the caller may read, by title. What they may not read is not counted either."""

    token_scope = AuthToken.Scope.ASK
    serializer_class = DocumentJson
    filterset_class = DocumentFilter
    queryset = Document.objects.select_related("collection").order_by("title", "pk")

    def get_queryset(self) -> QuerySet[Document]:
        """Return the documents that the caller may read."""
        readable = Document.objects.whole().visible_to(audience(self.request))
        return readable.select_related("collection").order_by("title", "pk")
