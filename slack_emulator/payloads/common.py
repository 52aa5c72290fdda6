"""Share code among events, interactions and commands."""

from django.conf import settings
from django.urls import reverse

from core.models import User
from slack_emulator.models import LocalChannel, ResponseAddress

TEAM_DOMAIN = "local"


def build_account_name(person: User) -> str:
    """The short name of an account."""
    return person.email.partition("@")[0]


def build_channel_name(channel: LocalChannel) -> str:
    """The channel's name as Slack's payloads give it."""
    return "directmessage" if channel.is_im else channel.name


def build_response_url(address: ResponseAddress) -> str:
    """Return the address at which the bot may answer."""
    return f"http://127.0.0.1:{settings.PORT}{reverse('local-respond', args=[address.token])}"
