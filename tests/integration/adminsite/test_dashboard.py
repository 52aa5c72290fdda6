"""The dashboard, and alerts: real figures, for those who may read reports."""

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from bot.models import HandOver
from core import api
from core.access.audiences import asker_for, audience_of
from core.access.grants import grant
from core.models import Alert, Answer, AuditEvent, Conversation, EvaluationResult, Query, QueryLog, User, UserRole
from core.testing import Cast, make_document
from core.types import Origin
from tests.integration.adminsite.conftest import World


def tiles(response: Any) -> dict[str, str]:
    """The figures by their title."""
    return {tile.title: tile.value for tile in response.context["tiles"]}


def test_the_figures_are_those_of_the_database(root: Client, world: World) -> None:
    """Each tile counts what is there, and an abstention's scores are in no average."""
    first, second = QueryLog.objects.order_by("created_at")
    QueryLog.objects.filter(pk=first.pk).update(response_time_ms=1000)
    QueryLog.objects.filter(pk=second.pk).update(response_time_ms=2000)
    EvaluationResult.objects.filter(query_log=first).update(groundedness_score="0.800")
    EvaluationResult.objects.create(query_log=second, groundedness_score="0.100", abstained=True, method="by hand")
    assert tiles(root.get("/admin/")) == {
        "Questions": "2",
        "Median time": "1.5 s",
        "Votes": "100% helpful",
        "Groundedness": "0.80",
        "Cost": "US$ 0.00",
        "Open gaps": "1",
        "Open alerts": "1",
        "Documents": "2",
        "Failed files": "1",
        "Failed replies": "0",
    }


def test_the_chart_has_a_bar_for_every_day(root: Client, world: World) -> None:
    """Thirty days, also those without questions; answered and refused apart; older questions are not counted."""
    first, second = QueryLog.objects.order_by("created_at")
    QueryLog.objects.filter(pk=first.pk).update(created_at=timezone.now() - dt.timedelta(days=31))
    QueryLog.objects.filter(pk=second.pk).update(
        created_at=timezone.now() - dt.timedelta(days=3), refusal_reason="nothing_found", has_sufficient_context=False
    )
    chart = json.loads(root.get("/admin/").context["questions_chart"])
    answered, closest, refused = (dataset["data"] for dataset in chart["datasets"])
    assert (len(chart["labels"]), len(answered), len(refused)) == (30, 30, 30)
    assert sum(closest) == 0
    assert (sum(answered), [30 - place for place, count in enumerate(refused) if count]) == (0, [4])


def test_the_closest_passages_are_told_apart(root: Client, world: World) -> None:
    """On the tile of questions, and in the list of questions."""
    log = QueryLog.objects.order_by("created_at").last()
    assert log is not None
    QueryLog.objects.filter(pk=log.pk).update(refusal_reason="unsure", has_sufficient_context=False)
    (note,) = [tile.note for tile in root.get("/admin/").context["tiles"] if tile.title == "Questions"]
    assert note == "50% answered, 50% closest passages"
    Answer.objects.filter(query__request_id=log.request_id).update(
        answer_text=None, message="Not sure.", refusal_reason="unsure"
    )
    listed = root.get("/admin/core/query/").context["cl"].result_list
    assert sorted(row.ended[1] for row in listed) == ["Answered", "The closest passages"]


def test_an_empty_product_has_a_dashboard_too(root: Client) -> None:
    """Without a question, document or score the page says so."""
    response = root.get("/admin/")
    assert set(tiles(response).values()) == {"0", "–", "US$ 0.00"}
    assert "No answer from these days has been evaluated yet." in response.content.decode()


def test_who_may_not_read_reports_sees_no_figures(staff: Callable[..., Client], world: World) -> None:
    """Another permission on the admin does not open the dashboard; the permission itself does."""
    response = staff("core.view_role").get("/admin/")
    assert "tiles" not in response.context
    assert "Open alerts" not in response.content.decode()
    User.objects.filter(email="desk@example.com").delete()
    assert "Open alerts" in staff("core.view_reports").get("/admin/").content.decode()


