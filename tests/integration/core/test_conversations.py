"""Sessions: active until their time is over or their person ends them."""

import datetime as dt
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from core.access.audiences import asker_for
from core.access.token_audiences import asker_on_behalf
from core.api import continue_or_open_conversation, end_conversation, end_slack_thread, open_conversation
from core.asking.answering.conversations import close_inactive, find_continued_conversation
from core.errors import NotFoundError
from core.models import Conversation
from core.testing import Cast
from core.types import Asker
from core.values.token_audience import TokenAudience

THREAD = {"origin": "slack", "slack_team": "T1", "slack_channel": "C1", "slack_thread": "1.0"}


def aged(minutes: int) -> None:
    """Let the last question of every conversation lie so far back."""
    Conversation.objects.update(updated_at=timezone.now() - dt.timedelta(minutes=minutes))


def test_a_conversation_is_over_after_its_time(cast: Cast, settings: Settings) -> None:
    """The background job ends those that have timed out and no others, and says how many."""
    settings.CONVERSATION_TIMEOUT_MINUTES = 30
    old = open_conversation(origin="rest", asker=asker_for(cast.bob))
    aged(31)
    new = open_conversation(origin="rest", asker=asker_for(cast.bob))
    assert close_inactive() == 1
    assert dict(Conversation.objects.values_list("pk", "is_active")) == {old: False, new: True}
    assert close_inactive() == 0


def test_a_thread_is_one_conversation_until_it_times_out(cast: Cast, settings: Settings) -> None:
    """Whoever writes in it; after that the same thread begins another one."""
    settings.CONVERSATION_TIMEOUT_MINUTES = 30
    first = open_conversation(asker=asker_for(cast.bob), **THREAD)
    assert open_conversation(asker=asker_for(cast.alice), **THREAD) == first
    aged(31)
    second = open_conversation(asker=asker_for(cast.alice), **THREAD)
    assert dict(Conversation.objects.values_list("pk", "is_active")) == {first: False, second: True}


def test_only_who_opened_it_ends_it(cast: Cast) -> None:
    """A thread in Slack belongs to all who write in it, and somebody unknown owns nothing."""
    bobs = open_conversation(origin="mcp", asker=asker_for(cast.bob))
    thread = open_conversation(asker=asker_for(cast.bob), **THREAD)
    nobodys = open_conversation(origin="command", asker=Asker(user_id=None))
    for conversation, asker in (
        (bobs, asker_for(cast.alice)),
        (thread, asker_for(cast.bob)),
        (nobodys, Asker(user_id=None)),
    ):
        with pytest.raises(NotFoundError):
            end_conversation(conversation, asker=asker)
    assert Conversation.objects.filter(is_active=True).count() == 3
    end_conversation(bobs, asker=asker_for(cast.bob))
    assert set(Conversation.objects.filter(is_active=False).values_list("pk", flat=True)) == {bobs}


def test_a_thread_is_ended_for_all_who_write_in_it(cast: Cast) -> None:
    """The next question there begins a new conversation; a thread where none was active says so."""
    first = open_conversation(asker=asker_for(cast.bob), **THREAD)
    thread = {name: value for name, value in THREAD.items() if name != "origin"}
    other = open_conversation(asker=asker_for(cast.bob), **THREAD | {"slack_thread": "2.0"})
    assert (end_slack_thread(**thread), end_slack_thread(**thread)) == (True, False)
    assert open_conversation(asker=asker_for(cast.alice), **THREAD) != first
    assert Conversation.objects.get(pk=other).is_active


def test_a_conversation_is_ended_on_the_command_line(cast: Cast) -> None:
    """By the person who opened it, and by nobody else; what is no id is said to be none."""
    bobs = str(open_conversation(origin="command", asker=asker_for(cast.bob)))
    for conversation, email in ((bobs, cast.alice.email), ("nonsense", cast.bob.email), (bobs, "nobody@example.com")):
        with pytest.raises(CommandError) as refused:
            call_command("end_conversation", conversation, "--as", email)
        assert refused.value.returncode == 2
    assert Conversation.objects.get(pk=bobs).is_active
    call_command("end_conversation", bobs, "--as", cast.bob.email, stdout=StringIO())
    assert not Conversation.objects.get(pk=bobs).is_active


def test_a_conversation_is_continued_for_the_audience_that_it_was_begun_for(cast: Cast) -> None:
    """One for several people goes on for neither fewer, nor others; nor is it ended by another token."""
    with_charlie = TokenAudience(people=frozenset({cast.charlie.pk}))
    in_channel = TokenAudience(team_id="T1", channel_id="C1")
    askers = [asker_on_behalf(cast.bob, each) for each in (TokenAudience(), with_charlie, in_channel)]
    for asker in askers:
        opened = open_conversation(origin="rest", asker=asker)
        assert continue_or_open_conversation(opened, origin="rest", asker=asker) == opened
        for other in askers:
            if other != asker:
                with pytest.raises(NotFoundError):
                    continue_or_open_conversation(opened, origin="rest", asker=other)
                with pytest.raises(NotFoundError):
                    end_conversation(opened, asker=other)
                with pytest.raises(NotFoundError):
                    find_continued_conversation(opened, other)
        assert Conversation.objects.get(pk=opened).is_active
