"""Reports: right figures in every grouping, for who may have them so, in few queries and without a word of text."""

import csv
import datetime as dt
import io
from typing import Any
from zipfile import ZipFile

import pytest
from django.db import connection
from openpyxl import load_workbook
from pytest_django import DjangoAssertNumQueries

from adminsite.dashboard.usage import usage
from core.errors import ReportError, ReportForbiddenError
from core.models import (
    ChannelSetting,
    EvaluationResult,
    Feedback,
    Query,
    Role,
    User,
    UserRole,
)
from core.quality.reports.figures import HEADINGS, Report, ReportRow, make_report
from core.quality.reports.grouping import Grouping, list_groupings
from core.quality.reports.period import Period
from core.quality.reports.spreadsheets import list_columns, to_csv, to_xlsx
from core.testing import Cast, make_document
from tests.integration.asked import MONDAY, add_citation, give_right, make_question
from tests.integration.rows import multiply

WEEKS = Period(since=MONDAY, until=MONDAY + dt.timedelta(days=13))


@pytest.fixture
def administrator(db: None) -> User:
    """Create a person who may read every report."""
    return User.objects.create_superuser("root@example.com", display_name="Root")


@pytest.fixture
def asked(cast: Cast) -> list[Query]:
    """On Monday Alice asks twice and Bob once, a week later Bob again; one answer is scored and voted on twice."""
    first = make_question(cast.alice, took_ms=100, origin="slack", channel="C1")
    EvaluationResult.objects.create(query_log=first.log, groundedness_score="0.900", method="by hand")
    Feedback.objects.create(answer=first.answer, user=cast.alice, verdict="down", reasons=["wrong", "too_slow"])
    Feedback.objects.create(answer=first.answer, user=cast.bob, verdict="up")
    refused = make_question(cast.alice, took_ms=200, refused="nothing_found", origin="slack", channel="D7")
    EvaluationResult.objects.create(query_log=refused.log, groundedness_score="0.000", abstained=True, method="by hand")
    unsure = make_question(cast.bob, took_ms=300, refused="unsure")
    later = make_question(cast.bob, day=MONDAY + dt.timedelta(days=7), took_ms=50, model="openai/gpt")
    make_question(cast.bob, day=MONDAY - dt.timedelta(days=1))
    make_question(cast.bob, day=WEEKS.until + dt.timedelta(days=1))
    return [first, refused, unsure, later]


def counts(report: Report) -> dict[str, tuple[int, int, int, int]]:
    """Questions, answered, closest and refused, by the label of the row."""
    return {row.label: (row.questions, row.answered, row.closest, row.refused) for row in report.rows}


@pytest.mark.usefixtures("asked")
def test_the_figures_of_a_day_are_right(administrator: User) -> None:
    """Counts, votes with their reasons, scores without abstentions, times, tokens and cost; other days are not in."""
    monday, later = make_report(WEEKS, Grouping.DAY, viewer=administrator).rows
    assert monday == ReportRow(
        key="2026-03-02",
        label="2026-03-02",
        questions=3,
        answered=1,
        closest=1,
        refused=1,
        up=1,
        down=1,
        reasons={"wrong": 1, "not_found": 0, "bad_source": 0, "too_slow": 1, "other": 0},
        evaluated=1,
        relevance=None,
        groundedness=0.9,
        answer_relevance=None,
        confidence=0.4,
        mean_similarity=0.5,
        latency_p50_ms=200.0,
        latency_p95_ms=290.0,
        prompt_tokens=30,
        completion_tokens=15,
        cost_usd=0.0003,
    )
    assert (later.key, later.questions, later.up, later.evaluated) == ("2026-03-09", 1, 0, 0)


