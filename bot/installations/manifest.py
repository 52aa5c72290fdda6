"""The app's manifest: which scopes, events, commands and shortcuts Slack gives the bot. Pure."""

from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).parents[1] / "manifest.yaml"
EVENTS_PATH = "/slack/events"
REDIRECT_PATH = "/slack/oauth_redirect"


def build_manifest(*, url: str = "", command: str = "") -> dict[str, Any]:
    """The manifest of an app.

    url: where the web process is reached from outside, as https://footnote.example.com, for events over HTTP and for
    installing by OAuth; without it Slack is heard over Socket Mode.
    command: another name for the slash command, where /footnote is taken.
    """
    app: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    if command:
        app["features"]["slash_commands"][0]["command"] = command
    if url:
        events = url.rstrip("/") + EVENTS_PATH
        app["settings"]["socket_mode_enabled"] = False
        app["settings"]["event_subscriptions"]["request_url"] = events
        app["settings"]["interactivity"]["request_url"] = events
        app["features"]["slash_commands"][0]["url"] = events
        app["oauth_config"]["redirect_urls"] = [url.rstrip("/") + REDIRECT_PATH]
    return app


def list_bot_scopes() -> list[str]:
    """The scopes that the bot's token needs."""
    return [str(scope) for scope in build_manifest()["oauth_config"]["scopes"]["bot"]]
