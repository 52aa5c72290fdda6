"""The methods of the emulated Web API by name, and the address at which they are called."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from slack_emulator.guard import limit_to_this_machine
from slack_emulator.shapes import Json
from slack_emulator.webapi import (
    assistant,
    canvases,
    cards,
    chat,
    conversations,
    people,
    search,
    sessions,
    stream,
    validate,
    views,
)
from slack_emulator.webapi.calls import Call, RefusedCallError, check_token


@dataclass(frozen=True, slots=True)
class Method:
    """A method and whether it reads a JSON body; Slack's older methods read forms only."""

    answer: Callable[[Call], Json]
    reads_json: bool = False


METHODS: Mapping[str, Method] = {
    "auth.test": Method(people.auth_test, reads_json=True),
    "blocks.validate": Method(validate.validate, reads_json=True),
    "users.info": Method(people.users_info),
    "users.list": Method(people.users_list),
    "users.conversations": Method(conversations.users_conversations),
    "users.lookupByEmail": Method(people.users_lookup_by_email),
    "usergroups.list": Method(people.usergroups_list),
    "usergroups.users.list": Method(people.usergroups_users_list),
    "conversations.history": Method(conversations.conversations_history),
    "conversations.info": Method(conversations.conversations_info),
    "conversations.members": Method(conversations.conversations_members),
    "conversations.open": Method(conversations.conversations_open, reads_json=True),
    "conversations.replies": Method(conversations.conversations_replies),
    "canvases.create": Method(canvases.create, reads_json=True),
    "canvases.access.set": Method(canvases.set_access, reads_json=True),
    "chat.getPermalink": Method(conversations.get_permalink),
    "chat.postMessage": Method(chat.post_message, reads_json=True),
    "chat.postEphemeral": Method(chat.post_ephemeral, reads_json=True),
    "chat.update": Method(chat.update, reads_json=True),
    "chat.delete": Method(chat.delete, reads_json=True),
    "chat.startStream": Method(stream.start_stream, reads_json=True),
    "chat.appendStream": Method(stream.append_stream, reads_json=True),
    "chat.stopStream": Method(stream.stop_stream, reads_json=True),
    "chat.unfurl": Method(cards.unfurl, reads_json=True),
    "entity.presentDetails": Method(cards.present_details, reads_json=True),
    "agents.sessions.rename": Method(sessions.rename, reads_json=True),
    "agents.sessions.setStatus": Method(sessions.set_status, reads_json=True),
    "assistant.search.context": Method(search.search_context, reads_json=True),
    "assistant.threads.setStatus": Method(assistant.set_status, reads_json=True),
    "assistant.threads.setSuggestedPrompts": Method(assistant.set_suggested_prompts, reads_json=True),
    "assistant.threads.setTitle": Method(assistant.set_title, reads_json=True),
    "files.info": Method(conversations.files_info),
    "reactions.add": Method(chat.add_reaction, reads_json=True),
    "reactions.remove": Method(chat.remove_reaction, reads_json=True),
    "views.open": Method(views.views_open, reads_json=True),
    "views.publish": Method(views.views_publish, reads_json=True),
    "views.push": Method(views.views_push, reads_json=True),
    "views.update": Method(views.views_update, reads_json=True),
}


@csrf_exempt  # called by the bot with its token, never by a browser with a cookie
@limit_to_this_machine
def answer_call(request: HttpRequest, method: str) -> JsonResponse:
    """Answer one call; like Slack, a refusal is a normal response that says ok: false."""
    try:
        check_token(request)
        known = METHODS.get(method)
        if known is None:
            raise RefusedCallError("unknown_method")
        return JsonResponse({"ok": True, **known.answer(Call.read(request, reads_json=known.reads_json))})
    except RefusedCallError as refusal:
        details: Json = {"response_metadata": {"messages": list(refusal.details)}} if refusal.details else {}
        if refusal.errors:
            details["errors"] = list(refusal.errors)
        return JsonResponse({"ok": False, "error": refusal.code, **details})
