"""The bot's token, which every call shows."""

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from bot.slack.workspace import find_bot_token
from slack_emulator.webapi.calls import RefusedCallError


def check_token(request: HttpRequest) -> None:
    """RefusedCallError when the request shows another token, or none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer":
        token = request.POST.get("token", "")
    if not token:
        raise RefusedCallError("not_authed")
    if not constant_time_compare(token, find_bot_token()):
        raise RefusedCallError("invalid_auth")
