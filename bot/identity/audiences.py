"""Who is who: from Slack's ids to the asker and to the audience that will read the answer.

Unknown means nobody. A person is known by the confirmed e-mail address of their Slack profile, whatever the case of
its letters A to Z, and only in the workspace that the client's token belongs to: what a payload says of the team is not
believed, since in a channel that workspaces share it may be the other one.

A channel is read by its members, and, unless it is private, by whoever can open it: those hold what an administrator
has set for everyone in the workspace, and, where other organisations can open it as well, nothing.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from slack_sdk import WebClient

from bot.channels.settings import setting_of
from bot.identity import accounts, channel_kinds
from bot.identity.accounts import Account
from bot.identity.channel_kinds import ReadBy
from bot.identity.membership import members_of, recent_will_do
from bot.models import SlackEvent
from bot.slack.errors import SlackRefusedError, translated
from bot.slack.workspace import REQUEST_TIMEOUT_S
from core.access import asker_for, audience_of, audience_of_roles
from core.addresses import folded
from core.models import Role, SlackBot, SlackIdentity, SlackWorkspace, User
from core.types import Asker, Audience

IDENTITY_LIFE = dt.timedelta(minutes=5)  # how long Slack's word on who somebody is may be believed
_MEMBERS_PER_PAGE = 1000  # Slack's maximum for conversations.members


class Kind(Enum):
    """What a Slack account is to the workspace. Who is no member is a reader without roles."""

    MEMBER = auto()  # a person of it, known or not
    OUTSIDER = auto()  # a guest, a closed account, a person or bot of another workspace, one that Slack does not know
    BOT = auto()  # of the own workspace: administrators may say that it counts as no reader


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """A Slack account."""

    kind: Kind
    user_id: UUID | None = None  # a member's, where they are known

    @property
    def is_member(self) -> bool:
        """Whether their roles count."""
        return self.kind is Kind.MEMBER


@dataclass(frozen=True, kw_only=True, slots=True)
class Readers:
    """Who asks, and everyone who will read the answer."""

    asker: Asker
    audience: Audience


@dataclass(frozen=True, kw_only=True, slots=True)
class _OwnAccount:
    """Our own Slack user, and the workspace that it is in."""

    user_id: str
    team_id: str
    team_name: str


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


def bots_reading_along(client: WebClient, event: SlackEvent) -> list[str]:
    """The bots of the own workspace because of which nothing can be shown where an event is answered: Slack users."""
    if not _is_read_by_members(event):
        return []
    with recent_will_do():
        bots = _bots_among(event.team_id, _members(client, event.channel_id) - {own_user_id(client)})
    return sorted(bot for bot, is_no_reader in bots.items() if not is_no_reader)


def waits_for_decision(client: WebClient, event: SlackEvent) -> bool:
    """Whether nothing is shown where an event is answered because nobody has said what everyone there may be shown."""
    if not _is_read_by_members(event):
        return False
    team_id = own_team_id(client)
    with recent_will_do():
        is_open = channel_kinds.read_by(client, team_id, event.channel_id) is ReadBy.WORKSPACE
    return is_open and SlackWorkspace.objects.undecided().filter(team_id=team_id).exists()


def _is_read_by_members(event: SlackEvent) -> bool:
    """Whether those who can read along decide what an event is answered with: in no direct message, nor where an
    administrator has said it."""
    setting = setting_of(event.team_id, event.channel_id)
    return event.is_public and not (setting and setting.uses_own_roles)


def audience_of_account(client: WebClient, team_id: str, slack_user_id: str) -> tuple[UUID | None, Audience]:
    """A person by their Slack account, and what they may read by themselves: for what only they will see."""
    person = person_of(client, team_id, slack_user_id)
    return person.user_id, _audience_of_people([person])


def person_of(client: WebClient, team_id: str, slack_user_id: str) -> Person:
    """Whose account this is, from memory while it is fresh, and else from Slack."""
    known = _remembered(team_id, [slack_user_id]).get(slack_user_id)
    return known or _learned(client, team_id, slack_user_id, _account(client, slack_user_id))


def _remembered(team_id: str, slack_user_ids: Iterable[str]) -> dict[str, Person]:
    fresh = SlackIdentity.objects.filter(
        team_id=team_id, slack_user_id__in=list(slack_user_ids), checked_at__gt=timezone.now() - IDENTITY_LIFE
    )
    return {
        slack_id: Person(kind=Kind.MEMBER, user_id=user_id)
        for slack_id, user_id in fresh.values_list("slack_user_id", "user_id")
    }


def _learned(client: WebClient, team_id: str, slack_user_id: str, account: Account | None) -> Person:
    """Whose account this is by what Slack says of it, remembered if it is a known person's."""
    person = person_in(own_team_id(client), account)
    if person.user_id:
        SlackIdentity.objects.update_or_create(
            team_id=team_id,
            slack_user_id=slack_user_id,
            defaults={"user_id": person.user_id, "checked_at": timezone.now()},
        )
    else:
        SlackIdentity.objects.filter(team_id=team_id, slack_user_id=slack_user_id).delete()
        if person.kind is Kind.BOT:
            _meet(team_id, slack_user_id, account or {})
    return person


def _meet(team_id: str, slack_user_id: str, account: Account) -> None:
    """Show the bot to the administrators, who may say that it counts as no reader."""
    name = str(account.get("real_name") or account.get("name") or "")
    SlackBot.objects.get_or_create(team_id=team_id, slack_user_id=slack_user_id, defaults={"name": name[:100]})


