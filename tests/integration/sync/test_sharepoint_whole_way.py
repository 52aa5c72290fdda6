"""From SharePoint to answers: taken in, asked about, restricted, moved, deleted; and only its readers are answered."""

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
from core.library.sync.services.graph_items import CHANGES
from core.management.commands import sync
from core.models import Collection, DataSource, Document, IntranetHost, Query, SourceGroup, SyncRun, User
from core.testing import Cast
from core.types import Answer
from tests.integration.leaks.doors import ALL
from tests.integration.leaks.telling import said_by
from tests.integration.sync.served import Answer as Response
from tests.integration.sync.servers.graph import (
    ANNA,
    BOARD,
    BOARD_ID,
    DRIVE,
    HIDDEN,
    ONEDRIVE,
    OTHER,
    SECRET,
    SITE,
    STAFF,
    STAFF_ID,
    Tenant,
    group,
    link,
    user,
)
from tests.integration.sync.test_readers import words_for
from tests.integration.sync.test_runs import outcomes
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.usefixtures("fast")
QUESTION = "Until when is the northern pier closed?"
CLOSED = "The northern pier is closed until the ninth of March."


@pytest.fixture
def held(tenant: Tenant) -> Tenant:
    """Two files of the staff, one of the board, and one in a OneDrive."""
    tenant.put("f1", "pier.md", f"# Pier\n\n{CLOSED}".encode())
    tenant.put("f2", "ropes.md", b"# Ropes\n\nRopes hang in the shed.")
    tenant.put("f3", "dismissals.md", b"# Dismissals\n\nZoe is dismissed in June.", drive=OTHER)
    tenant.put("f4", "diary.md", b"# Diary\n\nAnna sails on Sundays.", drive=ONEDRIVE)
    return tenant


