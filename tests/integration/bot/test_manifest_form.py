"""The manifest has the form that Slack documents: names, types and limits, each with where it is written.

Slack's own JSON schema (https://github.com/slackapi/manifest-schema, schemas/manifest.schema.1.0.0.json) is in no
package registry and does not know agents yet, so its limits are written down here. What it does not have is from the
types of npm's @slack/web-api 8.2.0 (dist/types/request/manifest.d.ts), which repeat
https://docs.slack.dev/reference/app-manifest. Unknown names are refused, as in Slack's schema.
"""

from copy import deepcopy
from itertools import product
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, StringConstraints, ValidationError

from bot.installations.manifest import build_manifest

_URL = r"^https?://"
_NAME = r"^[a-z0-9._-]+$"  # manifest.d.ts, ManifestBotUser.display_name
Web = Annotated[StrictStr, StringConstraints(pattern=_URL, max_length=3500)]  # of events and interactivity
Identifier = Annotated[StrictStr, StringConstraints(max_length=50)]  # of a scope or an event


def text(most: int, pattern: str | None = None) -> Any:
    """Return the type of a string of 1 to `most` characters."""
    return Annotated[StrictStr, StringConstraints(min_length=1, max_length=most, pattern=pattern)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Display(_Form):
    name: text(35)
    description: text(140)


class _HomeTab(_Form):
    home_tab_enabled: StrictBool
    messages_tab_enabled: StrictBool
    messages_tab_read_only_enabled: StrictBool


class _Agent(_Form):
    agent_description: text(300)  # manifest.d.ts, ManifestAgentView


class _BotUser(_Form):
    display_name: text(80, _NAME)
    always_online: StrictBool


class _Shortcut(_Form):
    name: text(24)
    type: Literal["message", "global"]
    callback_id: text(255)
    description: text(150)


class _SlashCommand(_Form):
    command: text(32, r"^/.")
    description: text(2000)
    usage_hint: text(1000)
    should_escape: StrictBool
    url: Annotated[StrictStr, StringConstraints(pattern=_URL, max_length=3000)] | None = None


class _Features(_Form):
    app_home: _HomeTab
    agent_view: _Agent
    bot_user: _BotUser
    shortcuts: Annotated[list[_Shortcut], Field(min_length=1, max_length=10)]
    slash_commands: Annotated[list[_SlashCommand], Field(min_length=1, max_length=50)]


class _Scopes(_Form):
    bot: Annotated[list[Identifier], Field(max_length=255)]


class _OAuth(_Form):
    scopes: _Scopes
    redirect_urls: Annotated[
        list[Annotated[StrictStr, StringConstraints(max_length=2500)]], Field(max_length=1000)
    ] = []


class _Subscriptions(_Form):
    bot_events: Annotated[list[Identifier], Field(max_length=100)]
    request_url: Web | None = None


class _Interactivity(_Form):
    is_enabled: StrictBool
    request_url: Web | None = None


class _Settings(_Form):
    event_subscriptions: _Subscriptions
    interactivity: _Interactivity
    org_deploy_enabled: StrictBool
    socket_mode_enabled: StrictBool
    token_rotation_enabled: StrictBool


class _Manifest(_Form):
    display_information: _Display
    features: _Features
    oauth_config: _OAuth
    settings: _Settings


MANIFESTS = [
    build_manifest(url=url, command=command, hears_reactions=emoji, serves_organisations=whole, rotates_tokens=rotation)
    for url, command, emoji, whole, rotation in product(
        ("", "https://footnote.example.com"), ("", "/" + "a" * 31), *([(False, True)] * 3)
    )
]


@pytest.mark.parametrize("app", MANIFESTS, ids=range(len(MANIFESTS)))
def test_every_manifest_has_the_form_that_slack_documents(app: dict[str, Any]) -> None:
    """Whatever is asked for; and no scope, event or address is named twice."""
    _Manifest.model_validate(app)
    settings, oauth = app["settings"], app["oauth_config"]
    for names in (
        oauth["scopes"]["bot"],
        settings["event_subscriptions"]["bot_events"],
        oauth.get("redirect_urls", []),
    ):
        assert len(names) == len(set(names))
    assert settings["socket_mode_enabled"] is ("request_url" not in settings["event_subscriptions"])


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("features", "agent_view", "agent_description"), "a" * 301),
        (("features", "agent_view", "description"), "an unknown name"),
        (("features", "shortcuts", 0, "name"), "a" * 25),
        (("features", "slash_commands", 0, "command"), "ask"),
        (("features", "bot_user", "display_name"), "Foot note"),
        (("display_information", "description"), "a" * 141),
        (("settings", "org_deploy_enabled"), "true"),
        (("settings", "event_subscriptions", "request_url"), "footnote.example.com"),
        (("oauth_config", "scopes", "bot"), ["a" * 51]),
    ],
    ids=str,
)
def test_the_form_refuses_what_slack_would(place: tuple[str | int, ...], value: Any) -> None:
    """Else it would hold nothing."""
    app = deepcopy(MANIFESTS[0])
    here: Any = app
    for name in place[:-1]:
        here = here[name]
    here[place[-1]] = value
    with pytest.raises(ValidationError):
        _Manifest.model_validate(app)