def test_every_grouping_counts_its_own(administrator: User, cast: Cast, asked: list[Query]) -> None:
    """By names that people know; a direct message has no channel of its own, for that would name a person."""
    ChannelSetting.objects.create(team_id="T1", channel_id="C1", name="harbour")
    shelf = make_document("Rules", "The canteen opens at noon.", roles=[cast.staff], collection="Shelf")
    for number in (1, 2):
        add_citation(asked[0].answer, shelf, "noon", number=number)
    UserRole.objects.filter(user__in=[cast.alice, cast.bob]).delete()
    UserRole.objects.create(user=cast.alice, role=cast.owners)
    UserRole.objects.create(user=cast.alice, role=cast.staff)
    reports = {by: make_report(WEEKS, by, viewer=administrator) for by in Grouping}
    assert {by: counts(report) for by, report in reports.items()} == {
        Grouping.DAY: {"2026-03-02": (3, 1, 1, 1), "2026-03-09": (1, 1, 0, 0)},
        Grouping.WEEK: {"2026-03-02": (3, 1, 1, 1), "2026-03-09": (1, 1, 0, 0)},
        Grouping.ROLE: {
            cast.owners.name: (2, 1, 0, 1),
            cast.staff.name: (2, 1, 0, 1),
            "No role": (2, 1, 1, 0),
        },
        Grouping.CHANNEL: {"REST": (2, 1, 1, 0), "#harbour": (1, 1, 0, 0), "Direct messages": (1, 0, 0, 1)},
        Grouping.COLLECTION: {"No document shown": (3, 1, 1, 1), "Shelf": (1, 1, 0, 0)},
        Grouping.PERSON: {str(cast.alice): (2, 1, 0, 1), str(cast.bob): (2, 1, 1, 0)},
        Grouping.MODEL: {"extractive/sentences": (3, 1, 1, 1), "openai/gpt": (1, 1, 0, 0)},
    }
    for by, report in reports.items():
        assert (report.total.questions, report.total.up, report.total.latency_p50_ms) == (4, 1, 150.0), by
    by_role = {row.label: (row.up, row.down) for row in reports[Grouping.ROLE].rows}
    assert by_role["No role"] == (0, 0)
    assert by_role[cast.staff.name] == (1, 1)


@pytest.mark.usefixtures("asked")
def test_who_may_have_which_grouping(cast: Cast) -> None:
    """Reports need their permission; what rows name, the permission to see it. Reading documents helps nobody."""
    assert list_groupings(cast.alice) == []
    analyst = give_right(User.objects.create_user("analyst@example.com"), "view_reports")
    assert list_groupings(analyst) == [Grouping.DAY, Grouping.WEEK, Grouping.MODEL]
    for by in (Grouping.PERSON, Grouping.ROLE, Grouping.CHANNEL, Grouping.COLLECTION):
        with pytest.raises(ReportForbiddenError):
            make_report(WEEKS, by, viewer=analyst)
    analyst = give_right(analyst, "view_person_reports", "view_role")
    assert set(list_groupings(analyst)) == {
        Grouping.DAY, Grouping.WEEK, Grouping.MODEL, Grouping.PERSON, Grouping.ROLE
    }  # fmt: skip
    only_persons = give_right(User.objects.create_user("odd@example.com"), "view_person_reports")
    with pytest.raises(ReportForbiddenError):
        make_report(WEEKS, Grouping.PERSON, viewer=only_persons)


@pytest.mark.usefixtures("asked")
def test_no_text_and_no_name_of_a_person_is_in_a_report(administrator: User, cast: Cast) -> None:
    """But in that by person, which has names and still no text."""
    for by in Grouping:
        shown = to_csv(make_report(WEEKS, by, viewer=administrator)).casefold()
        assert [text for text in ("basilisk", "cockatrice") if text in shown] == []
        named = [person for person in (cast.alice, cast.bob) if str(person).casefold() in shown]
        assert named == ([cast.alice, cast.bob] if by is Grouping.PERSON else []), by


def test_an_empty_period_has_no_rows_and_a_total_of_nothing(administrator: User) -> None:
    """Zeros and nulls, no error."""
    report = make_report(WEEKS, Grouping.ROLE, viewer=administrator)
    assert report.rows == ()
    assert (report.total.questions, report.total.cost_usd, report.total.latency_p50_ms) == (0, 0, None)
    assert set(report.total.reasons.values()) == {0}


def test_periods_that_make_no_report_are_refused() -> None:
    """Days in the wrong order and too many of them; what is missing is filled in."""
    with pytest.raises(ReportError):
        Period.of(MONDAY, MONDAY - dt.timedelta(days=1))
    with pytest.raises(ReportError):
        Period.of(MONDAY, MONDAY + dt.timedelta(days=366))
    assert len(Period.of(None, None).days()) == 30
    assert Period.last(7, until=MONDAY).since == dt.date(2026, 2, 24)


