"""A world with a row of every kind, and administrators of different powers.

A module whose tests all look at the world marks them with `usefixtures("kept_world")`: it is made once for them.
"""

import copy
import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings

import adminsite.admin  # noqa: F401 - registers the pages, of which test modules make lists when they are imported
from bot.models import Digest, HandOver, Installation, Reply, RiskDigest, SlackEvent, Upload, WatchedThread
from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.verified_answers.editing import Content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.infrastructure.queue import EVALUATE, enqueue
from core.models import (
    Alert,
    Answer,
    AuthToken,
    BenchmarkResult,
    Budget,
    ChangeCheck,
    ChangeCheckWords,
    ChannelSetting,
    Collection,
    CollectionRole,
    ConnectedProgram,
    ContentGap,
    DataSource,
    Document,
    EvaluationResult,
    EvaluationRun,
    EvaluationRunLine,
    IngestionFile,
    IngestionJob,
    IntranetHost,
    ModelExamination,
    ModelSetup,
    OversharingRisk,
    ProposedChange,
    Query,
    QueryLog,
    SectionRule,
    SensitivePlace,
    SlackBot,
    SlackIdentity,
    SlackWorkspace,
    SourceGroup,
    SyncChange,
    SyncItem,
    SyncRun,
    User,
    UsergroupRole,
)
from core.models.row_security import bypass_row_security
from core.quality.change_checks.deciding import count_outcomes
from core.quality.contradictions.finding import Pair
from core.quality.contradictions.store import keep_pair
from core.quality.evaluation.datasets.metrics import figures
from core.testing import Cast, fast_embedding, fetch_chunks, make_cast, make_document
from tests.integration.contradictions.pairs import make_side
from tests.integration.shared_rows import shared_rows

