"""Test the upgrade of rows from before editions had readers: they get the most restrictive reading known."""

import datetime as dt
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from pytest_django import DjangoDbBlocker

from core.models import (
    Citation,
    CitationWords,
    Query,
    RoleDocumentAccess,
    SyncItem,
    VerifiedSource,
    VerifiedSourceWords,
    WithdrawnGrant,
)
from core.models.row_security import bypass_row_security
from core.types import Edition
from tests.integration.databases import other_database

BEFORE, AFTER = "0046_no_leftover_index", "0051_words_that_are_noted"
NOON = dt.datetime(2026, 3, 2, 12, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def old(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, UUID]]:
    """Tables of before, filled, and brought up to date; the ids of what they hold, by name."""
    with django_db_blocker.unblock(), other_database(with_tables=True):
        call_command("migrate", interactive=False, verbosity=0)  # where no other test of this run needs tables
        call_command("migrate", "core", BEFORE, interactive=False, verbosity=0)
        before = [("core", BEFORE), ("bot", "0001_squashed_0012_footnotes")]
        ids = Filling(MigrationExecutor(connection).loader.project_state(before).apps).fill()
        call_command("migrate", interactive=False, verbosity=0)
        yield ids


@pytest.fixture(scope="module")
def granted(old: dict[str, UUID]) -> dict[UUID, tuple[UUID, int]]:
    """The grants of after, by their ids: the role, and the edition with which it begins."""
    rows = RoleDocumentAccess.objects.values_list("pk", "role_id", "since_version")
    return {pk: (role, since) for pk, role, since in rows}


@pytest.fixture(scope="module")
def items(old: dict[str, UUID]) -> dict[UUID, SyncItem]:
    """Return the items of the sources after the upgrade, by id."""
    return {item.pk: item for item in SyncItem.objects.all()}


