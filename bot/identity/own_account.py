"""Identify our own account in a workspace, by a client and its token."""

from dataclasses import dataclass
from functools import lru_cache

from slack_sdk import WebClient

from bot.slack.errors import translate_errors
from bot.slack.workspace import REQUEST_TIMEOUT_S, find_acted_in


@dataclass(frozen=True, kw_only=True, slots=True)
class _OwnAccount:
    """Holds our own Slack user, and the workspace that it is in, with its address."""

    user_id: str
    team_id: str
    team_name: str
    url: str


def find_own_user_id(client: WebClient) -> str:
    """Find our own Slack user, asked once per process and token."""
    return _ask_own_account(client.base_url, client.token or "").user_id


def find_own_team_id(client: WebClient) -> str:
    """Find the workspace that the client's token belongs to, asked once per process and token.

    With the token of an organisation: the workspace that the client was made for.
    """
    acted_in = find_acted_in(client)
    if acted_in:
        return acted_in.team_id
    return _ask_own_account(client.base_url, client.token or "").team_id


def find_own_team_name(client: WebClient) -> str:
    """Find the name of that workspace; empty with an organisation's token: its workspaces are met by name before."""
    if find_acted_in(client):
        return ""
    return _ask_own_account(client.base_url, client.token or "").team_name


def find_own_url(client: WebClient) -> str:
    """Return the address of that workspace, such as https://harbour.slack.com/; empty where Slack tells none."""
    return _ask_own_account(client.base_url, client.token or "").url


@lru_cache(maxsize=1024)
def _ask_own_account(base_url: str, token: str) -> _OwnAccount:
    with translate_errors():
        told = WebClient(token=token, base_url=base_url, timeout=REQUEST_TIMEOUT_S).auth_test()
    return _OwnAccount(
        user_id=str(told["user_id"]),
        team_id=str(told["team_id"]),
        team_name=str(told.get("team") or ""),
        url=str(told.get("url") or ""),
    )
