"""Test researches over REST: plan, change, start, read, download, stop and delete, each person their own alone."""

import datetime as dt
import io
from typing import Any
from uuid import UUID, uuid4

import docx
import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from openpyxl import load_workbook
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle

from core.asking.dry_runs.choosing import choose_asked
from core.asking.research.running import run_research
from core.models import AuditEvent, AuthToken, Query, Research, RoleDocumentAccess
from tests.integration.rest.conftest import CANTEEN, VAULT, Caller, Callers, Library, assert_no_canary

TOPIC = "the harbour office"


def plan(caller: Caller, topic: str = TOPIC, **more: Any) -> dict[str, Any]:
    """Return a research that was planned."""
    response = caller.post("research", topic=topic, **more)
    assert response.status_code == 201, response.content
    return dict(response.json())


def run(caller: Caller, topic: str = TOPIC) -> str:
    """Return the id of a research that was asked to its end."""
    pk = str(plan(caller, topic)["research_id"])
    assert caller.post(f"research/{pk}/start").status_code == 200
    run_research(UUID(pk))
    return pk


def change(caller: Caller, pk: str, *questions: dict[str, Any]) -> Response:
    """Replace the questions of a plan."""
    return caller.client.put(f"/api/v1/research/{pk}/plan", {"questions": questions}, format="json")


def sentences(page: dict[str, Any]) -> list[str]:
    """Return the sentences of a page."""
    return [one["text"] for section in page["sections"] for part in section["paragraphs"] for one in part["sentences"]]


def knock(caller: Caller, pk: str) -> list[Response]:
    """Try every address of a research, the last of which deletes it."""
    return [
        caller.get(f"research/{pk}"),
        change(caller, pk, {"text": "When does it open?"}),
        caller.post(f"research/{pk}/start"),
        caller.get(f"research/{pk}/document"),
        caller.post(f"research/{pk}/stop"),
        caller.client.delete(f"/api/v1/research/{pk}"),
    ]


def test_a_topic_becomes_a_plan_and_the_plan_a_page(callers: Callers, library: Library) -> None:
    """Each sentence names the citations that prove it; what was asked in vain is listed."""
    alice = callers.alice
    planned = plan(alice)
    assert (planned["state"], planned["topic"], planned["page"]["sections"]) == ("planned", TOPIC, [])
    assert planned["estimate"]["questions"] == len(planned["questions"]) == 2
    assert (planned["estimate"]["cost_usd"], planned["audience"]["kind"]) == (0, "person")
    pk, (first, second) = planned["research_id"], planned["questions"]
    added = {"heading": "Lighthouse", "text": "Who painted the lighthouse in 1871?"}
    kept = [{name: one[name] for name in ("question_id", "heading", "text")} for one in (second, first)]
    changed = change(alice, pk, *kept, added)
    assert changed.status_code == 200
    assert [one["text"] for one in changed.json()["questions"]] == [second["text"], first["text"], added["text"]]
    assert [one["filters"] for one in changed.json()["questions"][:2]] == [second["filters"], first["filters"]]
    started = alice.post(f"research/{pk}/start", most_minutes=5, most_usd="2.5")
    assert (started.status_code, started.json()["state"], started.json()["estimate"]) == (200, "waiting", None)
    assert started.json()["budget"] == {"most_minutes": 5, "most_usd": 2.5}
    assert alice.post(f"research/{pk}/start", most_minutes=9).json()["budget"]["most_minutes"] == 5
    run_research(UUID(pk))
    done = alice.get(f"research/{pk}").json()
    assert (done["state"], done["stop_reason"], done["progress"]["asked"]) == ("done", None, 3)
    assert set(sentences(done["page"])) == {VAULT, CANTEEN}
    numbered = {citation["number"]: citation for citation in done["page"]["citations"]}
    for section in done["page"]["sections"]:
        for one in section["paragraphs"][0]["sentences"]:
            assert [one["text"] in numbered[number]["statements"] for number in one["citations"]] == [True]
    assert done["page"]["unproven"] == [{"question": added["text"], "was_asked": True, "closest": []}]
    assert alice.get(f"queries/{done['questions'][0]['request_id']}").status_code == 200


