"""The page itself, and what it shows to whom."""

from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import conditional_page, require_GET

from bot.slack.workspace import LOCAL_BOT_USER_ID
from core import api
from core.access.audiences import audience_of
from core.models import User
from slack_emulator import features
from slack_emulator.accounts import BOT_NAME, find_person, find_slack_id, list_people, open_direct_channel
from slack_emulator.features import COMMAND_HINTS, list_shortcuts
from slack_emulator.guard import admit, limit_to_admitted
from slack_emulator.models import (
    LocalAssistantThread,
    LocalChannel,
    LocalDetails,
    LocalHome,
    LocalMessage,
    LocalUsergroup,
    list_views,
)
from slack_emulator.page.changing import read_browser
from slack_emulator.shapes import Json, shape_message, shape_view

# Nothing from elsewhere and no script but the page's own: what the messages say is text, whatever it looks like.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
MESSAGES_SHOWN = 200  # the newest of a channel; the page has no paging


@admit
@require_GET
@ensure_csrf_cookie
def show_page(request: HttpRequest) -> HttpResponse:
    """Show the page; its script fetches the rest."""
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


def build_page_state(person: User, *, channel_id: str = "", thread_ts: str = "", browser: str = "") -> Json:
    """Build this person's page with that channel and thread open; another's channel is as one that does not exist."""
    open_direct_channel(person)
    channels = list(LocalChannel.objects.filter(members=person).order_by("is_im", "name").prefetch_related("members"))
    current = next((channel for channel in channels if channel.channel_id == channel_id), None)
    thread: list[Json] = []
    if current and thread_ts:
        of_thread = select_seen(person, current).filter(Q(ts=thread_ts, thread_ts="") | Q(thread_ts=thread_ts))
        thread = [_shape_message(message) for message in of_thread.order_by("ts")]
    views, home = list_views(person, browser), LocalHome.objects.filter(user=person).first()
    opened = LocalDetails.objects.filter(user=person).first()
    return {
        "bot": {"id": LOCAL_BOT_USER_ID, "name": BOT_NAME},
        "me": find_slack_id(person),
        "people": shape_people(),
        "usergroups": [{"id": group.usergroup_id, "handle": group.handle} for group in LocalUsergroup.objects.all()],
        "commands": COMMAND_HINTS,
        "shortcuts": list_shortcuts(),
        "channels": [_shape_channel(channel) for channel in channels],
        "channel": current.channel_id if current else None,
        "messages": _list_top_level(current, person) if current else [],
        "thread": thread,
        "is_agent": features.IS_AGENT,
        "assistant": _shape_assistant(current, thread_ts, thread) if current and thread else None,
        "opening": _shape_assistant(current, "", _list_top_level(current, person)) if current else None,
        "home": shape_view(home) if home else None,
        "details": {"ref": opened.ref, **opened.content} if opened else None,
        "view": shape_view(views[-1], views[:-1]) if views else None,
    }


def shape_people() -> list[Json]:
    """Shape the people of the workspace with the names of their roles."""
    return [
        {
            "id": find_slack_id(user),
            "name": user.display_name or user.email,
            "email": user.email,
            "roles": [role.name for role in user.roles.all()],
        }
        for user in list_people().prefetch_related("roles")
    ]


def find_start() -> User | None:
    """Return whom a page shows that knows nobody yet: who may read something and has questions to start with, if any.

    Then who may read something, those first who do not run the place.
    """

    def rank(person: User) -> tuple[bool, bool, bool]:
        may_read = bool(api.readable_collections(audience_of([person.pk])))
        return (not may_read, person.is_staff, not open_direct_channel(person).suggestions)

    return min(list_people(), key=rank, default=None)


def find_channel(person: User, channel_id: str) -> LocalChannel | None:
    """Return the channel of that id if the person is in it."""
    return LocalChannel.objects.filter(channel_id=channel_id, members=person).first()


def select_seen(person: User, channel: LocalChannel) -> QuerySet[LocalMessage]:
    """Return the messages of a channel that this member sees."""
    return (
        channel.messages.filter(Q(only_for=None) | Q(only_for=person))
        .select_related("author", "only_for", "unfurl")
        .prefetch_related("files")
    )


def _shape_channel(channel: LocalChannel) -> Json:
    return {
        "id": channel.channel_id,
        "name": BOT_NAME if channel.is_im else channel.name,
        "type": channel.channel_type,
        "topic": channel.topic,
        "members": [find_slack_id(user) for user in channel.members.all() if user.is_active],
        "suggestions": channel.suggestions,
    }


def _list_top_level(channel: LocalChannel, person: User) -> list[Json]:
    replies = (
        select_seen(person, channel)
        .filter(thread_ts=OuterRef("ts"))
        .order_by()
        .values("thread_ts")
        .annotate(n=Count("pk"))
        .values("n")
    )
    newest = (
        select_seen(person, channel)
        .filter(thread_ts="")
        .annotate(reply_count=Coalesce(Subquery(replies), 0))
        .order_by("-ts")[:MESSAGES_SHOWN]
    )
    return [{**_shape_message(message), "reply_count": message.reply_count} for message in reversed(newest)]


def _shape_assistant(channel: LocalChannel, thread_ts: str, thread: list[Json]) -> Json | None:
    """Build the pane beside the messages. Suggested questions go away when the person has written something."""
    beside = LocalAssistantThread.objects.filter(channel=channel, thread_ts=thread_ts).first()
    if beside is None:
        return None
    is_answered = any("bot_id" not in message and message["ts"] > beside.prompts_ts for message in thread)
    return {
        "status": f"{BOT_NAME} {beside.current_status}" if beside.current_status else "",
        "prompts": [] if is_answered else beside.prompts,
        "prompts_title": beside.prompts_title,
        "title": beside.session_title,
        "is_working": beside.session_status == "processing",
        "can_stop": beside.session_status == "processing" and features.HEARS_STOPS,
    }


def _shape_message(message: LocalMessage) -> dict[str, Any]:
    cards = message.unfurl.entities if hasattr(message, "unfurl") else []
    return {**shape_message(message), "only_you": message.only_for is not None, "cards": cards}