def test_the_dashboard_costs_a_fixed_number_of_queries(
    root: Client, world: World, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Every figure is computed by the database: what was used, the week, and the checklist."""
    with django_assert_max_num_queries(37):
        root.get("/admin/")


def test_an_alert_is_acknowledged_once(root: Client, world: World, administrator: User) -> None:
    """The person and the time are kept and recorded; doing it again changes nothing."""
    chosen = {"action": "acknowledge", "_selected_action": [str(world.alert.pk)]}
    root.post("/admin/core/alert/", chosen)
    alert = Alert.objects.get()
    assert (alert.acknowledged_by, alert.acknowledged_at is not None) == (administrator, True)
    root.post("/admin/core/alert/", chosen)
    assert Alert.objects.get().acknowledged_at == alert.acknowledged_at
    events = AuditEvent.objects.filter(action="acknowledge")
    assert [(event.actor, event.object_id) for event in events] == [(administrator, str(alert.pk))]
    assert tiles(root.get("/admin/"))["Open alerts"] == "0"
    listed = root.get("/admin/core/alert/", {"state": "open"}).context["cl"].result_count
    assert (listed, root.get("/admin/core/alert/", {"state": "acknowledged"}).context["cl"].result_count) == (0, 1)


def test_an_open_alert_names_its_question_by_when_it_was_asked(root: Client, world: World) -> None:
    """The alert itself is as old as its evaluation, or as the last vote."""
    query = world.alert.evaluation.query_log.query  # type: ignore[union-attr]
    asked = timezone.make_aware(dt.datetime.combine(dt.date(2026, 3, 2), dt.time(9, 15)))
    Query.objects.filter(pk=query.pk).update(created_at=asked)  # type: ignore[union-attr]
    assert "a question of 2 Mar 09:15</a>" in root.get("/admin/").content.decode()


def test_looking_at_alerts_is_not_acknowledging_them(staff: Callable[..., Client], world: World) -> None:
    """Without the permission to change alerts the action does nothing."""
    staff("core.view_alert").post(
        "/admin/core/alert/", {"action": "acknowledge", "_selected_action": [str(world.alert.pk)]}
    )
    assert Alert.objects.get().acknowledged_at is None


def test_a_score_says_in_words_what_it_can_tell(root: Client, world: World) -> None:
    """Without a judge groundedness is no measurement, whatever is stored of old; a judge's score is a figure."""
    EvaluationResult.objects.update(method="local:4:m", groundedness_score="1.000")
    listed, page = (
        "/admin/core/evaluationresult/",
        f"/admin/core/evaluationresult/{EvaluationResult.objects.get().pk}/change/",
    )
    assert root.get(listed).content.decode().count("Groundedness is not a measurement here") == 1
    assert "do not say that the answer is right" in root.get(page).content.decode()
    EvaluationResult.objects.update(method="local:4:none", relevance_score=None)
    assert "not available" in root.get(listed).content.decode()
    assert "No reader read this answer" in root.get(page).content.decode()
    EvaluationResult.objects.update(method="trulens-litellm:m", groundedness_score="1.000")
    shown = root.get(listed).content.decode()
    assert "1.00" in shown
    assert "not a measurement here" not in shown
    assert "the judgement of a language model" in root.get(page).content.decode()
    assert "These scores come from the packaged reader" in root.get("/admin/core/querylog/reports/").content.decode()


def steps(response: Any) -> dict[str, bool]:
    """The checklist: which of its steps are done."""
    return {step.title.split(",")[0]: step.is_done for step in response.context["first_steps"]}


def test_the_checklist_knows_from_the_data_what_is_done(root: Client, cast: Cast, fast: None, settings: Any) -> None:
    """Step by step, until there is an answer; then it is gone."""
    settings.LOCAL_PAGE, settings.SLACK_BOT_TOKEN = False, ""
    UserRole.objects.all().delete()
    todo = dict.fromkeys(("Connect Slack", "Add documents", "Say who reads them", "Add people", "Ask"), False)
    assert steps(root.get("/admin/")) == todo
    document = make_document("Canteen rules", "The canteen opens at noon.")
    assert steps(root.get("/admin/")) == todo | {"Add documents": True}
    grant(cast.staff, [document], by=None)
    UserRole.objects.create(user=cast.bob, role=cast.staff)
    settings.SLACK_BOT_TOKEN = "xoxb-1"
    assert [title for title, done in steps(root.get("/admin/")).items() if not done] == ["Ask"]
    asked = {"asker": asker_for(cast.bob), "audience": audience_of([cast.bob.pk])}
    api.ask("When does the canteen open?", **asked)
    assert steps(root.get("/admin/")) == {}
    assert "Until the first answer" not in root.get("/admin/").content.decode()


def test_the_checklist_can_be_dismissed(root: Client, staff: Callable[..., Client], cast: Cast) -> None:
    """By each administrator in their own browser, and by nobody who is none."""
    dismiss = "/admin/first-steps/dismiss/"
    assert steps(root.get("/admin/"))
    assert root.get(dismiss).status_code == 405
    assert root.post(dismiss).status_code == 302
    assert steps(root.get("/admin/")) == {}
    desk = staff("core.add_ingestionjob")
    shown = desk.get("/admin/").content.decode()
    assert reverse("admin:core_ingestionjob_add") in shown
    assert reverse("admin:core_user_several") not in shown
    assert Client().post(dismiss).status_code == 302
    assert "footnote_first_steps" not in Client().post(dismiss).cookies


def test_the_week_stands_before_scores_and_alerts(root: Client, world: World, cast: Cast) -> None:
    """People helped, answered without a person, refused though it is there, what to write, what it cost."""
    first, second = QueryLog.objects.order_by("created_at")
    Answer.objects.filter(query=first.query).update(cost_usd="1.25")
    QueryLog.objects.filter(pk=second.pk).update(refusal_reason="nothing_found", has_sufficient_context=False)
    EvaluationResult.objects.get_or_create(query_log=second, defaults={"method": "by hand"})
    Alert.objects.create(evaluation=second.evaluation, metric="refusal_read", score="0.900", threshold="0.500")
    response = root.get("/admin/")
    assert {tile.title: tile.value for tile in response.context["week"]} == {
        "People helped": "1",
        "Without a person": "50%",
        "Refused, though it is there": "1",
        "To write next": "1",
        "Cost": "US$ 1.25",
    }
    shown = response.content.decode()
    order = [shown.index(words) for words in ("People helped", "<details", "Groundedness", "</details>")]
    assert order == sorted(order)
    HandOver.objects.update(query=first.query)
    assert "0%" in {tile.value for tile in root.get("/admin/").context["week"]}
    Conversation.objects.update(origin=Origin.EVALUATION)  # by a run over a dataset, which helps nobody
    assert "People helped" in {t.title for t in root.get("/admin/").context["week"] if t.value == "0"}
    Conversation.objects.update(origin=Origin.REST)
    QueryLog.objects.update(created_at=timezone.now() - dt.timedelta(days=8))
    assert "People helped" in {t.title for t in root.get("/admin/").context["week"] if t.value == "0"}
