"""Classes of access: after any changes of grants, the permitted classes are exactly the documents that can be read."""

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from core.access.grants import grant, revoke, take_expired
from core.access.withdrawal import restore, withdraw
from core.library.vector_engine import classes
from core.models import AccessClass, Document, DocumentClass, EngineChange, EngineCollection, Role, RoleDocumentAccess
from core.models.versions import current_versions
from core.testing import make_document
from core.types import Audience
from tests.integration.leaks.worlds import tried
from tests.integration.retrieval.library import Work, fill

ROLES, DOCUMENTS = 4, 6


@pytest.fixture
def watched(db: None) -> EngineCollection:
    """There is a collection, so the database keeps classes and writes changes down."""
    return EngineCollection.objects.create(model="any", dimension=384)


def permitted(*role_sets: set[Role]) -> set[int]:
    """The numbers of the documents in the classes that an audience may read."""
    audience = Audience.of([[role.pk for role in roles] for roles in role_sets])
    numbers = classes.list_permitted_classes(audience, current_versions().grants)
    return set(DocumentClass.objects.filter(access_class__in=numbers).values_list("document__number", flat=True))


def visible(*role_sets: set[Role]) -> set[int]:
    audience = Audience.of([[role.pk for role in roles] for roles in role_sets])
    return set(Document.objects.visible_to(audience).values_list("number", flat=True))


def settle_waiting() -> None:
    """Settle documents with pending changes, as the feeding does first."""
    waiting = EngineChange.objects.values("document_number")
    with transaction.atomic():
        classes.settle(list(Document.objects.filter(number__in=waiting).values_list("pk", flat=True)))


def bare_documents(count: int, *, first: int = 0) -> list[Document]:
    """Documents without chunks."""
    return fill(Work(title=f"Document {number:06d}", texts=[]) for number in range(first, first + count))


_SOME = st.frozensets(st.integers(0, DOCUMENTS - 1), min_size=1)
_STEP = st.one_of(
    st.tuples(st.just("grant"), st.integers(0, ROLES - 1), _SOME),
    st.tuples(st.just("revoke"), st.integers(0, ROLES - 1), _SOME),
    st.tuples(st.just("withdraw"), st.just(0), _SOME),
    st.tuples(st.just("restore"), st.integers(0, ROLES - 1), _SOME),
    st.tuples(st.just("delete"), st.just(0), _SOME),
    st.tuples(st.just("delete role"), st.integers(0, ROLES - 1), st.just(frozenset())),
    st.tuples(st.just("sweep"), st.just(0), st.just(frozenset())),
    st.tuples(st.just("settle"), st.just(0), _SOME),
)


class World:
    """Some roles and documents, and what is done to them."""

    def __init__(self, documents: list[Document]) -> None:
        self.roles = [Role.objects.create(name=f"role {number}") for number in range(ROLES)]
        self.documents = documents

    def do(self, what: str, role_number: int, numbers: frozenset[int]) -> None:
        role = Role.objects.filter(pk=self.roles[role_number].pk).first()
        chosen = [self.documents[number] for number in numbers if self._is_there(number)]
        ids = [document.pk for document in chosen]
        without_role: dict[str, Callable[[], object]] = {
            "withdraw": lambda: withdraw(ids, are_gone=False),
            "delete": lambda: Document.objects.filter(pk__in=ids[:1]).delete(),
            "sweep": classes.sweep,
            "settle": lambda: classes.settle(ids),
        }
        if what in without_role:
            without_role[what]()
        elif role is not None:
            self._do_with_role(what, role, chosen)

    def _do_with_role(self, what: str, role: Role, chosen: list[Document]) -> None:
        match what:
            case "grant":
                grant(role, chosen, by=None)
            case "revoke":
                revoke(role, chosen, by=None)
            case "restore":
                restore([document.pk for document in chosen], roles=[role])
            case "delete role":
                role.delete()

    def _is_there(self, number: int) -> bool:
        return Document.objects.filter(pk=self.documents[number].pk).exists()


@pytest.mark.usefixtures("watched", "fast")
@given(st.lists(_STEP, min_size=1, max_size=12), st.lists(st.frozensets(st.integers(0, ROLES - 1)), min_size=1))
@tried(60)
def test_the_permitted_classes_are_what_can_be_read(
    steps: list[tuple[str, int, frozenset[int]]], readers: list[frozenset[int]]
) -> None:
    """Whatever is granted, revoked, withdrawn, given back or deleted, for any readers."""
    with transaction.atomic():
        world = World(bare_documents(DOCUMENTS))
        for step in steps:
            world.do(*step)
            role_sets = [{world.roles[number] for number in roles} for roles in readers]
            assert permitted(*role_sets) == visible(*role_sets)
        transaction.set_rollback(True)


