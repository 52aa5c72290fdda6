"""Who is who: from Slack's ids to the asker and to the audience that will read the answer.

Unknown means nobody. A person is known by the e-mail address of their Slack profile, without regard to case.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from slack_sdk import WebClient

from bot.membership import members_of
from bot.models import SlackEvent
from bot.slack_errors import SlackRefusedError, translated
from bot.workspace import REQUEST_TIMEOUT_S
from core.access import asker_for, audience_of, audience_of_roles
from core.models import ChannelSetting, Role, SlackIdentity, User
from core.types import Asker, Audience

IDENTITY_LIFE = dt.timedelta(minutes=5)  # how long Slack's word on who somebody is may be believed
_MEMBERS_PER_PAGE = 1000  # Slack's maximum for conversations.members
_ACCOUNTS_PER_PAGE = 1000  # and for users.list
_ASKED_ONE_BY_ONE = 20  # unknown accounts up to which users.info is asked for each; it allows about 100 a minute

Account = dict[str, Any]  # an account as Slack's users.info describes it


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """A Slack account. An outsider is a reader without roles: a bot, a guest, somebody of another workspace."""

    user_id: UUID | None
    outsider: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Readers:
    """Who asks, and everyone who will read the answer."""

    asker: Asker
    audience: Audience


_OUTSIDER = Person(user_id=None, outsider=True)


def audience_here(client: WebClient, *, team_id: str, channel_id: str, slack_user_id: str) -> Audience:
    """Everyone who reads what is posted in a channel, the person included who has it posted."""
    person = person_of(client, team_id, slack_user_id)
    return _channel_audience(client, team_id, channel_id, slack_user_id, person)


def readers_of(client: WebClient, event: SlackEvent) -> Readers:
    """The asker of an event and the audience of its reply, as they are at this moment.

    SlackUnavailableError when Slack cannot be asked now; a refusal of Slack's means that nobody is known.
    """
    person = person_of(client, event.team_id, event.user_id)
    user = User.objects.filter(pk=person.user_id).first() if person.user_id else None
    asker = asker_for(user) if user else Asker(user_id=None)
    if not event.is_public:
        return Readers(asker=asker, audience=_audience_of_people([person]))
    return Readers(
        asker=asker, audience=_channel_audience(client, event.team_id, event.channel_id, event.user_id, person)
    )


def audience_of_account(client: WebClient, team_id: str, slack_user_id: str) -> tuple[UUID | None, Audience]:
    """A person by their Slack account, and what they may read by themselves: for what only they will see."""
    person = person_of(client, team_id, slack_user_id)
    return person.user_id, _audience_of_people([person])


def person_of(client: WebClient, team_id: str, slack_user_id: str) -> Person:
    """Whose account this is, from memory while it is fresh, and else from Slack."""
    known = _remembered(team_id, [slack_user_id]).get(slack_user_id)
    return known or _learned(team_id, slack_user_id, _account(client, slack_user_id))


def _remembered(team_id: str, slack_user_ids: Iterable[str]) -> dict[str, Person]:
    fresh = SlackIdentity.objects.filter(
        team_id=team_id, slack_user_id__in=list(slack_user_ids), checked_at__gt=timezone.now() - IDENTITY_LIFE
    )
    return {slack_id: Person(user_id=user_id) for slack_id, user_id in fresh.values_list("slack_user_id", "user_id")}


def _learned(team_id: str, slack_user_id: str, account: Account | None) -> Person:
    """Whose account this is by what Slack says of it, remembered if it is a known person's."""
    person = _person(account, team_id)
    if person.user_id:
        SlackIdentity.objects.update_or_create(
            team_id=team_id,
            slack_user_id=slack_user_id,
            defaults={"user_id": person.user_id, "checked_at": timezone.now()},
        )
    else:
        SlackIdentity.objects.filter(team_id=team_id, slack_user_id=slack_user_id).delete()
    return person


def own_user_id(client: WebClient) -> str:
    """Our own Slack user, asked once per process."""
    return _own_user_id(client.base_url, client.token or "")


