"""Documents handed in by a program, and what came of them."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field, extend_schema_view
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from adminsite.api.authentication import InScope
from adminsite.api.caller import HasRights, caller, rights_of
from adminsite.api.fields import GivenSerializer, TextField, choice_error
from adminsite.api.filters import JobFilter
from adminsite.api.parsers import JSONParser
from adminsite.api.serializers import ErrorJson
from core.access.audiences import may_decide_who_reads
from core.errors import IngestionError
from core.models import AuthToken, Collection, Document, IngestionFile, IngestionJob, Role

LONGEST_ADDRESS = 1000  # characters, the column's length


class FileJson(serializers.ModelSerializer[IngestionFile]):
    """A file or address of a job."""

    class Meta:
        model = IngestionFile
        fields = ("name", "state", "error", "document_count", "chunk_count", "finished_at")


class JobJson(serializers.ModelSerializer[IngestionJob]):
    """One ingestion job, with the files handed in together."""

    collection = serializers.CharField(source="collection.name")

    class Meta:
        model = IngestionJob
        fields = ("id", "state", "collection", "created_at", "finished_at")


class JobWithFilesJson(JobJson):
    """A job with what came of each file."""

    files = serializers.SerializerMethodField()

    class Meta:
        model = IngestionJob
        fields = (*JobJson.Meta.fields, "files")

    @extend_schema_field(FileJson(many=True))
    def get_files(self, job: IngestionJob) -> list[dict[str, Any]]:
        """By name."""
        return list(FileJson(job.files.defer("content").order_by("name"), many=True).data)


@extend_schema_field({"type": "array", "items": {"type": "string", "format": "binary"}})
class FilesField(serializers.ListField):
    """Files of a form. The schema calls them what they are sent as; by itself it would call them addresses."""

    child = serializers.FileField(allow_empty_file=True)


class HandIn(GivenSerializer):
    """Files, addresses, or both."""

    collection = TextField(help_text="Its name.")
    files = FilesField(required=False, default=list)
    addresses = serializers.ListField(
        child=TextField(max_length=LONGEST_ADDRESS), required=False, default=list, help_text="Or arXiv ids."
    )
    document_type = serializers.ChoiceField(
        choices=Document.Type.choices, required=False, error_messages=choice_error(Document.Type.choices)
    )
    roles = serializers.ListField(
        child=TextField(), required=False, default=list, help_text="Who may read them besides the collection's own."
    )

    def validate_collection(self, name: str) -> Collection:
        """Return the collection of that name."""
        found = Collection.objects.filter(name=name).first()
        if found is None:
            raise serializers.ValidationError("There is no collection of this name.")
        return found

    def validate_roles(self, names: list[str]) -> list[Role]:
        """The roles of these names. PermissionDenied before any is looked up, or the error would reveal which exist."""
        if names and not may_decide_who_reads(caller(self.context["request"])):
            raise PermissionDenied("Only who decides who reads documents can name roles: core.decide_who_reads.")
        found = list(Role.objects.filter(name__in=names))
        unknown = sorted(set(names) - {role.name for role in found})
        if unknown:
            raise serializers.ValidationError([f"There is no role {name}." for name in unknown[:10]])
        return found

    def validate_addresses(self, addresses: list[str]) -> list[str]:
        """Check that each address can be read, as far as it is known before."""
        from core.library.ingestion.jobs import source_of_address  # with libraries that no other request needs

        wrong = []
        for address in addresses:
            try:
                source_of_address(address, max_mb=settings.INGEST_MAX_MB)
            except IngestionError as error:
                wrong.append(error.message)
        if wrong:
            raise serializers.ValidationError(wrong[:10])
        return addresses

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that there is something to ingest."""
        if not given["files"] and not given["addresses"]:
            raise serializers.ValidationError("Send at least one file or address.")
        return given


@extend_schema_view(
    get=extend_schema(operation_id="list_ingestion_jobs", responses={200: JobJson(many=True), 403: ErrorJson})
)
class IngestionJobsView(ListAPIView[IngestionJob]):
    """The ingestion jobs, newest first."""

    token_scope = AuthToken.Scope.INGEST
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=("core.view_ingestionjob",), post=("core.add_ingestionjob",))
    parser_classes = (JSONParser, MultiPartParser)
    serializer_class = JobJson
    filterset_class = JobFilter
    queryset = IngestionJob.objects.select_related("collection").order_by("-created_at", "pk")

    @extend_schema(
        operation_id="hand_in_documents",
        request={"multipart/form-data": HandIn},
        responses={202: JobWithFilesJson, 400: ErrorJson, 403: ErrorJson},
        examples=[
            OpenApiExample(
                "A paper", value={"collection": "Papers", "addresses": ["arxiv:2212.11772"]}, request_only=True
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Hand in files (multipart) or addresses. The worker ingests them; the job's address says how far it is."""
        from core.library.ingestion.jobs import create_job

        form = HandIn(data=_read_form(request), context={"request": request})
        form.is_valid(raise_exception=True)
        given = form.validated_data
        try:
            job = create_job(
                files=((file.name, file.read()) for file in given["files"]),
                urls=given["addresses"],
                collection=given["collection"],
                roles=given["roles"],
                document_type=given.get("document_type", ""),
                by=caller(request),
            )
        except IngestionError as error:
            raise serializers.ValidationError({"files": [error.message]}) from error
        return Response(JobWithFilesJson(job).data, status=202)


@extend_schema_view(
    get=extend_schema(
        operation_id="get_ingestion_job", responses={200: JobWithFilesJson, 403: ErrorJson, 404: ErrorJson}
    )
)
class IngestionJobView(RetrieveAPIView[IngestionJob]):
    """A job and what came of each of its files."""

    token_scope = AuthToken.Scope.INGEST
    permission_classes = (IsAuthenticated, InScope, HasRights)
    rights = rights_of(get=("core.view_ingestionjob",))
    serializer_class = JobWithFilesJson
    queryset = IngestionJob.objects.select_related("collection")
    lookup_url_kwarg = "job_id"


def _read_form(request: Request) -> Any:
    """Return the fields of a JSON object, or of a form, in which lists are fields that come several times."""
    if not isinstance(request.data, dict) or not hasattr(request.data, "getlist"):
        return request.data
    lists = ("files", "addresses", "roles")
    return {name: request.data.getlist(name) if name in lists else value for name, value in request.data.items()}
