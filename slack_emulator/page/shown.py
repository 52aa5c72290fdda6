"""The page itself, and what it shows to whom."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import conditional_page, require_GET

from slack_emulator.accounts import find_person, find_slack_id, list_people
from slack_emulator.guard import admit, limit_to_admitted
from slack_emulator.page.changing import read_browser
from slack_emulator.state import build_page_state, find_start, shape_people

# Nothing from elsewhere and no script but the page's own: what the messages say is text, whatever it looks like.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


@admit
@require_GET
@ensure_csrf_cookie
def show_page(request: HttpRequest) -> HttpResponse:
    """The page; its script fetches the rest."""
    response = render(request, "local/page.html", {"has_people": list_people().exists()})
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    return response


@limit_to_admitted
@require_GET
@conditional_page
def show_state(request: HttpRequest) -> JsonResponse:
    """Return the person's view of the workspace, with an ETag so that an unchanged state costs the page nothing.

    Without a person: the people, and the one whom the page begins with.
    """
    person = find_person(request.GET.get("as", ""))
    if person is None:
        start = find_start()
        return JsonResponse({"people": shape_people(), "start": find_slack_id(start) if start else None})
    asked = request.GET
    shown = build_page_state(
        person,
        channel_id=asked.get("channel", ""),
        thread_ts=asked.get("thread", ""),
        browser=read_browser(asked),
    )
    return JsonResponse(shown)
