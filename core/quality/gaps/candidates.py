"""Select the questions that are gaps: refused for want of content, unsure, or voted down."""

from django.db.models import Case, CharField, Exists, OuterRef, Q, QuerySet, Value, When

from core.language.nlp.small_talk import is_small_talk
from core.language.nlp.text import content_stems
from core.models import Feedback, GapQuestion, Query
from core.types import NOBODY_ASKED, ContextMode, FeedbackReason, RefusalReason

_REFUSED = (RefusalReason.NOTHING_FOUND, RefusalReason.INSUFFICIENT)


def select_unanswered() -> QuerySet[Query]:
    """Questions about the library that got no good answer and still have their text, with their `outcome`.

    Questions that were none, that were asked back, over a quota or without a model say nothing about the library, and
    a selected text is its asker's. Nor does what people ask each other, and Footnote only overheard. That an answer was
    slow is no gap either.
    """
    down = Feedback.objects.filter(answer__query=OuterRef("pk"), verdict=Feedback.Verdict.DOWN).exclude(
        reasons=[FeedbackReason.TOO_SLOW]
    )
    outcome = Case(
        When(answer__refusal_reason__in=_REFUSED, then=Value(GapQuestion.Outcome.REFUSED.value)),
        When(answer__refusal_reason=RefusalReason.UNSURE, then=Value(GapQuestion.Outcome.UNSURE.value)),
        default=Value(GapQuestion.Outcome.VOTED_DOWN.value),
        output_field=CharField(),
    )
    refused = Q(answer__refusal_reason__in=(*_REFUSED, RefusalReason.UNSURE))
    return _select_asked().filter(refused | Q(Exists(down), answer__refusal_reason="")).annotate(outcome=outcome)


def select_answered() -> QuerySet[Query]:
    """Questions about the library that were answered and that nobody voted down, with their `outcome`."""
    asked = _select_asked().filter(answer__refusal_reason="")
    down = Feedback.objects.filter(answer__query=OuterRef("pk"), verdict=Feedback.Verdict.DOWN)
    return asked.filter(~Exists(down), answer__isnull=False).annotate(
        outcome=Value(GapQuestion.Outcome.ANSWERED.value, output_field=CharField())
    )


def _select_asked() -> QuerySet[Query]:
    """Select the questions that people asked of the library.

    A run over a dataset asks much on purpose that nothing answers.
    """
    asked = Query.objects.filter(erased_at=None, context_mode=ContextMode.FULL_CORPUS, is_overheard=False)
    return asked.exclude(conversation__origin__in=NOBODY_ASKED)


def is_about_something(question: str) -> bool:
    """Return True if a question has words to search for and is no greeting, thanks, test or the like."""
    return bool(content_stems(question)) and not is_small_talk(question)


def text_to_embed(query: Query) -> str:
    """Return the words by which a question is compared: those that need no earlier question, where there are some."""
    return query.standalone_question or query.question_text