@pytest.fixture
def source(held: Tenant, cast: Cast, settings: Settings) -> DataSource:
    """The data source, whose readers come from it: its group "Staff" is the staff, "Board" are the owners."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    IntranetHost.objects.create(name="127.0.0.1")
    source = DataSource(
        name="SharePoint",
        kind="sharepoint",
        settings={**held.settings, "users": [ANNA]},
        collection=Collection.objects.create(name="SharePoint"),
        takes_readers=True,
        requests_per_minute=0,
        most_withdrawn_percent=90,
    )
    credentials.keep(source, {"client_secret": SECRET})
    source.save()
    SourceGroup.objects.create(source=source, name=STAFF, role=cast.staff)
    SourceGroup.objects.create(source=source, name=BOARD, role=cast.owners)
    return source


def ask(source: DataSource, **options: Any) -> SyncRun:
    """Ask the source now."""
    run = start(source, **options)
    work_to_the_end(run)
    run.refresh_from_db()
    return run


def titles(cast: Cast, person: User) -> set[str]:
    """Return the titles of what somebody reads."""
    return set(Document.objects.visible_to(cast.audience(person)).values_list("title", flat=True))


def answer_for(person: User) -> Any:
    """Answer the question about the pier for somebody."""
    return api.ask(QUESTION, asker=asker_for(person), audience=audience_of([person.pk]))


def test_readers_of_a_file_are_answered_from_it_and_nobody_else(source: DataSource, cast: Cast) -> None:
    """With a link to the file; a OneDrive is for its owner, who has no role here yet."""
    run = ask(source)
    assert (run.state, run.error) == ("done", "")
    assert titles(cast, cast.bob) == {"Pier", "Ropes"}
    assert titles(cast, cast.alice) == {"Pier", "Ropes", "Dismissals"}
    assert titles(cast, cast.charlie) == set()
    assert source.groups.get(name=ANNA).role is None
    answer = answer_for(cast.bob)
    assert isinstance(answer, Answer)
    assert "ninth of March" in answer.text
    assert {each.source_url for each in answer.citations} == {f"{SITE}/Documents/f1"}
    assert not isinstance(answer_for(cast.charlie), Answer)
    assert (outcomes(ask(source)), source.runs.latest("created_at").to_load) == (set(), 0)


@pytest.mark.parametrize(
    "permissions",
    [
        [group("Board", BOARD_ID)],
        [link("organization")],
        [link("anonymous")],
        [user("bob@contoso.com")],
        HIDDEN,
    ],
    ids=["the board", "a link for the organisation", "a link for anybody", "a person", "not shown"],
)
def test_no_door_tells_who_lost_a_file(source: DataSource, held: Tenant, cast: Cast, permissions: Any) -> None:
    """Neither what it says nor what was answered from it; a link by itself names nobody."""
    ask(source)
    asked = answer_for(cast.bob)
    held.drives[DRIVE]["f1"].permissions = permissions
    assert ("pier.md", "readers") in outcomes(ask(source, scope=SyncRun.Scope.READERS))
    assert titles(cast, cast.bob) == {"Ropes"}
    query = Query.objects.get(request_id=asked.request_id)
    for door, said in said_by(ALL, cast.bob, query).items():
        assert "ninth of March" not in said, door


def test_what_was_moved_renamed_or_deleted(source: DataSource, held: Tenant, cast: Cast) -> None:
    """A file in a folder with rights of its own has those; a group with another name needs its role again."""
    ask(source)
    held.make_folder("d1", "Plans", permissions=[group("Board", BOARD_ID)])
    held.drives[DRIVE]["f1"].folder, held.drives[DRIVE]["f1"].version = "d1", 2
    del held.drives[OTHER]["f3"]
    run = ask(source)
    assert (titles(cast, cast.bob), titles(cast, cast.alice)) == ({"Ropes"}, {"Pier", "Ropes"})
    assert ("dismissals.md", "gone") in outcomes(run)
    held.roots[DRIVE] = [group("Crew", STAFF_ID)]
    ask(source)
    assert titles(cast, cast.bob) == set()
    assert source.groups.get(name=f"Crew ({STAFF_ID})").role is None


def test_a_file_that_is_restricted_while_it_is_read_is_not_shown(source: DataSource, held: Tenant, cast: Cast) -> None:
    """It is rewritten for the board alone after it was listed for the staff."""

    def restrict(path: str) -> None:
        if path.endswith("/items/f1/content"):
            held.put("f1", "pier.md", b"# Pier\n\nThe pier is sold.", permissions=[group("Board", BOARD_ID)])
            held.before = lambda path: None

    held.before = restrict
    ask(source)
    assert titles(cast, cast.bob) == {"Ropes"}
    assert "sold" not in "".join(words_for(cast, cast.bob))


@pytest.mark.parametrize("answer", [Response(status=500), Response(body="no"), Response(body={"value": 7})])
def test_a_listing_that_ends_early_withdraws_nothing(
    source: DataSource, held: Tenant, cast: Cast, answer: Response
) -> None:
    """But whoever lost a right in what it named has lost it."""
    ask(source)
    held.roots[DRIVE] = [group("Board", BOARD_ID)]
    held.faults[f"/drives/{OTHER}/{CHANGES}"] = answer
    assert ask(source).state == "failed"
    assert titles(cast, cast.bob) == set()
    assert not Document.objects.exclude(withdrawn_at=None).exists()


def test_the_connection_is_tested_and_the_command_asks(
    source: DataSource, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test shows the first documents and who would read them."""
    found = probe(source)
    assert set(found.names) == {"pier.md", "ropes.md", "dismissals.md", "diary.md"}
    assert set(found.groups) == {STAFF, BOARD, ANNA}
    monkeypatch.setattr(sync, "start", lambda source, scope: ask(source))
    out = StringIO()
    call_command("sync", "SharePoint", "--json", stdout=out)
    assert json.loads(out.getvalue())["state"] == "done"
    assert titles(cast, cast.bob) == {"Pier", "Ropes"}
