"""The manifest asks Slack for what the code uses and for nothing else."""

import ast
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings
from slack_bolt import App, Assistant
from slack_sdk import WebClient

from bot.blocks.entities import ENTITY_TYPE
from bot.installations.manifest import build_manifest, list_bot_scopes
from bot.installations.oauth import build_installation_flow
from bot.listeners import register
from bot.slack import searching

BOT = Path(__file__).resolve().parents[3] / "bot"
URL = "https://footnote.example.com"
KINDS = ("event", "action", "command", "shortcut", "global_shortcut", "message_shortcut", "view", "message")

# What a subscription of Slack's is called, by the event type that a listener names, where the two differ.
MESSAGES = {"message.channels", "message.groups", "message.im", "message.mpim"}
ASSISTANT = {"assistant_thread_started"}
OF_LINKS = {"chat_unfurl", "entity_presentDetails"}  # called where links are heard alone
OF_ORGANISATIONS = {"team_access_granted", "team_access_revoked"}  # asked for where one can install the app
OF_EXISTING_APPS = ASSISTANT  # heard, but no app that is made today may ask for it

# Slack's reference, page by page: https://docs.slack.dev/reference/events and /methods. A set is all that is needed.
SCOPES_OF_EVENTS: dict[str, set[str]] = {
    "agent_session_stopped": {"assistant:write"},
    "app_context_changed": set(),  # an agent needs assistant:write anyway
    "app_home_opened": set(),
    "app_mention": {"app_mentions:read"},
    "app_uninstalled": set(),
    "assistant_thread_started": {"assistant:write"},
    "channel_shared": {"channels:read", "groups:read"},
    "channel_unshared": {"channels:read", "groups:read"},
    "entity_details_requested": set(),
    "link_shared": {"links:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "message.mpim": {"mpim:history"},
    "reaction_added": {"reactions:read"},
    "subteam_members_changed": {"usergroups:read"},
    "subteam_updated": {"usergroups:read"},
    "team_access_granted": set(),
    "team_access_revoked": set(),
    "tokens_revoked": set(),
    "user_change": {"users:read"},
}
_ALL_CHANNELS = ("channels", "groups", "im", "mpim")
SCOPES_OF_METHODS: dict[str, set[str]] = {
    "agents_sessions_rename": {"chat:write"},
    "agents_sessions_setStatus": {"chat:write"},
    "apps_connections_open": set(),  # the app's token, not the bot's
    "assistant_threads_setStatus": {"assistant:write"},
    "assistant_threads_setSuggestedPrompts": {"assistant:write"},
    "assistant_threads_setTitle": {"assistant:write"},
    "auth_teams_list": set(),
    "auth_test": set(),
    "canvases_access_set": {"canvases:write"},
    "canvases_create": {"canvases:write"},
    "chat_appendStream": {"chat:write"},
    "chat_delete": {"chat:write"},
    "chat_getPermalink": set(),
    "chat_postEphemeral": {"chat:write"},
    "chat_postMessage": {"chat:write"},
    "chat_startStream": {"chat:write"},
    "chat_stopStream": {"chat:write"},
    "chat_unfurl": {"links:write"},
    "chat_update": {"chat:write"},
    "conversations_history": {f"{kind}:history" for kind in _ALL_CHANNELS},
    "conversations_info": {f"{kind}:read" for kind in _ALL_CHANNELS},
    "conversations_members": {f"{kind}:read" for kind in _ALL_CHANNELS},
    "conversations_open": {"im:write"},
    "conversations_replies": {f"{kind}:history" for kind in _ALL_CHANNELS},
    "entity_presentDetails": set(),
    "files_info": {"files:read"},
    "oauth_v2_access": set(),
    "reactions_add": {"reactions:write"},
    "reactions_remove": {"reactions:write"},
    "usergroups_list": {"usergroups:read"},
    "usergroups_users_list": {"usergroups:read"},
    "users_conversations": {"channels:read", "groups:read"},  # of the types of channels that are asked for
    "users_info": {"users:read", "users:read.email"},
    "users_lookupByEmail": {"users:read.email"},
    "users_list": {"users:read", "users:read.email"},
    "views_open": set(),
    "views_publish": set(),
    "views_push": set(),
    "views_update": set(),
}
# Needed without a method of the client's: a file's address is fetched with the bot's token.
SCOPES_OF_WORDS = {
    "url_private": {"files:read"},
    "url_private_download": {"files:read"},
    searching.METHOD: {"search:read.public"},  # the client has no method for it
}
_METHODS = {name for name in vars(WebClient) if "_" in name.strip("_") and not name.startswith("_")}


class Heard:
    """Every listener that Bolt is given, by its kind, and the assistants; Bolt gets them as well."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, app: App) -> None:
        self.said: dict[str, list[Any]] = {kind: [] for kind in KINDS}
        self.assistants = 0
        for kind in KINDS:
            monkeypatch.setattr(app, kind, self._recording(kind, getattr(app, kind)))
        for way in ("use", "assistant"):
            monkeypatch.setattr(app, way, self._counting(getattr(app, way)))

    def _recording(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def record(constraint: Any = "", *args: Any, **kwargs: Any) -> Any:
            self.said[kind].append(constraint)
            return real(constraint, *args, **kwargs)

        return record

    def _counting(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def count(*args: Any, **kwargs: Any) -> Any:
            self.assistants += sum(isinstance(arg, Assistant) for arg in args)
            return real(*args, **kwargs)

        return count

    @property
    def events(self) -> set[str]:
        """The subscriptions that the listeners need."""
        found: set[str] = ASSISTANT | MESSAGES if self.assistants else set()
        if self.said["message"]:
            found |= MESSAGES
        for constraint in self.said["event"]:
            kind = constraint["type"] if isinstance(constraint, dict) else constraint
            found |= MESSAGES if kind == "message" else {kind}
        return found


@pytest.fixture(params=["", "eyes"], ids=["no emoji asks", "an emoji asks"])
def emoji(request: pytest.FixtureRequest, settings: Settings) -> str:
    """The emoji that asks."""
    settings.SLACK_ASK_EMOJI = request.param
    return str(request.param)


@pytest.fixture(params=["", f"{URL}:8443/"], ids=["no address", "an address"])
def public_url(request: pytest.FixtureRequest, settings: Settings) -> str:
    """Set the address at which people open documents, or none."""
    settings.PUBLIC_URL = request.param
    return str(request.param)


@pytest.fixture(params=[False, True], ids=["no searches", "searches"])
def searches(request: pytest.FixtureRequest, settings: Settings) -> bool:
    """Turn the search of workspaces' messages on or off."""
    settings.SLACK_SEARCH = request.param
    return bool(request.param)


@pytest.fixture
def heard(emoji: str, public_url: str, app: App, monkeypatch: pytest.MonkeyPatch) -> Heard:
    found = Heard(monkeypatch, app)
    register(app)
    return found


def calls() -> Iterator[str]:
    """The methods of the Web API that the bot's code calls; the local page, which plays Slack, is left out."""
    for file in BOT.rglob("*.py"):
        if "local" in file.relative_to(BOT).parts:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in _METHODS:
                yield node.attr
            elif isinstance(node, ast.Constant) and node.value in SCOPES_OF_WORDS:
                yield str(node.value)


@pytest.mark.parametrize("whole", [False, True], ids=["single workspaces", "organisations"])
def test_its_events_are_those_that_are_heard(heard: Heard, emoji: str, public_url: str, whole: bool) -> None:
    """Neither more nor fewer: of emoji only where one asks, of links only where documents have an address."""
    app = build_manifest(hears_reactions=bool(emoji), public_url=public_url, serves_organisations=whole)
    events = app["settings"]["event_subscriptions"]["bot_events"]
    assert set(events) == heard.events - OF_EXISTING_APPS - (set() if whole else OF_ORGANISATIONS)
    assert heard.events >= OF_EXISTING_APPS | OF_ORGANISATIONS
    assert ("reaction_added" in heard.events) == bool(emoji)
    assert ({"link_shared", "entity_details_requested"} <= heard.events) == bool(public_url)
    assert events == sorted(events)


def test_its_commands_and_shortcuts_are_those_that_are_heard(heard: Heard) -> None:
    """The slash commands, the shortcuts of messages and those of everywhere."""
    features = build_manifest()["features"]
    commands = [row["command"] for row in features.get("slash_commands", [])]
    assert [bool(commands and pattern.match(commands[0])) for pattern in heard.said["command"]] == [True] * len(
        commands
    )
    listed = {(row["type"], row["callback_id"]) for row in features.get("shortcuts", [])}
    everywhere = {("global", name) for name in heard.said["global_shortcut"]}
    assert listed == everywhere | {("message", n) for n in heard.said["message_shortcut"] + heard.said["shortcut"]}


def test_its_scopes_are_those_that_are_needed(heard: Heard, emoji: str, public_url: str, searches: bool) -> None:
    """By an event that is heard, a method that is called, or a command; a method that is unknown here is named."""
    methods = set(calls())
    assert methods - SCOPES_OF_METHODS.keys() - SCOPES_OF_WORDS.keys() == set()
    assert heard.events - SCOPES_OF_EVENTS.keys() == set()
    needed = (
        {"commands"} if heard.said["command"] or heard.said["message_shortcut"] or heard.said["shortcut"] else set()
    )
    needed = needed.union(*(SCOPES_OF_EVENTS[event] for event in heard.events))
    if not public_url:
        methods -= OF_LINKS
    needed |= set().union(*((SCOPES_OF_METHODS | SCOPES_OF_WORDS)[method] for method in methods))
    if not searches:  # the method is called by nobody then
        needed -= SCOPES_OF_WORDS[searching.METHOD]
    scopes = list_bot_scopes(hears_reactions=bool(emoji), public_url=public_url, searches=searches)
    assert set(scopes) == needed
    assert scopes == sorted(scopes)


def test_its_domain_is_that_of_the_documents() -> None:
    """A host alone, for cards of the type that is made; a trial's own machine is not named."""
    features = build_manifest(public_url=f"{URL}:8443/footnote/")["features"]
    assert features["unfurl_domains"] == ["footnote.example.com"]
    assert features["rich_previews"] == {"is_active": True, "entity_types": [ENTITY_TYPE]}
    assert not {"unfurl_domains", "rich_previews"} & build_manifest()["features"].keys()


def test_it_is_printed_with_the_address(settings: Settings) -> None:
    """By the setting, and not where the local page plays Slack."""
    settings.PUBLIC_URL = URL
    settings.LOCAL_PAGE, settings.SLACK_BOT_TOKEN = True, ""
    assert printed() == build_manifest()
    settings.LOCAL_PAGE = False
    assert printed() == build_manifest(public_url=URL)


def test_what_is_switched_on_is_used(heard: Heard) -> None:
    """The home tab and clicks have listeners, and the app is an agent; what OAuth alone can do is off."""
    app = build_manifest()
    assert app["features"]["app_home"]["home_tab_enabled"] is ("app_home_opened" in heard.events)
    assert set(app["features"]) == {"agent_view", "app_home", "bot_user", "shortcuts", "slash_commands"}
    assert set(app["features"]["agent_view"]) == {"agent_description"}
    assert app["settings"]["interactivity"]["is_enabled"] is bool(heard.said["action"])
    assert (app["settings"]["token_rotation_enabled"], app["settings"]["org_deploy_enabled"]) == (False, False)


@pytest.mark.parametrize(
    ("option", "setting"), [("--organisation", "org_deploy_enabled"), ("--rotate-tokens", "token_rotation_enabled")]
)
def test_what_oauth_alone_can_do_is_printed_when_asked_for(option: str, setting: str) -> None:
    """Each switches on one setting, organisations with their events, and neither without an address."""
    plain, app = printed("--url", URL), printed("--url", URL, option)
    events = set(app["settings"]["event_subscriptions"].pop("bot_events"))
    usual = set(plain["settings"]["event_subscriptions"].pop("bot_events"))
    assert events - usual == (OF_ORGANISATIONS if option == "--organisation" else set())
    assert app == plain | {"settings": plain["settings"] | {setting: True}}
    with pytest.raises(CommandError, match="need --url"):
        printed(option)


def printed(*arguments: str) -> dict[str, Any]:
    said = StringIO()
    call_command("slack_manifest", *arguments, stdout=said)
    found: dict[str, Any] = yaml.safe_load(said.getvalue())
    return found


def test_it_is_printed_for_socket_mode() -> None:
    """It is printed unchanged: no address of ours is in it."""
    app = printed()
    assert app == build_manifest()
    assert app["settings"]["socket_mode_enabled"]
    assert "https://" not in str(app)


def test_it_is_printed_with_the_emoji_that_asks(emoji: str) -> None:
    """Once more than without one, in scope and event."""
    assert printed() == build_manifest(hears_reactions=bool(emoji))
    assert ("reactions:read" in str(printed())) == bool(emoji)


def test_it_is_printed_with_the_scope_of_searches(searches: bool, settings: Settings) -> None:
    """In public channels alone, and only while the setting is set; OAuth asks for the same."""
    assert printed() == build_manifest(searches=searches)
    asked = [scope for scope in printed()["oauth_config"]["scopes"]["bot"] if scope.startswith("search:")]
    assert asked == (["search:read.public"] if searches else [])
    settings.SLACK_CLIENT_ID, settings.SLACK_CLIENT_SECRET = "id", "secret"
    flow = build_installation_flow(session={}, by=None)
    assert ("search:read.public" in (flow.settings.scopes or [])) == searches


def test_it_is_printed_for_http() -> None:
    """Every address is the web process's, and the command may have another name."""
    app = printed("--url", f"{URL}/", "--command", "/ask")
    assert not app["settings"]["socket_mode_enabled"]
    assert app["settings"]["event_subscriptions"]["request_url"] == f"{URL}/slack/events"
    assert app["settings"]["interactivity"]["request_url"] == f"{URL}/slack/events"
    assert app["features"]["slash_commands"][0] == build_manifest()["features"]["slash_commands"][0] | {
        "command": "/ask",
        "url": f"{URL}/slack/events",
    }
    assert app["oauth_config"]["redirect_urls"] == [f"{URL}/slack/oauth_redirect"]


@pytest.mark.parametrize(
    "arguments",
    [("--url", "http://footnote.example.com"), ("--url", "footnote.example.com"), ("--url", f"{URL}/slack")]
    + [("--command", name) for name in ("ask", "/Ask", "/a b", "/" + "a" * 32)],
    ids=" ".join,
)
def test_what_slack_would_not_take_is_refused(arguments: tuple[str, ...]) -> None:
    """Before somebody pastes it."""
    with pytest.raises(CommandError):
        printed(*arguments)
