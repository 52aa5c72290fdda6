"""Choose the questions of an examination: those of people first, then some that the library's own passages answer."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from uuid import UUID

from django.db.models import Prefetch
from django.utils import timezone

from core.access.audiences import audience_of, audience_of_roles, may_read_all
from core.asking.history.visibility import list_cited
from core.asking.reading import reader
from core.asking.verification.same_question import depends_on_today
from core.asking.verified_answers.staleness import list_outdated
from core.library.retrieval.chunk_lookup import passages_of_document
from core.llm.stopping import check_stopped
from core.models import Answer, Document, ExaminationLine, Feedback, RoleDocumentAccess, VerifiedAnswer
from core.quality.examination.candidates import Candidate, find_candidates
from core.quality.examination.judging import Place
from core.types import Audience, ContextMode, Edition, Passage

Kind = ExaminationLine.Kind

_OF_PEOPLE = 4  # in how many parts of the questions verified and liked ones take one each
_UNANSWERABLE = 3  # one in so many questions
_OF_ONE_DOCUMENT = 2
_OF_ONE_FIRST = 6  # of a document that comes before the others
_MOST_READ = 6  # candidates that are read, for each question wanted
# Logit of the reader: of the passages with more about nine of ten answer (core/asking/answering/ordering.py has the
# same).
_SURE = 2.0
_READ_WITHIN_S = 20.0  # seconds for one passage, on a machine that is busy
_BY_FORM = frozenset({Kind.CELL, Kind.LABEL})  # that need no reader


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question whose answer is known, and as whom it is asked."""

    kind: str
    text: str
    audience: Audience
    words: str  # that a right answer holds, or ""
    places: tuple[Place, ...]  # that hold the answer
    sources: tuple[Edition, ...]  # whose words the question or its answer may hold
    is_answerable: bool = True
    query_id: UUID | None = None  # of the person's question that it is