def forget(slack_user_id: str) -> set[UUID]:
    """Believe nothing any more of what Slack said of an account earlier, in whichever team. Returns whose it was."""
    believed = SlackIdentity.objects.filter(slack_user_id=slack_user_id)
    owners = set(believed.values_list("user_id", flat=True))
    believed.delete()
    return owners


def own_user_id(client: WebClient) -> str:
    """Our own Slack user, asked once per process and token."""
    return _own_account(client.base_url, client.token or "").user_id


def own_team_id(client: WebClient) -> str:
    """The workspace that the client's token belongs to, asked once per process and token."""
    return _own_account(client.base_url, client.token or "").team_id


@lru_cache(maxsize=1024)
def _own_account(base_url: str, token: str) -> _OwnAccount:
    with translated():
        told = WebClient(token=token, base_url=base_url, timeout=REQUEST_TIMEOUT_S).auth_test()
    return _OwnAccount(
        user_id=str(told["user_id"]), team_id=str(told["team_id"]), team_name=str(told.get("team") or "")
    )


def _audience_of_people(people: Iterable[Person]) -> Audience:
    readers = list(people)
    if not all(person.is_member for person in readers):
        return Audience.nobody()
    return audience_of([person.user_id for person in readers], guest_roles=_guest_roles())


def _channel_audience(client: WebClient, team_id: str, channel_id: str, asker_id: str, asker: Person) -> Audience:
    setting = setting_of(team_id, channel_id)
    if setting and setting.uses_own_roles:
        return audience_of_roles(setting.roles.values_list("pk", flat=True))
    passers_by = _passers_by(client, channel_id)
    if frozenset() in passers_by:
        return Audience.nobody()
    members = _members(client, channel_id)
    if not members or not asker.is_member:
        return Audience.nobody()
    bots = _bots_among(team_id, members - {own_user_id(client)})
    if not all(bots.values()):
        return Audience.nobody()  # one of them reads along
    # Who asks reads the answer, whether Slack lists them as a member or not.
    others = sorted(members - {own_user_id(client), asker_id} - bots.keys())
    people = [asker]
    for person in _people(client, team_id, others):
        people.append(person)
        if person.kind is Kind.OUTSIDER:
            break  # nothing is visible to them, whoever else there is; of bots the administrators see them all
    return Audience.of([*_audience_of_people(people).role_sets, *passers_by])


def _passers_by(client: WebClient, channel_id: str) -> list[frozenset[UUID]]:
    """The roles of those who can read a channel without being in it, as one reader of each kind; none of a private one.

    They read what was posted before they came, too: whoever joins later is among them.
    """
    team_id = own_team_id(client)
    match channel_kinds.read_by(client, team_id, channel_id):
        case ReadBy.MEMBERS:
            return []
        case ReadBy.WORKSPACE:
            roles = SlackWorkspace.objects.roles_of_everyone(team_id)
            if not roles:
                SlackWorkspace.objects.meet(team_id, _own_account(client.base_url, client.token or "").team_name)
            return [roles]
        case ReadBy.OTHERS:
            return [frozenset()]


def _bots_among(team_id: str, members: set[str]) -> dict[str, bool]:
    """The bots of the own workspace that are known already, and whether each counts as no reader."""
    known = SlackBot.objects.filter(team_id=team_id, slack_user_id__in=members)
    return dict(known.values_list("slack_user_id", "is_no_reader"))


def _people(client: WebClient, team_id: str, slack_user_ids: list[str]) -> Iterator[Person]:
    """Whose accounts these are: those remembered first, then one after the other as they are learned."""
    known = _remembered(team_id, slack_user_ids)
    yield from known.values()
    unknown = [slack_user_id for slack_user_id in slack_user_ids if slack_user_id not in known]
    listed = _listed(client, unknown)
    for slack_user_id in unknown:
        account = listed.get(slack_user_id) or _account(client, slack_user_id)
        yield _learned(client, team_id, slack_user_id, account)


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
        return accounts.account(client, slack_user_id)
    except SlackRefusedError:
        return None


def _listed(client: WebClient, wanted: list[str]) -> dict[str, Account]:
    """As accounts.listed; none as well when Slack refuses to tell."""
    try:
        return accounts.listed(client, wanted)
    except SlackRefusedError:
        return {}


def person_in(team_id: str, account: Account | None) -> Person:
    """Whose account this is, by what Slack says of it to the workspace team_id. None is an account unknown to Slack."""
    if not account or _is_outsider(account, team_id):
        return Person(kind=Kind.OUTSIDER)
    if account.get("is_bot"):
        return Person(kind=Kind.BOT)
    email = folded(str((account.get("profile") or {}).get("email") or ""))
    if not email or account.get("is_email_confirmed") is not True:  # anybody can type an address into a profile
        return Person(kind=Kind.MEMBER)
    return Person(kind=Kind.MEMBER, user_id=User.objects.filter(email=email).values_list("pk", flat=True).first())


def _is_outsider(account: Account, team_id: str) -> bool:
    """True for closed accounts, guests, strangers, and members of another workspace only, bots or not."""
    flags = ("deleted", "is_restricted", "is_ultra_restricted", "is_stranger")
    teams = {account.get("team_id"), *((account.get("enterprise_user") or {}).get("teams") or [])}
    return any(account.get(flag) for flag in flags) or team_id not in teams


def _guest_roles() -> list[UUID]:
    if not settings.GUEST_ROLE:
        return []
    return list(Role.objects.filter(name=settings.GUEST_ROLE).values_list("pk", flat=True))
