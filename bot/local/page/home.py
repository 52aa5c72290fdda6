"""What a person does on the Home tab beside pressing something there."""

from bot.local.accounts import direct_channel
from bot.local.dispatch import send_event
from bot.local.models import LocalHome
from bot.local.page.changing import changing
from bot.local.payloads.events import home_opened
from bot.local.shapes import Json
from core.models import User


@changing
def open_home(person: User, _body: Json) -> Json:
    """Tell Footnote that the person looks at its Home tab."""
    home = LocalHome.objects.filter(user=person).first()
    send_event(home_opened(person, direct_channel(person), home))
    return {}
