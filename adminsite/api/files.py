"""Lists and reports that are answered as files: which form is asked for, and the audit row of each that is taken."""

from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.settings import api_settings

from adminsite.api.caller import caller
from adminsite.api.fields import GivenSerializer
from core.models import AuditEvent


def record_rows(request: Request, name: str, details: dict[str, Any]) -> None:
    """Record in the audit trail that the caller took rows as a file. name: of the report, or of what the rows are."""
    AuditEvent.objects.create(actor=caller(request), action=AuditEvent.Action.EXPORT, object_type=name, details=details)


def find_format(request: Request) -> str:
    """Return the format of the response: that of JSON before one was negotiated."""
    return str(getattr(request, "accepted_renderer", JSONRenderer).format)


def read_query(serializer: type[GivenSerializer], request: Request) -> dict[str, Any]:
    """Return what the query string asks for, apart from the format. ValidationError for what there is not."""
    given = request.query_params.dict()
    given.pop(str(api_settings.URL_FORMAT_OVERRIDE), None)
    read = serializer(data=given)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)
