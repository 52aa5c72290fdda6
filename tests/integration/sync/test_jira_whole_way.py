"""From a Jira to answers: taken in, asked about, restricted, moved, deleted; and only its readers are answered."""

import json
from io import StringIO
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from pytest_django.fixtures import Settings

from core import api
from core.access.audiences import asker_for, audience_of
from core.library.sync import credentials
from core.library.sync.probing import probe
from core.library.sync.runs import start
from core.management.commands import sync
from core.models import Chunk, Collection, DataSource, Document, IntranetHost, SourceGroup, SyncRun, User
from core.models.row_security import bypass_row_security
from core.testing import Cast
from core.types import Answer
from tests.integration.sync.served import Answer as Response
from tests.integration.sync.served import Asked, Server
from tests.integration.sync.servers.jira import OTHER, PROJECT, TOKEN, Tracker
from tests.integration.sync.test_readers import words_for
from tests.integration.sync.test_runs import outcomes
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.usefixtures("fast")
LATER = "2024-06-01T10:00:00.123+0000"
QUESTION = "Until when is the northern pier closed?"
CLOSED = "The northern pier is closed until the ninth of March."


@pytest.fixture(params=["cloud", "data center"])
def tracker(request: pytest.FixtureRequest, server: Server) -> Tracker:
    """A Jira of each edition, with two issues that the staff may read and one of the board."""
    found = Tracker(server, is_cloud=request.param == "cloud")
    found.put("1", "DOCS-1", "The northern pier", description=f"<p>{CLOSED}</p>")
    found.put("2", "DOCS-2", "Ropes", description="<p>Ropes hang in the shed.</p>")
    found.put("9", "BOARD-1", "Dismissals", project=OTHER, description="<p>Zoe is dismissed in June.</p>")
    return found


