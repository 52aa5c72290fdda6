"""Accounts and usergroups as Slack tells of them. What it refuses is raised: who asks decides what that means."""

from collections.abc import Collection, Iterator
from typing import Any

from slack_sdk import WebClient

from bot.slack.errors import translate_errors

ASKED_ONE_BY_ONE = 20  # accounts up to which users.info is asked for each; it allows about 100 a minute
_ACCOUNTS_PER_PAGE = 1000  # Slack's maximum for users.list

Account = dict[str, Any]  # an account as Slack's users.info describes it


def find_account(client: WebClient, slack_user_id: str) -> Account | None:
    """One account."""
    with translate_errors():
        return client.users_info(user=slack_user_id).get("user")


def list_accounts(client: WebClient, wanted: Collection[str]) -> dict[str, Account]:
    """The wanted accounts that the workspace has, by id; none where so few are wanted that each can be asked."""
    if len(wanted) <= ASKED_ONE_BY_ONE:
        return {}
    return {one["id"]: one for one in _list_all(client) if one["id"] in wanted}


def list_usergroup_members(client: WebClient, usergroup_id: str) -> set[str]:
    """The Slack users in a usergroup."""
    with translate_errors():
        return set(client.usergroups_users_list(usergroup=usergroup_id).get("users") or [])


def _list_all(client: WebClient) -> Iterator[Account]:
    with translate_errors():
        for page in client.users_list(limit=_ACCOUNTS_PER_PAGE):
            yield from page.get("members") or []
