"""Budgets for language models: what counts, whom it stops, and what is said."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from core.access.audiences import asker_for, audience_of
from core.api import ask, open_conversation, take_budget_notice
from core.asking.spending.messages import BY_WORDS
from core.asking.spending.meter import BudgetMeter, Spender, spender_of
from core.library import embedding
from core.library.embedding import LiteLLMProvider
from core.llm.client import litellm_ready
from core.llm.scripted import answers, script_model, verdicts
from core.models import Alert, Budget, BudgetUse, Query, QueryLog, User
from core.models import Answer as AnswerRow
from core.models.budgets import Scope, Spent, next_month, this_month
from core.quality.evaluation.triad.evaluate import evaluate
from core.testing import Cast, make_document
from core.types import Answer, Asker, Origin, Refusal, RefusalReason

pytestmark = pytest.mark.usefixtures("fast")

CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
QUESTION = "When does the canteen in the harbour office open?"
TOLD = answers(("The canteen opens at noon.", 1, CANTEEN))
DOUBTED = answers(("Only the canteen in the harbour office opens at noon.", 1, CANTEEN))
USED_UP = Spent(calls=1, tokens=1000)


@pytest.fixture(autouse=True)
def _library(cast: Cast, fast: None) -> None:
    make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Opening")


def ask_as(user: User, *, channel: str = "") -> Answer | Refusal:
    asker = asker_for(user)
    place = {"slack_team": "T1", "slack_channel": channel, "slack_thread": "1.1"} if channel else {}
    conversation = open_conversation(origin=Origin.SLACK if channel else Origin.REST, asker=asker, **place)
    return ask(QUESTION, asker=asker, audience=audience_of([user.pk]), conversation=conversation)


def used() -> dict[tuple[str, str], int]:
    return {(use.scope, use.key): use.tokens for use in BudgetUse.objects.all()}


def test_a_call_counts_for_its_person_their_roles_the_channel_and_all_together(cast: Cast) -> None:
    """The draft and the judge both count, and for nobody else."""
    with script_model(DOUBTED, judge=verdicts("yes")) as script:
        assert isinstance(ask_as(cast.bob, channel="C1"), Answer)
    assert script.judged
    assert used() == {
        ("installation", ""): 30,
        ("person", str(cast.bob.pk)): 30,
        ("role", str(cast.staff.pk)): 30,
        ("channel", "T1/C1"): 30,
    }


@pytest.mark.parametrize(("origin", "is_charged"), [(Origin.RESEARCH, True), (Origin.EVALUATION, False)])
def test_a_question_of_a_plan_counts_for_who_wanted_it(origin: Origin, is_charged: bool, cast: Cast) -> None:
    """And for their roles, as what they ask themselves."""
    asker = asker_for(cast.bob)
    conversation = open_conversation(origin=origin, asker=asker)
    with script_model(TOLD):
        ask(QUESTION, asker=asker, audience=audience_of([cast.bob.pk]), conversation=conversation)
    own = {("person", str(cast.bob.pk)): 15, ("role", str(cast.staff.pk)): 15}
    assert used() == {("installation", ""): 15, **(own if is_charged else {})}


def test_models_without_a_price_count_their_tokens_alone(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a model in LiteLLM's list the cost is counted, exactly."""
    with script_model(TOLD):
        ask_as(cast.bob)
    use = BudgetUse.objects.get(scope=Scope.INSTALLATION)
    assert (use.calls, use.tokens, use.unpriced_tokens, use.cost_usd) == (1, 15, 15, 0)
    price = {"input_cost_per_token": 1e-7, "output_cost_per_token": 3e-7, "litellm_provider": "scripted"}
    monkeypatch.setitem(litellm_ready().model_cost, "scripted/model", price)
    with script_model(TOLD):
        ask_as(cast.alice)
    use.refresh_from_db()
    assert (use.calls, use.tokens, use.unpriced_tokens, use.cost_usd) == (2, 30, 15, Decimal("0.0000025"))


def test_the_key_free_model_counts_nothing(cast: Cast) -> None:
    """It runs here and nobody is paid for it; nor does a used up budget stop it."""
    Budget.objects.create(scope=Scope.INSTALLATION, hard_tokens=0, when_used_up=Budget.UsedUp.REFUSE)
    assert isinstance(ask_as(cast.bob), Answer)
    assert used() == {}


