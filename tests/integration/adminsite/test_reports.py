"""The page of reports: a period, a grouping, charts and a table, and the same as files."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from core.models import Answer, AuditEvent, ChannelSetting, QueryLog, User
from core.testing import Cast
from tests.integration.adminsite.conftest import CANARIES, World
from tests.integration.asked import MONDAY, make_question

ADDRESS = "/admin/core/querylog/reports/"
DAYS = {"since": "2026-03-01", "until": "2026-03-03"}


@pytest.fixture
def _asked(cast: Cast) -> None:
    """Alice asks twice, Bob once and slowly."""
    make_question(cast.alice)
    make_question(cast.alice, refused="nothing_found")
    make_question(cast.bob, took_ms=4000, model="openai/gpt")


@pytest.mark.usefixtures("_asked")
def test_a_day_without_questions_has_its_place_in_the_charts(root: Client) -> None:
    """And none in the table."""
    shown: Any = root.get(ADDRESS, DAYS).context
    drawn = json.loads(shown["questions_chart"])
    assert drawn["labels"] == ["1 Mar", "2 Mar", "3 Mar"]
    assert [line["data"] for line in drawn["datasets"]] == [[0, 2, 0], [0, 0, 0], [0, 1, 0]]
    assert json.loads(shown["times_chart"])["datasets"][1]["data"] == [None, 3.61, None]
    assert [row["label"] for row in shown["table"]["rows"]] == [MONDAY.isoformat()]
    assert shown["table"]["total"]["cells"][:4] == ["3", "2", "0", "1"]


@pytest.mark.usefixtures("_asked")
def test_what_is_no_measurement_is_said_once(root: Client) -> None:
    """Below the table, and not in each of its rows."""
    shown: Any = root.get(ADDRESS, DAYS)
    assert shown.content.decode().count("not a measurement here") == 1
    assert [row["cells"][7] for row in (*shown.context["table"]["rows"], shown.context["table"]["total"])] == ["–", "–"]


@pytest.mark.usefixtures("_asked")
def test_a_column_sorts_and_a_second_click_turns_it_round(root: Client) -> None:
    """Other parts of the address are no columns."""

    def labels(sort: str) -> list[str]:
        shown: Any = root.get(ADDRESS, {**DAYS, "by": "model", "sort": sort}).context
        return [row["label"] for row in shown["table"]["rows"]]

    assert labels("") == ["extractive/sentences", "openai/gpt"]
    assert labels("-latency_p50_ms") == ["openai/gpt", "extractive/sentences"]
    assert labels("latency_p50_ms") == ["extractive/sentences", "openai/gpt"]
    assert labels("-label") == ["openai/gpt", "extractive/sentences"]
    assert labels("__class__") == labels("")
    shown: Any = root.get(ADDRESS, {**DAYS, "by": "model", "sort": "-questions"}).context
    heading = next(one for one in shown["table"]["headings"] if one["heading"] == "Questions")
    assert (heading["sort"], heading["state"]) == ("questions", "descending")


@pytest.mark.usefixtures("_asked")
def test_the_files_hold_the_rows_and_taking_them_is_recorded(root: Client) -> None:
    """CSV and XLSX of what the page shows."""
    read = root.get(ADDRESS, {**DAYS, "by": "person", "format": "csv"})
    assert [line["questions"] for line in csv.DictReader(io.StringIO(read.content.decode()))] == ["2", "1"]
    assert read["Content-Disposition"] == 'attachment; filename="footnote-person-2026-03-01-2026-03-03.csv"'
    book = root.get(ADDRESS, {**DAYS, "format": "xlsx"})
    assert "xl/workbook.xml" in ZipFile(io.BytesIO(book.content)).namelist()
    events = AuditEvent.objects.filter(action="export").order_by("created_at")
    assert [(event.object_type, event.details["by"], event.details["format"]) for event in events] == [
        ("report", "person", "csv"),
        ("report", "day", "xlsx"),
    ]


@pytest.mark.usefixtures("_asked")
def test_persons_are_for_who_may_see_them(staff: Callable[..., Client], cast: Cast) -> None:
    """Without the right there is no such choice, no such page and no such file; the same of what rows name."""
    # Of three letters as Bob, once in some hundred runs a form's token would hold it.
    User.objects.filter(pk=cast.bob.pk).update(display_name="Bartholomew")
    browser = staff("core.view_reports")
    for by in ("person", "role", "channel", "collection"):
        for file in ("", "csv", "xlsx"):
            response = browser.get(ADDRESS, {**DAYS, "by": by, "format": file})
            assert response.status_code == 400
            names = (str(cast.alice), "Bartholomew", str(cast.alice.pk), cast.alice.email, "staff</option>")
            assert [name for name in names if name.encode() in response.content] == [], (by, file)
    assert not AuditEvent.objects.filter(action="export").exists()
    User.objects.filter(email="desk@example.com").delete()
    browser = staff("core.view_reports", "core.view_person_reports")
    shown = browser.get(ADDRESS, {**DAYS, "by": "person"}).content.decode()
    assert str(cast.alice) in shown
    assert "Bartholomew" in shown


def test_wrong_days_are_said_and_stay_in_the_form(root: Client) -> None:
    """So that they can be mended."""
    page = root.get(ADDRESS, {"since": "2026-03-03", "until": "2026-03-01", "by": "week"})
    assert page.status_code == 400
    shown = page.content.decode()
    assert "The first day is after the last." in shown
    assert "2026-03-03" in shown
    assert root.get(ADDRESS, {"since": "yesterday"}).status_code == 400
    assert "Nobody asked anything in these days" in root.get(ADDRESS, DAYS).content.decode()


def test_it_holds_no_text(root: Client, world: World) -> None:
    """Neither of questions nor of answers."""
    for by in ("day", "role", "channel", "collection", "person", "model"):
        shown = root.get(ADDRESS, {"by": by}).content.decode()
        assert "<canvas" in shown
        assert [canary for canary in (*CANARIES, "harbour office") if canary in shown] == [], by


def test_who_may_read_reports_sees_it(staff: Callable[..., Client]) -> None:
    """From the sidebar; to others, also those who may view the log, it is closed."""
    browser = staff("core.view_querylog", "core.view_person_reports")
    assert browser.get(ADDRESS).status_code == 403
    assert ADDRESS not in browser.get("/admin/").content.decode()
    User.objects.filter(email="desk@example.com").delete()
    browser = staff("core.view_reports")
    assert browser.get(ADDRESS).status_code == 200
    assert ADDRESS in browser.get("/admin/").content.decode()


@pytest.mark.usefixtures("_asked")
def test_it_costs_a_fixed_number_of_queries(
    root: Client, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Also with many rows; five are the report's."""
    for number in range(30):
        make_question(User.objects.create_user(f"p{number}@example.com"))
    with django_assert_max_num_queries(14):
        root.get(ADDRESS, {**DAYS, "by": "person"})


