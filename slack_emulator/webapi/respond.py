"""Serve the response_url of a command or a press: a door without a token, for whoever has the address."""

from typing import Any

from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from slack_emulator.guard import limit_to_this_machine
from slack_emulator.models import MOST_USES, ResponseAddress, add_message, make_ts
from slack_emulator.webapi.calls import Call, RefusedCallError, read_json_object
from slack_emulator.webapi.chat import read_content, read_metadata, read_thread

GONE = frozenset({"no_service", "used_url", "expired_url"})


@csrf_exempt  # the address is the secret
@limit_to_this_machine
@require_POST
@transaction.atomic
def respond(request: HttpRequest, token: str) -> JsonResponse:
    """Post for the person alone, or for all; or replace or delete what they pressed."""
    try:
        address = _find_usable(token)
        answer_at(address, read_json_object(request.body))
    except RefusedCallError as refusal:
        status = 404 if refusal.code in GONE else 400
        return JsonResponse({"ok": False, "error": refusal.code, "details": list(refusal.details)}, status=status)
    ResponseAddress.objects.filter(pk=address.pk).update(uses=address.uses + 1)
    return JsonResponse({"ok": True})


def answer_at(address: ResponseAddress, body: dict[str, Any]) -> None:
    """Do what the body says at the address. RefusedCallError says what Slack would object to."""
    call = Call(body)
    pressed = address.message if address.message and address.message.author is None else None
    if call.read_flag("delete_original"):
        if pressed is None:
            raise RefusedCallError("message_not_found")
        pressed.delete()
        return
    content = read_content(call)
    if call.read_flag("replace_original") and pressed:
        pressed.text, pressed.blocks, pressed.edited_ts = content["text"], content["blocks"], make_ts()
        pressed.save(update_fields=["text", "blocks", "edited_ts"])
        return
    add_message(
        address.channel,
        thread_ts=read_thread(call, address.channel),
        only_for=None if call.read_text("response_type") == "in_channel" else address.person,
        metadata=read_metadata(call),
        **content,
    )


def _find_usable(token: str) -> ResponseAddress:
    address = ResponseAddress.objects.select_for_update(of=("self",)).filter(token=token).first()
    if address is None:
        raise RefusedCallError("no_service")
    if address.uses >= MOST_USES:
        raise RefusedCallError("used_url")
    if address.is_expired:
        raise RefusedCallError("expired_url")
    return address
