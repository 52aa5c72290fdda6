"""Write, take over, verify and retire verified answers. Each change leaves its row in the audit trail.

The caller has checked that the person may do so: `may_manage`.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone

from core.access.audiences import audience_of
from core.asking.history.results import stored_result
from core.asking.verification.same_question import depends_on_today
from core.asking.verified_answers.matching import MOST_PHRASINGS, list_other_phrasings, write_phrasings
from core.asking.verified_answers.quoting import SourceQuote, find_sources, hold_against_quotes
from core.errors import FootnoteError, NotFoundError
from core.language.nlp.text import drop_citations, one_line
from core.models import (
    AuditEvent,
    Document,
    Query,
    Role,
    User,
    VerifiedAnswer,
    VerifiedSource,
    VerifiedSourceWords,
)
from core.models import Citation as CitationRow
from core.models.row_security import bypass_row_security, showing_quotes_to
from core.models.verified_answers import LONGEST_ANSWER, LONGEST_QUESTION
from core.types import Answer, Audience, Citation, Edition

MANAGE = "core.manage_verified_answers"
REVIEW_AFTER = dt.timedelta(days=180)
_SHORTEST = 3  # characters of a question


class NotVerifiableError(FootnoteError):
    """This answer cannot be verified as it is."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """The parts of a verified answer that a person writes."""

    question: str
    text: str
    quotes: tuple[SourceQuote, ...] = ()
    phrasings: tuple[str, ...] = ()  # other ways to ask
    owner: User | None = None
    review_on: dt.date | None = None
    roles: tuple[Role, ...] = ()


def may_manage(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Return True if a user may write, verify and retire verified answers."""
    return isinstance(user, User) and user.is_active and user.has_perm(MANAGE)


def save_draft(
    content: Content, *, by: User, row: VerifiedAnswer | None = None, origin: Query | None = None
) -> VerifiedAnswer:
    """Store a verified answer as a draft, which nobody gets. NotVerifiableError for a quote found nowhere.

    No quote supports its text yet: it may hold words of its earlier text, and of the answer that it is taken over from.
    """
    _check_questions(content)
    found = find_sources(content.quotes, writer=audience_of([by.pk]))
    if found.problems:
        raise NotVerifiableError(found.problems)
    with transaction.atomic():
        before = row.sources.all() if row else VerifiedSource.objects.none()
        drawn = {Edition(one.document_id, one.document_version) for one in before if one.document_id}
        drawn |= set() if row or origin is None else _list_told(origin)
        saved = _write_answer(row or VerifiedAnswer(origin=origin), content, state=VerifiedAnswer.State.DRAFT)
        _write_sources(saved, found.citations, drawn=drawn)
        _record_audit(saved, by, created=row is None)
    return saved


def verify_answer(
    content: Content, *, by: User, row: VerifiedAnswer | None = None, origin: Query | None = None
) -> VerifiedAnswer:
    """Store what was written, and give it from now on. NotVerifiableError unless every sentence is carried."""
    _check_questions(content)
    moving = [text for text in (content.question, *content.phrasings) if depends_on_today(text)]
    if moving:
        raise NotVerifiableError(
            [f"“{moving[0]}” asks for another thing on another day. Name the day, the month or the year instead."]
        )
    quoted = hold_against_quotes(content.text, content.quotes, question=content.question, writer=audience_of([by.pk]))
    if quoted.problems:
        raise NotVerifiableError(quoted.problems)
    today = timezone.localdate()
    review_on = content.review_on or today + REVIEW_AFTER
    if review_on < today:
        raise NotVerifiableError(["The day of review has passed already."])
    with transaction.atomic():
        target = row or VerifiedAnswer(origin=origin)
        target.cited_text, target.review_on = quoted.cited_text, review_on
        target.verified_by, target.verified_at = by, timezone.now()
        saved = _write_answer(target, content, state=VerifiedAnswer.State.ACTIVE)
        _write_sources(saved, quoted.citations)
        _record_audit(saved, by, created=row is None)
    return saved


def read_content(row: VerifiedAnswer, *, reader: Audience) -> Content:
    """Return what was written of a verified answer, to be changed. reader: who may read it (`may_read`)."""
    return Content(
        question=row.question,
        text=row.text,
        quotes=read_quotes([row], reader=reader).get(row.pk, ()),
        phrasings=tuple(list_other_phrasings(row)),
        owner=row.owner,
        review_on=row.review_on,
        roles=tuple(row.roles.all()),
    )


def read_quotes(rows: Iterable[VerifiedAnswer], *, reader: Audience) -> dict[UUID, tuple[SourceQuote, ...]]:
    """Return the quotes that carry some verified answers, those that a reader may read, in their order."""
    quotes: defaultdict[UUID, list[SourceQuote]] = defaultdict(list)
    with showing_quotes_to(reader):
        words = VerifiedSourceWords.objects.filter(source__verified_answer__in=[row.pk for row in rows])
        for one in words.select_related("source").order_by("source__number"):
            quote = SourceQuote(document=str(one.source.document_id), quote=one.quoted_excerpt)
            quotes[one.source.verified_answer_id].append(quote)
    return {pk: tuple(found) for pk, found in quotes.items()}


