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
    try:
        bolt_request = to_bolt_request(request)
    except ValueError:  # neither UTF-8 nor JSON, so not from Slack
        return HttpResponse(status=400)
    return to_django_response(slack_app().dispatch(bolt_request))
