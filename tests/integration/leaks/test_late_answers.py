"""Test late answers: no word of a changed document to who may not read it, by whatever door it would come."""

import json
import logging
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.access.audiences import asker_for
from core.access.grants import grant, revoke
from core.api import ask
from core.models import ContentGap, Document, LateAnswer, ProposedChange, Query, SlackIdentity, User
from core.quality.proposals.following import finish
from core.quality.proposals.late_answers import ask_late, list_own_late_answers, queue_again, read_late, select_late
from core.quality.proposals.listing import list_proposals
from core.testing import Cast, make_document
from tests.integration.bot.slack_server import TEAM, SlackServer
from tests.integration.bot.worker import run_worker
from tests.integration.core.test_retention import everything_kept
from tests.integration.rest.conftest import Caller
from tests.job_queue import empty_queue

ASKED = "With which code does the vault in the harbour office open?"
NOW = "The vault in the harbour office opens with the code Z9902 on weekdays."
WORDS = ("Vault rules", "vault-rules", "Z9902")
ALICE, BOB = "U0ALICE", "U0BOB"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "slack")]


@pytest.fixture
def slack(settings: Settings, cast: Cast) -> Any:
    """A workspace in which Alice and Bob have accounts."""
    settings.EVALUATION_ENABLED, settings.LOCAL_PAGE, settings.GUEST_ROLE = False, False, ""
    settings.SECURE_SSL_REDIRECT = False
    settings.SLACK_BOT_TOKEN = "xoxb-of-the-tests"
    empty_queue()
    with SlackServer() as server:
        settings.SLACK_API_URL = server.url
        for person, account in ((cast.alice, ALICE), (cast.bob, BOB)):
            server.add_user(account, person.email)
            SlackIdentity.objects.create(team_id=TEAM, slack_user_id=account, user=person, checked_at=timezone.now())
        yield server
    empty_queue()


@pytest.fixture
def merged(cast: Cast, slack: SlackServer, fast: None) -> Document:
    """Put the document that Alice alone may read into the library, for a gap in which both had asked."""
    make_document("Site rules", "The gate of the harbour closes at six.", roles=[cast.staff])
    now = timezone.now()
    gap = ContentGap.objects.create(first_seen=now, last_seen=now, asked=2, people=2)
    for person in (cast.alice, cast.bob):
        result = ask(ASKED, asker=asker_for(person), audience=cast.audience(person))
        query = Query.objects.get(request_id=result.request_id)
        gap.questions.create(query=query, outcome="refused", asked_at=now)
    document = make_document("Vault rules", NOW, roles=[cast.owners])
    finish(
        ProposedChange.objects.create(
            gap=gap,
            way="merge_request",
            state="merged",
            document=document,
            sent_at=now,
            url="https://git.example/Z9902",
        )
    )
    return document


def late_of(person: User) -> LateAnswer:
    """Return somebody's late answer."""
    return select_late().get(query__user=person)


def assert_no_word(text: str) -> None:
    """Assert that a text has no word of the document."""
    assert [word for word in WORDS if word.casefold() in text.casefold()] == []


def test_in_slack_who_may_not_read_it_gets_not_a_word(
    cast: Cast, merged: Document, slack: SlackServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is even sent to them; who may read it gets it alone, and no log tells of either."""
    caplog.set_level(logging.DEBUG)
    run_worker()
    assert "Z9902" in json.dumps(slack.messages["D0ALICE"])
    assert slack.messages["D0BOB"] == []
    assert [sent for _, sent in slack.calls if BOB in json.dumps(sent) and "Z9902" in json.dumps(sent)] == []
    told = [sent["channel"] for sent in slack.called("chat.postMessage")]
    assert told == ["D0ALICE"]
    bobs = late_of(cast.bob)
    assert (bobs.state, bobs.silence, bobs.asked_again) == ("silent", "not_answered", None)
    assert_no_word(" ".join(str(vars(record)) for record in caplog.records if record.name.startswith(("bot", "core"))))


def test_by_rest_who_may_not_read_it_gets_not_a_word(cast: Cast, merged: Document) -> None:
    """Neither as late answer, nor in the list of proposals, whose author they may even be."""
    run_worker()
    ProposedChange.objects.update(proposed_by=cast.bob)
    cast.bob.user_permissions.add(*Permission.objects.filter(codename__in=("propose_changes", "view_gaps")))
    bob = Caller(User.objects.get(pk=cast.bob.pk), "ask", "ingest")
    for path in ("late-answers", "proposed-changes", f"proposed-changes/{ProposedChange.objects.get().pk}"):
        response = bob.get(path)
        assert_no_word(response.content.decode())
        assert response.json().get("count", 0) == 0
    [row] = Caller(cast.alice).get("late-answers").json()["results"]
    assert "Z9902" in row["answer"]["answer"]
    listed = list_proposals(bob.user, cast.audience(cast.bob))
    assert (listed.rows, listed.total, sum(listed.by_state.values())) == ((), 0, 0)


def test_rights_of_now_decide_whatever_was_answered(cast: Cast, merged: Document) -> None:
    """Bob is granted the document, is answered, and loses it again."""
    run_worker()
    grant(cast.staff, [merged], by=None)
    assert queue_again() == 1
    own = cast.audience(cast.bob)
    assert ask_late(late_of(cast.bob).pk, audience=own) is not None
    assert [late.answer.text for late in list_own_late_answers(cast.bob, audience=own)] != []
    revoke(cast.staff, [merged], by=None)
    own = cast.audience(cast.bob)
    assert list_own_late_answers(cast.bob, audience=own) == ()
    assert read_late(late_of(cast.bob), audience=own) is None
    assert Caller(cast.bob).get("late-answers").json()["results"] == []
    again = late_of(cast.bob).asked_again
    assert again is not None
    assert Caller(cast.bob).get(f"queries/{again.request_id}").status_code == 404


def test_nobody_is_asked_for_with_the_rights_of_another(cast: Cast, merged: Document) -> None:
    """An audience of both is answered for neither."""
    both = cast.audience(cast.alice, cast.bob)
    assert ask_late(late_of(cast.alice).pk, audience=both) is None
    assert late_of(cast.alice).silence == "not_answered"


def test_no_word_stands_in_its_tables(cast: Cast, merged: Document) -> None:
    """Texts are in questions and answers alone."""
    run_worker()
    kept = everything_kept()
    own = [kept[table] for table in ("core_lateanswer", "bot_lateanswernotice")]
    assert [word for word in (*WORDS, "vault") for rows in own if word in rows] == []