def may_read(row: VerifiedAnswer, person: User) -> bool:
    """Return True if a manager of answers may read this one: all of its sources, or, without any, their own text.

    A colleague's answer in Slack is for all managers of answers who may see the result of the question.
    """
    if row.sources.exists():
        return VerifiedAnswer.objects.quoting_only_readable(audience_of([person.pk])).filter(pk=row.pk).exists()
    if row.owner_id == person.pk:
        return True
    if row.origin is None:
        return False
    try:
        stored_result(row.origin.request_id, audience=audience_of([person.pk]), viewer=person.pk)
    except NotFoundError:
        return False
    return True


def retire(row: VerifiedAnswer, *, by: User) -> None:
    """Give it to nobody from now on."""
    with transaction.atomic():
        row.state = VerifiedAnswer.State.RETIRED
        row.save(update_fields=["state", "updated_at"])
        _record_audit(row, by, created=False)


def read_for_take_over(query: Query, *, by: User) -> Content:
    """Return the answer to a question with its sources, to be taken over.

    The question alone where it has no such answer.

    NotFoundError unless the person may read all that the answer cites.
    """
    result = stored_result(query.request_id, audience=audience_of([by.pk]), viewer=by.pk)
    if not isinstance(result, Answer) or any(citation.document_id is None for citation in result.citations):
        return Content(question=one_line(query.question_text), text="", owner=by)
    quotes = [SourceQuote(document=str(one.document_id), quote=one.quoted_excerpt) for one in result.citations]
    # Verified, it is shown to whoever may read the sources as they are now. So are the words of its question.
    cited = Document.objects.filter(pk__in={one.document_id for one in result.citations})
    may_stand_alone = {document.edition for document in cited}.issuperset(query.named_editions)
    return Content(
        question=one_line(result.asked if may_stand_alone else query.question_text),
        text=drop_citations(result.text),
        quotes=tuple(dict.fromkeys(quotes)),
        owner=by,
    )


def draft_from_reply(query: Query, reply: str, *, by: UUID | None) -> None:
    """Store one draft of what a colleague answered to a question, still without sources, while its text is kept."""
    with transaction.atomic():
        asked = Query.objects.select_for_update().get(pk=query.pk)
        if asked.erased_at is not None or VerifiedAnswer.objects.filter(origin=asked, verified_at=None).exists():
            return
        person = User.objects.filter(pk=by).first() if by else None
        content = Content(question=one_line(asked.question_text), text=reply.strip()[:LONGEST_ANSWER], owner=person)
        saved = _write_answer(VerifiedAnswer(origin=asked), content, state=VerifiedAnswer.State.DRAFT)
        _record_audit(saved, person, created=True)


def _check_questions(content: Content) -> None:
    if len(content.phrasings) > MOST_PHRASINGS:
        raise NotVerifiableError([f"Give at most {MOST_PHRASINGS} other ways to ask."])
    for text in (content.question, *content.phrasings):
        if not _SHORTEST <= len(one_line(text)) <= LONGEST_QUESTION:
            raise NotVerifiableError([f"A question has {_SHORTEST} to {LONGEST_QUESTION:,} characters."])


def _write_answer(row: VerifiedAnswer, content: Content, *, state: VerifiedAnswer.State) -> VerifiedAnswer:
    row.question, row.text, row.state, row.owner = one_line(content.question), content.text, state, content.owner
    if state is VerifiedAnswer.State.DRAFT:
        row.cited_text, row.verified_by, row.verified_at, row.review_on = "", None, None, content.review_on
    row.save()
    row.roles.set(content.roles)
    write_phrasings(row, content.phrasings)
    return row


def _list_told(query: Query) -> set[Edition]:
    """Return the editions that the answer to a question quotes; none where there is no answer, whose words to take."""
    rows = CitationRow.objects.filter(answer__query=query, answer__answer_text__isnull=False)
    return {row.edition for row in rows if row.edition}


def _write_sources(row: VerifiedAnswer, citations: Sequence[Citation], *, drawn: Iterable[Edition] = ()) -> None:
    """Store what carries an answer. drawn: editions whose words it may hold besides; of these no words are stored."""
    others = sorted(set(drawn) - {citation.edition for citation in citations})
    cited: set[UUID | None] = {citation.document_id for citation in citations}
    cited |= {edition.document_id for edition in others}
    there = set(Document.objects.filter(pk__in=cited).values_list("pk", flat=True))  # not deleted meanwhile
    quoted = [
        (VerifiedSource.from_value(citation, verified_answer=row), citation)
        for citation in citations
        if citation.document_id in there
    ]
    with bypass_row_security():
        row.sources.all().delete()
        VerifiedSource.objects.bulk_create(source for source, _ in quoted)
        VerifiedSource.objects.bulk_create(
            VerifiedSource(
                verified_answer=row,
                number=number,
                document_id=edition.document_id,
                document_version=edition.version,
                start_offset=0,
                end_offset=0,
                relevance_score=0,
            )
            for number, edition in enumerate(others, len(citations) + 1)
            if edition.document_id in there
        )
        VerifiedSourceWords.objects.bulk_create(
            VerifiedSourceWords.from_value(one, source=source) for source, one in quoted
        )


def _record_audit(row: VerifiedAnswer, by: User | None, *, created: bool) -> None:
    AuditEvent.objects.create(
        actor=by,
        action=AuditEvent.Action.CREATE if created else AuditEvent.Action.CHANGE,
        object_type="verifiedanswer",
        object_id=str(row.pk),
        details={"state": row.state, "sources": row.sources.count(), "roles": row.roles.count()},
    )
