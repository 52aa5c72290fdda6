"""Slack shows a channel what all of its members may read, and a person what they may: whatever they press."""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from hypothesis import example, given
from pytest_django.fixtures import Settings

from bot import intake
from bot.blocks.buttons import SHARE
from bot.delivery.engine import deliver
from bot.delivery.results import Ask
from bot.identity import membership
from bot.links import present_details, receive_links, show_links
from bot.models import Reply, SlackEvent, Unfurl
from bot.slack.workspace import find_client
from core.access.audiences import asker_for
from core.api import ask
from core.models import Answer as AnswerRow
from core.models import ChannelSetting, Query, SlackWorkspace
from core.types import Answer, ConfidenceLevel, Refusal
from tests.integration.bot.ends import unsure
from tests.integration.bot.posted import BASE, POSTED_TS, post
from tests.integration.bot.slack_server import BOT_USER, TEAM, TOKEN, SlackServer
from tests.integration.leaks.places import (
    KINDS,
    MADE_PUBLIC,
    OPEN,
    SHARED_LATER,
    STAFF_IN_PUBLIC,
    Place,
    places,
)
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    Built,
    World,
    built,
    held_marks,
    logged,
    readable_by,
    tried,
    worlds,
)

pytestmark = pytest.mark.usefixtures("floors", "fast")

CHANNEL = "C0HARBOUR"
OTHER_TEAM = "T0OTHER"
THREAD = "1700000000.000001"
REACTED_TO = "1600000000.000001"
Kind = SlackEvent.Kind


@pytest.fixture
def slack(settings: Settings) -> Iterator[SlackServer]:
    """A workspace, which each world fills anew."""
    with SlackServer() as server:
        settings.LOCAL_PAGE = False
        settings.SLACK_API_URL, settings.SLACK_BOT_TOKEN, settings.GUEST_ROLE = server.url, TOKEN, ""
        yield server


def account(here: Built, person: int) -> str:
    """A person's Slack account; in each world another, since what is known of one is remembered."""
    return f"U{here.people[person].pk.hex.upper()[:20]}"


def fill(slack: SlackServer, here: Built) -> None:
    """The people of a world have accounts; its readers are the channel's members."""
    slack.users, slack.messages, slack.ephemeral, slack.responses = {}, slack.messages.__class__(list), [], []
    slack.page_size = 100
    slack.channels, slack.untold = {}, set()
    membership.forget()
    for number, person in enumerate(here.people):
        slack.add_user(account(here, number), person.email)
    slack.members[CHANNEL] = [BOT_USER, *(account(here, n) for n in here.world.readers if n is not None)]


def say(
    here: Built, slack: SlackServer, kind: SlackEvent.Kind, person: int, *, about: UUID | None = None, asked: Ask = ask
) -> Query | None:
    """Somebody asks or presses, and the worker does what comes of it. The query of its reply, if there is one."""
    name = f"{kind}-{person}-{about}"
    is_message = kind in (Kind.MENTION, Kind.FOLLOW_UP, Kind.UNASKED)
    ts = f"1700000000.{100 * (1 + (kind == Kind.FOLLOW_UP)) + person:06d}" if is_message else ""
    intake.receive(
        intake.Incoming(
            event_id=name,
            team_id=TEAM,
            channel_id=CHANNEL,
            user_id=account(here, person),
            kind=kind,
            ts=REACTED_TO if kind == Kind.REACTION else ts,
            thread_ts=THREAD,
            text="" if about or kind == Kind.REACTION else QUESTION,
            response_url="" if kind in SlackEvent.PUBLIC else slack.response_url,
            about=about,
        )
    )
    event = SlackEvent.objects.get(event_id=name)
    deliver(event.pk, ask=asked)
    return Reply.objects.select_related("query").get(event=event).query


@given(world=worlds(guests=False))
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(8)
def test_nobody_sees_more_than_they_may_read(slack: SlackServer, world: World) -> None:
    """A question in the channel, the offer, the private answer, and its sharing; in the log neither."""
    with built(world) as here, logged() as lines:
        fill(slack, here)
        asker = next(number for number in world.readers if number is not None)
        readable, own = here.readable(), readable_by([here.people[asker].pk], frozenset())
        public = say(here, slack, Kind.MENTION, asker)
        assert public is not None
        assert held_marks(json.dumps(slack.ephemeral), here.marks_outside(set())) == set()
        if slack.ephemeral:
            assert own - readable, "more was offered than there is"
        private = say(here, slack, Kind.PRIVATE, asker, about=public.pk)
        assert held_marks(json.dumps(slack.responses), here.marks_outside(own)) == set()
        assert private is not None
        is_offered, before = SHARE in json.dumps(slack.responses), len(slack.messages[CHANNEL])
        say(here, slack, Kind.SHARE, asker, about=private.pk)
        # The button told what pressing it tells, and no more.
        is_answer = AnswerRow.objects.get(query=private).answer_text is not None
        assert is_offered == (is_answer and len(slack.messages[CHANNEL]) > before)
        assert held_marks(json.dumps(slack.messages), here.marks_outside(readable)) == set()
        assert held_marks(" ".join(line for line in lines if "django.db" not in line), marks_in_text(here)) == set()


