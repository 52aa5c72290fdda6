"""The documents that the caller may read."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import ListAPIView

from adminsite.api.caller import audience
from adminsite.api.filters import DocumentFilter
from adminsite.api.serializers import DocumentJson
from core.models import AuthToken, Document


@extend_schema_view(get=extend_schema(operation_id="list_documents"))
class DocumentListView(ListAPIView[Document]):
    """The documents that the caller may read, by title. What they may not read is not counted either."""

    token_scope = AuthToken.Scope.ASK
    serializer_class = DocumentJson
    filterset_class = DocumentFilter
    queryset = Document.objects.select_related("collection").order_by("title", "pk")

    def get_queryset(self) -> QuerySet[Document]:
        """What the caller may read."""
        return Document.objects.visible_to(audience(self.request)).select_related("collection").order_by("title", "pk")
