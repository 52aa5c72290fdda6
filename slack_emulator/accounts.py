"""The Slack accounts of the workspace that the local page plays: every active user has one."""

from uuid import UUID

from django.db.models import QuerySet
from django.utils.http import int_to_base36

from core.models import User
from slack_emulator.models import LocalChannel

BOT_NAME = "Footnote"


def list_people() -> QuerySet[User]:
    """List the people of the workspace."""
    return User.objects.filter(is_active=True).order_by("display_name", "email")


def find_slack_id(user: User) -> str:
    """Return the person's Slack user id: the primary key in Slack's alphabet, so that nothing needs to be stored."""
    return f"U{_encode_key(user)}"


def find_person(slack_user_id: str) -> User | None:
    """Return the person behind a Slack user id, or None."""
    if not slack_user_id.startswith("U"):
        return None
    try:
        key = UUID(int=int(slack_user_id[1:], 36))
    except ValueError:
        return None
    return list_people().filter(pk=key).first()


def open_direct_channel(user: User) -> LocalChannel:
    """Return the person's direct messages with Footnote, opened when first asked for."""
    channel, created = LocalChannel.objects.get_or_create(channel_id=f"D{_encode_key(user)}", defaults={"is_im": True})
    if created:
        channel.members.add(user)
    return channel


def _encode_key(user: User) -> str:
    return int_to_base36(user.pk.int).upper()
