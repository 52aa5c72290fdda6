"""The direct messages with a person, as far as they are known without asking Slack."""

from bot.models import Reply
from bot.slack.addresses import build_channel_address


def find_direct_messages(team_id: str, slack_user_id: str) -> str:
    """The address of the direct messages with somebody; empty where we never said anything there."""
    replies = Reply.objects.filter(event__team_id=team_id, event__user_id=slack_user_id, channel_id__startswith="D")
    channel_id = replies.order_by("-event__received_at").values_list("channel_id", flat=True).first()
    return build_channel_address(team_id, channel_id) if channel_id else ""
