"""Accounts and usergroups as Slack tells of them. What it refuses is raised: who asks decides what that means."""

from collections.abc import Collection, Iterator
from typing import Any

from slack_sdk import WebClient

from bot.slack.errors import translated

ASKED_ONE_BY_ONE = 20  # accounts up to which users.info is asked for each; it allows about 100 a minute
_ACCOUNTS_PER_PAGE = 1000  # Slack's maximum for users.list

Account = dict[str, Any]  # an account as Slack's users.info describes it


def account(client: WebClient, slack_user_id: str) -> Account | None:
    """One account."""
    with translated():
        return client.users_info(user=slack_user_id).get("user")


def listed(client: WebClient, wanted: Collection[str]) -> dict[str, Account]:
    """The wanted accounts that the workspace has, by id; none where so few are wanted that each can be asked."""
    if len(wanted) <= ASKED_ONE_BY_ONE:
        return {}
    return {one["id"]: one for one in _every_account(client) if one["id"] in wanted}


def usergroup_members(client: WebClient, usergroup_id: str) -> set[str]:
    """The Slack users in a usergroup."""
    with translated():
        return set(client.usergroups_users_list(usergroup=usergroup_id).get("users") or [])


def _every_account(client: WebClient) -> Iterator[Account]:
    with translated():
        for page in client.users_list(limit=_ACCOUNTS_PER_PAGE):
            yield from page.get("members") or []