@given(place=places())
@example(place=STAFF_IN_PUBLIC)
@example(place=MADE_PUBLIC)
@tried(4)
def test_what_nobody_asked_aloud_shows_no_more(slack: SlackServer, place: Place) -> None:
    """It holds for questions by an emoji and for unasked answers, however sure they are; the log has nothing either."""
    with built(place.world) as here, logged() as lines:
        furnish(slack, here, place)
        ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, answers_unasked=True)
        asker, later = place.members[0], tuple(dict.fromkeys((*place.members, place.joins)))

        def sure(question: str, **options: Any) -> Answer | Refusal:
            result = ask(question, **options)
            AnswerRow.objects.filter(query=result.query_id).update(confidence_level=ConfidenceLevel.HIGH.value)
            turn_into(slack, here, place.becomes, later)
            return result

        slack.calls.clear()
        say(here, slack, Kind.UNASKED, asker, asked=sure)
        readable = place.readable(here, place.becomes, later)
        posted = json.dumps(slack.messages)
        assert held_marks(posted, here.marks_outside(readable)) == set()
        assert slack.ephemeral == []
        # Only answers are told: where there was none, there is no word of ours.
        assert len(slack.called("chat.postMessage")) == SlackEvent.objects.filter(state="answered").count()
        assert all("Searching" not in str(call) for call in slack.calls)
        slack.messages.clear()
        turn_into(slack, here, place.kind, place.members)
        slack.messages[CHANNEL].append({"ts": REACTED_TO, "user": account(here, asker), "text": QUESTION})
        say(here, slack, Kind.REACTION, asker, asked=sure)
        assert held_marks(json.dumps(slack.messages), here.marks_outside(readable)) == set()
        own = readable_by([here.people[asker].pk], frozenset())
        assert held_marks(json.dumps(slack.ephemeral), here.marks_outside(own)) == set()
        assert held_marks(" ".join(line for line in lines if "django.db" not in line), marks_in_text(here)) == set()


@given(place=places())
@example(place=STAFF_IN_PUBLIC)
@example(place=MADE_PUBLIC)
@example(place=SHARED_LATER)
@tried(8)
def test_links_show_what_whoever_can_read_them_may_read(slack: SlackServer, settings: Settings, place: Place) -> None:
    """To every document, posted by a reader, in a channel that becomes another before the worker comes to them.

    Whoever opens a card is shown no more than they may read; the log has no word of any.
    """
    settings.PUBLIC_URL = BASE
    with built(place.world) as here, logged() as lines:
        furnish(slack, here, place)
        poster, later = place.members[0], tuple(dict.fromkeys((*place.members, place.joins)))
        urls = {document.pk: f"{BASE}/documents/{document.pk}/" for document in here.documents}
        for url in urls.values():
            post(slack, url, channel=CHANNEL)
            ids = {"event_id": url, "message_ts": POSTED_TS, "channel_id": CHANNEL, "team_id": TEAM}
            receive_links(**ids, user_id=account(here, poster), urls=[url])
        turn_into(slack, here, place.becomes, later)
        slack.messages[CHANNEL] = [{"ts": POSTED_TS, "text": " ".join(urls.values())}]
        slack.calls.clear()
        for row in Unfurl.objects.all():
            show_links(row.pk)
        readable = place.readable(here, place.becomes, later)
        shown = json.dumps(slack.called("chat.unfurl"))
        assert held_marks(shown, here.marks_outside(readable)) == set()
        assert all(urls[pk] in shown for pk in readable), "what all may read is shown"
        own = set() if poster in place.away else readable_by([here.people[poster].pk], frozenset())
        for channel, allowed in (("", own), (CHANNEL, own & readable)):
            slack.details.clear()
            for url in urls.values():
                opened = {"slack_user_id": account(here, poster), "channel_id": channel, "address": url}
                present_details(find_client(TEAM), team_id=TEAM, **opened, trigger_id="1.2.a")
            told = json.dumps(slack.details)
            assert held_marks(told, here.marks_outside(allowed)) == set()
            assert told.count("not_found") == len(urls) - len(allowed)
        assert held_marks(" ".join(line for line in lines if "django.db" not in line), marks_in_text(here)) == set()


