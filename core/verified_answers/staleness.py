"""Whether a verified answer is outdated: a source is gone, or has another version, or holds its quote no more."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.utils import timezone

from core.models import Chunk, User, VerifiedAnswer, VerifiedSource
from core.models.row_security import bypass_row_security
from core.types import Outdated


def find_outdated(
    row: VerifiedAnswer, sources: Sequence[VerifiedSource], contents: Mapping[UUID | None, str], *, today: dt.date
) -> Outdated | None:
    """Why an answer may not hold any more. sources: with their documents. contents: of the chunks that they quote."""
    if not sources or not all(_stands(source, contents.get(source.chunk_id)) for source in sources):
        return Outdated.SOURCES_CHANGED
    return Outdated.REVIEW_DUE if row.review_on and row.review_on < today else None


def list_outdated(rows: Iterable[VerifiedAnswer], *, today: dt.date) -> dict[UUID, Outdated]:
    """Those of some answers that are outdated, and why: for who looks after them, whatever they may read."""
    answers = {row.pk: row for row in rows}
    if not answers:
        return {}
    sources: dict[UUID, list[VerifiedSource]] = {pk: [] for pk in answers}
    for source in VerifiedSource.objects.filter(verified_answer__in=answers).select_related("document"):
        sources[source.verified_answer_id].append(source)
    quoted = {source.chunk_id for of_one in sources.values() for source in of_one}
    with bypass_row_security():
        contents: dict[UUID | None, str] = dict(Chunk.objects.filter(pk__in=quoted).values_list("pk", "content"))
    found = {pk: find_outdated(answers[pk], of_one, contents, today=today) for pk, of_one in sources.items()}
    return {pk: why for pk, why in found.items() if why}


def list_to_review(*, owner: User | None = None) -> dict[UUID, Outdated]:
    """The active answers that are outdated, and why; of one owner, or of all."""
    rows = VerifiedAnswer.objects.filter(state=VerifiedAnswer.State.ACTIVE)
    return list_outdated(rows if owner is None else rows.filter(owner=owner), today=timezone.localdate())


def _stands(source: VerifiedSource, content: str | None) -> bool:
    """Whether the words stand where they were found, in the version of the document in which they were."""
    if content is None or source.document is None or source.document.version != source.document_version:
        return False
    return content[source.start_offset : source.end_offset] == source.quoted_excerpt