@pytest.mark.parametrize("scope", list(Scope))
def test_beyond_a_hard_limit_no_model_is_called(cast: Cast, scope: Scope) -> None:
    """The documents' own words answer instead, and it is said why; others are answered as before."""
    target = {
        Scope.INSTALLATION: {},
        Scope.PERSON: {"user": cast.bob},
        Scope.ROLE: {"role": cast.staff},
        Scope.CHANNEL: {"team_id": "T1", "channel_id": "C1"},
    }[scope]
    budget = Budget.objects.create(scope=scope, hard_tokens=1000, **target)
    BudgetUse.objects.add([budget.counted], USED_UP)
    with script_model() as script:
        result = ask_as(cast.bob, channel="C1")
    assert isinstance(result, Answer)
    assert script.asked == []
    assert CANTEEN in result.citations[0].quoted_excerpt
    assert f"{next_month(this_month()):%-d %B %Y}" in result.message
    row = AnswerRow.objects.get(query=result.query_id)
    assert (row.model, row.prompt_tokens) == ("extractive/sentences", 0)
    make_document("Other rules", CANTEEN, roles=[cast.owners])
    BudgetUse.objects.exclude(scope=Scope.PERSON).delete()
    with script_model(TOLD):
        assert isinstance(ask_as(cast.alice, channel="C2"), Answer)


