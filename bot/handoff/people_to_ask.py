"""Find the people who answer where the documents do not: set for a channel in the admin, and mentioned in Slack."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from slack_sdk import WebClient

from bot.identity.directory import find_connected_teams
from bot.identity.people import find_person, list_usergroup_members
from bot.models import SlackEvent
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.workspace import UnknownTeamError, find_client
from core.language.i18n.translation import say
from core.models import ChannelSetting, SlackIdentity, User


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleToAsk:
    """Holds the people who are asked, and the channel and thread."""

    team_id: str
    channel_id: str
    thread_ts: str  # empty: in the channel itself
    channel_name: str
    people: tuple[User, ...]
    usergroup: str  # id of one of Slack's usergroups, or empty

    @property
    def in_words(self) -> str:
        """Return the names of who is asked."""
        names = [person.name_without_address for person in self.people] + (
            [say("a Slack usergroup")] if self.usergroup else []
        )
        if len(names) < 2:
            return "".join(names)
        return say("{some} and {last}", some=", ".join(names[:-1]), last=names[-1])


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """Holds somebody's account in a connected team, with the client that may write to it."""

    client: WebClient
    team_id: str
    slack_user_id: str


def find_people_to_ask(event: SlackEvent) -> PeopleToAsk | None:
    """Find whom a question can be handed to: in its own thread, or from a private place in a help channel."""
    settings_of_team = ChannelSetting.objects.filter(team_id=event.team_id).prefetch_related("answering_people")
    if event.is_public:
        setting = settings_of_team.filter(channel_id=event.channel_id).first()
    else:
        setting = settings_of_team.filter(channel_id__in=settings.SLACK_HELP_CHANNELS).order_by("channel_id").first()
    if setting is None:
        return None
    people = tuple(person for person in setting.answering_people.all() if person.is_active)
    if not people and not setting.answering_usergroup:
        return None
    return PeopleToAsk(
        team_id=event.team_id,
        channel_id=setting.channel_id,
        thread_ts=event.thread_ts if event.is_public else "",
        channel_name=setting.name,
        people=people,
        usergroup=setting.answering_usergroup,
    )


def describe_readers(event: SlackEvent) -> str:
    """Say to an asker who will read a question that is handed on; empty when nobody is there to ask."""
    people = find_people_to_ask(event)
    if people is None:
        return ""
    if event.is_public:
        return say(
            "I will ask {people} to answer in this thread. Your name will be shown with the question.",
            people=people.in_words,
        )
    return say(
        "I will post your question and your name in the channel {channel}, where everyone can read them, and "
        "ask {people}.",
        channel=people.channel_name or people.channel_id,
        people=people.in_words,
    )


def find_accounts(client: WebClient, team_id: str, people: Iterable[User]) -> dict[User, str]:
    """Find the Slack accounts of those people who have one here. SlackUnavailableError when Slack cannot be asked."""
    found = {}
    for person in people:
        accounts = SlackIdentity.objects.filter(team_id=team_id, user=person)
        known = list(accounts.values_list("slack_user_id", flat=True)) or [_look_up_account(client, person)]
        # Whose account it is now: an address may have moved to another one.
        current = (one for one in known if one and find_person(client, team_id, one).user_id == person.pk)
        if account := next(current, ""):
            found[person] = account
    return found


def find_account(person: User, *, first: str = "") -> Account | None:
    """Find an account of a person in a connected team; None where they have none.

    first: the team that is looked at before all others, then those in which an account of theirs is known.
    SlackUnavailableError when Slack cannot be asked.
    """
    known = set(SlackIdentity.objects.filter(user=person).values_list("team_id", flat=True))
    teams = sorted(find_connected_teams(), key=lambda team_id: (team_id != first, team_id not in known, team_id))
    for team_id in teams:
        try:
            client = find_client(team_id)
        except UnknownTeamError:
            continue
        if account := find_accounts(client, team_id, [person]).get(person):
            return Account(client=client, team_id=team_id, slack_user_id=account)
    return None


def is_among(client: WebClient, people: PeopleToAsk, slack_user_id: str) -> bool:
    """Return True if an account is one of those who are asked, by name or in the usergroup."""
    person = find_person(client, people.team_id, slack_user_id)
    if person.user_id in {known.pk for known in people.people}:
        return True
    if not people.usergroup:
        return False
    try:
        return slack_user_id in list_usergroup_members(client, people.usergroup)
    except SlackRefusedError:
        return False


def _look_up_account(client: WebClient, person: User) -> str:
    try:
        with translate_errors():
            return str(client.users_lookupByEmail(email=person.email)["user"]["id"])
    except SlackRefusedError:
        return ""
