"""Slack's events and clicks over HTTP."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from slack_bolt.adapter.django.handler import to_bolt_request, to_django_response

from bot import workspace
from bot.app import slack_app


@csrf_exempt  # Slack signs its requests instead
@require_POST
def slack_events(request: HttpRequest) -> HttpResponse:
    """Verify, store and acknowledge what Slack sends.

    Without a signing secret nothing is believed: a secret of no characters would be everybody's.
    """
    if not workspace.signing_secret():
        return HttpResponse(status=404)
    if not request.headers.get("X-Slack-Request-Timestamp", "0").isdecimal():
        return HttpResponse(status=401)  # Bolt would take what is no number for a fault of ours
    try:
        bolt_request = to_bolt_request(request)
    except (ValueError, AttributeError, TypeError):  # not UTF-8, no JSON, or none of an object: so not from Slack
        return HttpResponse(status=400)
    return to_django_response(slack_app().dispatch(bolt_request))
