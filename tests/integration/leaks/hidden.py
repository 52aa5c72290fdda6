"""A library that Bob may read, and a document that he may not, with everything that a library keeps about one.

And a section that he may not, of a document that he may: one of them is hidden, or both are.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.apps import apps
from django.db import connection, models, transaction
from django.utils import timezone

from bot.models import HandOver, Reply, SlackEvent, Upload
from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.research.running import run_research
from core.asking.verified_answers.editing import Content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.infrastructure.queue import EVALUATE, enqueue
from core.models import (
    Alert,
    AuditEvent,
    ChangeCheck,
    ChangeCheckWords,
    Chunk,
    Collection,
    CollectionRole,
    ContentGap,
    DataSource,
    Document,
    EvaluationResult,
    EvaluationRun,
    EvaluationRunLine,
    FootnoteChange,
    IngestionFile,
    IngestionJob,
    LateAnswer,
    OversharingRisk,
    ProposalWords,
    ProposedChange,
    Query,
    QueryLog,
    ReachSnapshot,
    Research,
    ResearchLine,
    SectionPart,
    SectionRule,
    SensitivePlace,
    SensitivityLook,
    ShownSecret,
    SourceChange,
    SyncChange,
    SyncItem,
    SyncRun,
    User,
    fingerprint_of,
)
from core.models.row_security import bypass_row_security
from core.quality.contradictions.finding import Pair
from core.quality.contradictions.store import keep_pair
from core.testing import Cast, fetch_chunks, make_document
from core.types import Filters, Origin
from core.values.change_checks import Outcome
from tests.integration.contradictions.pairs import make_side

CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
CANTEEN_QUESTION = "When does the canteen in the harbour office open?"
CANTEEN_TITLE = "Canteen rules"
VAULT_QUESTION = "With which code does the vault in the harbour office open?"
FILE, SHELF = "strongroom.md", "Vault shelf"
# What is told of what is hidden alone: of its text, and what names it.
WORDS = {
    "quagmire-7741": "lavender-3358",
    "quagmire-2206": "lavender-9914",
    "Lockwork": "Bellmaker",
    "Keysmith": "Tinkerer",
    "basilisk": "mongoose",
}
NAMES = {"Zanzibar": "Honolulu", "zanzibar": "honolulu"}
FILE_NAMES = {"strongroom": "dovecotage"}
NOWHERE = UUID(int=7)  # the key of no row
Rows = Mapping[str, list[Any]]  # keys of rows, by the label of their model


@dataclass(frozen=True, kw_only=True, slots=True)
class Secret:
    """Holds what may be hidden. Its title and code begin with words that all share, and that a search may look for."""

    kind: str  # a document, or a section of the document that Bob may read
    title: str
    section: str
    code: str
    text: str
    question: str
    line: int  # of Bob's plan, which asks about it

    def __str__(self) -> str:
        return self.kind


DOCUMENT = Secret(
    kind="document",
    title="Zanzibar vault rules",
    section="Lockwork section",
    code="quagmire-7741",
    text="The vault in the harbour office opens with the code quagmire-7741 on weekdays.",
    question=VAULT_QUESTION,
    line=9,
)
SECTION = Secret(
    kind="section",
    title="Zanzibar locker rules",
    section="Keysmith section",
    code="quagmire-2206",
    text="The locker in the harbour kitchen opens with the code quagmire-2206 on Sundays.",
    question="With which code does the locker in the harbour kitchen open?",
    line=10,
)
SECRETS = (DOCUMENT, SECTION)


@dataclass(frozen=True, kw_only=True, slots=True)
class Hidden:
    """The rows that were added about the document or section."""

    secret: Secret
    document: Document  # of a section, the part
    chunk: Chunk
    query: Query
    rows: Rows  # that came with it

    def first(self, model: str) -> Any:
        """The key of the first row of a model; one that nothing has where there is none."""
        return self.rows.get(model, [NOWHERE])[0]


def stock(cast: Cast) -> None:
    """Create Bob's document, his question, its answer, a verified answer and a page, and an empty collection."""
    Collection.objects.create(name=SHELF)
    canteen = make_document(CANTEEN_TITLE, CANTEEN, roles=[cast.staff, cast.owners])
    CollectionRole.objects.create(collection=canteen.collection, role=cast.staff)
    asked = api.ask(CANTEEN_QUESTION, asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
    api.give_feedback(asked.request_id, user_id=cast.bob.pk, verdict="up", comment="Thank you")
    text = "The canteen opens at noon."
    quote = SourceQuote(document=CANTEEN_TITLE, quote=CANTEEN)
    verify_answer(Content(question=CANTEEN_QUESTION, text=text, quotes=(quote,)), by=cast.bob)
    research = _make_page(cast.bob)
    for secret in SECRETS:
        gone = {"made_of_documents": [uuid4()], "made_of_versions": [1]}
        ResearchLine.objects.create(
            research_id=research, number=secret.line, text="What did it say?", outcome="quoted", **gone
        )


def _make_page(user: User, section: str = "") -> UUID:
    topic, audience = "the canteen and the vault in the harbour office", audience_of([user.pk])
    filters = Filters(section=section)
    research = api.plan_research(topic, asker=asker_for(user), audience=audience, origin=Origin.REST, filters=filters)
    Research.objects.filter(pk=research).update(state="waiting")
    run_research(research)
    return research


@contextmanager
def with_hidden(cast: Cast, secret: Secret = DOCUMENT) -> Iterator[Hidden]:
    """The document and all about it, gone after the block."""
    before = _keys()
    with transaction.atomic():
        document = _hide(cast, secret)
        added = {label: [key for key in keys if key not in before[label]] for label, keys in _keys().items()}
        query = Query.objects.get(question_text=secret.question)
        [chunk] = fetch_chunks(document)
        rows = {label: keys for label, keys in added.items() if keys}
        yield Hidden(secret=secret, document=document, chunk=chunk, query=query, rows=rows)
        transaction.set_rollback(True)


@contextmanager
def with_all_hidden(cast: Cast, secrets: Sequence[Secret]) -> Iterator[list[Hidden]]:
    """Each of them with all about it, gone after the block."""
    with ExitStack() as stack:
        yield [stack.enter_context(with_hidden(cast, secret)) for secret in secrets]


def _hide(cast: Cast, secret: Secret) -> Document:
    document = _restrict_section(cast, secret) if secret is SECTION else _make_document(cast, secret)
    result = api.ask(secret.question, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    Query.objects.filter(request_id=result.request_id).update(
        standalone_question=f"And the one of {secret.code}?",
        named_documents=[document.pk],
        named_versions=[document.version],
    )
    api.give_feedback(result.request_id, user_id=cast.alice.pk, verdict="down", comment="Wrong")
    quote = SourceQuote(document=document.title, quote=secret.text)
    text = f"It opens with the code {secret.code}."
    verify_answer(Content(question=secret.question, text=text, quotes=(quote,)), by=cast.alice)
    _judge(QueryLog.objects.get(request_id=result.request_id), document)
    if secret is DOCUMENT:
        _bring_in(document, cast.alice)
    _contradict(document, secret, cast)
    _look_into(document, secret, cast)
    _propose(document, secret, cast)
    _check(document, secret, cast)
    _find_risks(document, secret, cast)
    _post(QueryLog.objects.get(request_id=result.request_id).query, secret)
    return document


def _make_document(cast: Cast, secret: Secret) -> Document:
    vault = make_document(secret.title, secret.text, roles=[cast.owners], collection=SHELF, section=secret.section)
    Document.objects.filter(pk=vault.pk).update(
        metadata={"abstract": "Abstract with basilisk"}, original_name=FILE, arxiv_id="zanzibar.7741"
    )
    return vault


def _restrict_section(cast: Cast, secret: Secret) -> Document:
    """Put the words into a part of the document, as if they had always been in its text.

    The document itself stays as it is. Its passages would be the same ones if the section had never been written.
    """
    canteen = Document.objects.get(title=CANTEEN_TITLE)
    part = make_document(f"{CANTEEN_TITLE}: {secret.title}", secret.text, section=secret.section, part_of=canteen)
    rule = SectionRule.objects.create(document=canteen, kind="heading", pattern=secret.section, created_by=cast.alice)
    rule.roles.add(cast.owners)
    SectionPart.objects.create(part=part, names=[secret.section]).rules.add(rule)
    part.refresh_from_db()
    return part


def _look_into(document: Document, secret: Secret, cast: Cast) -> None:
    """Make a page of Alice's about it, whose plan and answer have its words, and let Bob's plan have had them."""
    research = _make_page(cast.alice, section=secret.section)
    assert ResearchLine.objects.filter(research=research, made_of_documents__contains=[document.pk]).exists()
    ResearchLine.objects.filter(research__user=cast.bob, number=secret.line).update(
        heading=secret.section,
        text=f"What does {secret.title} say about {secret.code}?",
        filters={"source": secret.title, "max_results": 5},
        made_of_documents=[document.pk],
    )


def _contradict(document: Document, secret: Secret, cast: Cast) -> None:
    """Keep a pair of it and the document that Bob may read: neither side may tell of the other."""
    canteen = Document.objects.get(title=CANTEEN_TITLE)
    older = make_side(canteen, CANTEEN, "noon", readers=[cast.staff])
    newer = make_side(document, secret.text, secret.code, readers=[cast.owners])
    assert keep_pair(Pair(question=f"When does the {secret.code} open?", newer=newer, older=older))


def _propose(hidden: Document, secret: Secret, cast: Cast) -> None:
    """Propose changes of it, one of which could not be sent, and of a new document that goes beside it."""
    gap = ContentGap.objects.get(proposals__document=hidden)
    made = {"gap": gap, "proposed_by": cast.alice, "url": f"https://git.example/{FILE}"}
    error = f"{secret.title} with {secret.code} is protected."
    row = ProposedChange.objects.create(
        **made, way="branch", state="failed", document=hidden.part_of or hidden, error=error
    )
    ProposedChange.objects.create(**made, way="merge_request", state="sent", place=FILE)
    with bypass_row_security():
        ProposalWords.objects.create(proposal=row, title=secret.title, question=secret.question, text=secret.text)


def _check(hidden: Document, secret: Secret, cast: Cast) -> None:
    """Keep a check of its grant to Bob's role, which waits for a yes: of its question, and of one from its words."""
    check = ChangeCheck.objects.create(
        kind="grants",
        state="held",
        is_gate=True,
        change={"gives": True, "documents": {str(cast.staff.pk): [str(hidden.pk)]}, "until": None},
        crossed=["people"],
        limits={"most_people": 0},
        figures={
            **dict.fromkeys(Outcome, 0),
            **dict.fromkeys(("worse", "worse_of_people", "moved", "gaining", "people_changed", "people_worse"), 0),
            "questions": 2,
            "of_people": 1,
            "documents": 1,
            "people": 1,
        },
        asked_by=cast.alice,
    )
    query = Query.objects.get(question_text=secret.question)
    asked = check.lines.create(
        number=1, asked_for="person", query=query, person=query.user, outcome="sources", is_worse=False, gains=1
    )
    written = check.lines.create(number=2, asked_for="library", role=cast.owners, outcome="answered", is_worse=False)
    for line, side in ((asked, "before"), (asked, "after"), (written, "question"), (written, "after")):
        line.sources.create(document=hidden, document_version=hidden.version, side=side)
    with bypass_row_security():
        ChangeCheckWords.objects.create(line=written, question=secret.question, after_text=secret.text)


def _find_risks(hidden: Document, secret: Secret, cast: Cast) -> None:
    """Keep that its code is a secret and its words look confidential, and a risk of each kind that there is of it."""
    [chunk] = fetch_chunks(hidden)
    start = chunk.content.index(secret.code)
    place = {
        "document": hidden,
        "document_version": hidden.version,
        "chunk_id": chunk.pk,
        "start": start,
        "end": start + len(secret.code),
        "strength": 1.0,
    }
    SensitivityLook.objects.create(document=hidden, document_version=hidden.version, rules="1/none")
    fingerprint = fingerprint_of(secret.code)
    SensitivePlace.objects.create(**place, subject="password", fingerprint=fingerprint)
    SensitivePlace.objects.create(**place, subject="board")
    shown = ShownSecret.objects.create(fingerprint=fingerprint_of(f"{secret.code} 2"), reason="It is for visitors")
    SensitivePlace.objects.create(**place, subject="code", fingerprint=shown.pk)
    kinds: dict[str, dict[str, Any]] = {
        "secret": {"document": hidden, "subjects": ["password"]},
        "confidential": {"document": hidden, "subjects": ["board"], "state": "accepted", "reason": "It is right"},
        "odd_role": {"document": hidden, "role": cast.owners, "people_before": 0},
    }
    if secret is DOCUMENT:  # a section is in the collection that Bob reads
        day = timezone.localdate()
        kinds["widened"] = {"collection": hidden.collection, "since": day, "people_before": 0}
        ReachSnapshot.objects.create(day=day, collection=hidden.collection, people=0, documents=1)
    for kind, of in kinds.items():
        figures = {"sensitivity": 5, "reach": 5, "score": 25, "people": 1, "document_version": hidden.version}
        key = f"{kind}/{hidden.pk}"
        OversharingRisk.objects.create(kind=kind, key=key, opened_at=timezone.now(), **figures, **of)


def _judge(log: QueryLog, vault: Document) -> None:
    """A gap, a footnote and an evaluation."""
    gap = ContentGap.objects.create(
        label_query=log.query, asked=1, people=1, first_seen=log.created_at, last_seen=log.created_at
    )
    gap.questions.create(query=log.query, outcome="voted_down", asked_at=log.created_at)
    proposal = ProposedChange.objects.create(
        gap=gap,
        way="merge_request",
        state="done",
        document=vault,
        document_version=vault.version,
        url="https://zanzibar",
    )
    LateAnswer.objects.create(proposal=proposal, query=log.query, asked_again=log.query, state="told", told_by="mail")
    change = SourceChange.objects.create(document_id=vault.pk, version=vault.version, kind=SourceChange.Kind.REPLACED)
    FootnoteChange.objects.create(source_change=change, answer=log.query.answer)
    result, _ = EvaluationResult.objects.update_or_create(  # the vote has raised an alert, which hangs on one
        query_log=log, defaults={"relevance_score": "0.500", "method": "by hand"}
    )
    Alert.objects.create(evaluation=result, metric="relevance", score="0.500", threshold="0.850")
    run = EvaluationRun.objects.create(
        dataset="other.jsonl",
        dataset_hash="0" * 64,
        model="m",
        embedding_model="e",
        chunks=1,
        finished_at=timezone.now(),
    )
    EvaluationRunLine.objects.create(
        run=run, number=1, identifier="vault", kind="question", query_log=log, outcome="answered_rightly", latency_ms=5
    )
    enqueue(EVALUATE, query_log=str(log.pk))


def _bring_in(vault: Document, by: User) -> None:
    """A job that handed it in, and a source that is kept in step with it."""
    job = IngestionJob.objects.create(
        collection=vault.collection, created_by=by, state=IngestionJob.State.PARTLY_FAILED
    )
    IngestionFile.objects.create(
        job=job, name=FILE, state="done", document_count=1, chunk_count=1, replaced=[str(vault.pk)]
    )
    IngestionFile.objects.create(
        job=job, name="strongroom-2.pdf", state="failed", error="It has a password.", content=b"%"
    )
    source = DataSource.objects.create(
        name="Vault files", kind="folder", collection=vault.collection, settings={"path": "/vault"}
    )
    run = SyncRun.objects.create(source=source, state=SyncRun.State.ASKING, known=2, listed=1)
    SyncChange.objects.create(run=run, outcome="failed", name=FILE, message="It has a password.")
    item = SyncItem.objects.create(source=source, key=FILE, name=FILE, seen_in=run, groups=["crew"])
    Document.objects.filter(pk=vault.pk).update(data_source=source, sync_item=item)
    AuditEvent.objects.create(actor=by, action="change", object_type="document", object_id=str(vault.pk))


def _post(query: Query, secret: Secret) -> None:
    """As if it had been asked in Slack and handed over, and the file shared there."""
    ts = f"{secret.line}.0"
    event = SlackEvent.objects.create(
        event_id=f"Ev-{secret}",
        team_id="T1",
        channel_id="C1",
        user_id="U1",
        ts=ts,
        thread_ts=ts,
        kind="mention",
        state="answered",
    )
    reply = Reply.objects.create(event=event, channel_id="C1", thread_ts=ts, query=query, ts=f"{ts}1", state="posted")
    HandOver.objects.create(reply=reply, team_id="T1", channel_id="C1", thread_ts=ts, asked_by="U1", ts=f"{ts}2")
    Upload.objects.create(
        team_id="T1", channel_id="C1", user_id="U1", ts=f"{ts}3", thread_ts=f"{ts}3", files=[{"id": "F1", "name": FILE}]
    )


def _keys() -> dict[str, list[Any]]:
    with bypass_row_security():
        return {
            model._meta.label_lower: list(model._default_manager.order_by("pk").values_list("pk", flat=True))
            for model in apps.get_models()
            if model._meta.managed and not model._meta.proxy
        }


def reword(words: Mapping[str, str]) -> None:
    """Write other words in place of these, wherever the database has them, and another hash beside them."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE core_document SET content_hash = reverse(content_hash) WHERE title = %s", [DOCUMENT.title]
        )
        for model in apps.get_models():
            for field in model._meta.concrete_fields if model._meta.managed else ():
                if isinstance(field, models.CharField | models.TextField | models.JSONField):
                    _replace(cursor, model._meta.db_table, field, words)


def _replace(cursor: Any, table: str, field: Any, words: Mapping[str, str]) -> None:
    kind = "jsonb" if isinstance(field, models.JSONField) else "text"
    for old, new in words.items():
        cursor.execute(
            f'UPDATE "{table}" SET "{field.column}" = replace("{field.column}"::text, %s, %s)::{kind} '  # noqa: S608
            f'WHERE "{field.column}"::text LIKE %s',
            [old, new, f"%{old}%"],
        )
