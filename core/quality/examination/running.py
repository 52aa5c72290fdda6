"""Run an examination in the worker: question after question, each kept as it ends; a half of one is never more."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.errors import StoppedError
from core.llm.client import ModelSettings, model_settings
from core.llm.stopping import check_stopped, stoppable
from core.models import Alert, ExaminationLine, ExaminationSource, ExaminationWords, ModelExamination
from core.models.row_security import bypass_row_security
from core.quality.examination.asking import ask
from core.quality.examination.deciding import is_as_set
from core.quality.examination.judging import FAILED, RIGHT, Ended, judge, sum_up
from core.quality.examination.questions import Question, write_questions
from core.types import Edition

logger = logging.getLogger(__name__)

State = ModelExamination.State
KEPT = 5  # examinations of which the single questions are kept
LOST_AFTER = timedelta(minutes=5)  # without a sign of the worker, which gives one twice a second while it waits
_SIGN_EVERY = timedelta(seconds=10)
_FAILURES = 3  # in a row, after which the model is not asked any more
NO_QUESTIONS = "No question could be written: the library has too few documents that somebody may read."
NO_REPLY = "The model did not respond to three questions in a row. Look at its server, then examine again."
WORKER_STOPPED = "The worker stopped during the examination. Examine again."
WRONG_MODEL = "LLM_MODEL, its server, its file or its prompts have changed since this was asked for. Examine again."
STOPPED_BY_PERSON = "Somebody stopped it."


def run_examination(examination_id: UUID) -> None:
    """Examine the model that is set, if it is what the examination is about. A failure is stored, and raised."""
    started = ModelExamination.objects.filter(pk=examination_id, state=State.WAITING).update(
        state=State.RUNNING, started_at=timezone.now(), seen_at=timezone.now()
    )
    if not started:  # stopped while it waited, or another worker has it
        return
    examination = ModelExamination.objects.get(pk=examination_id)
    try:
        model = model_settings()
        if not is_as_set(examination, model):
            _end_examination(examination, State.FAILED, WRONG_MODEL)
            return
        with stoppable(lambda: _is_stopped(examination)):
            _ask_all_questions(examination, model)
    except StoppedError:
        _end_examination(examination, State.STOPPED, STOPPED_BY_PERSON)
    except BaseException as error:
        _end_examination(
            examination, State.FAILED, f"It failed ({type(error).__name__}). The log of the worker says more."
        )
        raise


def end_lost() -> int:
    """End the examinations whose worker has gone, and return how many those were. Nothing of them is admitted."""
    silent = timezone.now() - LOST_AFTER
    return ModelExamination.objects.filter(state=State.RUNNING, seen_at__lt=silent).update(
        state=State.FAILED, reason=WORKER_STOPPED, finished_at=timezone.now()
    )


def _ask_all_questions(examination: ModelExamination, model: ModelSettings) -> None:
    questions = write_questions(settings.EXAMINATION_QUESTIONS)
    if not questions:
        _end_examination(examination, State.FAILED, NO_QUESTIONS)
        return
    ModelExamination.objects.filter(pk=examination.pk).update(total=len(questions))
    by_model: list[tuple[str, Ended]] = []
    by_key_free: list[tuple[str, Ended]] = []
    for number, question in enumerate(questions, 1):
        check_stopped()
        plain = _ask_and_judge(question, None)
        asked = _ask_and_judge(question, model)
        by_key_free.append(plain)
        by_model.append(asked)
        _keep_line(examination, number, question, asked, plain)
        if len(by_model) >= _FAILURES and all(outcome == FAILED for outcome, _ in by_model[-_FAILURES:]):
            _end_examination(examination, State.FAILED, NO_REPLY)
            return
    check_stopped()
    figures = {"model": _sum_up(by_model), "key_free": _sum_up(by_key_free)}
    if not _end_examination(examination, State.EXAMINED, "", figures=figures):
        raise StoppedError  # while its last question was answered
    _raise_alert_if_fallen(examination, figures)
    _forget_old()


def _ask_and_judge(question: Question, model: ModelSettings | None) -> tuple[str, Ended]:
    ended = ask(question, model)
    outcome = judge(ended, is_answerable=question.is_answerable, words=question.words, places=question.places)
    return outcome, ended


def _sum_up(ended: Sequence[tuple[str, Ended]]) -> dict[str, Any]:
    return sum_up([outcome for outcome, _ in ended], [one for _, one in ended])


def _keep_line(
    examination: ModelExamination, number: int, question: Question, asked: tuple[str, Ended], plain: tuple[str, Ended]
) -> None:
    """Keep a line with its sources and its words, in one transaction: words without a source are nobody's."""
    (outcome, model), (plain_outcome, key_free) = asked, plain
    # Of a person's question nothing is kept: it is erased with the question, and so would have to be what answers it.
    is_own = question.query_id is None
    cited = (citation.edition for one in (model, key_free) for citation in one.citations)
    sources = {*question.sources, *(edition for edition in cited if isinstance(edition, Edition))}
    with transaction.atomic():
        line = ExaminationLine.objects.create(
            examination=examination,
            number=number,
            kind=question.kind,
            is_answerable=question.is_answerable,
            query_id=question.query_id,
            model_outcome=outcome,
            key_free_outcome=plain_outcome,
            in_own_words=model.in_own_words,
            keeps_format=model.keeps_format,
            model_ms=model.ms,
            key_free_ms=key_free.ms,
            tokens=model.tokens,
        )
        ExaminationSource.objects.bulk_create(
            ExaminationSource(line=line, document_id=one.document_id, document_version=one.version) for one in sources
        )
        with bypass_row_security():
            ExaminationWords.objects.create(
                line=line,
                question=question.text if is_own else "",
                expected=question.words,
                model_text=(model.text or "") if is_own else "",
                key_free_text=(key_free.text or "") if is_own else "",
            )
    _give_sign(examination)