def test_its_questions_are_in_no_list_of_questions(callers: Callers, library: Library) -> None:
    """Nobody put them; each is found from its page, and explained."""
    pk = run(callers.alice)
    assert callers.alice.get("queries").json()["count"] == 0
    request_id = callers.alice.get(f"research/{pk}").json()["questions"][0]["request_id"]
    assert callers.alice.get(f"queries/{request_id}/why").status_code == 200
    assert choose_asked(10) == []  # for a rehearsal, which asks again what people asked


def test_a_page_is_downloaded_as_markdown_and_for_word(callers: Callers, library: Library) -> None:
    """Whatever the request accepts; another form is refused with the names of both."""
    path = f"research/{run(callers.alice)}/document"
    written = callers.alice.get(path)
    assert written["Content-Type"] == "text/markdown; charset=utf-8"
    assert written["Content-Disposition"].startswith('attachment; filename="research-')
    assert CANTEEN in written.content.decode()
    word = callers.alice.client.get(f"/api/v1/{path}", {"form": "docx"}, HTTP_ACCEPT="application/msword")
    assert CANTEEN in " ".join(part.text for part in docx.Document(io.BytesIO(word.content)).paragraphs)
    refused = callers.alice.get(path, form="pdf")
    assert (refused.status_code, refused.json()["fields"]) == (400, {"form": ["This must be one of: markdown, docx."]})


def test_the_list_has_ones_own_in_pages_the_newest_first(callers: Callers, library: Library) -> None:
    """With how far each is."""
    first, second = run(callers.bob), str(plan(callers.bob)["research_id"])
    plan(callers.alice)
    listed = callers.bob.get("research").json()
    assert [row["research_id"] for row in listed["results"]] == [second, first]
    assert [(row["state"], row["questions"], row["asked"]) for row in listed["results"]] == [
        ("planned", 1, 0),
        ("done", 1, 1),
    ]
    page = callers.bob.get("research", page_size=1, page=2).json()
    assert (page["count"], [row["research_id"] for row in page["results"]]) == (2, [first])
    assert callers.bob.get("research", page=9).status_code == 404
    assert callers.bob.get("research", colour="red").status_code == 400
    assert callers.charlie.get("research").json()["count"] == 0


def test_anothers_is_as_one_that_does_not_exist(callers: Callers, library: Library) -> None:
    """At every address, and none of them changes it."""
    pk = run(callers.alice)
    before = callers.alice.get(f"research/{pk}").json()
    for other, missing in zip(knock(callers.bob, pk), knock(callers.bob, str(uuid4())), strict=True):
        assert (other.status_code, other.json()) == (missing.status_code, missing.json()) == (404, missing.json())
        assert_no_canary(other)
    assert callers.alice.get(f"research/{pk}").json() == before


def test_who_loses_a_document_sees_nothing_of_it_any_more(callers: Callers, library: Library) -> None:
    """Neither in the plan nor in the page, the document, the list or the numbers, from the next look on."""
    pk, waiting = run(callers.alice), str(plan(callers.alice)["research_id"])
    RoleDocumentAccess.objects.filter(document=library.vault).delete()
    for looked_at in (pk, waiting):
        shown = callers.alice.get(f"research/{looked_at}")
        assert_no_canary(shown)
        assert (shown.json()["progress"]["total"], len(shown.json()["questions"])) == (1, 1)
    assert sentences(callers.alice.get(f"research/{pk}").json()["page"]) == [CANTEEN]
    assert [row["questions"] for row in callers.alice.get("research").json()["results"]] == [1, 1]
    written = callers.alice.get(f"research/{pk}/document")
    assert_no_canary(written)
    assert CANTEEN in written.content.decode()