@given(world=worlds(guests=False))
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@tried(8)
def test_what_is_revoked_is_not_shown_in_the_next_turn(slack: SlackServer, world: World) -> None:
    """Neither by a second question of the thread, nor by sharing what was answered before."""
    with built(world) as here:
        fill(slack, here)
        asker = next(number for number in world.readers if number is not None)
        first = say(here, slack, Kind.PRIVATE, asker, about=asked(here, asker))
        for number in world.revoked:
            here.roles[number].document_access.all().delete()
        slack.messages.clear()
        say(here, slack, Kind.FOLLOW_UP, asker)
        if first is not None:
            say(here, slack, Kind.SHARE, asker, about=first.pk)
        assert held_marks(json.dumps(slack.messages), here.marks_outside(here.readable())) == set()


@given(world=worlds(guests=False))
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(4)
def test_what_comes_closest_is_readable_by_all_who_read_it(slack: SlackServer, world: World) -> None:
    """Whichever passages an answering took for that, also when rights are taken away before they are posted."""
    with built(world) as here, logged() as lines:
        fill(slack, here)
        asker = next(number for number in world.readers if number is not None)
        readable = [document for document in here.documents if document.pk in here.readable()]
        own = readable_by([here.people[asker].pk], frozenset())

        def revoked() -> None:
            for number in world.revoked:
                here.roles[number].document_access.all().delete()

        public = say(here, slack, Kind.MENTION, asker, asked=unsure(here.documents))
        assert held_marks(json.dumps(slack.messages), here.marks_outside(here.readable())) == set()
        if public is not None:
            say(here, slack, Kind.PRIVATE, asker, about=public.pk, asked=unsure(here.documents))
        assert held_marks(json.dumps(slack.responses), here.marks_outside(own)) == set()
        slack.messages.clear()
        say(here, slack, Kind.FOLLOW_UP, asker, asked=unsure(readable, then=revoked))
        assert held_marks(json.dumps(slack.messages), here.marks_outside(here.readable())) == set()
        assert held_marks(" ".join(line for line in lines if "django.db" not in line), marks_in_text(here)) == set()


def asked(here: Built, person: int) -> UUID:
    """A question that a person asked before."""
    result = ask(QUESTION, asker=asker_for(here.people[person]), audience=here.audience())
    assert result.query_id is not None
    return result.query_id


def marks_in_text(here: Built) -> set[str]:
    """The codes of all documents: words, which no log may hold."""
    return {mark for mark in here.marks_outside(set()) if mark.startswith("secret-")}


def furnish(slack: SlackServer, here: Built, place: Place) -> None:
    """The people of a place have accounts, at home or away; what was decided for everyone is in the database."""
    fill(slack, here)
    for person in place.away:
        slack.users[account(here, person)]["team_id"] = OTHER_TEAM
    for team, roles in ((TEAM, place.everyone), (OTHER_TEAM, place.elsewhere)):
        if roles is not None:
            workspace = SlackWorkspace.objects.create(team_id=team, decided_at=timezone.now())
            workspace.roles.set(here.roles[number] for number in roles)
    turn_into(slack, here, place.kind, place.members)


def turn_into(slack: SlackServer, here: Built, kind: str, members: Iterable[int]) -> None:
    """Turn the channel into this kind, with these members. No event reports it."""
    said = KINDS[kind]
    slack.untold = set() if said is not None else {CHANNEL}
    slack.channels[CHANNEL] = said or {}
    slack.members[CHANNEL] = [BOT_USER, *(account(here, person) for person in members)]


@given(place=places())
@example(place=STAFF_IN_PUBLIC)
@example(place=MADE_PUBLIC)
@example(place=SHARED_LATER)
@tried(8)
def test_what_is_posted_is_readable_by_whoever_can_read_it(slack: SlackServer, place: Place) -> None:
    """By those who can open the place then and there, and by those of the workspace who join a public one later."""
    with built(place.world) as here:
        furnish(slack, here, place)
        asker, later = place.members[0], tuple(dict.fromkeys((*place.members, place.joins)))
        asked = say(here, slack, Kind.MENTION, asker)
        posted = json.dumps(slack.messages)
        assert held_marks(posted, here.marks_outside(place.readable(here, place.kind, place.members))) == set()
        if place.kind in OPEN:
            for person in set(range(len(here.people))) - place.away:
                assert held_marks(posted, here.marks_outside(place.readable_in_passing(here, person))) == set()
        slack.messages.clear()
        turn_into(slack, here, place.becomes, later)
        say(here, slack, Kind.FOLLOW_UP, asker)
        if asked is not None:
            private = say(here, slack, Kind.PRIVATE, asker, about=asked.pk)
            say(here, slack, Kind.SHARE, asker, about=private.pk if private else asked.pk)
        readable = place.readable(here, place.becomes, later)
        assert held_marks(json.dumps(slack.messages), here.marks_outside(readable)) == set()