def write_questions(most: int) -> list[Question]:
    """Return at most so many questions: a third of them with the passages that answer taken away.

    Every question is asked as readers who may read what answers it. StoppedError as for every stoppable work.
    """
    wanted = most - most // _UNANSWERABLE
    found = [*_list_verified(most // _OF_PEOPLE), *_list_liked(most // _OF_PEOPLE)][:wanted]
    of_library = list(write_of_library(max(wanted - len(found), most // _UNANSWERABLE)))
    exchanged = [replace(one, is_answerable=False) for one in of_library if one.words][: most // _UNANSWERABLE]
    return [*found, *of_library[: wanted - len(found)], *exchanged]


def _list_verified(most: int) -> Iterator[Question]:
    """Yield the questions of verified answers that hold, last changed first."""
    active = VerifiedAnswer.objects.filter(state=VerifiedAnswer.State.ACTIVE).prefetch_related("sources", "roles")
    rows = list(active[: most * 3])
    outdated = list_outdated(rows, today=timezone.localdate())
    held = [row for row in rows if row.pk not in outdated]
    chosen = 0
    for row in held:
        editions = tuple(
            {Edition(one.document_id, one.document_version) for one in row.sources.all() if one.document_id}
        )
        roles = [role.pk for role in row.roles.all()]
        audience = find_readers(editions, roles or None)
        places = tuple(
            Place(document_id=one.document_id, chunk_id=one.chunk_id, start=one.start_offset, end=one.end_offset)
            for one in row.sources.all()
            if one.document_id
        )
        if audience and places and chosen < most:
            chosen += 1
            yield Question(
                kind=Kind.VERIFIED, text=row.question, audience=audience, words="", places=places, sources=editions
            )


def _list_liked(most: int) -> Iterator[Question]:
    """Yield questions that stand alone and whose answers were voted up and never down, as their askers read now."""
    up = Feedback.objects.filter(verdict=Feedback.Verdict.UP)
    down = Feedback.objects.filter(verdict=Feedback.Verdict.DOWN)
    answers = (
        Answer.objects.filter(
            refusal_reason="", verified_answer=None, query__erased_at=None, pk__in=up.values("answer")
        )
        .filter(query__context_mode=ContextMode.FULL_CORPUS, query__filters={})
        .exclude(pk__in=down.values("answer"))
        .select_related("query")
        .prefetch_related(Prefetch("citations"))
        .order_by("-created_at", "pk")[: most * 5]
    )
    seen: set[str] = set()
    for answer in answers:
        query, text = answer.query, answer.query.question_text
        editions = tuple(edition for edition in list_cited(answer) if edition)
        audience = audience_of([query.user_id])
        stands_alone = query.standalone_question in {"", text} and not query.named_documents
        if len(seen) == most or not stands_alone or text in seen or depends_on_today(text):
            continue
        if not editions or audience.reads_nothing or not may_read_all(editions, audience):
            continue
        seen.add(text)
        places = tuple(
            Place(document_id=one.document_id, chunk_id=one.chunk_id, start=one.start_offset, end=one.end_offset)
            for one in answer.citations.all()
            if one.document_id
        )
        yield Question(
            kind=Kind.LIKED,
            text=text,
            audience=audience,
            words="",
            places=places,
            sources=editions,
            query_id=query.pk,
        )


def write_of_library(
    most: int, *, roles: frozenset[UUID] | None = None, first: frozenset[UUID] = frozenset()
) -> Iterator[Question]:
    """Yield at most so many questions that passages of the library answer surely, spread over documents and kinds.

    roles: as whose members they are asked; None: for each document as the role that reads the most. first: documents
    that come before the others.
    """
    kinds: Counter[str] = Counter()
    asked: set[str] = set()
    left, is_read = most * _MOST_READ, reader.is_on()
    before: list[Iterator[tuple[Candidate, Passage, Audience]]] = []
    others: list[Iterator[tuple[Candidate, Passage, Audience]]] = []
    for document, role in _find_usual_readers(roles):
        (before if document in first else others).append(_list_candidates(document, role))
    for candidates in chain(before * _OF_ONE_FIRST, others * _OF_ONE_DOCUMENT):  # each goes on where it was
        check_stopped()
        question: Question | None = None
        for candidate, passage, audience in candidates:
            if left <= 0:
                return
            # Cells are many where there are tables: no kind takes more than half.
            if candidate.question in asked or kinds[candidate.kind] >= max(most // 2, 1):
                continue
            left -= 1
            if _is_answered(candidate, passage) if is_read else candidate.kind in _BY_FORM:
                question = _build_question(candidate, passage, audience)
                break
        if question:
            asked.add(question.text)
            kinds[question.kind] += 1
            yield question
            if len(asked) == most:
                return


def _list_candidates(document: UUID, role: UUID) -> Iterator[tuple[Candidate, Passage, Audience]]:
    audience = audience_of_roles([role])
    for passage in passages_of_document(document, audience=audience):
        heading = passage.section or passage.document_name
        for candidate in find_candidates(passage.content, place=heading):
            yield candidate, passage, audience


def _is_answered(candidate: Candidate, passage: Passage) -> bool:
    """Return True if the reader finds the answer where the form of the passage puts it."""
    check_stopped()
    [reading] = reader.read(candidate.question, [(passage.source, passage.content)], budget_s=_READ_WITHIN_S)
    if reading is None or reading.answers < _SURE:
        return False
    best = reading.spans.find_best(1)
    return bool(best) and best[0].start < candidate.end and candidate.start < best[0].end


def _build_question(candidate: Candidate, passage: Passage, audience: Audience) -> Question:
    place = Place(
        document_id=passage.document_id or UUID(int=0),
        chunk_id=passage.chunk_id,
        start=candidate.start,
        end=candidate.end,
    )
    return Question(
        kind=candidate.kind,
        text=candidate.question,
        audience=audience,
        words=candidate.words,
        places=(place,),
        sources=tuple(edition for edition in (passage.edition,) if edition),
    )


def _find_usual_readers(roles: frozenset[UUID] | None) -> list[tuple[UUID, UUID]]:
    """Return the documents that somebody reads, in a fixed random order, each with its role that reads most.

    roles: among which the readers are; None: all.
    """
    granted: dict[UUID, list[UUID]] = defaultdict(list)
    of_role: Counter[UUID] = Counter()
    ordinary = Document.objects.filter(collection__is_asked_last=False).values("pk")
    rows = RoleDocumentAccess.objects.in_force().filter(document__in=ordinary)
    if roles is not None:
        rows = rows.filter(role__in=roles)
    for document, role in rows.values_list("document_id", "role_id"):
        granted[document].append(role)
        of_role[role] += 1
    spread = sorted(granted, key=lambda pk: hashlib.sha256(pk.bytes).digest())
    return [(document, max(granted[document], key=lambda role: (of_role[role], role))) for document in spread]


def find_readers(editions: tuple[Edition, ...], roles: list[UUID] | None) -> Audience | None:
    """Return the readers of one role who may read all of some editions; None where no role can alone."""
    if not editions:
        return None
    granted = RoleDocumentAccess.objects.in_force().filter(document__in=[one.document_id for one in editions])
    candidates = roles or list(granted.order_by("role").values_list("role_id", flat=True).distinct())
    audiences = (audience_of_roles([role]) for role in candidates)
    return next((audience for audience in audiences if may_read_all(editions, audience)), None)
