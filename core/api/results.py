"""Show earlier questions and answers to who may see them now, take opinions on them, and erase their texts.

Re-exported by `core.api`.
"""

import datetime as dt
from collections.abc import Collection, Iterable
from uuid import UUID

from core.api.audiences import require_audience
from core.asking.history import deleted_documents, listing, results, retention
from core.infrastructure.database_errors import translate_database_errors
from core.models import User
from core.types import Answer, Audience, Opinion, QuoteInPlace, Refusal
from core.values.lists import RecentQuestion


@translate_database_errors()
def stored_result(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> Answer | Refusal:
    """Return an earlier result as this audience may see it now. NotFoundError unless it may read every document cited.

    Closest passages that it may not read are left out; where none is left, it is a refusal without any.

    viewer: the one person who looks, where there is one. An answer from selected text is shown only to its asker.
    """
    require_audience(audience)
    return results.stored_result(request_id, audience=audience, viewer=viewer)


@translate_database_errors()
def stored_results(
    request_ids: Collection[str], *, audience: Audience, viewer: UUID | None = None
) -> dict[str, Answer | Refusal]:
    """Return earlier results as this audience may see them now, by request id; one that it may not see is left out.

    By the rule of stored_result, in as many queries for many as for one. What was retrieved is not among it.
    """
    require_audience(audience)
    return results.stored_results(request_ids, audience=audience, viewer=viewer)


@translate_database_errors()
def own_result(request_id: str, *, user_id: UUID, audience: Audience) -> Answer | Refusal:
    """Return an earlier result of a person's own question, as they may see it now; else as stored_result.

    NotFoundError for everybody else's. audience: that person alone.
    """
    require_audience(audience)
    return results.own_result(request_id, user_id=user_id, audience=audience)


@translate_database_errors()
def own_question(request_id: str, *, user_id: UUID | None) -> UUID | None:
    """Return the id of an earlier question that this person asked, while its text is kept; None for any other."""
    return results.own_question(request_id, user_id=user_id)


@translate_database_errors()
def recent_questions(user_id: UUID, *, audience: Audience, limit: int = 5) -> tuple[RecentQuestion, ...]:
    """List a person's own last questions, newest first. audience: that person alone, as they may read now.

    Empty for somebody whose account is not active.
    """
    require_audience(audience)
    return listing.recent_questions(user_id, audience=audience, limit=limit)


@translate_database_errors()
def stored_quotes(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> tuple[QuoteInPlace, ...]:
    """Return those citations of an earlier answer that this audience may read now, with the words around each quote.

    Where there was no answer: of the passages that came closest. Empty also when there is neither. viewer: as for
    stored_result.
    """
    require_audience(audience)
    return results.stored_quotes(request_id, audience=audience, viewer=viewer)


@translate_database_errors()
def may_read_more(request_id: str, *, audience: Audience, than: Audience) -> bool:
    """Return True if the audience could learn more about an earlier question than `than`, another audience.

    For offering an asker a private answer. NotFoundError when the audience may not see the earlier result.
    """
    require_audience(audience)
    require_audience(than)
    from core.asking.suggestions import answerability

    return answerability.may_read_more(request_id, audience=audience, than=than)


def why_dropped(reason: str) -> str:
    """Say why verification dropped a statement, given a name that the log counts; an unknown name as it is."""
    from core.asking.verification.reasons import IN_WORDS, Reason

    return IN_WORDS[Reason(reason)] if reason in set(Reason) else reason.replace("_", " ")


@translate_database_errors()
def give_feedback(
    request_id: str,
    *,
    user_id: UUID,
    verdict: str,
    reasons: Iterable[str] | None = None,
    comment: str | None = None,
) -> Opinion:
    """Store a person's verdict ("up" or "down") on an answer, replacing an earlier one of theirs; returns it whole.

    reasons: values of FeedbackReason. comment: at most LONGEST_COMMENT characters. Without them (None) stays what the
    person said before with the same verdict.

    NotFoundError when there is no such request, ValueError for another verdict or reason or a longer comment; the
    caller has checked that the person could see the answer.
    """
    return results.give_feedback(request_id, user_id=user_id, verdict=verdict, reasons=reasons, comment=comment)


@translate_database_errors()
def count_erasable_texts(*, before: dt.datetime, of: User | None = None) -> int:
    """Count the questions whose text `erase_texts` would erase."""
    return retention.count_erasable_texts(before=before, of=of)


@translate_database_errors()
def erase_texts(*, before: dt.datetime, of: User | None = None, by: User | None = None) -> int:
    """Erase the text of questions from before that time, and of all that came of them; return how many there were.

    of: the person who asked; None: everybody. by: who wants it so, for the audit trail. Figures and ids stay.
    """
    return retention.erase_texts(before=before, of=of, by=by)


@translate_database_errors()
def count_answers_with_words_of(document_ids: Iterable[UUID]) -> int:
    """Count the answers that lose their text when these documents are deleted."""
    return deleted_documents.answers_with_words_of(document_ids).count()
