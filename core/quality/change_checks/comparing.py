"""Compare the answer of now with the answer after a change. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from core.quality.examination.judging import RIGHT, Ended, judge
from core.quality.examination.questions import Question as LibraryQuestion
from core.types import Run
from core.values.change_checks import Outcome

_ALWAYS_WORSE = frozenset({Outcome.FAILED, Outcome.VANISHED, Outcome.DISPUTED})


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """Holds what a change does to one answer."""

    outcome: Outcome
    is_worse: bool
    is_displaced: bool = False  # it cites other documents, and none of those of before


def compare(
    before: Run | None,
    after: Run | None,
    *,
    by_model: bool,
    is_liked: bool,
    library: LibraryQuestion | None,
    replaced: Collection[UUID],
) -> Difference:
    """Say what a change does to an answer.

    before, after: None where asking failed. by_model: a language model wrote one of the two, whose words differ each
    time: only whether there is an answer, and from which documents, is compared. is_liked: somebody found the answer
    of before helpful. library: the question, of which a right answer is known. replaced: documents whose text the
    change replaces; an answer from another text of theirs is other, and not worse. It is worse where that text answers
    no more, and what comes instead is from documents that had not been cited.
    """
    outcome = _find_outcome(before, after, by_model=by_model)
    if outcome in _ALWAYS_WORSE:
        return Difference(outcome=outcome, is_worse=True)
    is_copied = before is not None and after is not None and before.text == after.text  # from a document of one text
    if outcome in {Outcome.SAME, Outcome.ANSWERED} or is_copied or before is None or after is None:
        return Difference(outcome=outcome, is_worse=False)
    then, now = _list_documents(before), _list_documents(after)
    is_displaced = then.isdisjoint(now)
    if is_displaced and not then.isdisjoint(replaced):
        return Difference(outcome=outcome, is_worse=True, is_displaced=True)
    if library is not None:
        is_expected = not {one.document_id for one in library.sources}.isdisjoint(replaced)
        is_worse = not is_expected and _is_right(library, before) and not _is_right(library, after)
    else:
        is_worse = is_liked and bool(then - now - set(replaced))
    return Difference(outcome=outcome, is_worse=is_worse, is_displaced=is_displaced)


def _find_outcome(before: Run | None, after: Run | None, *, by_model: bool) -> Outcome:
    if before is None:
        return Outcome.SAME if after is None else Outcome.ANSWERED if after.text is not None else Outcome.SAME
    if after is None:
        return Outcome.FAILED
    if before.text is None:
        return Outcome.SAME if after.text is None else Outcome.ANSWERED
    if after.text is None:
        return Outcome.VANISHED
    if after.contradiction is not None and before.contradiction is None:
        return Outcome.DISPUTED
    if _list_documents(before) != _list_documents(after):
        return Outcome.SOURCES
    return Outcome.SAME if by_model or before.text == after.text else Outcome.WORDING


def _list_documents(run: Run) -> set[UUID | None]:
    return {citation.document_id for citation in run.citations}


def _is_right(question: LibraryQuestion, run: Run) -> bool:
    ended = Ended(text=run.text, citations=run.citations)
    return judge(ended, is_answerable=True, words=question.words, places=question.places) == RIGHT
