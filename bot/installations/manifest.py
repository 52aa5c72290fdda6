"""Build the app's manifest: which scopes, events, commands and shortcuts Slack gives the bot. Pure."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

_FILE = Path(__file__).parents[1] / "manifest.yaml"
EVENTS_PATH = "/slack/events"
REDIRECT_PATH = "/slack/oauth_redirect"
_REACTION_SCOPE, _REACTION_EVENT = "reactions:read", "reaction_added"
_LINK_SCOPES, _LINK_EVENTS = ("links:read", "links:write"), ("entity_details_requested", "link_shared")
_ENTITY_TYPES = ["slack#/entities/content_item"]  # as bot.blocks.entities makes
_ORGANISATION_EVENTS = ("team_access_granted", "team_access_revoked")
_SEARCH_SCOPE = "search:read.public"  # the others that search messages are for the tokens of people alone


def build_manifest(
    *,
    url: str = "",
    command: str = "",
    hears_reactions: bool = False,
    public_url: str = "",
    searches: bool = False,
    serves_organisations: bool = False,
    rotates_tokens: bool = False,
) -> dict[str, Any]:
    """Build the manifest of an app.

    url: where the web process is reached from outside, as https://footnote.example.com, for events over HTTP and for
    installing by OAuth; without it Slack is heard over Socket Mode.
    command: another name for the slash command, where /footnote is taken.
    hears_reactions: whether there is an emoji that asks; without it the app is told of none.
    public_url: where documents are opened; without it the app is told of no links.
    searches: whether workspaces can be let search their own messages.
    serves_organisations: whether it can be installed in a whole organisation of Enterprise Grid, by OAuth.
    rotates_tokens: whether the tokens of its installations expire and are renewed, by OAuth. Slack lets nobody take
    that back for an app.
    """
    app: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    if searches:
        _add_to_app(app, scopes=[_SEARCH_SCOPE])
    if hears_reactions:
        _add_to_app(app, scopes=[_REACTION_SCOPE], events=[_REACTION_EVENT])
    host = urlsplit(public_url).hostname
    if host:
        _add_to_app(app, scopes=_LINK_SCOPES, events=_LINK_EVENTS)
        app["features"]["rich_previews"] = {"is_active": True, "entity_types": _ENTITY_TYPES}
        app["features"]["unfurl_domains"] = [host]
    if serves_organisations:
        _add_to_app(app, events=_ORGANISATION_EVENTS)
    app["settings"] |= {"org_deploy_enabled": serves_organisations, "token_rotation_enabled": rotates_tokens}
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


def list_bot_scopes(*, hears_reactions: bool = False, public_url: str = "", searches: bool = False) -> list[str]:
    """List the scopes that the bot's token needs; the arguments as of `build_manifest`."""
    app = build_manifest(hears_reactions=hears_reactions, public_url=public_url, searches=searches)
    return [str(scope) for scope in app["oauth_config"]["scopes"]["bot"]]


def _add_to_app(app: dict[str, Any], *, scopes: Iterable[str] = (), events: Iterable[str] = ()) -> None:
    granted, heard = app["oauth_config"]["scopes"], app["settings"]["event_subscriptions"]
    granted["bot"] = sorted([*granted["bot"], *scopes])
    heard["bot_events"] = sorted([*heard["bot_events"], *events])
