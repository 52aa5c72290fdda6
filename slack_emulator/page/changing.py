"""Share code among requests that change something."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_POST

from core.errors import FootnoteError, NotFoundError
from core.models import User
from slack_emulator.accounts import find_person
from slack_emulator.dispatch import UndeliveredError
from slack_emulator.guard import View, limit_to_admitted
from slack_emulator.shapes import Json

LONGEST_BROWSER = 8  # characters of what a page calls its browser: it is a part of triggers, which are short


class InvalidRequestError(FootnoteError):
    """The page sent something that cannot be used: reload it."""


Change = Callable[[User, Json], Json]


def build_view(change: Change) -> View:
    """Build a view for a POST with a JSON body that says as whom; errors become a message for the person."""

    @limit_to_admitted
    @require_POST
    def view(request: HttpRequest) -> JsonResponse:
        try:
            body = _read_body(request)
            person = find_person(str(body.get("as", "")))
            if person is None:
                raise NotFoundError("This person is no longer in the workspace. Choose another.")
            return JsonResponse(change(person, body))
        except UndeliveredError as error:
            return JsonResponse({"error": error.message}, status=502)
        except NotFoundError as error:
            return JsonResponse({"error": error.message}, status=404)
        except InvalidRequestError as error:
            return JsonResponse({"error": error.message}, status=400)

    return view


def read_browser(body: Mapping[str, Any]) -> str:
    """Return the id of the browser with the page: a modal belongs to the one in which it was opened."""
    return str(body.get("browser") or "")[:LONGEST_BROWSER]


def _read_body(request: HttpRequest) -> Json:
    """Read the page's body: JSON, or a form when files come along, which are then under `files`."""
    if request.content_type == "multipart/form-data":
        return {**request.POST.dict(), "files": request.FILES.getlist("files")}
    try:
        value = json.loads(request.body)
    except ValueError as error:
        raise InvalidRequestError from error
    if not isinstance(value, dict):
        raise InvalidRequestError
    return value
