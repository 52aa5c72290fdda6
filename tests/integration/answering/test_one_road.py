"""Asking, a preview, a replay and a trial come to the same end, whatever is made of the question on the way."""

from typing import Any

import pytest

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.asking.answering import decision
from core.llm.scripted import answers, script_model
from core.models import Budget, BudgetUse, Document, Query, QueryLog, User
from core.models.budgets import Scope, Spent
from core.serialization import identify_citation
from core.testing import Cast, make_document
from core.types import Answer, Refusal, Run, Trace
from tests.integration.answering.conftest import DECEMBER, MARCH

MOORING = "A vessel may stay on the mooring for ninety days."
IN_ENGLISH = "How long may a vessel stay on the mooring?"


@pytest.fixture
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Two pages for all staff, minutes of two months, and one page for Alice alone."""
    return {
        "moorings": make_document(
            "Moorings", f"Every receipt is kept by the harbour office. {MOORING}", roles=[cast.staff]
        ),
        "canteen": make_document("Canteen rules", "The canteen opens at noon.", roles=[cast.staff]),
        **{
            f"{date:%B}": make_document(
                f"Harbour board minutes {date}",
                f"At the meeting the harbour board decided to set the mooring fee at {fee} euros a day.",
                roles=[cast.staff],
                document_type="minutes",
                document_date=date,
            )
            for date, fee in ((MARCH, 11), (DECEMBER, 13))
        },
        "vault": make_document("Vault rules", "The vault opens with the code quagmire-7741.", roles=[cast.owners]),
    }


def told(result: Answer | Refusal) -> dict[str, Any]:
    """Return the parts of a result that a person is shown."""
    is_answer = isinstance(result, Answer)
    return {
        "text": result.text if is_answer else None,
        "refusal": "" if is_answer else result.reason.value,
        "message": result.message,
        "citations": [identify_citation(one) for one in result.citations] if is_answer else [],
        "closest": [] if is_answer else [identify_citation(one) for one in result.closest],
        "confidence": pytest.approx(result.confidence),
    }


def ran(run: Run) -> dict[str, Any]:
    """Return the parts of a run, but for its message."""
    return {
        "text": run.text,
        "refusal": run.refusal,
        "citations": [identify_citation(one) for one in run.citations],
        "closest": [identify_citation(one) for one in run.closest],
        "confidence": run.confidence,
    }


def foreseen(trace: Trace) -> dict[str, Any]:
    """Return the preview of what the person would be shown."""
    return {**ran(trace.run), "message": trace.asks_back or trace.message}


def ask(person: User, question: str) -> Answer | Refusal:
    """Ask as a person."""
    return api.ask(question, asker=asker_for(person), audience=audience_of([person.pk]))


def preview(person: User, question: str) -> Trace:
    """Preview a question as a person."""
    return api.trace(question, audience=audience_of([person.pk]), person=person.pk)


@pytest.mark.parametrize(
    ("question", "ends"),
    [
        ("When does the canteen open?", "answer"),
        ("who keeps every reciept in the harbour office", "answer"),
        ("Compare the mooring fee in March 2024 and in December 2024", "answer"),
        ("wie viele tage darf ich hier bleiben?", "refusal"),
        ("and for interns?", "refusal"),
        ("What did the harbour board decide at the meeting about the fee?", "refusal"),
        ("With which code does the vault open?", "refusal"),
        ("Who painted the ceiling?", "refusal"),
    ],
)
def test_a_preview_ends_as_asking_does(cast: Cast, library: dict[str, Document], question: str, ends: str) -> None:
    """Misspelt, comparing, foreign, following up, unclear, forbidden or about nothing."""
    asked = ask(cast.bob, question)
    assert isinstance(asked, Answer if ends == "answer" else Refusal)
    assert told(asked) == foreseen(preview(cast.bob, question))
    if asked.state.value != "failed":
        replayed = api.replay(asked.request_id)
        assert ran(replayed.now) == {name: value for name, value in told(asked).items() if name != "message"}
        tried = api.ask_as(asked.request_id, audience=audience_of([cast.bob.pk]), viewer=cast.bob.pk)
        assert ran(tried.run) == ran(replayed.now)


def test_a_preview_is_translated_as_the_question_is(cast: Cast, library: dict[str, Document]) -> None:
    """By the model, which a preview may ask like anybody."""
    typed = "Wie lange darf ein Schiff an der Boje liegen?"
    with script_model(IN_ENGLISH, answers((MOORING, 1, MOORING)), IN_ENGLISH, answers((MOORING, 1, MOORING))):
        asked, seen = ask(cast.bob, typed), preview(cast.bob, typed)
    assert isinstance(asked, Answer)
    assert asked.asked == seen.question == IN_ENGLISH
    assert told(asked) == foreseen(seen)


@pytest.mark.parametrize("when_used_up", list(Budget.UsedUp))
def test_a_preview_keeps_to_the_budget_of_who_would_ask(
    cast: Cast, library: dict[str, Document], when_used_up: Budget.UsedUp
) -> None:
    """And takes nothing from it."""
    budget = Budget.objects.create(scope=Scope.PERSON, user=cast.bob, hard_tokens=10, when_used_up=when_used_up)
    BudgetUse.objects.add([budget.counted], Spent(tokens=10))
    with script_model() as script:
        assert told(ask(cast.bob, IN_ENGLISH)) == foreseen(preview(cast.bob, IN_ENGLISH))
    assert script.asked == []
    BudgetUse.objects.all().delete()
    with script_model(answers((MOORING, 1, MOORING))) as script:
        assert preview(cast.bob, IN_ENGLISH).run.text
    assert len(script.asked) == 1
    assert not BudgetUse.objects.filter(scope=Scope.PERSON).exists()
    assert BudgetUse.objects.get(scope=Scope.INSTALLATION).calls == 1


def test_a_preview_stores_nothing(cast: Cast, library: dict[str, Document]) -> None:
    """Neither a question nor a figure of one."""
    assert preview(cast.bob, "When does the canteen open?").run.text
    assert not Query.objects.exists()
    assert not QueryLog.objects.exists()


def test_what_is_taken_away_on_the_way_is_not_foreseen(
    cast: Cast, library: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next end is taken, as when the question is asked."""
    real = decision.compose

    def compose_and_revoke(*args: Any, **options: Any) -> Any:
        composed = real(*args, **options)
        revoke(cast.staff, [library["canteen"]], by=None)
        return composed

    monkeypatch.setattr(decision, "compose", compose_and_revoke)
    seen = preview(cast.bob, "When does the canteen open?")
    assert (seen.run.text, seen.run.citations, seen.run.closest) == (None, (), ())
    assert seen.run.refusal == "nothing_found"
