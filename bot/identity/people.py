"""Identify the person of Footnote by a Slack user's id, and ask Slack for accounts and usergroups.

Unknown means nobody. A person is known by the confirmed e-mail address of their Slack profile, whatever the case of its
letters A to Z, and only in the workspace that the client's token belongs to or, with the token of an organisation, acts
in: the team in a payload is not believed, since in a channel that workspaces share it may be the other one.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any
from uuid import UUID

from django.utils import timezone
from slack_sdk import WebClient

from bot.identity.own_account import find_own_team_id
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.workspace import UnknownTeamError, find_client
from core.models import SlackBot, SlackIdentity, User
from core.signals import SlackAccount
from core.values.addresses import fold_address

IDENTITY_LIFE = dt.timedelta(minutes=5)  # how long Slack's word on who somebody is may be believed
ASKED_ONE_BY_ONE = 20  # accounts up to which users.info is asked for each; it allows about 100 a minute
_ACCOUNTS_PER_PAGE = 1000  # Slack's maximum for users.list

Account = dict[str, Any]  # an account as Slack's users.info describes it


class AccountKind(Enum):
    """Lists the ways in which a Slack account belongs to a workspace. One of no member reads without roles."""

    MEMBER = auto()  # a person of it, known or not
    OUTSIDER = auto()  # a guest, a closed account, a person or bot of another workspace, one that Slack does not know
    BOT = auto()  # of the own workspace: administrators may say that it counts as no reader


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Holds a Slack account, as far as it matters for what its person reads."""

    kind: AccountKind
    user_id: UUID | None = None  # a member's, where they are known

    @property
    def is_member(self) -> bool:
        """Return True if their roles count."""
        return self.kind is AccountKind.MEMBER


def find_person(client: WebClient, team_id: str, slack_user_id: str) -> Person:
    """Find the person of an account, from memory while it is fresh, and else from Slack."""
    known = _recall_people(team_id, [slack_user_id]).get(slack_user_id)
    return known or _learn_person(client, team_id, slack_user_id, _find_told_account(client, slack_user_id))


def find_people(client: WebClient, team_id: str, slack_user_ids: list[str]) -> Iterator[Person]:
    """Yield the persons of accounts: those remembered first, then one after the other as they are learned."""
    known = _recall_people(team_id, slack_user_ids)
    yield from known.values()
    unknown = [slack_user_id for slack_user_id in slack_user_ids if slack_user_id not in known]
    try:
        listed = list_accounts(client, unknown)
    except SlackRefusedError:
        listed = {}
    for slack_user_id in unknown:
        account = listed.get(slack_user_id) or _find_told_account(client, slack_user_id)
        yield _learn_person(client, team_id, slack_user_id, account)


def identify_person(team_id: str, account: Account | None) -> Person:
    """Identify the person by Slack's description of the account to the workspace team_id. None: unknown to Slack."""
    if not account or _is_outsider(account, team_id):
        return Person(kind=AccountKind.OUTSIDER)
    if account.get("is_bot"):
        return Person(kind=AccountKind.BOT)
    email = fold_address(str((account.get("profile") or {}).get("email") or ""))
    if not email or account.get("is_email_confirmed") is not True:  # anybody can type an address into a profile
        return Person(kind=AccountKind.MEMBER)
    return Person(
        kind=AccountKind.MEMBER, user_id=User.objects.filter(email=email).values_list("pk", flat=True).first()
    )


def find_account_now(team_id: str, slack_user_id: str) -> SlackAccount:
    """Ask Slack whose account this is in a workspace, whatever is remembered of it, and remember the answer.

    SlackUnavailableError when Slack cannot be asked; the errors of `find_client` for a token that cannot be read.
    """
    try:
        client = find_client(team_id)
    except UnknownTeamError:
        return SlackAccount(is_connected=False)
    account = _find_told_account(client, slack_user_id)
    # With the one token any team finds the same client: another workspace must be one of the account's, too.
    is_connected = team_id == find_own_team_id(client) or (account is not None and team_id in _list_teams(account))
    person = _learn_person(client, team_id, slack_user_id, account if is_connected else None)
    return SlackAccount(is_connected=is_connected, user_id=person.user_id)


