"""Row-level security where it could slip: after a block, across a pool's connections, past an error, in the worker."""

import datetime as dt
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.db import ProgrammingError, connection, transaction
from django.utils import timezone
from procrastinate.contrib.django import app as procrastinate_app
from procrastinate.contrib.django.models import ProcrastinateJob

from core.access.grants import grant, revoke
from core.api import search
from core.models import Chunk, Citation, CitationWords, Document, RoleDocumentAccess, User
from core.models.row_security import as_audience, bypass_row_security, showing_quotes_to
from core.testing import Cast, fast_embedding, make_document
from core.types import Audience
from tests.integration.asked import add_citation, make_question

OWNED, SHARED, NOBODYS = "The vault code is nine.", "The canteen opens at noon.", "This was never granted."


def make_library(cast: Cast) -> None:
    """One document for owners, one for staff, one for nobody."""
    make_document("Owned", OWNED, roles=[cast.owners])
    make_document("Shared", SHARED, roles=[cast.staff])
    make_document("Nobody's", NOBODYS)


@pytest.fixture
def library(cast: Cast, fast: None) -> None:
    """The three documents, in the test's own transaction."""
    make_library(cast)


def readable(role_sets: str) -> set[int]:
    """The numbers of the documents that role sets, as JSON, may read by the database's own rule."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT footnote_readable_documents(%s::jsonb)", [role_sets])
        return {number for (number,) in cursor.fetchall()}


def seen() -> set[str]:
    """Return the result of a query that does not set an audience."""
    return set(Chunk.objects.values_list("content", flat=True))


@pytest.mark.usefixtures("library")
class TestOneConnection:
    """The settings of a transaction, one after and within the other."""

    def test_the_roles_that_tests_run_as_do_not_bypass_it(self) -> None:
        """Else nothing here would prove anything."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
            assert cursor.fetchone() == (False,)

    def test_a_forgotten_filter_gives_what_the_audience_may_read(self, cast: Cast) -> None:
        """And every chunk only where the library is looked after."""
        expected = {
            (cast.alice,): {OWNED, SHARED},
            (cast.bob,): {SHARED},
            (cast.alice, cast.bob): {SHARED},
            (cast.charlie,): set(),
            (cast.alice, None): set(),
        }
        for people, texts in expected.items():
            with as_audience(cast.audience(*people)):
                assert seen() == texts
        with bypass_row_security():
            assert seen() == {OWNED, SHARED, NOBODYS}

    def test_outside_of_every_context_there_is_nothing(self) -> None:
        """Neither rows, nor a count, nor through a document, nor in SQL."""
        assert seen() == set()
        assert Chunk.objects.count() == 0
        assert not Document.objects.filter(chunks__content__contains="vault").exists()
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM core_chunk")
            assert cursor.fetchone() == (0,)

    @pytest.mark.parametrize("value", ["", "\\x", "\\x00", "\\x0000000000"])
    def test_a_setting_without_a_document_shows_nothing(self, value: str) -> None:
        """However it says so."""
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('footnote.readable', %s, true)", [value])
            assert seen() == set()

    @pytest.mark.parametrize(
        "role_sets",
        ["[]", "[[]]", f'[["{uuid4()}"]]', "[[], []]"],
        ids=["nobody", "no role", "unknown role", "no role twice"],
    )
    def test_an_audience_without_rights_reads_no_document(self, role_sets: str) -> None:
        """By the database's own rule."""
        assert readable(role_sets) == set()

    def test_grants_count_with_the_next_block(self, cast: Cast) -> None:
        """Given and taken away, for a person and for a channel, and for a document that is new."""
        nobodys = Document.objects.get(title="Nobody's")
        for audience in (cast.audience(cast.bob), cast.audience(cast.alice, cast.bob)):
            for texts in ({SHARED}, {SHARED, NOBODYS}, {SHARED}):
                with as_audience(audience):
                    assert seen() == texts
                change = revoke if NOBODYS in texts else grant
                change(cast.staff, [nobodys], by=None)
            revoke(cast.staff, [nobodys], by=None)
        make_document("New", "The yard is new.", roles=[cast.staff])
        with as_audience(cast.audience(cast.bob)):
            assert seen() == {SHARED, "The yard is new."}

    def test_nobody_sees_nothing(self) -> None:
        """The audience of nobody, and of readers of whom one has no role."""
        with as_audience(Audience.nobody()):
            assert seen() == set()

    def test_a_role_set_that_is_empty_takes_everything(self, cast: Cast) -> None:
        """First or last in the setting."""
        staff = [str(cast.staff.pk)]
        assert readable(json.dumps([staff]))
        for role_sets in ([staff, []], [[], staff]):
            assert readable(json.dumps(role_sets)) == set()

    def test_a_block_within_a_block_ends_where_the_outer_one_was(self, cast: Cast) -> None:
        """Readers within maintenance, maintenance within readers, readers within readers."""
        with as_audience(cast.audience(cast.alice)):
            with as_audience(cast.audience(cast.bob)):
                assert seen() == {SHARED}
            assert seen() == {OWNED, SHARED}
            with bypass_row_security():
                assert NOBODYS in seen()
                with as_audience(cast.audience(cast.charlie)):
                    assert seen() == set()
                assert NOBODYS in seen()
            assert seen() == {OWNED, SHARED}
        assert seen() == set()

    @pytest.mark.parametrize("fault", ["in Python", "in PostgreSQL"])
    def test_an_error_within_a_block_restores_the_outer_one(self, cast: Cast, fault: str) -> None:
        """Also when PostgreSQL has given up the inner transaction."""

        def fail() -> None:
            if fault == "in Python":
                raise RuntimeError
            with connection.cursor() as cursor:
                cursor.execute("SELECT nothing FROM nowhere")

        with as_audience(cast.audience(cast.bob)):
            for inner in (bypass_row_security(), as_audience(cast.audience(cast.alice))):
                with pytest.raises((RuntimeError, ProgrammingError)), inner:
                    fail()
                assert seen() == {SHARED}
        with pytest.raises((RuntimeError, ProgrammingError)), bypass_row_security():
            fail()
        assert seen() == set()

    def test_writing_needs_maintenance(self, cast: Cast) -> None:
        """A reader's UPDATE and DELETE touch nothing, and their INSERT is refused; so it is without any context."""
        with bypass_row_security():
            chunk = Chunk.objects.get(content=OWNED)
        copied = {f.attname: getattr(chunk, f.attname) for f in Chunk._meta.concrete_fields if f.attname != "search"}
        for context in (transaction.atomic, lambda: as_audience(cast.audience(cast.alice))):
            with context():
                assert Chunk.objects.update(content="changed") == 0
                assert Chunk.objects.filter(content=OWNED)._raw_delete("default") == 0
                with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
                    Chunk.objects.create(**copied | {"id": uuid4(), "chunk_index": 7})
        with bypass_row_security():
            assert seen() == {OWNED, SHARED, NOBODYS}

    def test_reading_lets_nobody_write_the_floor_away(self, cast: Cast) -> None:
        """A reader's transaction is not one of maintenance."""
        with as_audience(cast.audience(cast.alice)), connection.cursor() as cursor:
            cursor.execute("SELECT footnote_maintenance(), current_setting('footnote.maintenance', true)")
            assert cursor.fetchone() == (False, "")


