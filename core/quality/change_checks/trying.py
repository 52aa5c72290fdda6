"""Ask the questions of a check without its change and with it, and keep what differs.

The change is made in a transaction that is rolled back: nobody else ever sees it. While it is open it holds what it
changed, so it is left after some seconds, and at once where somebody waits for it; a further transaction makes the
change anew.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connection, transaction

from core.access.audiences import readable_among
from core.asking.dry_runs.running import run_dry
from core.asking.generation.modes import is_extractive
from core.asking.spending.meter import INSTALLATION, BudgetMeter
from core.llm.calls import CallContext, call_context
from core.llm.client import ModelSettings, model_settings
from core.llm.stopping import check_stopped
from core.models import ChangeCheck, ChangeCheckLine, ChangeCheckSource, ChangeCheckWords, Document
from core.models.row_security import bypass_row_security
from core.quality.change_checks.comparing import Difference, compare
from core.quality.change_checks.kinds import load_change
from core.quality.change_checks.kinds.change import Change
from core.quality.change_checks.questions import Question, choose_questions
from core.quality.change_checks.waiting import is_waited_for
from core.types import Citation, Run
from core.values.change_checks import Side

logger = logging.getLogger(__name__)

# Questions that are asked without the change and then with it: passages that are the same are read once, and the reader
# keeps some hundred readings.
_AT_ONCE = 10
_OPEN_S = 10.0  # for which a transaction with the change stays open, at the most
_OPEN_AS_OFTEN = 2  # or for so many times as long as it took to make the change, where that is longer
_WAIT_S = 3  # for a lock that the change needs
_TRIES = 5  # to make the change, while others hold what it needs
_PAUSE_S = 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """Holds a question with its two ends; None for one that failed."""

    question: Question
    before: Run | None
    after: Run | None
    difference: Difference


def try_change(check: ChangeCheck, *, chosen: Callable[[int], None], done: Callable[[int], None]) -> None:
    """Ask, compare and store the lines of a check. Nothing else is changed.

    chosen: called with the number of questions. done: called with 1 after each that was asked both ways.
    ChangeNotPossibleError where the change cannot be tried; StoppedError as for every stoppable work.
    """
    change = load_change(check)
    change.prepare()
    questions = choose_questions(change, settings.CHANGE_CHECK_QUESTIONS)
    chosen(len(questions))
    before, after = list[Run | None](), list[Run | None]()
    for start in range(0, len(questions), _AT_ONCE):
        some = questions[start : start + _AT_ONCE]
        before += [_ask(question, change.model_before()) for question in some]
        after += _ask_with(change, some, done)
    by_model = not (_is_key_free(change.model_before()) and _is_key_free(change.model_after()))
    replaced = change.list_replaced()
    compared = [
        Compared(
            question=question,
            before=earlier,
            after=later,
            difference=compare(
                earlier,
                later,
                by_model=by_model,
                is_liked=question.is_liked,
                library=question.library,
                replaced=replaced,
            ),
        )
        for question, earlier, later in zip(questions, before, after, strict=True)
    ]
    _store_lines(check, compared, replaced)


def _is_key_free(model: ModelSettings | None) -> bool:
    return is_extractive(model or model_settings())


def _ask(question: Question, model: ModelSettings | None) -> Run | None:
    """Ask a question as it is to be asked now. None where that fails, whatever the reason."""
    check_stopped()
    try:
        # A statement that fails in the transaction with the change must not end that.
        within = transaction.atomic() if connection.in_atomic_block else nullcontext()
        with within, call_context(CallContext(meter=BudgetMeter(INSTALLATION))):
            return run_dry(question.build(), examined=model).run
    except Exception as error:  # noqa: BLE001 - the others are asked, and this one is reported
        logger.warning("change_check_question_failed", extra={"error": type(error).__name__})
        return None


def _ask_with(change: Change, questions: Sequence[Question], done: Callable[[int], None]) -> list[Run | None]:
    """Ask the questions with the change."""
    left, ended, model = deque(questions), list[Run | None](), change.model_after()
    if not change.in_transaction:
        for question in questions:
            ended.append(_ask(question, model))
            done(1)
        return ended
    while left:
        with _make_and_roll_back(change) as until:
            while left:
                ended.append(_ask(left.popleft(), model))
                done(1)
                if time.monotonic() > until or is_waited_for():
                    break
    return ended


@contextmanager
def _make_and_roll_back(change: Change) -> Iterator[float]:
    """Make the change, give the time until which it may stay, and roll it back when the block is left.

    OperationalError where others hold what it needs, again and again.
    """
    with ExitStack() as stack:
        for remaining in reversed(range(_TRIES)):
            began = time.monotonic()
            try:
                stack.push(_make(change))
                break
            except OperationalError:
                if not remaining:
                    raise
                time.sleep(_PAUSE_S)
        try:
            made = time.monotonic()
            yield made + max(_OPEN_S, _OPEN_AS_OFTEN * (made - began))
        finally:
            transaction.set_rollback(True)


def _make(change: Change) -> ExitStack:
    """Make the change in a transaction of its own, and return what leaves it."""
    with ExitStack() as opened:
        opened.callback(change.leave)
        opened.enter_context(transaction.atomic())
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{_WAIT_S}s'")
        change.enter()
        return opened.pop_all()
    raise AssertionError("unreachable")


def _store_lines(check: ChangeCheck, compared: Sequence[Compared], replaced: Collection[UUID]) -> None:
    """Store the outcome of every question, in the place of those of an earlier try."""
    stored = set(Document.objects.values_list("pk", flat=True).filter(pk__in=_list_cited(compared)))
    with transaction.atomic():
        check.lines.all().delete()
        for number, one in enumerate(compared, 1):
            _store_line(check, number, one, stored, stored.difference(replaced))


def _list_cited(compared: Sequence[Compared]) -> set[UUID]:
    runs = (run for one in compared for run in (one.before, one.after) if run is not None)
    return {citation.document_id for run in runs for citation in _list_shown(run) if citation.document_id}


def _list_shown(run: Run) -> tuple[Citation, ...]:
    return run.citations if run.text is not None else ()


def _store_line(check: ChangeCheck, number: int, one: Compared, stored: set[UUID], live: set[UUID]) -> None:
    """Store a line with its sources and its words: words without a source are nobody's.

    stored: the documents that have a row. live: those of them whose text the change leaves as it is.

    Of a person's question no word is kept, and none of what the change alone would bring: a new document has no row
    that a source could name, and nobody has been told yet who may read the new text of another.
    """
    question, before, after = one.question, one.before, one.after
    after_documents = {citation.document_id for citation in _list_shown(after)} if after else set()
    readable_now = readable_among(after_documents, question.find_audience())
    line = ChangeCheckLine.objects.create(
        check_of=check,
        number=number,
        asked_for=question.asked_for,
        query=question.query,
        person_id=question.person,
        role_id=question.role,
        outcome=one.difference.outcome,
        is_worse=one.difference.is_worse,
        is_displaced=one.difference.is_displaced,
        gains=len(after_documents - {None} - readable_now),
    )
    named = {
        Side.QUESTION: question.library.sources if question.library else (),
        Side.BEFORE: tuple(citation.edition for citation in _list_shown(before)) if before else (),
        Side.AFTER: tuple(citation.edition for citation in _list_shown(after)) if after else (),
    }
    ChangeCheckSource.objects.bulk_create(
        ChangeCheckSource(line=line, document_id=pk, document_version=version, side=side)
        for side, editions in named.items()
        for pk, version in sorted({(one.document_id, one.version) for one in editions if one})
        if pk in stored or side == Side.QUESTION
    )
    if question.library is None:
        return
    # A document may have been deleted since it was cited: then no source of the line names it.
    is_whole = {
        side: all(edition is not None and edition.document_id in known for edition in named[side])
        for side, known in ((Side.QUESTION, stored), (Side.BEFORE, stored), (Side.AFTER, live))
    }
    with bypass_row_security():
        ChangeCheckWords.objects.create(
            line=line,
            question=question.library.text,
            before_text=(before.text or "") if before and is_whole[Side.BEFORE] else "",
            after_text=(after.text or "") if after and is_whole[Side.AFTER] else "",
        )
