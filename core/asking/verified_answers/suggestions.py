"""List answers that could be verified: same question, same documents, voted up by several people."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db.models import Prefetch

from core.access.audiences import audience_of, readable_editions
from core.asking.history.visibility import list_cited
from core.asking.verification.same_question import asks_the_same, depends_on_today
from core.asking.verified_answers.matching import SAME_MEANING
from core.language.nlp.text import one_line
from core.library import embedding
from core.library.embedding.similarity import vectors_of
from core.models import Answer, Feedback, Query, User, VerifiedAnswer
from core.types import ContextMode

LEAST_PEOPLE = 3  # who voted it up
_LOOKED_AT = 300  # of the last answers that were voted up
MOST_SHOWN = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggestion:
    """An answer that several people voted up, each for a question that means the same."""

    query: Query  # the last of them
    question: str
    text: str
    people: int


def list_suggestions(*, viewer: User) -> tuple[Suggestion, ...]:
    """List answers that could be verified and whose sources the viewer may all read; most votes first."""
    answers = _list_voted_up(viewer)
    if not answers:
        return ()
    model = embedding.provider()
    vectors = vectors_of(model, [_get_question(answer) for answer in answers])
    groups = _group_alike(answers, vectors)
    found = [_make_suggestion(group) for group in groups]
    enough = [one for one in found if one.people >= LEAST_PEOPLE and not _is_known(one)]
    return tuple(sorted(enough, key=lambda one: -one.people)[:MOST_SHOWN])


def _list_voted_up(viewer: User) -> list[Answer]:
    """Return the last answers that somebody voted up, and nobody down, whose sources the viewer may read."""
    audience = audience_of([viewer.pk])
    up = Feedback.objects.filter(verdict=Feedback.Verdict.UP)
    down = Feedback.objects.filter(verdict=Feedback.Verdict.DOWN)
    rows = (
        Answer.objects.filter(refusal_reason="", verified_answer=None, query__erased_at=None)
        .filter(query__context_mode=ContextMode.FULL_CORPUS, pk__in=up.values("answer"))
        .exclude(pk__in=down.values("answer"))
        .select_related("query")
        .prefetch_related(
            "citations",
            Prefetch("feedback", queryset=up.only("answer_id", "user_id")),
        )
        .order_by("-created_at", "pk")[:_LOOKED_AT]
    )
    answers = [answer for answer in rows if not depends_on_today(_get_question(answer))]
    quoted = {answer.pk: {*list_cited(answer), *answer.query.named_editions} for answer in answers}
    readable = readable_editions(set().union(*quoted.values()), audience)
    return [answer for answer in answers if _get_sources(answer) and quoted[answer.pk] <= readable]


def _group_alike(answers: Sequence[Answer], vectors: np.ndarray) -> list[list[Answer]]:
    """Return answers from the same documents to questions that mean the same, each with the first that it fits."""
    groups: list[list[int]] = []
    for row, answer in enumerate(answers):
        for group in groups:
            first = answers[group[0]]
            near = float(vectors[row] @ vectors[group[0]]) >= SAME_MEANING
            if (
                near
                and _get_sources(first) == _get_sources(answer)
                and asks_the_same(_get_question(first), _get_question(answer))
            ):
                group.append(row)
                break
        else:
            groups.append([row])
    return [[answers[row] for row in group] for group in groups]


def _make_suggestion(group: Sequence[Answer]) -> Suggestion:
    last = group[0]
    people = {feedback.user_id for answer in group for feedback in answer.feedback.all()}
    return Suggestion(query=last.query, question=_get_question(last), text=last.answer_text or "", people=len(people))


def _is_known(suggestion: Suggestion) -> bool:
    """Return True if a verified answer to this question exists, adopted from the suggestion or written anew."""
    texts = VerifiedAnswer.objects.exclude(state=VerifiedAnswer.State.RETIRED).values_list("question", flat=True)
    return any(asks_the_same(suggestion.question, text) for text in texts)


def _get_question(answer: Answer) -> str:
    return one_line(answer.query.standalone_question or answer.query.question_text)


def _get_sources(answer: Answer) -> frozenset[UUID | None]:
    return frozenset(citation.document_id for citation in answer.citations.all())
