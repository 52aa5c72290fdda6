"""Test the constraints that the database keeps, whoever writes the rows, and its indexes."""

import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from core.access.audiences import asker_for
from core.api import ask
from core.models import (
    Answer,
    BenchmarkResult,
    Chunk,
    Citation,
    Conversation,
    Document,
    EvaluationResult,
    Query,
    QueryLog,
    RetrievedChunk,
    RoleDocumentAccess,
    User,
    UserRole,
)
from core.models.row_security import bypass_row_security
from core.testing import Cast, make_document
from core.types import Answer as AnswerValue

pytestmark = pytest.mark.usefixtures("fast")

CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
QUESTION = "When does the canteen in the harbour office open?"


@pytest.fixture(autouse=True)
def answered(cast: Cast, fast: None) -> AnswerValue:
    """A document, a question that it answers, the scores of the answer, and a measurement."""
    make_document("Canteen rules", CANTEEN, "Trays are brought back.", roles=[cast.staff])
    result = ask(QUESTION, asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    assert isinstance(result, AnswerValue)
    EvaluationResult.objects.create(
        query_log=QueryLog.objects.get(), relevance_score="0.912", method="test", trulens_record_id="record-1"
    )
    BenchmarkResult.objects.create(
        index_type="hnsw", query_latency_ms=1.5, recall_at_k=0.98, memory_usage_mb=391, corpus_size=200_000
    )
    return result


REFUSED: list[tuple[type[models.Model], dict[str, Any], str]] = [
    (Document, {"document_type": "blog"}, "document_type_known"),
    (Document, {"arxiv_id": ""}, "document_arxiv_id_null_or_set"),
    (Chunk, {"content": ""}, "chunk_content_not_empty"),
    (Chunk, {"token_count": 0}, "chunk_token_count_positive"),
    (Chunk, {"embedding_model": ""}, "chunk_embedding_model_named"),
    (Chunk, {"page_number": 0}, "chunk_page_from_one"),
    (Chunk, {"chunk_index": 0}, "one_chunk_per_position"),
    (Query, {"question_text": "ab"}, "question_length"),
    (Query, {"question_text": "x" * 1001}, "question_length"),
    (Query, {"context_mode": "half_corpus"}, "query_context_mode_known"),
    (Query, {"context_mode": "selected_text"}, "selected_text_matches_mode"),
    (Query, {"selected_text": "A text."}, "selected_text_matches_mode"),
    (Query, {"state": "DONE"}, "query_state_known"),
    (RetrievedChunk, {"similarity": 1.01}, "retrieved_similarity_0_1"),
    (RetrievedChunk, {"similarity": -0.01}, "retrieved_similarity_0_1"),
    (RetrievedChunk, {"rerank_score": 1.01}, "retrieved_rerank_score_0_1"),
    (Answer, {"confidence": 1.01}, "answer_confidence_0_1"),
    (Answer, {"confidence_level": "certain"}, "answer_confidence_level_known"),
    (Answer, {"agent_steps": 6}, "answer_at_most_five_steps"),
    (Answer, {"answer_text": None}, "answer_text_or_message"),
    (Answer, {"refusal_reason": "nothing_found"}, "answer_text_or_message"),
    (Citation, {"relevance_score": 1.01}, "citation_relevance_0_1"),
    (QueryLog, {"similarity_scores": []}, "one_similarity_per_chunk"),
    (QueryLog, {"confidence": -0.1}, "querylog_confidence_0_1"),
    (QueryLog, {"agent_steps": 6}, "querylog_at_most_five_steps"),
    (EvaluationResult, {"relevance_score": "1.001"}, "relevance_score_0_1"),
    (EvaluationResult, {"groundedness_score": "1.001"}, "groundedness_score_0_1"),
    (EvaluationResult, {"answer_relevance_score": "-0.001"}, "answer_relevance_score_0_1"),
    (BenchmarkResult, {"query_latency_ms": -1}, "benchmark_figures_not_negative"),
    (BenchmarkResult, {"memory_usage_mb": -1}, "benchmark_figures_not_negative"),
    (BenchmarkResult, {"recall_at_k": 1.01}, "recall_0_1"),
    (BenchmarkResult, {"corpus_size": 0}, "corpus_size_positive"),
    (BenchmarkResult, {"selectivity": 1.01}, "selectivity_0_1"),
    (User, {"email": "Bob@example.com"}, "user_email_in_lower_case"),
]


@pytest.mark.parametrize(
    ("model", "values", "constraint"), REFUSED, ids=[f"{name}-{n}" for n, (_, _, name) in enumerate(REFUSED)]
)
def test_the_database_refuses_what_cannot_be(
    model: type[models.Model], values: dict[str, Any], constraint: str
) -> None:
    """Whichever way it is written: each bound has a constraint of its own."""
    with pytest.raises(IntegrityError, match=f'"{constraint}"'), bypass_row_security():
        model._default_manager.update(**values)


def test_nothing_is_there_twice(cast: Cast) -> None:
    """One grant for a role and document, one document for a source and collection, and so on."""
    document, query = Document.objects.get(), Query.objects.get()
    twice: list[models.Model] = [
        RoleDocumentAccess(role=cast.staff, document=document),
        UserRole(user=cast.bob, role=cast.staff),
        User(email="bob@example.com"),
        Document(collection=document.collection, source=document.source, title="T", ingested_at=timezone.now()),
        Answer(query=query, confidence=0.5, answer_text="x", has_sufficient_context=True, agent_steps=0,
               processing_time_ms=0, confidence_level="low"),
        QueryLog(query=query, request_id="req_20260101_00000000", confidence=0.5, has_sufficient_context=True,
                 agent_steps=0, response_time_ms=0),
        EvaluationResult(query_log=QueryLog.objects.get(), method="x"),
    ]  # fmt: skip
    for row in twice:
        with pytest.raises(IntegrityError, match="duplicate key"), transaction.atomic():
            row.save(force_insert=True)


def indexes() -> dict[str, set[str]]:
    """The definitions of the indexes of core's tables, from the method on, by table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename, indexdef FROM pg_indexes WHERE tablename LIKE 'core\\_%%'")
        rows = cursor.fetchall()
    found: dict[str, set[str]] = {}
    for table, definition in rows:
        found.setdefault(table, set()).add(definition.partition(" USING ")[2])
    return found


def test_the_indexes_of_the_data_model_are_there() -> None:
    """Those that grants and roles are found by, those in the order of time."""
    wanted = {
        "core_chunk": {
            "btree (document_id)",
            "btree (chapter_name)",
            "btree (section_title)",
        },
        "core_userrole": {"btree (user_id)"},
        "core_roledocumentaccess": {"btree (document_id)"},
        "core_document": {"btree (document_type, document_date)", "btree (collection_id, content_hash)"},
        "core_query": {
            "btree (user_id, created_at DESC)",
            "btree (conversation_id, created_at)",
            "btree (created_at DESC)",
            "btree (context_mode)",
        },
        "core_querylog": {"btree (user_id, created_at DESC)", "btree (created_at DESC)", "btree (query_id)"},
        "core_citation": {"btree (answer_id)", "btree (chunk_id)"},
        "core_evaluationresult": {
            "btree (query_log_id)",
            "btree (trulens_record_id) WHERE (trulens_record_id IS NOT NULL)",
        },
    }
    found = indexes()
    assert {table: wanted[table] - found[table] for table in wanted} == {table: set() for table in wanted}


def test_the_log_holds_no_text_and_outlives_it(cast: Cast, answered: AnswerValue) -> None:
    """Neither question, answer, quote nor title; when they are deleted its figures and scores stay."""
    log = QueryLog.objects.values().get()
    held = str(log).casefold()
    assert [word for word in ("canteen", "harbour", "noon", "rules") if word in held] == []
    assert (log["embedding_model"], log["user_id"]) == ("hashing-test-double", cast.bob.pk)
    assert log["chunk_ids"] == [found.chunk_id for found in answered.retrieved]
    assert log["similarity_scores"] == [found.similarity for found in answered.retrieved]
    Conversation.objects.all().delete()
    assert (Query.objects.count(), Answer.objects.count(), Citation.objects.count()) == (0, 0, 0)
    kept = QueryLog.objects.values().get()
    assert {name for name in log if kept[name] != log[name]} == {"query_id"}
    assert EvaluationResult.objects.get().trulens_record_id == "record-1"


def test_who_leaves_takes_their_roles_along_and_leaves_the_figures(cast: Cast) -> None:
    """Deleting a person keeps the log of their questions, without them; deleting a document takes its chunks."""
    bob = cast.bob.pk
    cast.bob.delete()
    assert not UserRole.objects.filter(user_id=bob).exists()
    assert QueryLog.objects.get().user_id is None
    document = Document.objects.get()
    document.delete()
    with bypass_row_security():
        assert Chunk.objects.count() == 0
    assert RoleDocumentAccess.objects.count() == 0
    citation = Citation.objects.get()
    assert (citation.chunk_id, citation.document_id, isinstance(citation.pk, uuid.UUID)) == (None, None, True)


def run_sql(statement: str, *values: object) -> None:
    """Run a statement as somebody at a console does; what is deferred to the end of a transaction is checked too."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def test_a_person_is_deleted_by_sql_as_by_the_admin(cast: Cast) -> None:
    """The roles go, the log stays without the person."""
    bob = cast.bob.pk
    run_sql("DELETE FROM core_user WHERE id = %s", bob)
    assert not UserRole.objects.filter(user_id=bob).exists()
    assert QueryLog.objects.get().user_id is None


def test_a_document_is_deleted_by_sql_with_its_chunks_and_grants() -> None:
    """Nothing that pointed at it is left pointing anywhere, and answers keep their citations."""
    run_sql("DELETE FROM core_document")
    with bypass_row_security():
        assert Chunk.objects.count() == 0
    assert RoleDocumentAccess.objects.count() == 0
    assert Citation.objects.get().chunk_id is None


def test_roles_logs_and_conversations_are_deleted_by_sql(cast: Cast) -> None:
    """A role takes its grants along, a log its scores, a conversation its questions and answers."""
    run_sql("DELETE FROM core_role WHERE id = %s", cast.staff.pk)
    assert (RoleDocumentAccess.objects.count(), Document.objects.count()) == (0, 1)
    run_sql("DELETE FROM core_conversation")
    assert (Query.objects.count(), Answer.objects.count(), QueryLog.objects.count()) == (0, 0, 1)
    run_sql("DELETE FROM core_querylog")
    assert EvaluationResult.objects.count() == 0


def test_the_guides_query_shows_chunks_to_who_says_that_they_look_after_them() -> None:
    """And none without that line, to the owner of the tables too: row-level security shows none."""
    guide = (Path(__file__).parents[3] / "docs/postgresql.md").read_text(encoding="utf-8")
    begin, said, query = re.search(r"    (BEGIN;)\n    (SET LOCAL .*;)\n((?:    .*\n)+?)    COMMIT;", guide).groups()  # type: ignore[union-attr]
    assert begin == "BEGIN;"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(query)
        assert cursor.fetchall() == []
        cursor.execute(said)
        cursor.execute(query)
        assert {row[0] for row in cursor.fetchall()} == {CANTEEN, "Trays are brought back."}


def test_what_models_protect_sql_does_not_delete() -> None:
    """A collection with documents stays."""
    with pytest.raises(IntegrityError, match="core_document"):
        run_sql("DELETE FROM core_collection")


def test_each_foreign_key_says_in_the_database_what_its_model_says() -> None:
    """Of our tables and of the libraries', and all of them are checked."""
    kinds = {models.CASCADE: "c", models.SET_NULL: "n"}
    wanted = {
        (model._meta.db_table, field.column): kinds.get(field.remote_field.on_delete, "a")
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_fields
        if isinstance(field, models.ForeignKey) and field.db_constraint
    }
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, attname, confdeltype::text, convalidated FROM pg_constraint"
            " JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1] WHERE contype = 'f'"
        )
        found = cursor.fetchall()
    assert all(is_checked for *_, is_checked in found)
    actions = {(table, column): action for table, column, action, _ in found}
    assert {key: actions.get(key) for key in wanted} == wanted
    assert len(wanted) > 80