def test_nothing_is_planned_from_what_one_may_not_read(callers: Callers, library: Library) -> None:
    """Bob's plan has nothing of the vault, and for Charlie nothing speaks of the topic."""
    planned = callers.bob.post("research", topic="the vault and the harbour office")
    assert planned.status_code == 201
    assert_no_canary(planned)
    refused = callers.charlie.post("research", topic=TOPIC)
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert "Nothing that you can read" in refused.json()["detail"]
    assert not Research.objects.filter(user=callers.charlie.user).exists()


def test_filters_narrow_a_plan(callers: Callers, library: Library) -> None:
    """To one shelf; a filter that there is not is named."""
    planned = plan(callers.alice, filters={"collection": "Zanzibar shelf"})
    assert [one["filters"]["collection"] for one in planned["questions"]] == ["Zanzibar shelf"]
    refused = callers.alice.post("research", topic=TOPIC, filters={"colour": "red"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_filter")


def test_a_research_is_stopped_and_deleted(callers: Callers, library: Library) -> None:
    """A plan that was stopped before its start still starts; what is deleted is gone with its texts."""
    pk = str(plan(callers.bob)["research_id"])
    assert callers.bob.post(f"research/{pk}/stop").status_code == 204
    assert callers.bob.post(f"research/{pk}/start").json()["state"] == "waiting"
    assert callers.bob.post(f"research/{pk}/stop").status_code == 204
    stopped = callers.bob.get(f"research/{pk}").json()
    assert (stopped["state"], stopped["stop_reason"]) == ("stopped", "asker")
    assert [one["was_asked"] for one in stopped["page"]["unproven"]] == [False]
    again = str(plan(callers.bob)["research_id"])
    assert callers.bob.post(f"research/{again}/stop").status_code == 204
    assert callers.bob.post(f"research/{again}/start").status_code == 200
    run_research(UUID(again))
    assert callers.bob.get(f"research/{again}").json()["state"] == "done"
    assert callers.bob.client.delete(f"/api/v1/research/{again}").status_code == 204
    assert callers.bob.get(f"research/{again}").status_code == 404
    assert list(Query.objects.values_list("question_text", flat=True)) == [""]


@pytest.mark.parametrize(
    ("address", "body", "part"),
    [
        ("", {}, "topic"),
        ("", {"topic": 7}, "topic"),
        ("", {"topic": TOPIC, "colour": "red"}, "colour"),
        ("/{pk}/start", {"most_minutes": 0}, "most_minutes"),
        ("/{pk}/start", {"most_minutes": 121}, "most_minutes"),
        ("/{pk}/start", {"most_usd": 0}, "most_usd"),
        ("/{pk}/start", {"most_usd": "NaN"}, "most_usd"),
        ("/{pk}/start", {"minutes": 5}, "minutes"),
    ],
)
def test_what_cannot_be_used_is_named(
    address: str, body: dict[str, Any], part: str, callers: Callers, library: Library
) -> None:
    """By its part, and nothing begins."""
    pk = str(plan(callers.bob)["research_id"])
    refused = callers.bob.post(f"research{address.format(pk=pk)}", **body)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [part])
    assert callers.bob.get("research").json()["results"][0]["state"] == "planned"


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([], "A plan needs a question."),
        ([{"text": "?"}], "The question is too short: write at least 3 characters."),
        ([{"text": "When does it open?"}] * 25, "A plan has at most 24 questions. Strike some out."),
        ([{"heading": "Opening"}], "Some fields cannot be used."),
        ([{"text": "When does it open?", "question_id": "one"}], "Some fields cannot be used."),
    ],
)
def test_a_plan_that_cannot_be_asked_is_refused(
    questions: list[dict[str, Any]], said: str, callers: Callers, library: Library
) -> None:
    """And stays as it was."""
    planned = plan(callers.bob)
    refused = change(callers.bob, planned["research_id"], *questions)
    assert (refused.status_code, refused.json()["detail"]) == (400, said)
    assert callers.bob.get(f"research/{planned['research_id']}").json()["questions"] == planned["questions"]