@pytest.fixture
def source(tracker: Tracker, cast: Cast, settings: Settings) -> DataSource:
    """The data source, whose readers come from it: its group "staff" is the staff, "board" are the owners."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    IntranetHost.objects.create(name="127.0.0.1")
    source = DataSource(
        name="Tracker",
        kind="jira",
        settings=tracker.settings,
        collection=Collection.objects.create(name="Tracker"),
        takes_readers=True,
        requests_per_minute=0,
        most_withdrawn_percent=90,
    )
    credentials.keep(source, {"token": TOKEN})
    source.save()
    SourceGroup.objects.create(source=source, name="staff", role=cast.staff)
    SourceGroup.objects.create(source=source, name="board", role=cast.owners)
    return source


def ask(source: DataSource) -> SyncRun:
    """Ask the source now."""
    run = start(source)
    work_to_the_end(run)
    run.refresh_from_db()
    return run


def titles(cast: Cast, person: User) -> set[str]:
    """Return the titles of what somebody reads."""
    return set(Document.objects.visible_to(cast.audience(person)).values_list("title", flat=True))


def all_words() -> str:
    """Return all that is stored of the documents."""
    with bypass_row_security():
        return "\n".join(Chunk.objects.values_list("content", flat=True))


def answer_for(person: User) -> Any:
    """Answer the question about the pier for somebody."""
    return api.ask(QUESTION, asker=asker_for(person), audience=audience_of([person.pk]))


PIER, ROPES, DISMISSALS = "DOCS-1: The northern pier", "DOCS-2: Ropes", "BOARD-1: Dismissals"


def test_readers_of_an_issue_are_answered_from_it_and_nobody_else(source: DataSource, cast: Cast) -> None:
    """With a link to the issue, and the section that says so."""
    run = ask(source)
    assert (run.state, run.error) == ("done", "")
    assert titles(cast, cast.bob) == {PIER, ROPES}
    assert titles(cast, cast.alice) == {PIER, ROPES, DISMISSALS}
    assert titles(cast, cast.charlie) == set()
    answer = answer_for(cast.bob)
    assert isinstance(answer, Answer)
    assert "ninth of March" in answer.text
    [citation] = {(each.document_name, each.source_url) for each in answer.citations}
    assert citation == (PIER, f"{source.settings['address']}/browse/DOCS-1")
    assert {"Description"} == {each.section for each in answer.citations}
    assert not isinstance(answer_for(cast.charlie), Answer)
    assert (outcomes(ask(source)), source.runs.latest("created_at").to_load) == (set(), 0)


def test_what_was_changed_moved_or_deleted(source: DataSource, tracker: Tracker, cast: Cast) -> None:
    """A moved issue has the readers of its new project; a deleted one is gone."""
    ask(source)
    pier = tracker.issues["1"]
    pier.project, pier.key, pier.updated = OTHER, "BOARD-2", LATER
    tracker.issues["2"].description, tracker.issues["2"].updated = "<p>Ropes hang in the tower.</p>", LATER
    del tracker.issues["9"]
    run = ask(source)
    assert (run.state, run.error) == ("done", "")
    assert titles(cast, cast.bob) == {ROPES}
    assert titles(cast, cast.alice) == {ROPES, "BOARD-2: The northern pier"}
    assert "Ropes hang in the tower." in "".join(words_for(cast, cast.bob))
    assert (DISMISSALS, "gone") in outcomes(run)


def test_words_of_internal_and_restricted_comments_are_nowhere(
    source: DataSource, tracker: Tracker, cast: Cast
) -> None:
    """Not even for those who may read them in Jira; public ones have a section with their author."""
    tracker.issues["9"].comments = [
        {"id": "1", "html": "<p>She stole a boat.</p>", "jsdPublic": False},
        {"id": "2", "html": "<p>She knows nothing of it.</p>"},
        {"id": "3", "html": "<p>The lawyer is told.</p>", "jsdPublic": True},
    ]
    tracker.issues["2"].description = '<p>See <a href="/browse/BOARD-1" title="A mutiny">BOARD-1</a>.</p>'
    tracker.issues["1"].comments = [
        {"id": "4", "html": "<p>The pier is sold.</p>", "visibility": {"type": "role", "value": "Administrators"}},
        {"id": "5", "html": "<p>The southern one is open.</p>"},
    ]
    ask(source)
    words = all_words()
    assert "The lawyer is told." in words
    assert "The southern one is open." in words
    assert not any(each in words for each in ("boat", "knows nothing", "sold", "mutiny"))
    with bypass_row_security():
        sections = set(Chunk.objects.filter(content__contains="southern one").values_list("section_title", flat=True))
    assert sections == {"Comments > Bob B., 2024-02-03"}


def test_what_is_not_told_of_readers_is_read_by_nobody(source: DataSource, tracker: Tracker, cast: Cast) -> None:
    """By a level that is not shown, and a role without anybody in it; the run says why."""
    tracker.issues["1"].security = "10020"
    tracker.schemes[OTHER] = [tracker.holder("projectRole", "10002")]
    tracker.roles[OTHER, "10002"] = []
    run = ask(source)
    assert titles(cast, cast.alice) == titles(cast, cast.bob) == {ROPES}
    assert ("Security level Secret", "left_out") in outcomes(run)
    assert not isinstance(answer_for(cast.bob), Answer)
    tracker.schemes[PROJECT] = None
    run = ask(source)
    assert titles(cast, cast.alice) == set()
    assert "Administer Projects" in run.changes.get(name="Project DOCS").message


def test_a_group_that_was_renamed_reads_nothing_until_its_role_is_chosen(
    source: DataSource, tracker: Tracker, cast: Cast
) -> None:
    """Nobody knows whether it still is the same."""
    ask(source)
    tracker.schemes[PROJECT] = [tracker.group("crew")]
    assert (PIER, "readers") in outcomes(ask(source))
    assert titles(cast, cast.bob) == set()
    assert source.groups.get(name="crew").role is None


@pytest.mark.parametrize("step", ["listed", "loaded"])
def test_an_issue_that_is_restricted_while_it_is_read_is_not_shown(
    source: DataSource, tracker: Tracker, cast: Cast, step: str
) -> None:
    """It gets a level, and then its words, after it was listed or after it was loaded for everybody."""

    def restrict(asked: Asked) -> None:
        is_load = "renderedFields" in asked.query.get("expand", "")
        is_look = asked.path.endswith("/issue/1") and not is_load
        if (step == "listed" and is_load) or (step == "loaded" and is_look):
            pier = tracker.issues["1"]
            pier.security, pier.updated, pier.description = "10020", LATER, "<p>The pier is sold.</p>"

    tracker.levels["10020"] = [tracker.group("board")]
    tracker.before = restrict
    ask(source)
    assert titles(cast, cast.bob) == {ROPES}
    assert "sold" not in "".join(words_for(cast, cast.bob))


@pytest.mark.parametrize("answer", [Response(status=500), Response(body="no"), Response(body={"issues": 7})])
def test_a_listing_that_ends_early_withdraws_nothing(
    source: DataSource, tracker: Tracker, cast: Cast, answer: Response
) -> None:
    """But whoever lost a right in what it named has lost it."""
    ask(source)
    tracker.schemes[PROJECT] = [tracker.group("board")]
    path = f"{tracker.api}/search{'/jql' if tracker.is_cloud else ''}"

    def fail(asked: Asked) -> Response:
        if f"project = {OTHER}" in asked.query["jql"]:
            return answer
        del tracker.faults[path]
        found = tracker.answer(asked)
        tracker.faults[path] = fail
        return found

    tracker.faults[path] = fail
    assert ask(source).state == "failed"
    assert titles(cast, cast.alice) == {DISMISSALS}
    assert titles(cast, cast.bob) == set()
    assert not Document.objects.exclude(withdrawn_at=None).exists()


def test_the_connection_is_tested_and_the_command_asks(
    source: DataSource, tracker: Tracker, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test shows the first documents and who would read them."""
    found = probe(source)
    assert set(found.names) == {PIER, ROPES, DISMISSALS}
    assert found.groups == ("board", "staff")
    monkeypatch.setattr(sync, "start", lambda source, scope: ask(source))
    out = StringIO()
    call_command("sync", "Tracker", "--json", stdout=out)
    assert json.loads(out.getvalue())["state"] == "done"
    assert titles(cast, cast.bob) == {PIER, ROPES}
