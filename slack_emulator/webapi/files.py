"""The files.info method, and the address that a file's content is at."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_GET

from slack_emulator.guard import limit_to_this_machine
from slack_emulator.models import LocalFile
from slack_emulator.shapes import Json, shape_file
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.token import check_token


def files_info(call: Call) -> Json:
    """One file."""
    file = LocalFile.objects.filter(file_id=call.read_required("file")).first()
    if file is None:
        raise RefusedCallError("file_not_found")
    return {"file": shape_file(file)}


@limit_to_this_machine
@require_GET
def download(request: HttpRequest, file_id: str, name: str) -> HttpResponseBase:
    """A file's content for who shows the bot's token, always as something to keep and never to open."""
    try:
        check_token(request)
    except RefusedCallError:
        headers = {"WWW-Authenticate": "Bearer"}
        return HttpResponse("Only Footnote fetches files here.", status=401, content_type="text/plain", headers=headers)
    file = LocalFile.objects.filter(file_id=file_id, name=name).first()
    if file is None:
        raise Http404
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return HttpResponse(bytes(file.content), content_type=file.mimetype, headers=headers)