@pytest.mark.usefixtures("watched", "fast")
class TestWholeClasses:
    """A class changes as a whole where all of its documents do."""

    def test_a_grant_to_all_of_a_class_moves_no_document(self) -> None:
        """Its number stays, and the engine needs no change."""
        staff, board = Role.objects.create(name="staff"), Role.objects.create(name="board")
        documents = bare_documents(5)
        grant(staff, documents, by=None)
        before = dict(DocumentClass.objects.values_list("document", "access_class"))
        EngineChange.objects.all().delete()
        grant(board, documents, by=None)
        assert dict(DocumentClass.objects.values_list("document", "access_class")) == before
        assert not EngineChange.objects.exists()
        assert permitted({board}) == visible({board}) == {document.number for document in documents}
        revoke(staff, documents, by=None)
        assert not EngineChange.objects.exists()
        assert permitted({staff}) == set()

    def test_a_grant_to_some_moves_these_alone(self) -> None:
        """They come into the class that has those roles already."""
        staff, board = Role.objects.create(name="staff"), Role.objects.create(name="board")
        documents = bare_documents(5)
        grant(staff, documents, by=None)
        grant(board, documents[:1], by=None)
        EngineChange.objects.all().delete()
        grant(board, documents[1:3], by=None)
        assert set(EngineChange.objects.values_list("document_number", "kind")) == {
            (document.number, "class") for document in documents[1:3]
        }
        assert AccessClass.objects.count() == 2

    def test_a_grant_that_has_ended_still_counts_until_it_is_taken(self) -> None:
        """The class proposes more than can be read, which PostgreSQL throws out, and never less."""
        staff = Role.objects.create(name="staff")
        documents = bare_documents(2)
        grant(staff, documents, by=None, until=timezone.now() + dt.timedelta(days=1))
        RoleDocumentAccess.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
        assert visible({staff}) == set()
        assert permitted({staff}) == {document.number for document in documents}
        take_expired()
        assert permitted({staff}) == set()


def test_without_a_collection_nothing_is_written(fast: None) -> None:
    """No engine, no classes and no changes."""
    staff = Role.objects.create(name="staff")
    make_document("Minutes", "The lamp is lit.", roles=[staff]).delete()
    make_document("Plans", "The lamp is out.", roles=[staff])
    assert not (DocumentClass.objects.exists())
    assert not (AccessClass.objects.exists())
    assert not (EngineChange.objects.exists())


@pytest.mark.usefixtures("transactional_db", "fast")
class TestAtOnce:
    """Two transactions that do not see each other."""

    @pytest.fixture(autouse=True)
    def _watched(self) -> None:
        EngineCollection.objects.create(model="any", dimension=384)

    def test_two_grants_of_one_document(self) -> None:
        """Neither waits for the other, and together they are in its class once it is looked at again."""
        staff, board = Role.objects.create(name="staff"), Role.objects.create(name="board")
        documents = bare_documents(3)
        with _begun(lambda: grant(staff, documents, by=None)) as commit:
            grant(board, documents[1:], by=None)
            commit()
        settle_waiting()
        for roles in ({staff}, {board}):
            assert permitted(roles) == visible(roles) != set()

    def test_grants_in_opposite_order_do_not_wait_for_each_other(self) -> None:
        """Else PostgreSQL would end one of them."""
        roles = [Role.objects.create(name=f"role {number}") for number in range(4)]
        one, other = bare_documents(2)
        halfway, done = threading.Event(), threading.Event()

        def first() -> None:
            grant(roles[0], [one], by=None)
            halfway.set()
            assert done.wait(10)
            grant(roles[1], [other], by=None)

        with _begun(first, ready=halfway) as commit:
            with transaction.atomic():
                grant(roles[2], [other], by=None)
                grant(roles[3], [one], by=None)
                done.set()
            commit()
        settle_waiting()
        for role in roles:
            assert permitted({role}) == visible({role}) != set()

    def test_a_document_of_a_class_that_changes_as_a_whole(self) -> None:
        """Whoever changes the class writes nothing down, so whoever passes its documents over has to."""
        staff, board, press = (Role.objects.create(name=name) for name in ("staff", "board", "press"))
        documents = bare_documents(3)
        grant(staff, documents, by=None)
        EngineChange.objects.all().delete()
        with _begun(lambda: grant(board, documents, by=None)) as commit:
            grant(press, documents[:1], by=None)
            commit()
        settle_waiting()
        for roles in ({staff}, {board}, {press}):
            assert permitted(roles) == visible(roles) != set()

    def test_a_document_that_joins_a_class_which_changes(self) -> None:
        """Whoever changes a class as a whole sees who joins it, or changes the documents instead."""
        staff, board = Role.objects.create(name="staff"), Role.objects.create(name="board")
        documents = bare_documents(4)
        grant(staff, documents[:3], by=None)
        with _begun(lambda: grant(staff, documents[3:], by=None)) as commit:
            grant(board, documents[:3], by=None)
            commit()
        settle_waiting()
        for roles in ({staff}, {board}):
            assert permitted(roles) == visible(roles) != set()


@contextmanager
def _begun(work: Callable[[], object], *, ready: threading.Event | None = None) -> Iterator[Callable[[], None]]:
    """Work that another connection has done and not committed; yields what commits it and waits for that."""
    begun, may_end = ready or threading.Event(), threading.Event()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            with transaction.atomic():
                work()
                begun.set()
                assert may_end.wait(10)
        except BaseException as error:  # noqa: BLE001 - told by the test
            failed.append(error)
        finally:
            begun.set()
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()

    def commit() -> None:
        may_end.set()
        thread.join(10)
        assert not failed
        assert not thread.is_alive()

    assert begun.wait(10)
    try:
        yield commit
    finally:
        may_end.set()
        thread.join(10)
