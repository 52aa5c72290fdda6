"""canvases.create and canvases.access.set: pages of Markdown that Footnote makes for people, and their texts.

Rules after https://docs.slack.dev/reference/methods/canvases.create and canvases.access.set, of which the first is
played for canvases that are in no channel, and the second for people alone.
"""

import re
import secrets

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from bot.slack.workspace import LOCAL_TEAM_ID
from slack_emulator import features
from slack_emulator.accounts import find_person
from slack_emulator.guard import limit_to_admitted
from slack_emulator.models import LocalCanvas
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import Call, RefusedCallError

LEVELS = frozenset({"read", "write"})
_LIST_IN_QUOTE = re.compile(r"^> ?(?:[-*+]|[0-9]{1,9}[.)]) ", re.MULTILINE)


def create(call: Call) -> Json:
    """Make a canvas, which nobody can open until it is shared."""
    _check_scope()
    content = call.read_structure("document_content", "invalid_arguments")
    markdown = ""
    if content is not None:
        if not isinstance(content, dict) or content.get("type") != "markdown":
            raise RefusedCallError("invalid_arguments", "[ERROR] document_content is no Markdown")
        markdown = str(content.get("markdown") or "")
    if _LIST_IN_QUOTE.search(markdown):
        raise RefusedCallError("canvas_creation_failed", "Unsupported block type (List) within block quote")
    canvas_id = f"F{secrets.token_hex(5).upper()}"  # a canvas is a file
    LocalCanvas.objects.create(canvas_id=canvas_id, title=call.read_text("title")[:255], markdown=markdown)
    return {"canvas_id": canvas_id}


def set_access(call: Call) -> Json:
    """Share a canvas with people."""
    _check_scope()
    canvas = LocalCanvas.objects.filter(canvas_id=call.read_required("canvas_id")).first()
    if canvas is None:
        raise RefusedCallError("canvas_not_found")
    if call.read_required("access_level") not in LEVELS:
        raise RefusedCallError("invalid_arguments", "[ERROR] no such access_level")
    names = [name for name in call.read_required("user_ids").split(",") if name]
    people = {name: find_person(name) for name in names}
    canvas.shared_with.add(*(person for person in people.values() if person))
    return {"failed_to_update_user_ids": [name for name, person in people.items() if person is None]}


@limit_to_admitted
@require_GET
def show_canvas(request: HttpRequest, team_id: str, canvas_id: str) -> HttpResponse:
    """Show the text of a canvas as it was written, if it was shared with anybody."""
    canvas = LocalCanvas.objects.filter(canvas_id=canvas_id).exclude(shared_with=None).first()
    if canvas is None or team_id != LOCAL_TEAM_ID:
        raise Http404
    text = f"# {canvas.title}\n\n{canvas.markdown}\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"X-Content-Type-Options": "nosniff"})


def _check_scope() -> None:
    if not features.MAKES_CANVASES:
        raise RefusedCallError("missing_scope", "needed: canvases:write")
