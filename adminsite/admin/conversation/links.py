"""Link to a question, the page of its conversation opened at it, and name where it was asked."""

from collections.abc import Iterable
from uuid import UUID

from django.urls import reverse

from core.models import ChannelSetting, Conversation, Query
from core.models.workspaces import LOCAL_TEAM_ID


def url_of(query: Query) -> str:
    """The address of a question on the page of its conversation."""
    page = reverse("admin:core_conversation_change", args=[query.conversation_id])
    return f"{page}?question={query.pk}#q-{query.pk}"


def read_id(text: str) -> UUID | None:
    """Return the id in an address or a form; None for an invalid one."""
    try:
        return UUID(text)
    except ValueError:
        return None


def name_way(conversation: Conversation, place: str) -> str:
    """Name the way in which a conversation came: Slack, the local page that stands in for it, REST and so on.

    place: the name of its channel; empty where there is none.
    """
    is_local = conversation.slack_team == LOCAL_TEAM_ID
    way = "Local page" if is_local else conversation.get_origin_display()
    return f"{way}, {place}" if place else way


def name_places(conversations: Iterable[Conversation]) -> dict[UUID, str]:
    """Return the Slack channels of conversations by their ids, each by its name where that is known, in one query.

    A direct message has an id that begins with D (Slack's reference of conversations), which says nothing to anybody.
    """
    asked = [one for one in conversations if one.slack_channel]
    if not asked:
        return {}
    named = ChannelSetting.objects.filter(channel_id__in={one.slack_channel for one in asked})
    names = {(team, channel): name for team, channel, name in named.values_list("team_id", "channel_id", "name")}

    def name_place(one: Conversation) -> str:
        if name := names.get((one.slack_team, one.slack_channel)):
            return f"#{name}"
        return "direct message" if one.slack_channel.startswith("D") else one.slack_channel

    return {one.pk: name_place(one) for one in asked}
