"""Find the words of a document that earlier answers rest on.

These are the words that they quote or, where their asker was notified of a change since, the words quoted then.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.models import Answer, Citation, Document, FootnoteChange, SourceChange
from core.models.row_security import bypass_row_security
from core.types import Origin

_GIVEN_TO_PEOPLE = (Origin.SLACK, Origin.REST, Origin.MCP)


def note_change(
    document: Document,
    kind: SourceChange.Kind,
    *,
    last_readers: Iterable[UUID] = (),
    stands: Callable[[str], bool] = lambda quote: False,
) -> SourceChange | None:
    """Note a change of a document, and each answer of the last FOOTNOTES_DAYS with a quote that no longer occurs.

    stands: tests if words occur in the document now. Noting the same change again adds nothing. None where no answer
    quotes the document.
    """
    quoted = find_answer_sources(document.pk)
    if not quoted:
        return None
    fallen = [answer for answer, quotes in quoted.items() if not all(stands(quote) for quote in quotes)]
    with transaction.atomic():
        noted, _ = SourceChange.objects.get_or_create(
            document_id=document.pk,
            version=document.version,
            kind=kind,
            defaults={"answers": len(quoted), "last_readers": list(last_readers)},
        )
        FootnoteChange.objects.bulk_create(
            (FootnoteChange(source_change=noted, answer_id=answer) for answer in fallen), ignore_conflicts=True
        )
    return noted


def find_answer_sources(document_id: UUID) -> dict[UUID, list[str]]:
    """Return the answers of the last FOOTNOTES_DAYS that quote a document, with the quoted words.

    Only answers that were given to people and whose text is kept count.
    """
    given = _list_given()
    told = dict(
        FootnoteChange.objects.filter(answer__in=given, state=FootnoteChange.State.TOLD)
        .exclude(verdict="")
        .order_by("answer", "-ended_at")
        .distinct("answer")
        .values_list("answer_id", "asked_again_id")
    )
    quotes = Citation.objects.filter(document=document_id, words__isnull=False)
    own = quotes.filter(answer__in=given.exclude(pk__in=list(told)))
    by_query = {query: answer for answer, query in told.items() if query}
    since = quotes.filter(answer__query__in=list(by_query)).exclude(answer__answer_text=None)
    quoted: defaultdict[UUID, list[str]] = defaultdict(list)
    with bypass_row_security():
        for answer, quote in own.values_list("answer_id", "words__quoted_excerpt"):
            quoted[answer].append(quote)
        for query, quote in since.values_list("answer__query_id", "words__quoted_excerpt"):
            quoted[by_query[query]].append(quote)
    return dict(quoted)


def _list_given() -> QuerySet[Answer]:
    since = timezone.now() - dt.timedelta(days=settings.FOOTNOTES_DAYS)
    return Answer.objects.filter(
        created_at__gte=since,
        answer_text__isnull=False,
        query__erased_at=None,
        query__is_overheard=False,
        query__conversation__origin__in=_GIVEN_TO_PEOPLE,
    ).exclude(answer_text="")
