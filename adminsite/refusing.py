"""Requests that no view gets to see: what whoever sent them is told."""

from django.core.exceptions import (
    DisallowedHost,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError

API = "/api/"
_UNUSABLE = "The request cannot be used. Go back, load the page anew and try again."
# Part of what Django refuses, and what would be right.
_SAID: dict[type[Exception], str] = {
    DisallowedHost: "Footnote does not answer under this host name. ALLOWED_HOSTS lists those under which it does.",
    MultiPartParserError: "The form did not arrive whole. Send it again.",
    RequestDataTooBig: "The fields of the form hold too much text. Send less.",
    TooManyFieldsSent: "The form has too many fields. Choose fewer rows at a time.",
    TooManyFilesSent: "These are too many files for one request. Send fewer at a time.",
}


def refusal(request: HttpRequest, status: int, code: str, said: str) -> HttpResponse:
    """A refusal in the form of its address: REST's JSON, or plain text."""
    if request.path_info.startswith(API):
        return JsonResponse({"detail": said, "code": code}, status=status)
    return HttpResponse(said, status=status, content_type="text/plain; charset=utf-8")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to what Django refuses, for its `handler400`."""
    return refusal(request, 400, "bad_request", _SAID.get(type(exception), _UNUSABLE))