def quoted() -> set[str]:
    """Return the result of a query for the words of citations that does not set an audience."""
    return set(CitationWords.objects.values_list("quoted_excerpt", flat=True))


class TestWordsOfQuotes:
    """Words that are kept of an answer, of two editions of one document and of a selected text."""

    @pytest.fixture(autouse=True)
    def quotes(self, cast: Cast, fast: None) -> None:
        """The first edition was for owners alone, the second is for staff too."""
        document = make_document("Rules", "Now.", roles=[cast.owners])
        answer = make_question(cast.alice).answer
        add_citation(answer, document, "Then.", number=1)
        document.version = 2
        document.save()
        grant(cast.staff, [document], by=None)
        row = add_citation(answer, document, "Now.", number=2)
        row.pk, row.number, row.document, row.document_version = uuid4(), 3, None, 0
        row.save(force_insert=True)
        with bypass_row_security():
            CitationWords.objects.create(citation_id=row.pk, document_name="", excerpt="", quoted_excerpt="Selected.")

    def test_an_audience_is_shown_the_editions_that_it_may_read(self, cast: Cast) -> None:
        """By the rule of the database alone. No edition shows whose a selected text is."""
        expected: dict[tuple[User | None, ...], set[str]] = {
            (cast.alice,): {"Then.", "Now.", "Selected."},
            (cast.bob,): {"Now.", "Selected."},
            (cast.alice, cast.bob): {"Now.", "Selected."},
            (cast.charlie,): {"Selected."},
            (cast.alice, None): {"Selected."},
        }
        for people, words in expected.items():
            audience = cast.audience(*people)
            with showing_quotes_to(audience):
                assert quoted() == words
                assert seen() == set()
            with as_audience(audience):
                assert quoted() == words
        with bypass_row_security():
            assert quoted() == {"Then.", "Now.", "Selected."}

    def test_a_grant_that_has_ended_shows_nothing(self, cast: Cast) -> None:
        """By the clock, before anything is taken away."""
        RoleDocumentAccess.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
        with showing_quotes_to(cast.audience(cast.alice)):
            assert quoted() == {"Selected."}

    def test_outside_of_every_context_there_is_nothing(self) -> None:
        """Neither rows, nor through their citations, and nothing is written, changed or deleted."""
        assert quoted() == set()
        assert not Citation.objects.filter(words__quoted_excerpt__contains="e").exists()
        assert CitationWords.objects.update(quoted_excerpt="Else.") == 0
        assert CitationWords.objects.all().delete()[0] == 0
        words = CitationWords(citation=Citation.objects.get(number=1), document_name="", excerpt="", quoted_excerpt="x")
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            words.save(force_insert=True)

    def test_the_audience_ends_with_its_block(self, cast: Cast) -> None:
        """Within another one, too, which is there again afterwards."""
        with showing_quotes_to(cast.audience(cast.alice)):
            with showing_quotes_to(cast.audience(cast.bob)):
                assert quoted() == {"Now.", "Selected."}
            assert quoted() == {"Then.", "Now.", "Selected."}
        assert quoted() == set()

    def test_words_go_with_their_quote(self) -> None:
        """Whoever deletes it, and sees none of them."""
        Citation.objects.filter(number=1).delete()
        with bypass_row_security():
            assert quoted() == {"Now.", "Selected."}