def _is_stopped(examination: ModelExamination) -> bool:
    """Look whether somebody asked it to stop, or ended it, and give a sign of life."""
    _give_sign(examination)
    under_way = Q(pk=examination.pk, state=State.RUNNING, is_stopping=False)
    return not ModelExamination.objects.filter(under_way).exists()


def _give_sign(examination: ModelExamination) -> None:
    now = timezone.now()
    if examination.seen_at is None or now - examination.seen_at > _SIGN_EVERY:
        examination.seen_at = now
        ModelExamination.objects.filter(pk=examination.pk, state=State.RUNNING).update(seen_at=now)


def _end_examination(
    examination: ModelExamination, state: str, reason: str, *, figures: dict[str, dict[str, Any]] | None = None
) -> bool:
    """End an examination that runs; False, and nothing changed, where it has been ended otherwise meanwhile.

    One that somebody asked to stop is not examined, though its last question was answered.
    """
    running = ModelExamination.objects.filter(pk=examination.pk, state=State.RUNNING)
    if state == State.EXAMINED:
        running = running.filter(is_stopping=False)
    ended = running.update(state=state, reason=reason, figures=figures or {}, finished_at=timezone.now())
    logger.info("examination_ended", extra={"examination": str(examination.pk), "state": state, "ended": bool(ended)})
    return bool(ended)


def _raise_alert_if_fallen(examination: ModelExamination, figures: dict[str, dict[str, Any]]) -> None:
    """Raise an alert where the model has a smaller share right than when it was examined before."""
    earlier = (
        ModelExamination.objects.filter(model=examination.model, finished_at__isnull=False)
        .exclude(pk=examination.pk)
        .exclude(figures={})
        .order_by("-finished_at")
        .first()
    )
    if earlier is None:
        return
    before, now = _right_share(earlier.figures["model"]), _right_share(figures["model"])
    least = max(0.0, before - settings.EVALUATION_ALERT_DROP)
    if now < least:
        Alert.objects.get_or_create(
            examination=examination,
            metric="examination_right",
            defaults={"score": _three_decimals(now), "threshold": _three_decimals(least)},
        )


def _right_share(figures: dict[str, Any]) -> float:
    return float((figures[RIGHT] + figures["withheld"]) / figures["questions"])


def _three_decimals(value: float) -> Decimal:
    return Decimal(str(value)).quantize(Decimal("0.001"))


def _forget_old() -> None:
    """Delete the questions of all but the last examinations; their figures stay."""
    kept = list(ModelExamination.objects.order_by("-created_at").values_list("pk", flat=True)[:KEPT])
    ExaminationLine.objects.exclude(examination__in=kept).delete()
