"""Ask again on the copy what was asked of the old version, and compare with what it answered; store nothing.

A report of it names questions by their ids: no word of a question, an answer or a document leaves this module.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils import timezone

from core.asking.answering.preparation import Asking
from core.asking.dry_runs.replay import recall_and_ask
from core.asking.dry_runs.running import run_dry
from core.asking.generation.extractive import PROVIDER
from core.asking.verified_answers.staleness import list_outdated
from core.models import Document, ModelExamination, Query, VerifiedAnswer
from core.operations.rehearsal.report import Outcome
from core.quality.examination.asking import ask
from core.quality.examination.judging import RIGHT, WITHHELD, Ended, judge, sum_up
from core.quality.examination.questions import find_readers, write_questions
from core.types import Edition, Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """A question that was asked again. Ids and states, no text."""

    kind: str  # "asked" by a person, or "verified" of a verified answer
    id: str  # of the request, or of the verified answer
    outcome: Outcome
    error: str = ""  # the class of what failed
    in_channel: bool = False  # asked for everyone in a channel then, and for its asker alone now
    documents_changed: bool = False  # since it was answered: the version need not be the reason
    by_model: bool = False  # a language model answered then, so only whether there is an answer is compared


@dataclass(frozen=True, kw_only=True, slots=True)
class Examined:
    """The key-free answers to questions that the library's own passages answer, and the figures of the last time."""

    questions: int
    right: int  # with those that were rightly refused, because the answer had been taken away
    failed: int
    earlier_questions: int = 0
    earlier_right: int = 0
    earlier_at: str = ""  # ISO 8601; "" where the old version kept no examination


def choose_verified(most: int) -> list[VerifiedAnswer]:
    """Return at most so many verified answers that hold, last changed first."""
    rows = list(VerifiedAnswer.objects.filter(state=VerifiedAnswer.State.ACTIVE).prefetch_related("sources", "roles"))
    outdated = list_outdated(rows, today=timezone.localdate())
    return [row for row in rows if row.pk not in outdated][:most]


def compare_asked(query: Query) -> Compared:
    """Ask a person's question again, for its asker alone."""
    about: dict[str, Any] = {
        "kind": "asked",
        "id": query.request_id,
        "in_channel": query.conversation.slack_channel.startswith(("C", "G")),
        "by_model": query.answer.model_provider != PROVIDER and query.answer.answer_text is not None,
    }
    try:
        then, now, is_hidden = recall_and_ask(query.request_id)
    except Exception as error:  # noqa: BLE001 - whatever it is, the others are asked, and this one is reported
        return Compared(**about, outcome=Outcome.FAILS, error=type(error).__name__)
    outcome = Outcome.NOT_COMPARED if is_hidden else _compare_answers(then, now, by_model=about["by_model"])
    return Compared(**about, outcome=outcome, documents_changed=_have_changed(query, then, now))


def compare_verified(row: VerifiedAnswer) -> Compared | None:
    """Ask the question of a verified answer as readers who may have it; None where no role may alone."""
    editions = tuple({Edition(one.document_id, one.document_version) for one in row.sources.all() if one.document_id})
    audience = find_readers(editions, [role.pk for role in row.roles.all()] or None)
    if audience is None:
        return None
    try:
        now = run_dry(Asking(text=row.question, audience=audience, standing_alone=row.question)).run
    except Exception as error:  # noqa: BLE001 - as above
        return Compared(kind="verified", id=str(row.pk), outcome=Outcome.FAILS, error=type(error).__name__)
    outcome = Outcome.REFUSED if now.text is None else Outcome.WORDING
    return Compared(kind="verified", id=str(row.pk), outcome=Outcome.SAME if now.text == row.cited_text else outcome)


def examine(most: int, *, done: Callable[[int], None]) -> Examined | None:
    """Ask the library's own questions of the key-free answers; None where none can be written.

    done: called with 1 after each question.
    """
    questions = [one for one in write_questions(most) if one.query_id is None]
    ended: list[tuple[str, Ended]] = []
    failed = 0
    for question in questions:
        try:
            one = ask(question, None)
        except Exception:  # noqa: BLE001 - as above
            failed += 1
        else:
            outcome = judge(one, is_answerable=question.is_answerable, words=question.words, places=question.places)
            ended.append((outcome, one))
        done(1)
    if not questions:
        return None
    figures = sum_up([outcome for outcome, _ in ended], [one for _, one in ended])
    return Examined(
        questions=len(questions), right=figures[RIGHT] + figures[WITHHELD], failed=failed, **_find_earlier()
    )


def _find_earlier() -> dict[str, Any]:
    rows = ModelExamination.objects.filter(finished_at__isnull=False).exclude(figures={}).order_by("-finished_at")
    last = rows.first()
    if last is None or last.finished_at is None:
        return {}
    figures = last.figures["key_free"]
    return {
        "earlier_questions": figures["questions"],
        "earlier_right": figures[RIGHT] + figures[WITHHELD],
        "earlier_at": last.finished_at.isoformat(timespec="seconds"),
    }


def _compare_answers(then: Run, now: Run, *, by_model: bool) -> Outcome:
    if then.text is None:
        return Outcome.SAME if now.text is None else Outcome.ANSWERED
    if now.text is None:
        return Outcome.REFUSED
    if by_model or then.text == now.text:
        return Outcome.SAME
    same_documents = {*_list_documents(then)} == {*_list_documents(now)}
    return Outcome.WORDING if same_documents else Outcome.SOURCES


def _list_documents(run: Run) -> Iterator[UUID | None]:
    return (citation.document_id for citation in run.citations)


def _have_changed(query: Query, then: Run, now: Run) -> bool:
    """Return True if a document that was cited then has another edition by now, or one that is cited now came later."""
    cited = {one.document_id for one in (*then.citations, *now.citations)}
    current = {row.pk: row for row in Document.objects.filter(pk__in=cited - {None})}
    editions = (one.edition for one in then.citations if one.edition)
    if any(one.document_id not in current or current[one.document_id].version != one.version for one in editions):
        return True
    return any(current[pk].ingested_at > query.created_at for pk in _list_documents(now) if pk in current)
