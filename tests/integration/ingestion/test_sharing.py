"""Several workers on one ingestion job: who does what, what a killed one leaves, and what two write at once."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from django.db import connection, transaction
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from core.infrastructure.queue import INGEST_BESIDE, enqueue
from core.library import embedding
from core.library.ingestion import sharing
from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.jobs import create_job, help_with, run_job
from core.library.ingestion.question_priority import Room
from core.library.ingestion.sharing import CLAIMED, Share, under_way
from core.library.ingestion.store import DocumentDraft, draft, embed, write
from core.library.ingestion.target import IngestTarget
from core.models import AuditEvent, Collection, Conversation, Document, IngestionFile, IngestionJob, Query
from core.testing import HashingProvider, fast_embedding, fetch_chunks
from core.types import ContextMode
from tests.integration.bot.worker import run_worker

State = IngestionFile.State


@pytest.fixture
def shelf(db: None) -> Collection:
    """An empty collection."""
    return Collection.objects.create(name="Manuals")


@pytest.fixture
def workers(db: None) -> Callable[..., list[int]]:
    """Registers workers as procrastinate does, and returns their ids."""

    def register(number: int, *, silent_s: int = 0) -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO procrastinate_workers (last_heartbeat) SELECT now() - make_interval(secs => %s) "
                "FROM generate_series(1, %s) RETURNING id",
                [silent_s, number],
            )
            return [pk for (pk,) in cursor.fetchall()]

    return register


def claim_of(job: IngestionJob, worker: int) -> int:
    """The id of a job of the queue that a worker is doing for an ingestion."""
    claim = enqueue(INGEST_BESIDE, job=str(job.pk))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s WHERE id = %s", [worker, claim])
    return claim


def files(number: int) -> list[tuple[str, bytes]]:
    """Small files, each of a text of its own."""
    return [(f"{n:03}.md", f"# Lift {n}\n\nFloor {n} has a door.".encode()) for n in range(number)]


class Meeting(HashingProvider):
    """Embeds as soon as two threads want to for the first time: each of two workers does something."""

    def __init__(self) -> None:
        self._met = threading.Barrier(2)
        self._threads: set[str] = set()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """See HashingProvider."""
        me = threading.current_thread().name + str(threading.get_ident())
        if me not in self._threads:
            self._threads.add(me)
            self._met.wait(60)
        return super().embed(texts)


def side_by_side(*works: Callable[[], object]) -> None:
    """Do these at once, each in a thread with a connection of its own; raises what one of them raised."""

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as threads:
        for done in [threads.submit(run, work) for work in works]:
            done.result(120)


@pytest.mark.django_db(transaction=True)
def test_two_workers_share_a_job(shelf: Collection, workers: Callable[..., list[int]]) -> None:
    """Each file is read once, and the job ends once. The same text under two names is one document in two editions."""
    twice = [(f"copy-{name}", content) for name, content in files(6)]
    job = create_job(files=[*files(2 * CLAIMED), *twice], collection=shelf)
    claims = [claim_of(job, worker) for worker in workers(2)]
    with embedding.use(Meeting()):
        side_by_side(*(lambda claim=claim: run_job(job.pk, claim=claim) for claim in claims))
    job.refresh_from_db()
    assert job.state == IngestionJob.State.DONE
    assert set(job.files.values_list("state", "attempts", "claimed_by", "content")) == {(State.DONE, 1, None, None)}
    assert sorted(Document.objects.values_list("title", "version")) == sorted(
        (f"Lift {n}", 2 if n < len(twice) else 1) for n in range(2 * CLAIMED)
    )
    assert len(fetch_chunks()) == 2 * CLAIMED
    assert AuditEvent.objects.filter(action="ingest").count() == 2 * CLAIMED
    assert not AuditEvent.objects.filter(action="replace").exists()


@pytest.mark.usefixtures("fast")
class TestClaims:
    """Tests of who may claim a file."""

    def test_what_a_worker_that_lives_has_claimed_is_its_own(
        self, shelf: Collection, workers: Callable[..., list[int]]
    ) -> None:
        """Another one gets the next files, and then none, and knows that it has to wait."""
        job = create_job(files=files(CLAIMED + 2), collection=shelf)
        one, other = (Share(job.pk, claim_of(job, worker)) for worker in workers(2))
        assert [file.name for file in one.take()] == [name for name, _ in files(CLAIMED)]
        assert [file.name for file in other.take()] == [name for name, _ in files(CLAIMED + 2)[CLAIMED:]]
        assert (one.take(), other.take()) == ([], [])
        assert one.is_left()

    @pytest.mark.parametrize("end", ["silent", "handed on", "failed", "gone"])
    def test_what_a_dead_one_had_claimed_is_anybodys(
        self, end: str, shelf: Collection, workers: Callable[..., list[int]]
    ) -> None:
        """However its end shows: nothing is lost, and nothing is twice."""
        job = create_job(files=files(3), collection=shelf)
        (worker,) = workers(1, silent_s=40 if end == "silent" else 0)
        claim = claim_of(job, worker)
        assert len(Share(job.pk, claim).take()) == 3
        queued = ProcrastinateJob.objects.filter(pk=claim)
        with connection.cursor() as cursor:
            if end in {"handed on", "failed"}:
                status = "todo" if end == "handed on" else "failed"
                cursor.execute("UPDATE procrastinate_jobs SET status = %s WHERE id = %s", [status, claim])
            elif end == "gone":
                cursor.execute("DELETE FROM procrastinate_jobs WHERE id = %s", [claim])
        assert queued.exists() == (end != "gone")
        run_job(job.pk)
        assert set(job.files.values_list("state", "attempts")) == {(State.DONE, 2)}
        assert Document.objects.filter(version=1).count() == 3

    def test_the_same_job_of_the_queue_begins_anew(self, shelf: Collection, workers: Callable[..., list[int]]) -> None:
        """It was handed on, keeps its id, and takes up what it had claimed before."""
        job = create_job(files=files(3), collection=shelf)
        claim = claim_of(job, *workers(1))
        Share(job.pk, claim).take()
        help_with(job.pk, claim=claim)
        assert set(job.files.values_list("state", "attempts")) == {(State.DONE, 2)}

    def test_who_was_taken_for_dead_reports_nothing(
        self, shelf: Collection, workers: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A worker that was paused for a while finds its file taken: what the other one says of it stays."""
        job = create_job(files=[("a.md", b"# A\n\nalpha")], collection=shelf)
        slow = claim_of(job, *workers(1))

        class Overtaken(HashingProvider):
            def embed(self, texts: Sequence[str]) -> np.ndarray:
                IngestionFile.objects.update(claimed_by=claim_of(job, *workers(1)), chunk_count=7)
                return super().embed(texts)

        with embedding.use(Overtaken()), monkeypatch.context() as patch:
            patch.setattr("core.library.ingestion.pipeline.ThreadPoolExecutor", _AtOnce)
            help_with(job.pk, claim=slow)
        assert job.files.values_list("state", "chunk_count").get() == (State.RUNNING, 7)

    def test_a_job_that_is_deleted_meanwhile(self, shelf: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
        """Texts that were read stay in the library, and the rest is left alone."""
        job = create_job(files=files(CLAIMED + 1), collection=shelf)

        class Deleting(HashingProvider):
            def embed(self, texts: Sequence[str]) -> np.ndarray:
                IngestionJob.objects.all().delete()
                return super().embed(texts)

        with embedding.use(Deleting()), monkeypatch.context() as patch:
            patch.setattr("core.library.ingestion.pipeline.ThreadPoolExecutor", _AtOnce)
            patch.setattr("core.library.ingestion.pipeline._WINDOW_CHUNKS", CLAIMED)
            run_job(job.pk)
        assert Document.objects.count() == CLAIMED


class TestHelp:
    """Whom a worker calls."""

    def test_as_many_as_there_are_and_as_there_is_work_for(
        self, shelf: Collection, workers: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A job for each other worker that lives; one that has ended is replaced, one that is there is not."""
        monkeypatch.setattr(sharing, "_LOOK_S", 0.0)
        workers(4)
        workers(1, silent_s=40)
        job = create_job(files=files(2 * CLAIMED), collection=shelf)
        share = Share(job.pk, 0)
        for _ in range(2):
            share.call_for_help()
        called = ProcrastinateJob.objects.filter(task_name=INGEST_BESIDE)
        assert set(called.values_list("lock", flat=True)) == {f"ingestion:{job.pk}/{n}" for n in (0, 1)}
        assert called.count() == 2
        with connection.cursor() as cursor:
            cursor.execute("UPDATE procrastinate_jobs SET status = 'succeeded' WHERE lock LIKE %s", ["%/0"])
        share.call_for_help()
        assert sorted(called.values_list("lock", "status")) == [
            (f"ingestion:{job.pk}/0", "succeeded"),
            (f"ingestion:{job.pk}/0", "todo"),
            (f"ingestion:{job.pk}/1", "todo"),
        ]

    @pytest.mark.django_db(transaction=True)
    def test_a_worker_that_knows_no_helpers(
        self, workers: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As one of the version before, while an upgrade goes on: its failure is repeated once a minute at the most."""
        monkeypatch.setattr(sharing, "_LOOK_S", 0.0)
        monkeypatch.delitem(app.tasks, INGEST_BESIDE)
        job = create_job(files=files(CLAIMED), collection=Collection.objects.create(name="Manuals"))
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM procrastinate_jobs")  # its own: nobody leads
        workers(2)
        share = Share(job.pk, 0)
        share.call_for_help()
        run_worker()
        share.call_for_help()
        called = ProcrastinateJob.objects.filter(task_name=INGEST_BESIDE)
        assert list(called.values_list("status", flat=True)) == ["failed"]
        with connection.cursor() as cursor:
            cursor.execute("UPDATE procrastinate_events SET at = at - interval '1 minute'")
        share.call_for_help()
        assert sorted(called.values_list("status", flat=True)) == ["failed", "todo"]
        assert set(job.files.values_list("state", flat=True)) == {State.QUEUED}

    def test_one_worker_alone_calls_nobody(self, shelf: Collection, workers: Callable[..., list[int]]) -> None:
        """Nor does one for a few files."""
        job = create_job(files=files(4 * CLAIMED), collection=shelf)
        workers(1)
        Share(job.pk, 0).call_for_help()
        few = create_job(files=files(CLAIMED - 1), collection=shelf)
        workers(1)
        Share(few.pk, 0).call_for_help()
        assert not ProcrastinateJob.objects.filter(task_name=INGEST_BESIDE).exists()

    def test_a_process_that_works_on_the_job_is_no_help(self, shelf: Collection) -> None:
        """Its model has all its processors already."""
        job = create_job(files=files(1), collection=shelf)
        with under_way(job.pk):
            help_with(job.pk, claim=1)
        assert job.files.get().state == State.QUEUED


class _AtOnce(ThreadPoolExecutor):
    """Does all in the thread that asks, within the transaction of the test."""

    def submit(self, function: Callable[..., object], /, *args: object, **kwargs: object) -> "_Done":  # type: ignore[override]
        return _Done(function(*args, **kwargs))


class _Done:
    def __init__(self, value: object) -> None:
        self._value = value

    def result(self) -> object:
        return self._value

    def done(self) -> bool:
        return True


def drafts(target: IngestTarget, *sources: str, text: str = "Words") -> list[DocumentDraft]:
    """Documents on their way, embedded."""
    model = embedding.provider()
    made = [
        draft(
            ParsedDocument(title=source, blocks=(Block(text=f"{text} of {source}."),)),
            model,
            target=target,
            source=source,
            content_hash=f"{text}-{source}".ljust(64, "0"),
        )
        for source in sources
    ]
    embed(made, model)
    return made


@pytest.mark.django_db(transaction=True)
class TestWindows:
    """Two windows of documents that are written at once."""

    def test_the_same_documents_in_another_order(self, shelf: Collection) -> None:
        """Nobody waits for the other for ever, and each document is there once."""
        target = IngestTarget(collection=shelf)
        names = [f"{n}.md" for n in range(12)]
        with fast_embedding():
            windows = drafts(target, *names), drafts(target, *reversed(names))
            begin = threading.Barrier(2)

            def write_one(window: list[DocumentDraft]) -> None:
                begin.wait(60)
                assert write(window, target) == {}

            side_by_side(*(lambda window=window: write_one(window) for window in windows))
        assert sorted(Document.objects.values_list("source", "version")) == sorted((name, 1) for name in names)
        assert sorted(one.is_unchanged for window in windows for one in window) == [False] * 12 + [True] * 12

    def test_who_locks_in_another_order_than_ingestion_does(self, shelf: Collection) -> None:
        """PostgreSQL breaks one of the two off; ingestion begins the window again."""
        target = IngestTarget(collection=shelf)
        holds = threading.Event()

        def lock_against() -> None:
            rows = Document.objects.select_for_update()
            with transaction.atomic():
                rows.get(source="b.md")
                holds.set()
                _wait_until(_somebody_waits)  # who waits longest notices, after a second, and is broken off
                rows.get(source="a.md")

        def write_window(window: list[DocumentDraft]) -> None:
            assert holds.wait(60)
            assert write(window, target) == {}

        with fast_embedding():
            assert write(drafts(target, "a.md", "b.md"), target) == {}
            again = drafts(target, "a.md", "b.md", text="Other words")
            side_by_side(lock_against, lambda: write_window(again))
        assert set(Document.objects.values_list("source", "version")) == {("a.md", 2), ("b.md", 2)}


@pytest.mark.django_db(transaction=True)
class TestRoom:
    """While a question is being answered, ingestion works a share of the time."""

    def test_it_waits_for_a_question_but_not_for_ever(self, settings: Settings) -> None:
        """A quarter of the time is a pause of three times as long; without a question there is none."""
        settings.INGEST_SHARE = 0.25
        conversation = Conversation.objects.create()
        with Room() as room:
            room.give_way(0.0)
            assert _pause_of(room, 5.0) < 1
            asked = _ask(conversation)
            _wait_until(lambda: not room._nobody_asks.is_set())
            assert _pause_of(room, 0.1) == pytest.approx(0.3, abs=0.2)
            threading.Timer(0.2, lambda: _finish(asked)).start()
            assert 0.1 < _pause_of(room, 5.0) < 5

    def test_what_never_ended_is_no_question(self, settings: Settings) -> None:
        """Its process was killed: nobody waits for it."""
        conversation = Conversation.objects.create()
        asked = _ask(conversation)
        Query.objects.filter(pk=asked.pk).update(created_at="2020-01-01T00:00:00Z")
        with Room() as room:
            room.give_way(0.0)
            time.sleep(0.3)
            assert _pause_of(room, 5.0) < 1


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%core_document%')"
        )
        return bool(cursor.fetchone()[0])


def _ask(conversation: Conversation) -> Query:
    return Query.objects.create(
        request_id="q", conversation=conversation, question_text="Who?", context_mode=ContextMode.FULL_CORPUS
    )


def _finish(query: Query) -> None:
    Query.objects.filter(pk=query.pk).update(state="COMPLETE")
    connection.close()


def _pause_of(room: Room, worked_s: float) -> float:
    started = time.monotonic()
    room.give_way(worked_s)
    return time.monotonic() - started


def _wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)