def test_the_log_shows_similarity_and_confidence(root: Client, cast: Cast) -> None:
    """Both on the page of a question; in the list its confidence."""
    make_question(cast.alice)
    QueryLog.objects.update(mean_similarity=0.41, confidence=0.83, estimate=0.77)
    Answer.objects.update(confidence=0.83)
    assert "0.83" in root.get("/admin/core/query/").content.decode()
    page = root.get(f"/admin/core/querylog/{QueryLog.objects.get().pk}/change/", follow=True).content.decode()
    assert [figure for figure in ("0.41", "0.83", "0.77") if figure not in page] == []


def test_a_digest_is_turned_on_by_who_may_read_reports(staff: Callable[..., Client]) -> None:
    """It shows figures over everyone to a channel; who may change the channel alone cannot."""
    setting = ChannelSetting.objects.create(team_id="T1", channel_id="C1", name="harbour")
    address = f"/admin/core/channelsetting/{setting.pk}/change/"
    form = {"name": "harbour", "team_id": "T1", "channel_id": "C1", "weekly_digest": "on"}
    form |= dict.fromkeys(("enabled", "tells_of_changes"), "on")
    rights = ("core.view_channelsetting", "core.change_channelsetting")
    staff(*rights).post(address, form)
    setting.refresh_from_db()
    assert not setting.weekly_digest
    User.objects.filter(email="desk@example.com").delete()
    staff(*rights, "core.view_reports").post(address, form)
    setting.refresh_from_db()
    assert setting.weekly_digest
    changes = AuditEvent.objects.filter(object_type="channelsetting", object_id=str(setting.pk))
    assert [event.details["weekly_digest"] for event in changes if "weekly_digest" in event.details][-1] is True
