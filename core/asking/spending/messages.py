"""Notify people of budgets: in the same words for their own and for shared ones, and without figures.

A reader beside the asker does not see whose budget it is, and nobody learns what others have used.
"""

from uuid import UUID

from django.db import IntegrityError, transaction

from core.asking.spending.budget_use import find_held
from core.asking.spending.meter import Spender
from core.language.i18n.translation import day, say, translatable
from core.models import Budget, BudgetTold
from core.models.budgets import next_month, this_month

NEARLY_USED_UP = translatable(
    "A monthly budget for language models that your questions count towards is nearly used up. Please keep to what you "
    "need. It begins anew on {day}."
)
QUOTED = translatable(
    "No language model was used for this, because a monthly budget for it is used up. It begins anew on {day}."
)
BY_WORDS = translatable("I looked only for passages with the words of your question.")
REFUSED = translatable(
    "I cannot answer this now, because a monthly budget for language models is used up. Please ask me again from "
    "{day} on."
)


def say_quoted() -> str:
    """Explain that an answer is in the documents' own words because of a budget."""
    return say(QUOTED, day=_say_beginning())


def say_by_words() -> str:
    """Explain that there are passages in place of an answer, and that they were found by words alone."""
    return f"{say_quoted()} {say(BY_WORDS)}"


def say_refused() -> str:
    """Explain that a budget allows no answer, and until when."""
    return say(REFUSED, day=_say_beginning())


def take_notice(spender: Spender) -> str:
    """Return a notice for the asker alone that a soft limit is reached, once a month and budget; else "".

    Nothing where a hard limit is reached, since the reply says so, and nothing for a person unknown to Footnote.
    """
    if spender.user_id is None:
        return ""
    all_held = find_held(spender.counted)
    if any(held.is_used_up for held in all_held):
        return ""
    near = [held.budget for held in all_held if held.is_nearly_used_up]
    new = [budget for budget in near if _note_told(budget, spender.user_id)]
    return say(NEARLY_USED_UP, day=_say_beginning()) if new else ""


def _note_told(budget: Budget, user_id: UUID) -> bool:
    """Record the notice, and return True if the person had not had it before."""
    told = BudgetTold(budget=budget, user_id=user_id, month=this_month())
    if BudgetTold.objects.filter(budget=budget, user=user_id, month=told.month).exists():
        return False
    try:
        with transaction.atomic():
            told.save(force_insert=True)
    except IntegrityError:  # notified at the same moment
        return False
    return True


def _say_beginning() -> str:
    return day(next_month(this_month()))
