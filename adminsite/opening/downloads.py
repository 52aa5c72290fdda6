"""Sending an original: to be saved, never to be shown as a page of ours, and in parts where it lies on disk.

Parts after RFC 9110, section 14: one range of bytes, which is what viewers of large PDFs ask for.
"""

import re
from collections.abc import Iterator
from typing import IO, Any

from django.core.files.storage import Storage
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

from core.errors import NotFoundError
from core.library.ingestion.formats import FileKind
from core.library.originals.storage import build_name, get_storage, list_failures
from core.values.document_views import OriginalFile

_PDF = FileKind.PDF.value.media_type
_ANY = "application/octet-stream"
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_PIECE = 64 * 1024  # bytes
_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"


def send_original(request: HttpRequest, original: OriginalFile) -> HttpResponseBase:
    """The bytes, or the part of them that is asked for. NotFoundError where the storage has lost them."""
    storage = get_storage()
    in_parts = _is_on_disk(storage)
    asked = _read_range(request, original) if in_parts else None
    response: HttpResponseBase
    if asked is not None and asked[0] >= asked[1]:
        response = HttpResponse(status=416, headers={"Content-Range": f"bytes */{original.size}"})
    elif request.method == "HEAD":
        response = HttpResponse(headers={"Content-Length": str(original.size)})
    else:
        try:
            file = storage.open(build_name(original.sha256))
        except list_failures() as error:
            raise NotFoundError from error
        response = _send_part(file, original, asked) if asked else FileResponse(file)
    response["Content-Type"] = _PDF if original.media_type == _PDF else _ANY
    response["Content-Disposition"] = content_disposition_header(True, original.name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = _POLICY
    response["ETag"] = f'"{original.sha256}"'
    if in_parts:
        response["Accept-Ranges"] = "bytes"
    return response


def _is_on_disk(storage: Storage) -> bool:
    """Return True if a part of a file can be read without the rest."""
    try:
        storage.path("")
    except NotImplementedError:
        return False
    return True


def _read_range(request: HttpRequest, original: OriginalFile) -> tuple[int, int] | None:
    """The first byte that is asked for and the one behind the last; None for all of them, as for what is no range."""
    asked = _RANGE.fullmatch(request.headers.get("Range", ""))
    if asked is None or not any(asked.groups()) or request.method == "HEAD":
        return None
    if request.headers.get("If-Range", f'"{original.sha256}"') != f'"{original.sha256}"':
        return None
    first, last = asked.groups()
    if not first:
        return max(0, original.size - int(last)), original.size
    return int(first), min(int(last) + 1, original.size) if last else original.size


def _send_part(file: IO[Any], original: OriginalFile, part: tuple[int, int]) -> StreamingHttpResponse:
    start, end = part
    return StreamingHttpResponse(
        _read_part(file, start, end),
        status=206,
        headers={"Content-Range": f"bytes {start}-{end - 1}/{original.size}", "Content-Length": str(end - start)},
    )


def _read_part(file: IO[Any], start: int, end: int) -> Iterator[bytes]:
    with file:
        file.seek(start)
        while start < end and (piece := file.read(min(_PIECE, end - start))):
            start += len(piece)
            yield piece
