"""Find verified answers that are outdated: a source is gone, or was replaced, or holds its quote no more."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.utils import timezone

from core.models import Chunk, User, VerifiedAnswer, VerifiedSourceWords
from core.models.row_security import bypass_row_security
from core.types import Citation, Outdated
from core.values.secrets import is_same_but_masked


def find_outdated(
    row: VerifiedAnswer, quotes: Sequence[Citation], contents: Mapping[UUID | None, str], *, today: dt.date
) -> Outdated | None:
    """Return why an answer may not hold any more, or None. contents: of the chunks that it quotes, by id."""
    if not quotes or not all(_is_present(quote, contents.get(quote.chunk_id)) for quote in quotes):
        return Outdated.SOURCES_CHANGED
    return Outdated.REVIEW_DUE if row.review_on and row.review_on < today else None


def list_outdated(rows: Iterable[VerifiedAnswer], *, today: dt.date) -> dict[UUID, Outdated]:
    """Return why each of some answers is outdated, if it is: for who looks after them, whatever they may read."""
    answers = {row.pk: row for row in rows}
    if not answers:
        return {}
    quotes: dict[UUID, list[Citation]] = {pk: [] for pk in answers}
    with bypass_row_security():
        words = VerifiedSourceWords.objects.filter(source__verified_answer__in=answers).select_related("source")
        for one in words:
            quotes[one.source.verified_answer_id].append(one.as_value(one.source))
        quoted = {quote.chunk_id for of_one in quotes.values() for quote in of_one}
        contents: dict[UUID | None, str] = dict(Chunk.objects.filter(pk__in=quoted).values_list("pk", "content"))
    found = {pk: find_outdated(answers[pk], of_one, contents, today=today) for pk, of_one in quotes.items()}
    return {pk: why for pk, why in found.items() if why}


def list_to_review(*, owner: User | None = None) -> dict[UUID, Outdated]:
    """Return the active answers that are outdated, and why; of one owner, or of all."""
    rows = VerifiedAnswer.objects.filter(state=VerifiedAnswer.State.ACTIVE)
    return list_outdated(rows if owner is None else rows.filter(owner=owner), today=timezone.localdate())


def _is_present(quote: Citation, content: str | None) -> bool:
    """Return True if a quote occurs where it was found. A chunk goes with its edition, and has no content then."""
    return content is not None and is_same_but_masked(content[quote.start : quote.end], quote.quoted_excerpt)