def test_a_plan_that_has_begun_is_not_changed(callers: Callers, library: Library) -> None:
    """It says so."""
    pk = run(callers.bob)
    refused = change(callers.bob, pk, {"text": "When does it open?"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_question")
    assert "has begun" in refused.json()["detail"]


def test_it_takes_a_token_that_may_ask_and_its_time(
    callers: Callers, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planning counts as asking does, looking does not."""
    pk = run(callers.bob)
    reports = Caller(callers.bob.user, AuthToken.Scope.REPORTS)
    assert {response.status_code for response in knock(reports, pk)} == {403}
    assert reports.post("research", topic=TOPIC).status_code == 403
    rates = SimpleRateThrottle.THROTTLE_RATES
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {**rates, "ask": "1/minute"})
    other = Caller(callers.alice.user)
    assert other.post("research", topic=TOPIC).status_code == 201
    assert other.post("research", topic=TOPIC).status_code == 429
    assert [other.get("research").status_code for _ in range(3)] == [200] * 3


def test_the_report_has_figures_by_month_and_no_words(callers: Callers, library: Library) -> None:
    """Of what was planned in the period; also as a file, which is recorded."""
    run(callers.alice)
    stopped = str(plan(callers.bob)["research_id"])
    callers.bob.post(f"research/{stopped}/start")
    callers.bob.post(f"research/{stopped}/stop")
    plan(callers.bob)
    old = plan(callers.bob)["research_id"]
    Research.objects.filter(pk=old).update(created_at=timezone.now() - dt.timedelta(days=200))
    response = callers.analyst.get("reports/research")
    assert_no_canary(response)
    assert TOPIC not in response.content.decode()
    month = f"{timezone.localdate():%Y-%m}"
    [row] = response.json()["rows"]
    assert (row["key"], row["label"], row["cost_usd"], row["tokens"]) == (month, month, 0, 0)
    states = ("planned", "started", "done", "stopped_by_asker", "stopped_by_minutes", "failed")
    assert [row[name] for name in states] == [3, 2, 1, 1, 0, 0]
    assert [row[name] for name in ("questions", "asked", "unproven")] == [4, 2, 0]
    assert row["answered"] + row["quoted"] == row["citations"] == 2
    begun = (timezone.localdate() - dt.timedelta(days=210)).isoformat()
    assert [one["planned"] for one in callers.analyst.get("reports/research", since=begun).json()["rows"]] == [1, 3]
    lines = callers.analyst.get("reports/research", format="csv").content.decode().splitlines()
    assert lines[0].startswith("key,label,planned,started,done,stopped_by_asker")
    assert lines[1].startswith(f"{month},{month},3,2,1,1")
    book = load_workbook(io.BytesIO(callers.analyst.get("reports/research", format="xlsx").content))
    assert [cell.value for cell in book["Research"][2]][:4] == [month, month, 3, 2]
    events = AuditEvent.objects.filter(action="export", object_type="research")
    assert sorted(event.details["format"] for event in events) == ["csv", "xlsx"]


def test_the_report_by_person_needs_the_right_to_it(callers: Callers, library: Library) -> None:
    """As every report by person; nobody without the right to reports has any."""
    run(callers.alice)
    plan(callers.bob)
    plan(callers.bob)
    refused = callers.analyst.get("reports/research", by="person", format="csv")
    assert (refused.status_code, "view_person_reports" in refused.content.decode()) == (403, True)
    assert Caller(callers.bob.user, "reports").get("reports/research").status_code == 403
    callers.analyst.user.user_permissions.add(Permission.objects.get(codename="view_person_reports"))
    rows = callers.analyst.get("reports/research", by="person").json()["rows"]
    assert [(row["key"], row["label"], row["planned"], row["done"]) for row in rows] == [
        (str(callers.bob.user.pk), "Bob", 2, 0),
        (str(callers.alice.user.pk), "Alice", 1, 1),
    ]
    wrong = callers.analyst.get("reports/research", by="topic")
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["by"])
