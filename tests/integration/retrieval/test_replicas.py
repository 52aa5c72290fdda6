"""Searches read from a replica by the primary's grants: a second real server, in step, late, stopped, promoted."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest
from django.conf import settings as configured
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from core.access.grants import grant, revoke
from core.api import search
from core.infrastructure.embedded.credentials import Credentials
from core.library.retrieval import finding
from core.models import Document
from core.models.versions import current_versions
from core.testing import Cast, fast_embedding, make_cast, make_document
from core.types import RetrievalResult
from tests.integration.retrieval.library import add_chunks
from tests.integration.retrieval.replica import Replica, as_database, follow

ALIAS = "replica1"
STAFF, OWNERS = "The canteen opens at eleven.", "The vault opens at noon."

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", ALIAS])


@pytest.fixture(scope="module")
def follower(django_db_setup: None) -> Iterator[Callable[[], Replica]]:
    """Gives the replica of the tests' server, where that is the embedded one; another one after it was promoted."""
    credentials = Credentials.load(configured.FOOTNOTE_HOME / "postgres.json")
    if credentials is None or credentials.port != int(connection.settings_dict["PORT"]):
        pytest.skip("the database is given, and its superuser is not known")
    with ExitStack() as running:
        followers: list[Replica] = []

        def give() -> Replica:
            if not followers or not followers[-1].follows:
                followers.append(running.enter_context(follow(credentials)))
            return followers[-1]

        connections.databases[ALIAS] = as_database(give())
        yield give
        del connections[ALIAS]
        del connections.databases[ALIAS]


@pytest.fixture
def replica(follower: Callable[[], Replica], settings: Settings) -> Iterator[Replica]:
    """The replica, which searches may use, and of which nothing is known yet."""
    settings.DATABASE_REPLICAS = [ALIAS]
    finding.forget_replicas()
    given = follower()
    connections[ALIAS].settings_dict["PORT"] = given.port
    yield given
    connections[ALIAS].close()
    finding.forget_replicas()


@pytest.fixture
def library(replica: Replica) -> Iterator[Cast]:
    """A document for the staff and one for the owners, which the replica has too."""
    with fast_embedding():
        cast = make_cast()
        make_document("Canteen", STAFF, roles=[cast.staff])
        make_document("Vault", OWNERS, roles=[cast.owners])
        replica.catch_up()
        yield cast


def asked(cast: Cast, query: str = "when does it open") -> tuple[RetrievalResult, int]:
    """Search as Bob; return the result and the number of the replica's statements for it."""
    with CaptureQueriesContext(connections[ALIAS]) as statements:
        found = search(query, audience=cast.audience(cast.bob))
    return found, len(statements)


def texts(found: RetrievalResult) -> set[str]:
    return {passage.content for passage in found.passages}


def reasons(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the logged reasons for not using the replica."""
    logged = [record for record in caplog.records if record.message == "replica_not_asked"]
    assert {record.replica for record in logged} <= {ALIAS}  # type: ignore[attr-defined]
    return [record.reason for record in logged]  # type: ignore[attr-defined]


def test_a_replica_in_step_does_the_searching(library: Cast) -> None:
    """It finds what the primary finds, which meanwhile only says who reads what, and gives the text of the best."""
    with CaptureQueriesContext(connection) as on_primary:
        found, statements = asked(library)
    assert texts(found) == {STAFF}
    assert statements > 3
    assert not [query for query in on_primary if "<=>" in query["sql"] or "@@" in query["sql"]]
    configured.DATABASE_REPLICAS = []
    assert search("when does it open", audience=library.audience(library.bob)).passages == found.passages


def test_a_revocation_holds_at_once_however_late_the_replica_is(library: Cast, replica: Replica) -> None:
    """Nor does what was deleted or replaced come back, and a grant counts when the replica has it."""
    canteen, vault = Document.objects.order_by("title")
    replica.pause()
    try:
        revoke(library.staff, [canteen], by=None)
        found, statements = asked(library)
        assert (texts(found), statements > 0) == (set(), True)
        grant(library.staff, [canteen], by=None)
        assert texts(asked(library)[0]) == {STAFF}
        add_chunks(canteen, ["Tea is served at three."])
        assert texts(asked(library)[0]) == set()  # late, but within REPLICA_MAX_LAG_S; and never the old text
        canteen.delete()
        grant(library.staff, [vault], by=None)
        assert texts(asked(library)[0]) == set()
    finally:
        replica.resume()
    assert texts(asked(library)[0]) == {OWNERS}


def test_a_replica_that_is_too_late_is_not_asked(
    library: Cast, replica: Replica, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """The primary searches, and finds what is new; the log says so once. In step again it is asked again."""
    settings.REPLICA_MAX_LAG_S = 0
    replica.pause()
    try:
        make_document("Tea", "The tea room opens at three.", roles=[library.staff])
        finding.forget_replicas()
        for _ in range(2):
            assert texts(asked(library)[0]) == {STAFF, "The tea room opens at three."}
    finally:
        replica.resume()
    assert reasons(caplog) == ["it is too late"]
    finding.forget_replicas()
    found, statements = asked(library)
    assert (len(found.passages), statements > 3) == (2, True)


def test_a_replica_that_stops_costs_no_answer(
    library: Cast, replica: Replica, caplog: pytest.LogCaptureFixture
) -> None:
    """Also between its check and the search; and once it is back it is asked again."""
    assert asked(library)[1] > 3  # it has just been found fit
    replica.stop()
    try:
        for _ in range(2):
            assert texts(search("when does it open", audience=library.audience(library.bob))) == {STAFF}
    finally:
        replica.start()
    assert reasons(caplog) == ["it failed: OperationalError"]
    replica.catch_up()
    finding.forget_replicas()
    found, statements = asked(library)
    assert (texts(found), statements > 3) == ({STAFF}, True)


def test_a_replica_that_was_promoted_is_asked_no_more(
    library: Cast, replica: Replica, caplog: pytest.LogCaptureFixture
) -> None:
    """It follows nobody, and what it has stays as it was. As the primary it has all."""
    assert asked(library)[1] > 3
    as_primary = connection.get_connection_params() | {"port": replica.port}
    with pytest.raises(psycopg.OperationalError, match="read-only"):  # not one yet: as if it were away
        psycopg.connect(**as_primary)
    replica.promote()
    psycopg.connect(**as_primary).close()
    finding.forget_replicas()
    found, statements = asked(library)
    assert texts(found) == {STAFF}
    assert statements <= 1
    assert reasons(caplog) == ["it follows no primary"]
    before, after = current_versions(), current_versions(ALIAS)
    assert after.has_chunks_of(before)
    assert after.chunks != before.chunks  # what a process kept of the one is nothing to go by for the other
    assert after.grants != before.grants
    with connections[ALIAS].cursor() as cursor:  # as an operator makes it the primary
        cursor.execute("SELECT count(*) FROM core_document")
        assert cursor.fetchone() == (2,)
        cursor.execute("UPDATE core_document SET title = title")
