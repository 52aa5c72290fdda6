"""Every error as the same JSON: `detail` for a person, `code` for a program, and `fields` where fields are wrong."""

from typing import Any

from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_exception_handler

from core.errors import (
    FootnoteError,
    InvalidFilterError,
    InvalidQuestionError,
    NotFoundError,
    ReceiptError,
    ReportForbiddenError,
)
from core.infrastructure.database_errors import translate_error
from core.quality.change_checks.deciding import DecisionError
from core.quality.change_checks.submitting import CheckError
from core.quality.oversharing.deciding import RiskDecisionError
from core.quality.proposals.rights import DocumentChangedError, InvalidChangeError

CODES: dict[type[FootnoteError], tuple[int, str]] = {
    NotFoundError: (404, "not_found"),
    InvalidFilterError: (400, "invalid_filter"),
    InvalidQuestionError: (400, "invalid_question"),
    InvalidChangeError: (400, "invalid_change"),
    DocumentChangedError: (409, "document_changed"),
    CheckError: (400, "invalid_change"),
    DecisionError: (409, "not_decidable"),
    RiskDecisionError: (409, "not_decidable"),
    ReceiptError: (409, "no_receipt"),
    ReportForbiddenError: (403, "permission_denied"),
}
# What to do about errors of the framework, which say only what is wrong; by their code.
HINTS = {
    "not_authenticated": "Send a token in the header: Authorization: Token YOUR-TOKEN. An administrator creates one.",
    "authentication_failed": "The header is: Authorization: Token YOUR-TOKEN. An administrator can create a new token.",
    "unsupported_media_type": "Send JSON, with the header Content-Type: application/json.",
}


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """The response for an error, or None for one that is a fault of ours and belongs in the log."""
    error = translate_error(error)
    if isinstance(error, FootnoteError):
        return _footnote_response(error)
    response = drf_exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        response.data = {
            "detail": "Some fields cannot be used.",
            "code": "invalid",
            "fields": response.data if isinstance(response.data, dict) else {"non_field_errors": response.data},
        }
    else:
        detail = response.data.get("detail", "")
        code = getattr(detail, "code", "error")
        response.data = {"detail": " ".join(filter(None, (str(detail), HINTS.get(code)))), "code": code}
    return response


def _footnote_response(error: FootnoteError) -> Response:
    if type(error) in CODES:
        status, code = CODES[type(error)]
        return Response({"detail": error.message, "code": code}, status=status)
    if error.retry:
        return Response(
            {"detail": "Footnote cannot answer just now. Nothing is lost: try again in a moment.", "code": "try_again"},
            status=503,
            headers={"Retry-After": "5"},
        )
    return Response({"detail": "Something went wrong.", "code": "error"}, status=500)