VAULT = "The vault in the harbour office opens with the code quagmire-7741 on weekdays."
CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
VAULT_QUESTION = "With which code does the vault in the harbour office open?"
# Words of the text that Alice alone may read. Its title is no secret in the admin: somebody has to grant it.
CANARIES = (
    "quagmire-7741",
    "Lockwork section",
    "Abstract with basilisk",
    "comment of the cockatrice",
    "griffin paste",
    "jackdaw ledger",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """The rows in the database."""

    vault: Document  # Alice's alone
    canteen: Document  # Alice's and Bob's
    vault_answer: Answer
    job: IngestionJob
    alert: Alert


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The test client speaks plain http."""
    settings.SECURE_SSL_REDIRECT = False


@pytest.fixture(scope="module")
def kept_world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Cast, World]]:
    """The cast and a row of every model, written once for the tests of a module; two questions are asked for it."""
    with shared_rows(django_db_blocker):
        with django_db_blocker.unblock(), fast_embedding():
            cast = make_cast()
            world = make_world(cast)
        yield cast, world


@pytest.fixture
def cast(request: pytest.FixtureRequest, db: None) -> Cast:
    """Alice (owners, staff), Bob (staff) and Charlie (nothing): those of the kept world, where there is one."""
    if "kept_world" in request.fixturenames:
        kept: tuple[Cast, World] = request.getfixturevalue("kept_world")
        return copy.deepcopy(kept[0])
    return make_cast()


@pytest.fixture
def world(request: pytest.FixtureRequest, cast: Cast, fast: None) -> World:
    """A row of every model that has a page."""
    if "kept_world" in request.fixturenames:
        kept: tuple[Cast, World] = request.getfixturevalue("kept_world")
        return copy.deepcopy(kept[1])
    return make_world(cast)


def make_world(cast: Cast) -> World:
    """Make a row of every model that has a page. The embedding is the fast one."""
    vault = make_document("Vault rules", VAULT, roles=[cast.owners], section="Lockwork section")
    Document.objects.filter(pk=vault.pk).update(metadata={"abstract": "Abstract with basilisk"})
    canteen = make_document("Canteen rules", CANTEEN, roles=[cast.staff])
    CollectionRole.objects.create(collection=canteen.collection, role=cast.staff)
    SectionRule.objects.create(collection=canteen.collection, kind="heading", pattern="Pay").roles.add(cast.staff)
    asked = {"asker": asker_for(cast.alice), "audience": audience_of([cast.alice.pk])}
    result = api.ask(VAULT_QUESTION, **asked)
    # As a follow-up that repeats a sentence of an earlier answer would be kept.
    Query.objects.filter(request_id=result.request_id).update(
        standalone_question="What of the jackdaw ledger in the vault?", named_documents=[vault.pk]
    )
    api.ask("What does this text say of the harbour?", selected_text="The griffin paste lies in the harbour.", **asked)
    api.give_feedback(result.request_id, user_id=cast.alice.pk, verdict="up", comment="A comment of the cockatrice")
    log = QueryLog.objects.get(request_id=result.request_id)
    gap = ContentGap.objects.create(
        label_query=log.query, asked=1, people=1, first_seen=log.created_at, last_seen=log.created_at
    )
    gap.questions.create(query=log.query, outcome="voted_down", asked_at=log.created_at)
    text = "The vault opens with the code quagmire-7741."
    content = Content(question=VAULT_QUESTION, text=text, quotes=(SourceQuote(document="Vault rules", quote=VAULT),))
    verify_answer(content, by=cast.alice)
    evaluation = EvaluationResult.objects.create(query_log=log, relevance_score="0.500", method="by hand")
    older = make_side(canteen, CANTEEN, "noon", readers=[cast.staff])
    newer = make_side(vault, VAULT, "quagmire-7741", readers=[cast.owners])
    assert keep_pair(Pair(question="When does the quagmire-7741 open?", newer=newer, older=older))
    make_risk(vault)
    alert = Alert.objects.create(evaluation=evaluation, metric="relevance", score="0.500", threshold="0.850")
    job = IngestionJob.objects.create(collection=canteen.collection, state=IngestionJob.State.PARTLY_FAILED)
    IngestionFile.objects.create(job=job, name="good.md", state="done", document_count=1, chunk_count=2)
    IngestionFile.objects.create(job=job, name="locked.pdf", state="failed", error="It has a password.", content=b"%")
    source = DataSource.objects.create(
        name="Handbook",
        kind="folder",
        collection=canteen.collection,
        takes_readers=True,
        settings={"path": "/handbook", "include": "", "exclude": "", "readers": ""},
    )
    source.roles.add(cast.staff)
    SourceGroup.objects.create(source=source, name="crew", role=cast.staff)
    asking = SyncRun.objects.create(source=source, state=SyncRun.State.ASKING, known=2, listed=1)
    SyncChange.objects.create(run=asking, outcome="failed", name="locked.pdf", message="It has a password.")
    SyncItem.objects.create(source=source, key="canteen.md", name="canteen.md", seen_in=asking, groups=["crew"])
    ProposedChange.objects.create(
        gap=gap, way="merge_request", state="sent", source=source, place="handbook/vault.md", proposed_by=cast.alice
    )
    IntranetHost.objects.create(name="wiki.internal", note="The staff's wiki")
    SlackIdentity.objects.create(team_id="T1", slack_user_id="U1", user=cast.bob, checked_at=timezone.now())
    ChannelSetting.objects.create(team_id="T1", channel_id="C1", name="general").roles.add(cast.staff)
    UsergroupRole.objects.create(team_id="T1", usergroup_id="S1", handle="lab", role=cast.staff)
    SlackBot.objects.create(team_id="T1", slack_user_id="U2", name="Hubot")
    SlackWorkspace.objects.meet("T1", "Harbour")
    Installation.objects.create(
        team_id="T1", bot_user_id="U3", installed_at=timezone.now(), encrypted_token="griffin paste"
    )
    event = SlackEvent.objects.create(
        event_id="Ev1",
        team_id="T1",
        channel_id="C1",
        user_id="U1",
        ts="1.0",
        thread_ts="1.0",
        kind="mention",
        text="quagmire-7741",
    )
    WatchedThread.objects.create(team_id="T1", channel_id="C1", thread_ts="1.0", last_speaker="U1", last_ts="1.1")
    reply = Reply.objects.create(event=event, channel_id="C1", thread_ts="1.0")
    HandOver.objects.create(reply=reply, team_id="T1", channel_id="C1", thread_ts="1.0", asked_by="U1", ts="1.2")
    Upload.objects.create(team_id="T1", channel_id="C1", user_id="U1", ts="2.0", thread_ts="2.0", files=[{"id": "F1"}])
    Digest.objects.create(team_id="T1", channel_id="C1", week="2026-03-02")
    RiskDigest.objects.create(user=User.objects.get(email="alice@example.com"), week="2026-03-02")
    run = EvaluationRun.objects.create(
        dataset="library.jsonl",
        dataset_hash="0" * 64,
        model="extractive/sentences",
        embedding_model="by hand",
        chunks=2,
        figures=figures([]),
        finished_at=timezone.now(),
    )
    EvaluationRunLine.objects.create(
        run=run, number=1, identifier="vault", kind="question", query_log=log, outcome="answered_rightly", latency_ms=5
    )
    ModelExamination.objects.create(model="llamafile/tiny-1b", identity="0" * 64, prompt_hash="0" * 64, state="stopped")
    make_change_check(log.query, cast, vault)
    ModelSetup.objects.create(path="/srv/quiet/model.gguf", state="stopped", finished_at=timezone.now())
    BenchmarkResult.objects.create(
        index_type="hnsw", query_latency_ms=1.5, recall_at_k=0.97, memory_usage_mb=10, corpus_size=1000
    )
    Budget.objects.create(scope="person", user=cast.bob, hard_tokens=1_000_000)
    AuthToken.objects.create(cast.bob)
    ConnectedProgram.objects.create(
        user=cast.bob,
        client_id="https://program.example/client.json",
        scopes=["ask"],
        code_digest="0" * 64,
        expires_at=timezone.now() + dt.timedelta(days=90),
    )
    enqueue(EVALUATE, query_log=str(log.pk))
    return World(
        vault=vault,
        canteen=canteen,
        vault_answer=Answer.objects.get(query__request_id=result.request_id),
        job=job,
        alert=alert,
    )


def make_risk(document: Document) -> OversharingRisk:
    """Keep a risk that many read a document, of which all words look confidential."""
    [chunk] = fetch_chunks(document)
    SensitivePlace.objects.create(
        document=document, document_version=1, subject="pay", chunk_id=chunk.pk, start=0, end=len(VAULT), strength=1
    )
    return OversharingRisk.objects.create(
        kind="confidential",
        key=f"confidential/{document.pk}",
        document=document,
        document_version=1,
        subjects=["pay"],
        sensitivity=4,
        reach=4,
        score=16,
        people=1,
        opened_at=timezone.now(),
    )


def make_change_check(query: Query | None, cast: Cast, vault: Document) -> ChangeCheck:
    """Keep a check that waits for a yes: one answer vanishes, and one of the library's comes from other documents."""
    change = {"gives": False, "documents": {str(cast.owners.pk): [str(vault.pk)]}, "until": None}
    check = ChangeCheck.objects.create(
        kind="grants",
        state="held",
        is_gate=True,
        change=change,
        limits={"most_worse": 0, "most_changed": None, "most_people": None},
        crossed=["worse"],
        total=2,
        asked=2,
        asked_by=cast.alice,
        started_at=timezone.now(),
        finished_at=timezone.now(),
    )
    check.lines.create(
        number=1, asked_for="person", query=query, person=cast.alice, outcome="vanished", is_worse=True
    ).sources.create(document=vault, document_version=1, side="before")
    own = check.lines.create(number=2, asked_for="library", role=cast.owners, outcome="sources", is_worse=False)
    own.sources.create(document=vault, document_version=1, side="question")
    with bypass_row_security():
        ChangeCheckWords.objects.create(line=own, question="What is quagmire-7741?", before_text="quagmire-7741")
    ChangeCheck.objects.filter(pk=check.pk).update(
        figures=count_outcomes(check) | {"people": 1, "grants": 1, "channels": 0, "documents": 1}
    )
    check.refresh_from_db()
    return check


@pytest.fixture
def town(world: World, cast: Cast) -> World:
    """The world, with what else can be changed: a channel with roles of its own, an admin group, a password."""
    own = ChannelSetting.objects.create(team_id="T1", channel_id="C2", name="board", uses_own_roles=True)
    own.roles.add(cast.owners)
    Group.objects.create(name="Desk").permissions.add(Permission.objects.get(codename="add_ingestionjob"))
    Collection.objects.create(name="Empty shelf")
    cast.alice.set_password("known to Alice alone")
    cast.alice.save()
    return world


@pytest.fixture
def administrator(cast: Cast) -> User:
    """Every permission, and no role: may see each page, and may read no document."""
    return User.objects.create_superuser("root@example.com", display_name="Root")


@pytest.fixture
def root(administrator: User) -> Client:
    """The administrator's browser."""
    client = Client()
    client.force_login(administrator)
    return client


@pytest.fixture
def staff(cast: Cast) -> Callable[..., Client]:
    """Makes the browser of an administrator with these permissions alone, in the form `app.codename`."""

    def make(*permissions: str) -> Client:
        user = User.objects.create_user("desk@example.com", is_staff=True, display_name="Desk")
        for permission in permissions:
            app, codename = permission.split(".")
            user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
        client = Client()
        client.force_login(user)
        return client

    return make
