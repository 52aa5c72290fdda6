"""Answer requests that no view gets to see."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import (
    DisallowedHost,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
    ValidationError,
)
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError

API = "/api/"
_LEAST_FIELDS = 2  # of an inline form: its row's key and its parent's
_UNUSABLE = "The request cannot be used. Go back, reload the page and try again."
_BROKEN_OFF = "The request arrived incomplete. Send it again."
# Part of what Django refuses, and what would be right.
_SAID: dict[type[Exception], str] = {
    DisallowedHost: "Footnote does not answer under this host name. ALLOWED_HOSTS lists the names under which it does.",
    MultiPartParserError: _BROKEN_OFF,
    RequestDataTooBig: "The form contains too much text. Send less.",
    TooManyFieldsSent: "The form has too many fields. Select fewer rows at a time.",
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


class RefuseUnusableValues:
    """Answers what the admin would take as it comes: ids that no row can have, and forms that are not there.

    An id that is no UUID, among the rows chosen for an action, would be a fault of ours; a number of inline forms is
    believed and so many are made, each of which takes milliseconds.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response of the view, or of a middleware between."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """A refusal of a form that says it has more rows than it brings fields for; None lets the view answer."""
        if request.method != "POST" or not _is_of_admin(request):
            return None
        try:
            most = len(request.POST) // _LEAST_FIELDS
        except UnreadablePostError:
            return refusal(request, 400, "bad_request", _BROKEN_OFF)
        counts = (name for name in request.POST if name.endswith("-TOTAL_FORMS"))
        said = (number for name in counts for number in request.POST.getlist(name))
        if any(number.isdecimal() and int(number[:9]) > most for number in said):
            return refusal(request, 400, "bad_request", _UNUSABLE)
        return None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A refusal; None for every other exception, which is a fault of ours and belongs in the log."""
        name = request.resolver_match.view_name if request.resolver_match else ""
        chooses_rows = request.method == "POST" and _is_of_admin(request) and name.endswith("_changelist")
        if isinstance(exception, UnreadablePostError):
            return refusal(request, 400, "bad_request", _BROKEN_OFF)
        # A key that is a number gives ValueError, and so does a NUL that PostgreSQL would have to look for.
        if isinstance(exception, ValidationError) or (chooses_rows and isinstance(exception, ValueError)):
            return refusal(request, 400, "bad_request", _UNUSABLE)
        return None


def _is_of_admin(request: HttpRequest) -> bool:
    return request.resolver_match is not None and request.resolver_match.app_name == "admin"
