"""Listeners that say something, and the language they say it in."""

import inspect
from collections.abc import Callable
from typing import Any

from slack_bolt import Args

from bot.channels.languages import find_language
from core.language.i18n.translation import speak_language


def localize(listener: Callable[..., Any]) -> Callable[[Args], Any]:
    """A listener that speaks the language of the channel where it hears something."""
    names = inspect.getfullargspec(listener).args

    def listen(args: Args) -> Any:
        channel = args.context.channel_id or (args.body.get("container") or {}).get("channel_id") or ""
        with speak_language(find_language(args.context["team_id"], channel)):
            return listener(**{name: getattr(args, name) for name in names})

    return listen