class Filling:
    """Old rows: documents of one, two and three editions, and what was granted, quoted and asked of them."""

    def __init__(self, apps: Any) -> None:
        self._model = lambda name, app="core": apps.get_model(app, name)
        self._ids: dict[str, UUID] = {}

    def fill(self) -> dict[str, UUID]:
        """Insert the rows; returns their ids by name."""
        shelf = self._model("Collection").objects.create(name="Shelf")
        for name, version in (("known", 3), ("unknown", 2), ("first", 1)):
            self._keep(name, "Document", collection=shelf, source=name, title=name, version=version, ingested_at=NOON)
        for version, hour in ((1, 0), (2, 4), (3, 8)):
            self._load("known", version, hour)
        for document in ("known", "unknown", "first"):
            for hour in (1, 5, 9):
                self._grant(document, hour)
        self._synchronised(shelf)
        self._let_in(shelf)
        self._withdrawn()
        self._citations()
        self._asked_again()
        return self._ids

    def _keep(self, named: str, model: str, **columns: Any) -> Any:
        row = self._model(model).objects.create(**columns)
        self._ids[named] = row.pk
        return row

    def _load(self, document: str, version: int, hour: int) -> None:
        event = self._model("AuditEvent").objects.create(
            action="replace" if version > 1 else "ingest",
            object_type="document",
            object_id=str(self._ids[document]),
            details={"version": version},
        )
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE core_auditevent DISABLE TRIGGER USER")
            cursor.execute(
                "UPDATE core_auditevent SET created_at = %s WHERE id = %s",
                [NOON + dt.timedelta(hours=hour), event.pk],
            )
            cursor.execute("ALTER TABLE core_auditevent ENABLE TRIGGER USER")

    def _grant(self, document: str, hour: float, **columns: Any) -> None:
        role, _ = self._model("Role").objects.get_or_create(name=f"role {hour}")
        row = self._keep(
            f"{document} {hour}", "RoleDocumentAccess", document_id=self._ids[document], role=role, **columns
        )
        type(row).objects.filter(pk=row.pk).update(granted_at=NOON + dt.timedelta(hours=hour))

    def _synchronised(self, shelf: Any) -> None:
        """One that a source looks after: its readers came when it was loaded, listed, or by hand."""
        source = self._model("DataSource").objects.create(kind="folder", name="Share", collection=shelf)
        self._keep(
            "synced", "Document", collection=shelf, source="synced", data_source=source, version=3, ingested_at=NOON
        )
        for version, hour in ((1, 0), (2, 4), (3, 8)):
            self._load("synced", version, hour)
        for given in (0.01, 3, 4.001, 7, 9):
            self._grant("synced", given, by_ingestion=True)
        self._grant("synced", 5)

    def _let_in(self, shelf: Any) -> None:
        """Let in two at a source that lists readers: one is rewritten there by now, the other is as it was loaded."""
        source = self._model("DataSource").objects.create(
            kind="folder", name="Wiki", collection=shelf, takes_readers=True
        )
        for name, listed in (("rewritten", "new"), ("settled", "old")):
            item = self._keep(
                f"{name} item",
                "SyncItem",
                source=source,
                key=name,
                fingerprint="old",
                listed_fingerprint=listed,
                validator="old",
                is_stored=True,
            )
            held = {"collection": shelf, "source": name, "data_source": source, "sync_item": item, "ingested_at": NOON}
            self._keep(name, "Document", **held)
            for given in (0.002, 2):
                self._grant(name, given, by_ingestion=True)
            self._grant(name, 3)
            item.applied_roles = [self._model("Role").objects.get(name=f"role {given}").pk for given in (0.002, 2)]
            item.save()

    def _withdrawn(self) -> None:
        role = self._model("Role").objects.create(name="aside")
        self._model("WithdrawnGrant").objects.create(document_id=self._ids["known"], role=role, by_ingestion=True)

    def _citations(self) -> None:
        conversation = self._model("Conversation").objects.create(origin="rest")
        for hour in (1, 4, 6):
            query = self._model("Query").objects.create(
                request_id=f"req_{hour}",
                conversation=conversation,
                question_text="Which code?",
                context_mode="full_corpus",
            )
            self._model("Query").objects.filter(pk=query.pk).update(created_at=NOON + dt.timedelta(hours=hour))
            answer = self._answer(query)
            for number, document in enumerate(("known", "unknown", "first", None), 1):
                self._cite(f"{document} at {hour}", answer, document, number)
        self._cite("now", answer, "known", 5, chunk=self._chunk())
        self._cite("erased", answer, "known", 6, quoted_excerpt="")
        draft = self._model("VerifiedAnswer").objects.create(question="Which code?", origin=query)
        self._model("VerifiedSource").objects.create(
            verified_answer=draft, document_id=self._ids["unknown"], document_version=2, number=1, **QUOTED
        )
        verified = self._model("VerifiedAnswer").objects.create(question="Which code?")
        self._model("VerifiedSource").objects.create(
            verified_answer=verified, document_id=self._ids["known"], document_version=2, number=1, **QUOTED
        )

    def _asked_again(self) -> None:
        """Follow-ups that were answered in private, or asked again for a changed source; one was erased since."""
        for how in ("private", "source", "erased"):
            erased = {"question_text": "", "erased_at": NOON} if how == "erased" else {"question_text": "And then?"}
            earlier = self._ask(f"{how} before", **erased, named_documents=[self._ids["known"], self._ids["first"]])
            alone = "And when does the vault open?"
            again = self._ask(
                f"{how} again", question_text=alone, standalone_question=alone, named_documents=[self._ids["unknown"]]
            )
            if how == "source":
                change = self._model("SourceChange").objects.create(
                    document_id=self._ids["known"], version=2, kind="replaced", answers=1
                )
                self._model("FootnoteChange").objects.create(
                    source_change=change, answer=self._answer(earlier), asked_again=again
                )
            else:
                event = self._model("SlackEvent", "bot").objects.create(
                    event_id=how, team_id="T1", user_id="U1", kind="private", about_id=earlier.pk
                )
                self._model("Reply", "bot").objects.create(event=event, query_id=again.pk)

    def _ask(self, named: str, **columns: Any) -> Any:
        conversation, _ = self._model("Conversation").objects.get_or_create(origin="slack")
        owner = {"request_id": f"req_{named}", "conversation": conversation, "context_mode": "full_corpus"}
        return self._keep(named, "Query", **owner, **columns)

    def _answer(self, query: Any) -> Any:
        return self._model("Answer").objects.create(
            query=query,
            answer_text="It opens. [1]",
            confidence=1,
            confidence_level="high",
            has_sufficient_context=True,
            model_provider="p",
            model="m",
            agent_steps=1,
            processing_time_ms=1,
            trace_id="t",
        )

    def _cite(self, named: str, answer: Any, document: str | None, number: int, **columns: Any) -> None:
        owner = {"answer": answer, "document_id": self._ids[document] if document else None, "number": number}
        self._keep(named, "Citation", **owner, **{**QUOTED, **columns})

    def _chunk(self) -> Any:
        with bypass_row_security():
            return self._model("Chunk").objects.create(
                document_id=self._ids["known"],
                chunk_index=0,
                content="Code.",
                token_count=1,
                embedding=[0.0] * 384,
                embedding_model="m",
                start_offset=0,
                end_offset=5,
            )


QUOTED = {
    "document_name": "Rules",
    "section": "",
    "excerpt": "Code.",
    "quoted_excerpt": "Code.",
    "start_offset": 0,
    "end_offset": 5,
    "relevance_score": 0.5,
}


