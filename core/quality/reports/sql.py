"""The parts of the queries: over the views of the schema `reporting`, which hold no text.

No input becomes a part of a query: it is chosen from these parts, and the days are parameters.
"""

from core.quality.reports.grouping import Grouping
from core.types import NOBODY_ASKED, FeedbackReason

# Of each grouping, the key of a row, and the joins that it needs.
KEYS = {
    Grouping.DAY: ("(asked.asked_at AT TIME ZONE %(zone)s)::date::text", ""),
    Grouping.WEEK: ("date_trunc('week', asked.asked_at AT TIME ZONE %(zone)s)::date::text", ""),
    Grouping.ROLE: (
        "coalesce(held.role, '')",
        "LEFT JOIN reporting.person_roles AS held ON held.person_id = asked.person_id",
    ),
    # A direct message has a channel of its own, whose id would reveal the person.
    Grouping.CHANNEL: (
        """CASE WHEN asked.slack_channel IS NULL THEN coalesce(asked.origin, '')
                WHEN left(asked.slack_channel, 1) = 'D' THEN 'direct'
                ELSE asked.slack_team || '/' || asked.slack_channel END""",
        "",
    ),
    Grouping.COLLECTION: (
        "coalesce(read.collection, '')",
        """LEFT JOIN (
               SELECT DISTINCT citation.request_id, document.collection
                 FROM reporting.citations AS citation
                 JOIN reporting.documents AS document ON document.document_id = citation.document_id
           ) AS read ON read.request_id = asked.request_id""",
    ),
    Grouping.PERSON: ("coalesce(asked.person_id::text, '')", ""),
    Grouping.MODEL: ("asked.model", ""),
}
ALL = ("''", "")

# What nobody asked is no use of Footnote, nor is what it overheard and said nothing to.
_NOBODY_ASKED = ", ".join(f"'{origin}'" for origin in NOBODY_ASKED)
_PERIOD = (
    "asked.asked_at >= %(start)s AND asked.asked_at < %(end)s "
    f"AND coalesce(asked.origin, '') NOT IN ({_NOBODY_ASKED}) AND NOT asked.is_overheard"
)
# An abstention has no scores to average, and is not among what was scored.
_FIGURES = """
SELECT {key} AS key,
       count(*) AS questions,
       count(*) FILTER (WHERE asked.outcome = 'answered') AS answered,
       count(*) FILTER (WHERE asked.outcome = 'closest') AS closest,
       count(*) FILTER (WHERE asked.outcome = 'refused') AS refused,
       count(scored.request_id) AS evaluated,
       avg(scored.relevance_score) AS relevance,
       avg(scored.groundedness_score) AS groundedness,
       avg(scored.answer_relevance_score) AS answer_relevance,
       avg(asked.confidence) AS confidence,
       avg(asked.mean_similarity) AS mean_similarity,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY asked.response_time_ms) AS latency_p50_ms,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY asked.response_time_ms) AS latency_p95_ms,
       coalesce(sum(asked.prompt_tokens), 0) AS prompt_tokens,
       coalesce(sum(asked.completion_tokens), 0) AS completion_tokens,
       coalesce(sum(asked.cost_usd), 0) AS cost_usd
  FROM reporting.questions AS asked
  LEFT JOIN reporting.evaluations AS scored ON scored.request_id = asked.request_id AND NOT scored.abstained
  {joined}
 WHERE {period}
 GROUP BY 1
"""
_VOTES = """
SELECT {key} AS key,
       count(*) FILTER (WHERE vote.verdict = 'up') AS up,
       count(*) FILTER (WHERE vote.verdict = 'down') AS down,
       {reasons}
  FROM reporting.questions AS asked
  JOIN reporting.votes AS vote ON vote.request_id = asked.request_id
  {joined}
 WHERE {period}
 GROUP BY 1
"""
_REASONS = ", ".join(
    f"count(*) FILTER (WHERE vote.reasons @> ARRAY['{reason.value}']::varchar[]) AS {reason.value}"
    for reason in FeedbackReason
)


def figures_query(by: Grouping | None) -> str:
    """Figures by group; without a grouping one row over all questions, and none where there is no question."""
    key, joined = ALL if by is None else KEYS[by]
    return _FIGURES.format(key=key, joined=joined, period=_PERIOD)


def votes_query(by: Grouping | None) -> str:
    """Votes and their reasons, of the questions of the period, by group."""
    key, joined = ALL if by is None else KEYS[by]
    return _VOTES.format(key=key, joined=joined, period=_PERIOD, reasons=_REASONS)
