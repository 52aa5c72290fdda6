"""The views of the schema `reporting`, for programs that draw charts of SQL: docs/reporting.md has their columns.

They hold no text of questions, answers or documents, and no name or address of a person. Whoever changes the type of a
column that they read drops and makes them anew in the same migration: PostgreSQL refuses it otherwise.
"""

from typing import ClassVar

from django.db import migrations

QUESTIONS = """
CREATE VIEW reporting.questions AS
SELECT log.request_id,
       log.created_at AS asked_at,
       (log.created_at AT TIME ZONE 'UTC')::date AS day,
       log.user_id AS person_id,
       conversation.origin,
       NULLIF(conversation.slack_team, '') AS slack_team,
       NULLIF(conversation.slack_channel, '') AS slack_channel,
       query.context_mode,
       query.state,
       CASE
           WHEN log.has_sufficient_context THEN 'answered'
           WHEN log.refusal_reason = 'unsure' THEN 'closest'
           ELSE 'refused'
       END AS outcome,
       NULLIF(log.refusal_reason, '') AS refusal_reason,
       log.confidence,
       answer.confidence_level,
       log.estimate,
       log.mean_similarity,
       cardinality(log.chunk_ids) AS passages,
       log.citation_count AS citations,
       log.dropped_statements,
       log.model_provider,
       log.model,
       NULLIF(log.agent_mode, '') AS agent_mode,
       log.agent_steps,
       NULLIF(log.retrieval_strategy, '') AS retrieval_strategy,
       log.response_time_ms,
       answer.prompt_tokens,
       answer.completion_tokens,
       answer.cost_usd,
       coalesce(query.is_overheard, false) AS is_overheard
  FROM core_querylog AS log
  LEFT JOIN core_query AS query ON query.id = log.query_id
  LEFT JOIN core_conversation AS conversation ON conversation.id = query.conversation_id
  LEFT JOIN core_answer AS answer ON answer.query_id = query.id
"""
VOTES = """
CREATE VIEW reporting.votes AS
SELECT query.request_id,
       feedback.user_id AS person_id,
       feedback.verdict,
       feedback.reasons,
       feedback.created_at AS voted_at,
       feedback.updated_at AS changed_at
  FROM core_feedback AS feedback
  JOIN core_answer AS answer ON answer.id = feedback.answer_id
  JOIN core_query AS query ON query.id = answer.query_id
"""
EVALUATIONS = """
CREATE VIEW reporting.evaluations AS
SELECT log.request_id,
       evaluation.relevance_score,
       evaluation.groundedness_score,
       evaluation.answer_relevance_score,
       evaluation.abstained,
       evaluation.method,
       evaluation.error <> '' AS has_failed,
       evaluation.evaluated_at
  FROM core_evaluationresult AS evaluation
  JOIN core_querylog AS log ON log.id = evaluation.query_log_id
"""
ALERTS = """
CREATE VIEW reporting.alerts AS
SELECT log.request_id,
       alert.metric,
       alert.score,
       alert.threshold,
       alert.created_at AS raised_at,
       alert.acknowledged_at
  FROM core_alert AS alert
  JOIN core_evaluationresult AS evaluation ON evaluation.id = alert.evaluation_id
  JOIN core_querylog AS log ON log.id = evaluation.query_log_id
"""
CITATIONS = """
CREATE VIEW reporting.citations AS
SELECT query.request_id,
       citation.number,
       citation.document_id,
       citation.relevance_score,
       answer.answer_text IS NULL AS is_closest
  FROM core_citation AS citation
  JOIN core_answer AS answer ON answer.id = citation.answer_id
  JOIN core_query AS query ON query.id = answer.query_id
"""
DOCUMENTS = """
CREATE VIEW reporting.documents AS
SELECT document.id AS document_id,
       collection.name AS collection,
       document.document_type,
       document.document_date,
       document.version,
       document.chunk_count AS chunks,
       document.ingested_at,
       (SELECT count(*) FROM core_roledocumentaccess AS access WHERE access.document_id = document.id) AS roles
  FROM core_document AS document
  JOIN core_collection AS collection ON collection.id = document.collection_id
"""
PERSON_ROLES = """
CREATE VIEW reporting.person_roles AS
SELECT DISTINCT held.user_id AS person_id, role.name AS role
  FROM core_userrole AS held
  JOIN core_role AS role ON role.id = held.role_id
  JOIN core_user AS person ON person.id = held.user_id
 WHERE person.is_active
"""
VIEWS = {
    "questions": QUESTIONS,
    "votes": VOTES,
    "evaluations": EVALUATIONS,
    "alerts": ALERTS,
    "citations": CITATIONS,
    "documents": DOCUMENTS,
    "person_roles": PERSON_ROLES,
}


class Migration(migrations.Migration):
    """A schema that a read-only role can be given."""

    dependencies: ClassVar = [("core", "0024_states_and_places")]

    operations: ClassVar = [
        migrations.RunSQL("CREATE SCHEMA IF NOT EXISTS reporting", "DROP SCHEMA IF EXISTS reporting"),
        *(migrations.RunSQL(sql, f"DROP VIEW IF EXISTS reporting.{name}") for name, sql in VIEWS.items()),
    ]