def test_a_grant_begins_with_the_edition_that_was_current(
    old: dict[str, UUID], granted: dict[UUID, tuple[UUID, int]]
) -> None:
    """Without a record in the trail it begins with the current edition; the first edition was for all.

    A grant by a source's listing opens the edition that was loaded after it; a grant by a load or by a person, the
    edition of that time.
    """
    assert {name: granted[old[name]][1] for name in old if old[name] in granted} == {
        "known 1": 1,
        "known 5": 2,
        "known 9": 3,
        **{f"unknown {hour}": 2 for hour in (1, 5, 9)},
        **{f"first {hour}": 1 for hour in (1, 5, 9)},
        "synced 0.01": 1,
        "synced 3": 2,
        "synced 4.001": 2,
        "synced 7": 3,
        "synced 9": 3,
        "synced 5": 2,
        **{f"rewritten {given}": 1 for given in (0.002, 3)},
        **{f"settled {given}": 1 for given in (0.002, 2, 3)},
    }
    assert WithdrawnGrant.objects.get().since_version == 3


def test_who_was_let_in_before_the_words_waits_for_them(
    old: dict[str, UUID], granted: dict[UUID, tuple[UUID, int]], items: dict[UUID, SyncItem]
) -> None:
    """A listing gave the role the words of before. It gets the grant with what is listed, for the item has it no more.

    All that a source with readers holds is read once more, since what was stored of it was noted only afterwards.
    """
    given = {name: granted[old[name]][0] for name in old if old[name] in granted}
    assert "rewritten 2" not in given
    assert items[old["rewritten item"]].applied_roles == [given["rewritten 0.002"]]
    assert items[old["settled item"]].applied_roles == [given["settled 0.002"], given["settled 2"]]
    assert {(item.fingerprint, item.validator, item.is_stale) for item in items.values()} == {("", "", True)}


def test_a_quote_is_of_the_earliest_edition_that_it_can_be_of(old: dict[str, UUID]) -> None:
    """An hour is left for a load to be committed; a chunk that is there is of the current edition."""
    versions = dict(Citation.objects.values_list("pk", "document_version"))
    assert {name: versions[old[name]] for name in old if old[name] in versions} == {
        "known at 1": 1,
        "known at 4": 1,
        "known at 6": 2,
        "now": 3,
        "erased": 2,
        **{f"{document} at {hour}": 1 for document in ("unknown", "first", None) for hour in (1, 4, 6)},
    }


def test_a_draft_is_for_readers_of_all_that_it_was_taken_over_from(old: dict[str, UUID]) -> None:
    """Its text may hold words of each edition that the answer quoted, also where it quotes another."""
    sources = VerifiedSource.objects.filter(verified_answer__origin__isnull=False).order_by("number")
    drawn = list(sources.values_list("document_id", "document_version"))
    assert drawn[0] == (old["unknown"], 2)
    names = {("known", 2), ("known", 3), ("unknown", 1), ("first", 1)}
    assert sorted(drawn[1:]) == sorted((old[name], version) for name, version in names)


def test_what_was_asked_again_is_kept_as_it_was_typed(old: dict[str, UUID]) -> None:
    """With the names of whose words the others may be; nothing is left where that is not known any more."""
    first = [Edition(old[name], 1) for name in ("known", "first", "unknown")]
    for how in ("private", "source"):
        again = Query.objects.get(pk=old[f"{how} again"])
        assert (again.question_text, again.standalone_question) == ("And then?", "And when does the vault open?")
        assert list(again.named_editions) == first
    again = Query.objects.get(pk=old["erased again"])
    assert (again.question_text, again.standalone_question) == ("A question that was asked again", "")


def test_the_words_of_quotes_are_where_they_are_protected(old: dict[str, UUID]) -> None:
    """All that were there, and none for what had been erased."""
    with bypass_row_security():
        words = set(CitationWords.objects.values_list("citation_id", "quoted_excerpt"))
        assert set(VerifiedSourceWords.objects.values_list("quoted_excerpt", flat=True)) == {"Code."}
    cited = {pk for name, pk in old.items() if " at " in name or name == "now"}
    assert words == {(pk, "Code.") for pk in cited}
    assert not CitationWords.objects.exists()


@pytest.mark.usefixtures("granted", "items")  # as they are before it
def test_the_way_back_keeps_the_words(old: dict[str, UUID]) -> None:
    """And so does the one forward again."""
    call_command("migrate", "core", BEFORE, interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM core_citation WHERE quoted_excerpt = 'Code.'")
        assert cursor.fetchone() == (13,)
    call_command("migrate", "core", AFTER, interactive=False, verbosity=0)
    with bypass_row_security():
        assert CitationWords.objects.count() == 13
