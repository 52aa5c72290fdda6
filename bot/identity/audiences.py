"""Find the readers: from the place of a question to the asker and to the audience that will read the answer.

A channel is read by its members, and, unless it is private, by whoever can open it: those hold the roles that an
administrator has set for everyone in the workspace, and, where other organisations can open it as well, none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from slack_sdk import WebClient

from bot.channels.settings import find_setting
from bot.identity import channel_kinds
from bot.identity.channel_kinds import ReadBy
from bot.identity.membership import accept_recent, find_members
from bot.identity.own_account import find_own_team_id, find_own_team_name, find_own_user_id
from bot.identity.people import AccountKind, Person, find_people, find_person
from bot.models import SlackEvent
from bot.slack.errors import SlackRefusedError, translate_errors
from core.access.audiences import asker_for, audience_of, audience_of_roles
from core.models import Role, SlackBot, SlackWorkspace, User
from core.types import Asker, Audience

_MEMBERS_PER_PAGE = 1000  # Slack's maximum for conversations.members


@dataclass(frozen=True, kw_only=True, slots=True)
class Readers:
    """Holds the asker, and everyone who will read the answer."""

    asker: Asker
    audience: Audience


def find_channel_audience(client: WebClient, *, team_id: str, channel_id: str, slack_user_id: str) -> Audience:
    """Find everyone who reads what is posted in a channel, the person included who has it posted."""
    person = find_person(client, team_id, slack_user_id)
    return _build_channel_audience(client, team_id, channel_id, slack_user_id, person)


def find_members_audience(client: WebClient, *, team_id: str, channel_id: str) -> Audience:
    """Find everyone who reads what is posted in a channel, whoever asks there."""
    return _build_channel_audience(client, team_id, channel_id)


def are_we_in(client: WebClient, channel_id: str) -> bool:
    """Return True if we are a member of a channel, and may post there; not where Slack refuses to tell."""
    return is_in(client, channel_id, find_own_user_id(client))


def is_in(client: WebClient, channel_id: str, slack_user_id: str) -> bool:
    """Return True if Slack lists an account among the members of a channel; not where it refuses to tell."""
    return slack_user_id in _list_members(client, channel_id)


def has_members(client: WebClient, channel_id: str) -> bool:
    """Return True if Slack tells who is in a channel."""
    return bool(_list_members(client, channel_id))


def find_readers(client: WebClient, event: SlackEvent) -> Readers:
    """Find the asker of an event and the audience of its reply, as they are at this moment.

    SlackUnavailableError when Slack cannot be asked now; a refusal of Slack's means that nobody is known.
    """
    person = find_person(client, event.team_id, event.user_id)
    user = User.objects.filter(pk=person.user_id).first() if person.user_id else None
    asker = asker_for(user) if user else Asker(user_id=None)
    if not event.is_public:
        return Readers(asker=asker, audience=_build_audience([person]))
    return Readers(
        asker=asker, audience=_build_channel_audience(client, event.team_id, event.channel_id, event.user_id, person)
    )


def find_bots_reading_along(client: WebClient, event: SlackEvent) -> list[str]:
    """List the bots of the own workspace, as Slack users, because of which nothing can be shown in an event's place."""
    if not _is_read_by_members(event):
        return []
    with accept_recent():
        bots = _find_bots(event.team_id, _list_members(client, event.channel_id) - {find_own_user_id(client)})
    return sorted(bot for bot, is_no_reader in bots.items() if not is_no_reader)


def waits_for_decision(client: WebClient, event: SlackEvent) -> bool:
    """Return True if nothing is shown in an event's place because nobody has decided what everyone there may read."""
    if not _is_read_by_members(event):
        return False
    team_id = find_own_team_id(client)
    with accept_recent():
        is_open = channel_kinds.find_read_by(client, team_id, event.channel_id) is ReadBy.WORKSPACE
    return is_open and SlackWorkspace.objects.undecided().filter(team_id=team_id).exists()


def _is_read_by_members(event: SlackEvent) -> bool:
    """Return True if those who can read along decide the audience of an event.

    They do not in direct messages, nor where an administrator has set the roles.
    """
    setting = find_setting(event.team_id, event.channel_id)
    return event.is_public and not (setting and setting.uses_own_roles)


def find_account_audience(client: WebClient, team_id: str, slack_user_id: str) -> tuple[UUID | None, Audience]:
    """Find a person by their Slack account, and what they may read by themselves: for what only they will see."""
    person = find_person(client, team_id, slack_user_id)
    return person.user_id, _build_audience([person])


def _build_audience(people: Iterable[Person]) -> Audience:
    readers = list(people)
    if not all(person.is_member for person in readers):
        return Audience.nobody()
    guests = Role.objects.filter(name=settings.GUEST_ROLE).values_list("pk", flat=True) if settings.GUEST_ROLE else []
    return audience_of([person.user_id for person in readers], guest_roles=list(guests))


def _build_channel_audience(
    client: WebClient, team_id: str, channel_id: str, asker_id: str = "", asker: Person | None = None
) -> Audience:
    setting = find_setting(team_id, channel_id)
    if setting and setting.uses_own_roles:
        return audience_of_roles(setting.roles.values_list("pk", flat=True))
    passers_by = _find_passers_by(client, channel_id)
    if frozenset() in passers_by:
        return Audience.nobody()
    members = _list_members(client, channel_id)
    if not members or (asker and not asker.is_member):
        return Audience.nobody()
    bots = _find_bots(team_id, members - {find_own_user_id(client)})
    if not all(bots.values()):
        return Audience.nobody()  # one of them reads along
    # Who asks reads the answer, whether Slack lists them as a member or not.
    others = sorted(members - {find_own_user_id(client), asker_id} - bots.keys())
    people = [asker] if asker else []
    for person in find_people(client, team_id, others):
        people.append(person)
        if person.kind is AccountKind.OUTSIDER:
            break  # nothing is visible to them, whoever else there is; of bots the administrators see them all
    return Audience.of([*_build_audience(people).role_sets, *passers_by])


def _find_passers_by(client: WebClient, channel_id: str) -> list[frozenset[UUID]]:
    """List the roles of those who can read a channel without being in it, as one reader of each kind.

    A private channel has none. They read what was posted before they came, too: whoever joins later is among them.
    """
    team_id = find_own_team_id(client)
    match channel_kinds.find_read_by(client, team_id, channel_id):
        case ReadBy.MEMBERS:
            return []
        case ReadBy.WORKSPACE:
            roles = SlackWorkspace.objects.roles_of_everyone(team_id)
            if not roles:
                SlackWorkspace.objects.meet(team_id, find_own_team_name(client))
            return [roles]
        case ReadBy.OTHERS:
            return [frozenset()]


def _find_bots(team_id: str, members: set[str]) -> dict[str, bool]:
    """Find the bots of the own workspace that are known already, and whether each counts as no reader."""
    known = SlackBot.objects.filter(team_id=team_id, slack_user_id__in=members)
    return dict(known.values_list("slack_user_id", "is_no_reader"))


def _list_members(client: WebClient, channel_id: str) -> set[str]:
    """List every member of a channel; none when Slack refuses to tell."""
    return find_members(client, channel_id, lambda: _ask_members(client, channel_id))


def _ask_members(client: WebClient, channel_id: str) -> set[str]:
    try:
        with translate_errors():
            pages = client.conversations_members(channel=channel_id, limit=_MEMBERS_PER_PAGE)
            return {str(member) for page in pages for member in page.get("members") or []}
    except SlackRefusedError:
        return set()