def test_a_question_that_may_not_be_embedded_shows_what_has_its_words(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To those who may read it, as no answer, with the reason; else it is refused, as where the budget says so."""
    monkeypatch.setenv("OPENAI_API_KEY", "of-tests")
    budget = Budget.objects.create(scope=Scope.INSTALLATION, hard_tokens=0)
    paid = LiteLLMProvider("openai/hash-384", batch_size=2, api_base="http://127.0.0.1:9/v1")
    with embedding.use(paid):
        for shown in (ask_as(cast.bob), ask_as(cast.bob, channel="C1")):
            assert isinstance(shown, Refusal)
            assert (shown.reason, [one.quoted_excerpt for one in shown.closest]) == (RefusalReason.UNSURE, [CANTEEN])
            assert BY_WORDS in shown.message
            assert f"{next_month(this_month()):%-d %B %Y}" in shown.message
        log = QueryLog.objects.filter(query=shown.query_id).get()
        assert (log.retrieval_strategy, log.embedding_model) == ("words", "")
        refused = ask_as(cast.charlie)
        assert isinstance(refused, Refusal)
        assert (refused.reason, refused.closest) == (RefusalReason.OVER_QUOTA, ())
        Budget.objects.filter(pk=budget.pk).update(when_used_up=Budget.UsedUp.REFUSE)
        refused = ask_as(cast.bob)
        assert isinstance(refused, Refusal)
        assert (refused.reason, refused.closest) == (RefusalReason.OVER_QUOTA, ())
    assert used() == {}


def test_the_strictest_of_several_budgets_decides(cast: Cast) -> None:
    """One that refuses outweighs one that quotes; the refusal says until when, and not whose budget it is."""
    for target, what in (
        ({"scope": "person", "user": cast.bob}, "quote"),
        ({"scope": "role", "role": cast.staff}, "refuse"),
    ):
        budget = Budget.objects.create(hard_cost_usd=Decimal("1.50"), when_used_up=what, **target)
        BudgetUse.objects.add([budget.counted], Spent(cost_usd=Decimal("1.5")))
    with script_model() as script:
        result = ask_as(cast.bob)
    assert isinstance(result, Refusal)
    assert (result.reason, script.asked) == (RefusalReason.OVER_QUOTA, [])
    assert f"{next_month(this_month()):%-d %B %Y}" in result.message
    assert not any(word in result.message for word in ("1.5", "staff", str(cast.bob)))


def test_a_limit_that_is_reached_on_the_way_stops_the_next_call(cast: Cast) -> None:
    """The judge is not asked any more: what it would have said is in doubt, and the call before it counts."""
    Budget.objects.create(scope=Scope.PERSON, user=cast.bob, hard_tokens=15)
    with script_model(DOUBTED, judge=verdicts("yes")) as script:
        ask_as(cast.bob)
    assert script.judged == []
    assert used()["person", str(cast.bob.pk)] == 15
    assert Alert.objects.get(metric="budget_used_up").budget.user == cast.bob


def test_beyond_a_soft_limit_people_go_on_and_are_told_once(cast: Cast) -> None:
    """Each of those who share it once a month, without a figure; administrators get one alert."""
    budget = Budget.objects.create(scope=Scope.ROLE, role=cast.staff, soft_tokens=10, hard_tokens=1000)
    told = []
    for user in (cast.bob, cast.bob, cast.alice):
        with script_model(TOLD):
            result = ask_as(user)
        assert isinstance(result, Answer)
        told.append(take_budget_notice(result.request_id))
    assert [bool(notice) for notice in told] == [True, False, True]
    assert not any(word in told[0] for word in ("10", "15", "staff"))
    alert = Alert.objects.get()
    assert (alert.budget, alert.metric, alert.month, str(alert.subject)) == (
        budget,
        "budget_nearly_used_up",
        this_month(),
        "staff",
    )


def test_a_new_month_begins_by_itself(cast: Cast, settings: Any) -> None:
    """Use in an earlier month stops nobody; the month begins in the configured time zone."""
    budget = Budget.objects.create(scope=Scope.PERSON, user=cast.bob, hard_tokens=1000)
    BudgetUse.objects.add([budget.counted], USED_UP)
    BudgetUse.objects.update(month=this_month() - dt.timedelta(days=1))
    with script_model(TOLD):
        assert ask_as(cast.bob).model_provider == "scripted"
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        settings.BUDGET_TIME_ZONE = zone
        assert this_month().day == 1
    assert next_month(dt.date(2026, 12, 1)) == dt.date(2027, 1, 1)
    assert next_month(dt.date(2027, 1, 1)) == dt.date(2027, 2, 1)


def test_somebody_unknown_counts_for_channel_and_installation(db: None) -> None:
    """They have no roles and no budget of their own."""
    conversation = open_conversation(
        origin=Origin.SLACK, asker=Asker(user_id=None), slack_team="T1", slack_channel="C1", slack_thread="1"
    )
    row = Query(conversation_id=conversation)
    assert spender_of(None, row.conversation).counted == ((Scope.INSTALLATION, ""), (Scope.CHANNEL, "T1/C1"))


def test_scoring_counts_for_who_asked(cast: Cast, settings: Any) -> None:
    """A judge that costs is called for the question's person, unless their budget is used up."""
    result = ask_as(cast.bob)
    Budget.objects.create(scope=Scope.PERSON, user=cast.bob, hard_tokens=0)
    settings.EVALUATION_MODEL = "openai/gpt-4.1-mini"
    with pytest.raises(Exception, match="budget"):
        evaluate(result.query_id)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({}, "at least one limit"),
        ({"soft_tokens": 2, "hard_tokens": 1}, "above the hard one"),
        ({"soft_cost_usd": Decimal(2), "hard_cost_usd": Decimal(1)}, "above the hard one"),
        ({"hard_cost_usd": Decimal(-1)}, "0 or more"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(db: None, limits: dict[str, object], said: str) -> None:
    """With a message that says what to change."""
    with pytest.raises(ValidationError, match=said):
        Budget(scope=Scope.INSTALLATION, **limits).clean()


@pytest.mark.django_db(transaction=True)
def test_calls_at_the_same_moment_are_all_counted() -> None:
    """No two overwrite each other, and none waits for ever: spenders share rows in different company."""
    spenders = [
        Spender(((Scope.INSTALLATION, ""), (Scope.PERSON, str(n % 3)), (Scope.ROLE, "r"), (Scope.CHANNEL, f"{n % 2}")))
        for n in range(40)
    ]

    def count(spender: Spender) -> None:
        try:
            BudgetUse.objects.add(spender.counted[::-1], Spent(calls=1, tokens=7, cost_usd=Decimal("0.000001")))
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(count, spenders))
    assert used()["installation", ""] == used()["role", "r"] == 280
    assert BudgetUse.objects.get(scope=Scope.INSTALLATION).cost_usd == Decimal("0.00004")
    assert isinstance(BudgetMeter(spenders[0]), BudgetMeter)
