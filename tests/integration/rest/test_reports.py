"""Reports over REST: JSON, CSV and XLSX, for who may have a grouping."""

import csv
import io
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client

from core.models import AuditEvent
from core.testing import Cast
from tests.integration.asked import MONDAY, give_right, make_question
from tests.integration.rest.conftest import Callers

DAYS = {"since": MONDAY.isoformat(), "until": MONDAY.isoformat()}


@pytest.fixture(autouse=True)
def _asked(cast: Cast) -> None:
    """Alice asks twice, Bob once."""
    make_question(cast.alice)
    make_question(cast.alice, refused="nothing_found")
    make_question(cast.bob)


def test_the_json_has_rows_and_a_total(callers: Callers) -> None:
    """By day if nothing else is said."""
    report = callers.analyst.get("reports", **DAYS).json()
    assert (report["by"], report["since"], report["until"]) == ("day", "2026-03-02", "2026-03-02")
    (row,) = report["rows"]
    assert (row["key"], row["questions"], row["answered"], row["refused"]) == ("2026-03-02", 3, 2, 1)
    assert (row["prompt_tokens"], row["cost_usd"], row["reasons"]["wrong"]) == (30, 0.0003, 0)
    assert report["total"] == {**row, "key": "", "label": "All"}


def test_the_files_hold_the_same_and_are_recorded(callers: Callers) -> None:
    """Under a name that says what is in them; the audit row has figures only."""
    read = callers.analyst.get("reports", by="model", format="csv", **DAYS)
    assert read["Content-Type"] == "text/csv; charset=utf-8"
    assert read["Content-Disposition"] == 'attachment; filename="footnote-model-2026-03-02-2026-03-02.csv"'
    (line,) = csv.DictReader(io.StringIO(read.content.decode()))
    assert (line["label"], line["questions"]) == ("extractive/sentences", "3")
    read = callers.analyst.get("reports", by="model", format="xlsx", **DAYS)
    assert "xl/workbook.xml" in ZipFile(io.BytesIO(read.content)).namelist()
    events = AuditEvent.objects.filter(action="export", object_type="report").order_by("created_at")
    assert [event.details["format"] for event in events] == ["csv", "xlsx"]
    assert events[0].details == {
        "by": "model", "since": "2026-03-02", "until": "2026-03-02", "rows": 1, "format": "csv"
    }  # fmt: skip


@pytest.mark.parametrize("file", ["json", "csv", "xlsx"])
def test_persons_are_for_who_may_see_them(callers: Callers, cast: Cast, file: str) -> None:
    """An analyst without the right sees no name and no id of a person, in no form; with it, both."""
    refused = callers.analyst.get("reports", by="person", format=file, **DAYS)
    assert refused.status_code == 403
    for by in ("day", "week", "model"):
        shown = callers.analyst.get("reports", by=by, format=file, **DAYS).content
        for person in (cast.alice, cast.bob):
            assert [text for text in (str(person), str(person.pk), person.email) if text.encode() in shown] == []
    assert not AuditEvent.objects.filter(action="export", details__by="person").exists()
    give_right(callers.analyst.user, "view_person_reports")
    assert callers.analyst.get("reports", by="person", format=file, **DAYS).status_code == 200
    rows: list[dict[str, Any]] = callers.analyst.get("reports", by="person", **DAYS).json()["rows"]
    assert [(row["key"], row["label"], row["questions"]) for row in rows] == [
        (str(cast.alice.pk), str(cast.alice), 2),
        (str(cast.bob.pk), str(cast.bob), 1),
    ]


def test_what_rows_name_is_for_who_may_see_such_things(callers: Callers, cast: Cast) -> None:
    """Roles, channels and collections; the refusal says which permission is missing, and no name."""
    for by, permission in (
        ("role", "view_role"),
        ("channel", "view_channelsetting"),
        ("collection", "view_collection"),
    ):
        refused = callers.analyst.get("reports", by=by, **DAYS)
        assert refused.status_code == 403
        assert refused.json()["detail"] == (
            f"This needs a permission that you lack: {permission}. An administrator can give it."
        )
        assert cast.staff.name not in refused.json()["detail"]
        give_right(callers.analyst.user, permission)
        assert callers.analyst.get("reports", by=by, **DAYS).status_code == 200


def test_everyone_else_is_refused(callers: Callers) -> None:
    """Without the permission there is no report."""
    for caller in (callers.alice, callers.bob, callers.charlie):
        for file in ("json", "csv", "xlsx"):
            refused = caller.get("reports", format=file)
            assert refused.status_code == 403
            assert b"lack: view_reports. An administrator" in refused.content
    assert not AuditEvent.objects.filter(action="export").exists()


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"by": "name"}, "by"),
        ({"since": "2026-03-03", "until": "2026-03-02"}, "since"),
        ({"since": "2020-01-01", "until": "2026-03-02"}, "since"),
        ({"till": "2026-03-02"}, "till"),
    ],
)
def test_what_makes_no_report_is_refused(callers: Callers, query: dict[str, str], field: str) -> None:
    """With the field that is wrong."""
    response = callers.analyst.get("reports", **query)
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [field]


def test_the_schema_has_an_example(client: Client, callers: Callers) -> None:
    """Of a report by role."""
    client.force_login(callers.analyst.user)
    schema = client.get("/api/v1/schema?format=json").json()
    content = schema["paths"]["/api/v1/reports"]["get"]["responses"]["200"]["content"]["application/json"]
    (example,) = content["examples"].values()
    row = schema["components"]["schemas"]["ReportRowJson"]["properties"]
    assert set(example["value"]["rows"][0]) == set(row)