@lru_cache(maxsize=8)
def _own_user_id(base_url: str, token: str) -> str:
    with translated():
        return str(WebClient(token=token, base_url=base_url, timeout=REQUEST_TIMEOUT_S).auth_test()["user_id"])


def _audience_of_people(people: Iterable[Person]) -> Audience:
    readers = list(people)
    if any(person.outsider for person in readers):
        return Audience.nobody()
    return audience_of([person.user_id for person in readers], guest_roles=_guest_roles())


def _channel_audience(client: WebClient, team_id: str, channel_id: str, asker_id: str, asker: Person) -> Audience:
    setting = ChannelSetting.objects.filter(team_id=team_id, channel_id=channel_id).first()
    if setting and setting.uses_own_roles:
        return audience_of_roles(setting.roles.values_list("pk", flat=True))
    members = _members(client, channel_id)
    if not members or asker.outsider:
        return Audience.nobody()
    # Who asks reads the answer, whether Slack lists them as a member or not.
    others = sorted(members - {own_user_id(client), asker_id})
    people = [asker]
    for person in _people(client, team_id, others):
        if person.outsider:
            return Audience.nobody()  # nothing is visible to them, whoever else there is
        people.append(person)
    return _audience_of_people(people)


def _people(client: WebClient, team_id: str, slack_user_ids: list[str]) -> Iterator[Person]:
    """Whose accounts these are: those remembered first, then one after the other as they are learned."""
    known = _remembered(team_id, slack_user_ids)
    yield from known.values()
    unknown = [slack_user_id for slack_user_id in slack_user_ids if slack_user_id not in known]
    listed = _all_accounts(client) if len(unknown) > _ASKED_ONE_BY_ONE else {}
    for slack_user_id in unknown:
        account = listed.get(slack_user_id) or _account(client, slack_user_id)
        yield _learned(team_id, slack_user_id, account)


def _members(client: WebClient, channel_id: str) -> set[str]:
    """Every member of a channel; none when Slack refuses to tell."""
    return members_of(client, channel_id, lambda: _asked_members(client, channel_id))


def _asked_members(client: WebClient, channel_id: str) -> set[str]:
    try:
        with translated():
            pages = client.conversations_members(channel=channel_id, limit=_MEMBERS_PER_PAGE)
            return {str(member) for page in pages for member in page.get("members") or []}
    except SlackRefusedError:
        return set()


def _account(client: WebClient, slack_user_id: str) -> Account | None:
    """An account as Slack describes it; None when Slack does not know it."""
    try:
        with translated():
            return client.users_info(user=slack_user_id).get("user")
    except SlackRefusedError:
        return None


def _all_accounts(client: WebClient) -> dict[str, Account]:
    """Every account of the workspace by id; none when Slack refuses to tell, or it has none of them."""
    try:
        with translated():
            pages = client.users_list(limit=_ACCOUNTS_PER_PAGE)
            return {account["id"]: account for page in pages for account in page.get("members") or []}
    except SlackRefusedError:
        return {}


def _person(account: Account | None, team_id: str) -> Person:
    if not account or _is_outsider(account, team_id):
        return _OUTSIDER
    email = str((account.get("profile") or {}).get("email") or "").strip().casefold()
    if not email or account.get("is_email_confirmed") is False:
        return Person(user_id=None)
    return Person(user_id=User.objects.filter(email=email).values_list("pk", flat=True).first())


def _is_outsider(account: Account, team_id: str) -> bool:
    """True for bots, closed accounts, guests, strangers, and members of another workspace only."""
    flags = ("is_bot", "deleted", "is_restricted", "is_ultra_restricted", "is_stranger")
    teams = {account.get("team_id"), *((account.get("enterprise_user") or {}).get("teams") or [])}
    return any(account.get(flag) for flag in flags) or team_id not in teams


def _guest_roles() -> list[UUID]:
    if not settings.GUEST_ROLE:
        return []
    return list(Role.objects.filter(name=settings.GUEST_ROLE).values_list("pk", flat=True))