def note_change(team_id: str, account: Account) -> tuple[Person, set[UUID]]:
    """Take in what Slack tells the workspace team_id of a changed account. Returns whose it is now, and whose it was.

    Nothing is believed any more of what Slack said of it earlier: the next question asks Slack. An identity that the
    change contradicts is forgotten, which ends what rests on it; that of an account with a new status stays.
    """
    person = identify_person(team_id, account)
    known = SlackIdentity.objects.filter(slack_user_id=account["id"])
    owners = set(known.values_list("user_id", flat=True))
    if (account.get("enterprise_user") or {}).get("teams"):  # all workspaces of an organisation that it is in
        known.exclude(team_id__in=_list_teams(account)).delete()
    if team_id in _list_teams(account) or _is_closed(account):
        (known.exclude(user_id=person.user_id) if person.user_id else known).delete()
    stale = timezone.now() - IDENTITY_LIFE
    known.filter(checked_at__gt=stale).update(checked_at=stale)
    return person, owners


def _is_outsider(account: Account, team_id: str) -> bool:
    """Return True for closed accounts, guests, strangers, and members of another workspace only, bots or not."""
    return _is_closed(account) or bool(account.get("is_stranger")) or team_id not in _list_teams(account)


def _is_closed(account: Account) -> bool:
    """Return True for closed accounts and guests, also as another workspace sees them."""
    return any(account.get(flag) for flag in ("deleted", "is_restricted", "is_ultra_restricted"))


def _list_teams(account: Account) -> set[Any]:
    return {account.get("team_id"), *((account.get("enterprise_user") or {}).get("teams") or [])}


def _recall_people(team_id: str, slack_user_ids: Iterable[str]) -> dict[str, Person]:
    fresh = SlackIdentity.objects.filter(
        team_id=team_id, slack_user_id__in=list(slack_user_ids), checked_at__gt=timezone.now() - IDENTITY_LIFE
    )
    return {
        slack_id: Person(kind=AccountKind.MEMBER, user_id=user_id)
        for slack_id, user_id in fresh.values_list("slack_user_id", "user_id")
    }


def _learn_person(client: WebClient, team_id: str, slack_user_id: str, account: Account | None) -> Person:
    """Identify the person by Slack's description of the account, and remember them if they are known."""
    person = identify_person(find_own_team_id(client), account)
    if person.user_id:
        SlackIdentity.objects.update_or_create(
            team_id=team_id,
            slack_user_id=slack_user_id,
            defaults={"user_id": person.user_id, "checked_at": timezone.now()},
        )
    else:
        SlackIdentity.objects.filter(team_id=team_id, slack_user_id=slack_user_id).delete()
        if person.kind is AccountKind.BOT:
            # The administrators see it, who may say that it counts as no reader.
            told = account or {}
            name = str(told.get("real_name") or told.get("name") or "")
            SlackBot.objects.get_or_create(team_id=team_id, slack_user_id=slack_user_id, defaults={"name": name[:100]})
    return person


def _find_told_account(client: WebClient, slack_user_id: str) -> Account | None:
    """Find an account as Slack describes it; None when Slack does not know it."""
    try:
        return find_account(client, slack_user_id)
    except SlackRefusedError:
        return None


def find_account(client: WebClient, slack_user_id: str) -> Account | None:
    """Ask Slack for one account. What it refuses is raised."""
    with translate_errors():
        return client.users_info(user=slack_user_id).get("user")


def list_accounts(client: WebClient, wanted: Collection[str]) -> dict[str, Account]:
    """List the wanted accounts that the workspace has, by id; none where so few are wanted that each can be asked."""
    if len(wanted) <= ASKED_ONE_BY_ONE:
        return {}
    with translate_errors():
        pages = client.users_list(limit=_ACCOUNTS_PER_PAGE)
        return {one["id"]: one for page in pages for one in page.get("members") or [] if one["id"] in wanted}


def list_usergroup_members(client: WebClient, usergroup_id: str) -> set[str]:
    """List the Slack users in a usergroup. What Slack refuses is raised."""
    with translate_errors():
        return set(client.usergroups_users_list(usergroup=usergroup_id).get("users") or [])
