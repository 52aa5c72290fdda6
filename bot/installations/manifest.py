"""The app's manifest: which scopes, events, commands and shortcuts Slack gives the bot. Pure."""

from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).parents[1] / "manifest.yaml"
EVENTS_PATH = "/slack/events"
REDIRECT_PATH = "/slack/oauth_redirect"
_REACTION_SCOPE, _REACTION_EVENT = "reactions:read", "reaction_added"


def build_manifest(*, url: str = "", command: str = "", hears_reactions: bool = False) -> dict[str, Any]:
    """The manifest of an app.

    url: where the web process is reached from outside, as https://footnote.example.com, for events over HTTP and for
    installing by OAuth; without it Slack is heard over Socket Mode.
    command: another name for the slash command, where /footnote is taken.
    hears_reactions: whether there is an emoji that asks; without it the app is told of none.
    """
    app: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    if hears_reactions:
        scopes, events = app["oauth_config"]["scopes"], app["settings"]["event_subscriptions"]
        scopes["bot"] = sorted([*scopes["bot"], _REACTION_SCOPE])
        events["bot_events"] = sorted([*events["bot_events"], _REACTION_EVENT])
    if command:
        app["features"]["slash_commands"][0]["command"] = command
    if url:
        address = url.rstrip("/") + EVENTS_PATH
        app["settings"]["socket_mode_enabled"] = False
        app["settings"]["event_subscriptions"]["request_url"] = address
        app["settings"]["interactivity"]["request_url"] = address
        app["features"]["slash_commands"][0]["url"] = address
        app["oauth_config"]["redirect_urls"] = [url.rstrip("/") + REDIRECT_PATH]
    return app


def list_bot_scopes(*, hears_reactions: bool = False) -> list[str]:
    """The scopes that the bot's token needs; hears_reactions as of `build_manifest`."""
    return [str(scope) for scope in build_manifest(hears_reactions=hears_reactions)["oauth_config"]["scopes"]["bot"]]