@pytest.mark.django_db(transaction=True)
class TestManyConnections:
    """Committed rows, so that other connections see them."""

    @pytest.fixture(autouse=True)
    def library(self, transactional_db: None, cast: Cast) -> Iterator[None]:
        """The three documents, committed."""
        with fast_embedding():
            make_library(cast)
            yield

    def test_a_pool_hands_nothing_on(self, cast: Cast) -> None:
        """Fifty transactions for three audiences and maintenance, over connections that each serve several of them."""
        expected: dict[str, set[str]] = {
            "alice": {OWNED, SHARED},
            "bob": {SHARED},
            "charlie": set(),
            "maintenance": {OWNED, SHARED, NOBODYS},
        }
        served: dict[int, set[str]] = {}
        lock = threading.Lock()

        def one(number: int) -> tuple[str, set[str], set[str]]:
            who = list(expected)[number % 4]
            context = bypass_row_security() if who == "maintenance" else as_audience(cast.audience(getattr(cast, who)))
            try:
                with context:
                    inside = seen()
                    with connection.cursor() as cursor:
                        cursor.execute("SELECT pg_backend_pid()")
                        pid = cursor.fetchone()[0]
                outside = seen()  # on the same connection: this thread keeps it until it closes it
                with lock:
                    served.setdefault(pid, set()).add(who)
                return who, inside, outside
            finally:
                connection.close()  # back to the pool

        with ThreadPoolExecutor(4) as threads:
            results = list(threads.map(one, range(50)))
        assert [(inside, outside) for _, inside, outside in results] == [
            (expected[who], set()) for who, _, _ in results
        ]
        assert len(served) < 20
        assert max(len(who) for who in served.values()) >= 3  # else no connection was handed on

    def test_an_error_that_ends_the_transaction_leaves_nothing_set(self, cast: Cast) -> None:
        """The next query on the connection sees no chunk."""
        for context in (bypass_row_security(), as_audience(cast.audience(cast.alice))):
            with pytest.raises(RuntimeError), context:
                raise RuntimeError
            assert seen() == set()

    def test_it_holds_in_the_worker(self, cast: Cast) -> None:
        """Jobs for different people on one worker: each reads its own chunks in its block, and none after it."""
        told: dict[str, tuple[set[str], set[str], set[str]]] = {}

        def look(*, who: str) -> None:
            audience = cast.audience(getattr(cast, who))
            with as_audience(audience):
                inside = seen()
            found = {passage.content for passage in search("When does the canteen open?", audience=audience).passages}
            told[who] = inside, found, seen()

        run_in_worker(look, [{"who": who} for who in ("alice", "bob", "charlie", "alice")])
        assert told == {
            "alice": ({OWNED, SHARED}, {OWNED, SHARED}, set()),
            "bob": ({SHARED}, {SHARED}, set()),
            "charlie": (set(), set(), set()),
        }


def run_in_worker(job: Any, arguments: list[dict[str, Any]]) -> None:
    """Let procrastinate's own worker run a job once for each of the arguments."""
    task = procrastinate_app.task(job, name=f"tests.{job.__name__}")
    try:
        for given in arguments:
            task.defer(**given)
        connector = procrastinate_app.connector.get_worker_connector()  # type: ignore[attr-defined]
        with procrastinate_app.replace_connector(connector) as app:
            app.run_worker(wait=False, install_signal_handlers=False, listen_notify=False)
    finally:
        del procrastinate_app.tasks[task.name]
    states = ProcrastinateJob.objects.filter(task_name=task.name).values_list("status", flat=True)
    assert list(states) == ["succeeded"] * len(arguments)