def test_files_hold_the_rows_and_no_formula(administrator: User, cast: Cast) -> None:
    """A role that somebody called like a formula is there as text, in both kinds of file."""
    Role.objects.filter(pk=cast.staff.pk).update(name='=HYPERLINK("http://evil.example")')
    make_question(cast.bob)
    report = make_report(WEEKS, Grouping.ROLE, viewer=administrator)
    (line,) = csv.DictReader(io.StringIO(to_csv(report)))
    assert list(line) == list_columns()
    assert (line["key"], line["label"]) == (('\'=HYPERLINK("http://evil.example")',) * 2)
    assert (line["questions"], line["reason_wrong"], line["relevance"]) == ("1", "0", "")
    sheet = ZipFile(io.BytesIO(to_xlsx(report))).read("xl/worksheets/sheet1.xml").decode()
    assert "HYPERLINK" in sheet
    assert "<f>" not in sheet
    assert sheet.count("<row") == 2  # the heading and the row


def test_a_workbook_is_for_people(administrator: User, cast: Cast) -> None:
    """Headings and units of the page, days as dates; the total stands where no sum over the rows counts it again."""
    for day in (MONDAY, MONDAY + dt.timedelta(days=1)):
        make_question(cast.bob, day=day)
    by_day, total = _read_workbook(make_report(WEEKS, Grouping.DAY, viewer=administrator))
    assert (by_day.title, total.title) == ("By day", "All questions")
    headings, *rows = by_day.iter_rows(values_only=True)
    assert headings[:2] == ("Day", "Questions")
    assert {*HEADINGS.values(), "Reason: not found"} <= set(headings)
    assert [row[:2] for row in rows] == [
        (dt.datetime(2026, 3, 2, 0, 0), 1),  # noqa: DTZ001 - what openpyxl reads a date as
        (dt.datetime(2026, 3, 3, 0, 0), 1),  # noqa: DTZ001
    ]
    report = make_report(WEEKS, Grouping.DAY, viewer=administrator)
    assert report.rows[0].latency_p50_ms is not None
    assert rows[0][headings.index("Median s")] == report.rows[0].latency_p50_ms / 1000
    assert by_day.cell(2, headings.index("Median s") + 1).number_format == "0.00"
    assert by_day.column_dimensions["A"].width >= len("2026-03-02")
    headings, row = total.iter_rows(values_only=True)
    assert headings[:3] == ("First day", "Last day", "Questions")
    assert (row[1].date(), row[2]) == (WEEKS.until, 2)


@pytest.mark.parametrize("by", list(Grouping))
def test_a_sheet_is_named_after_its_rows(administrator: User, cast: Cast, by: Grouping) -> None:
    """Ids stand beside names that several may have; a role and a collection are their names."""
    make_question(cast.bob)
    sheet = _read_workbook(make_report(WEEKS, by, viewer=administrator))[0]
    assert sheet.title == f"By {by}"
    headings = next(sheet.iter_rows(values_only=True))
    assert (f"{by.capitalize()} id" in headings) == (by in {Grouping.PERSON, Grouping.CHANNEL})


def _read_workbook(report: Report) -> list[Any]:
    return list(load_workbook(io.BytesIO(to_xlsx(report))).worksheets)


def test_many_questions_cost_no_more_queries_and_only_those_of_the_period_are_read(
    administrator: User, asked: list[Query], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """The database counts them, and finds them by an index."""
    moment = f"timestamptz '{WEEKS.start.isoformat()}' + n * interval '10 minutes'"
    multiply(asked[0].log, 8_000, query_id="NULL", request_id="'req_' || n", created_at=moment)
    for by in Grouping:
        with django_assert_max_num_queries(6):
            report = make_report(WEEKS, by, viewer=User.objects.get(pk=administrator.pk))
        assert report.total.questions == 4 + 14 * 24 * 6 - 1
    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN SELECT count(*) FROM reporting.questions WHERE asked_at >= %s AND asked_at < %s",
            [WEEKS.start, WEEKS.end],
        )
        assert "querylog_created" in str(cursor.fetchall())


def test_what_was_overheard_in_silence_counts_nowhere(asked: list[Query], administrator: User) -> None:
    """Neither as a question nor as a refusal, in no report; once it is answered aloud it does."""
    for overheard, questions in ((True, 2), (False, 3)):
        Query.objects.filter(pk=asked[1].pk).update(is_overheard=overheard)
        for grouping in Grouping:
            report = make_report(Period(since=MONDAY, until=MONDAY), grouping, viewer=administrator)
            assert (report.total.questions, report.total.refused) == (questions, int(not overheard)), grouping
        assert usage(report.period).total.questions == questions
