"""Limit the size of a request's body, by its address and its sender, before a byte of it is read.

A body that breaks off is refused, so that it is not taken for a whole one.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from adminsite.error_responses import API, refusal
from core.mcp import MAX_BODY as LARGEST_MESSAGE
from core.values.sizes import KILOBYTE, MEGABYTE

SIGNED_OUT = 64 * KILOBYTE  # bytes: a sign-in form, many times over
UPLOAD = "admin:core_ingestionjob_add"
HANDED_IN = "api:ingestion"
# Addresses with a limit of their own, whoever sends: Slack signs, and MCP brings a token, instead of signing in. The
# local page takes ten files of 20 MB, and is only ever on this machine.
LIMITS = {"slack-events": MEGABYTE, "mcp": LARGEST_MESSAGE, "local-messages": 201 * MEGABYTE}
LOCAL = "local-"


class BodyLimit:
    """Refuses a body that is larger than its address needs. Stands before whatever reads one.

    Without it, a form would be read to its end, and its files written to disk, to find that nobody is signed in.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response, after which no file of the request is left on the disk.

        Django closes those that came whole; one that broke off would stay until Python's garbage is collected.
        """
        try:
            return self.get_response(request)
        finally:
            if request.content_type == "multipart/form-data":
                for handler in request.upload_handlers:
                    if (file := getattr(handler, "file", None)) is not None:
                        file.close()

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Return the refusal of a body that is too large or does not say how large it is; None lets the view answer."""
        if "HTTP_TRANSFER_ENCODING" in request.META:
            # Django takes a body without a length for an empty one, and what follows for its sender's mistake.
            return refusal(request, 411, "length_required", "Send the whole body, with the header Content-Length.")
        length = _read_length(request.META)
        # A small body is nobody's trouble: who sends it need not be looked up.
        if length <= SIGNED_OUT or length <= (most := largest_body(request)):
            return None
        said = f"The body is larger than {most / MEGABYTE:g} MB. Send less."
        if most < MEGABYTE:
            said = f"The body is larger than {most // KILOBYTE} KB. Send less."
        return refusal(request, 413, "too_large", said)


def largest_body(request: HttpRequest) -> int:
    """Return the most bytes that this request may send to its address."""
    name = request.resolver_match.view_name if request.resolver_match else ""
    if name in LIMITS:
        return LIMITS[name]
    most = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    if name == HANDED_IN:
        return (int(settings.INGEST_JOB_MAX_MB) + 1) * MEGABYTE  # read once the token and the right are there
    if request.path_info.startswith(API) or name.startswith(LOCAL):
        return most  # REST asks for the token before it reads
    if not request.user.is_authenticated:
        return SIGNED_OUT
    if name == UPLOAD and request.user.is_staff and request.user.has_perm("core.add_ingestionjob"):
        return (int(settings.INGEST_JOB_MAX_MB) + 1) * MEGABYTE  # the files, and the form around them
    return most


def _read_length(environ: Mapping[str, Any]) -> int:
    try:
        return int(environ.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0  # as Django counts it, which then reads nothing


class WholeBody:
    """A request's body that fails to be read when it ends before its length, as when a browser goes away.

    The server gives what came, and Django would take it: half a file would be ingested as if it were the whole.
    """

    def __init__(self, body: Any, length: int) -> None:
        self._body, self._left = body, length

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes. ConnectionError, which Django translates, where there are fewer than were announced.

        The server waits for as many as are asked for: fewer are the last.
        """
        chunk: bytes = self._body.read(size)
        return self._count_bytes(chunk, is_last=size < 0 or len(chunk) < size)

    def readline(self, size: int = -1) -> bytes:
        """Return the next line, likewise."""
        line: bytes = self._body.readline(size)
        return self._count_bytes(line, is_last=not line)

    def _count_bytes(self, chunk: bytes, *, is_last: bool) -> bytes:
        self._left -= len(chunk)
        if is_last and self._left > 0:
            raise ConnectionError("the body broke off")
        return chunk


def whole_bodies(application: "WSGIApplication") -> "WSGIApplication":
    """Return the application, which gets each body as a WholeBody."""

    def guarded(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        environ["wsgi.input"] = WholeBody(environ["wsgi.input"], _read_length(environ))
        return application(environ, start_response)

    return guarded
