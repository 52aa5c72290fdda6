"""Filters that no document can have are refused at every door, with what would be right, and nothing is stored."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from core.asking.answering.requests import LONGEST_SELECTION, check_selection
from core.errors import InvalidFilterError, InvalidQuestionError
from core.filters import MOST_NAMES, filters_as_json, filters_from_json, parse_filters
from core.mcp.forms import Call, check_arguments
from core.mcp.tools import TOOLS
from core.models import AuthToken, Query
from core.programs.asking import Program
from core.serialization import round_up_ms
from core.testing import Cast
from core.types import Origin

# What is wrong, and what the error says of it.
IMPOSSIBLE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"document_type": "novel"}, "document_type must be one of: paper, book"),
    ({"document_type": "Minutes"}, "document_type must be one of"),
    ({"date_from": "2024-02-30"}, "date_from must be a date like 2024-03-20"),
    ({"date_to": "20240320"}, "date_to must be a date like 2024-03-20"),
    ({"date_to": ""}, "date_to must be a date like 2024-03-20"),
    ({"date_from": "2024-12-31", "date_to": "2024-01-01"}, "date_from is after date_to"),
    ({"source": " \u00a0"}, "source is empty"),
    ({"collection": ""}, "collection is empty"),
    ({"chapter": "x" * 301}, "chapter must be text of at most 300 characters"),
)
ONLY_IN_JSON: tuple[tuple[dict[str, Any], str], ...] = (
    ({"collections": ["x"] * (MOST_NAMES + 1)}, f"collections must be a list of 1 to {MOST_NAMES} names"),
    ({"collections": []}, "collections must be a list of 1 to"),
    ({"collections": [""]}, "collections is empty"),
    ({"collections": "Handbook"}, "collections must be a list"),
    ({"date_from": 20240320}, "date_from must be a date"),
    ({"colection": "Handbook"}, "Unknown filter: colection"),
    ({"max_results": 11}, "max_results must be a whole number from 1 to 10"),
    ({"max_results": 0}, "max_results must be a whole number from 1 to 10"),
    ({"max_results": "5"}, "max_results must be a whole number"),
)
LISTS = (
    "queries",
    "evaluations",
    "feedback",
    "documents",
    "reports/usage",
    "reports/evaluations",
    "reports/benchmarks",
)
EVERYWHERE = pytest.mark.parametrize(("filters", "said"), IMPOSSIBLE, ids=str)
IN_JSON = pytest.mark.parametrize(("filters", "said"), IMPOSSIBLE + ONLY_IN_JSON, ids=lambda part: str(part)[:40])


@pytest.fixture
def bob(cast: Cast, settings: Settings) -> APIClient:
    """Bob with a token."""
    settings.SECURE_SSL_REDIRECT = False
    cache.clear()
    client = APIClient()
    client.credentials(
        HTTP_AUTHORIZATION=f"Token {AuthToken.objects.create(cast.bob, scopes=AuthToken.Scope.values)[1]}"
    )
    return client


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "words"), [("ask", "question"), ("search", "query")])
@IN_JSON
def test_over_rest(path: str, words: str, filters: dict[str, Any], said: str, bob: APIClient) -> None:
    """A 400 that says which part."""
    response = bob.post(f"/api/v1/{path}", {words: "When does it open?", "filters": filters}, format="json")
    assert (response.status_code, response.json()["code"]) == (400, "invalid_filter")
    assert said in response.json()["detail"]
    assert not Query.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("tool", "words"), [("ask", "question"), ("search", "query")])
@EVERYWHERE
def test_over_mcp(tool: str, words: str, filters: dict[str, Any], said: str, cast: Cast) -> None:
    """The model gets the reason, and can correct its call."""
    given = check_arguments(TOOLS[tool].arguments, {words: "When does it open?", **filters})
    with pytest.raises(InvalidFilterError, match=said[:40]):
        TOOLS[tool].run(Call(program=Program(person=cast.bob, origin=Origin.MCP)), given)


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["ask", "search"])
@EVERYWHERE
def test_on_the_command_line(command: str, filters: dict[str, Any], said: str, cast: Cast) -> None:
    """Wrong usage."""
    with pytest.raises(CommandError, match=said[:40]) as refused:
        call_command(command, "When does it open?", email=cast.bob.email, **filters)
    assert refused.value.returncode == 2


@pytest.mark.django_db
@pytest.mark.parametrize(("command", "words"), [("ask", "question"), ("search", "query")])
def test_in_the_lines_of_a_batch(command: str, words: str, cast: Cast, tmp_path: Path) -> None:
    """Each line for itself; a key that there is not is named as well."""
    wrong = [*IMPOSSIBLE, *ONLY_IN_JSON]
    lines = [{words: "When does it open?", "as": cast.bob.email, "filters": filters} for filters, _ in wrong]
    lines.append({words: "When does it open?", "as": cast.bob.email, "filter": {"document_type": "minutes"}})
    file = tmp_path / "batch.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    written = StringIO()
    with pytest.raises(CommandError, match=f"{len(lines)} of the lines"):
        call_command(command, batch=str(file), stdout=written)
    errors = [json.loads(line)["error"] for line in written.getvalue().splitlines()]
    assert all(said in error for (_, said), error in zip(wrong, errors, strict=False))
    assert 'unknown: "filter"' in errors[-1]


def test_names_are_kept_once_and_on_one_line() -> None:
    """The same name twice narrows no further."""
    assert parse_filters({"collections": ["A", " A ", "B\u00a0 c"]}).collections == ("A", "B c")


def test_what_was_stored_under_other_rules_is_still_read() -> None:
    """An old answer is shown although its filters would be refused today."""
    old = {"document_type": "novel", "collections": ["x"] * 60, "date_from": "2024-05-01", "max_results": 3}
    assert filters_as_json(filters_from_json(old)) == old
    assert filters_from_json({}) == parse_filters({})


def test_a_selection_that_takes_too_long_is_refused_with_the_limit() -> None:
    """10,000 characters are read and embedded in about a second."""
    assert check_selection("x" * LONGEST_SELECTION)
    with pytest.raises(InvalidQuestionError, match="10,001 characters; the limit is 10,000"):
        check_selection("x" * (LONGEST_SELECTION + 1))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("ask", {"question": "When does it open?", "filter": {}, "selectedText": "x"}),
        ("search", {"query": "opening hours", "filter": {}, "top_k": 3}),
        ("feedback", {"request_id": "req_x", "verdict": "up", "filter": "x", "reason": "wrong"}),
    ],
)
def test_a_field_that_there_is_not_is_refused_and_named(path: str, body: dict[str, Any], bob: APIClient) -> None:
    """Ignored, a misspelt one would change what is asked without a word."""
    response = bob.post(f"/api/v1/{path}", body, format="json")
    assert response.status_code == 400
    assert set(response.json()["fields"]) == {list(body)[-2], list(body)[-1]}
    assert "The fields are: " in str(response.json()["fields"])
    assert not Query.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    ["queries", "evaluations", "feedback", "documents", "reports/usage", "reports/evaluations", "reports/benchmarks"],
)
def test_a_parameter_of_a_list_that_there_is_not_is_refused(path: str, cast: Cast, bob: APIClient) -> None:
    """A list without its filter would show what was not asked for."""
    cast.bob.is_superuser = True
    cast.bob.save()
    response = bob.get(f"/api/v1/{path}", {"documnet_type": "minutes"})
    assert response.status_code == 400
    assert list(response.json()["fields"]) == ["documnet_type"]
    assert bob.get(f"/api/v1/{path}", {"format": "json"}).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "days"), [("documents", ("date_from", "date_to")), ("queries", ("since", "until"))])
def test_the_days_of_a_list_are_in_order(path: str, days: tuple[str, str], bob: APIClient) -> None:
    """Else the list would be empty, whatever there is."""
    first, last = days
    response = bob.get(f"/api/v1/{path}", {first: "2024-12-31", last: "2024-01-01"})
    assert response.status_code == 400
    assert response.json()["fields"] == {first: [f"{first} is after {last}."]}


@pytest.mark.parametrize(("spent", "told"), [(0, 0), (0.1, 50), (50, 50), (65.9, 100), (68.9, 100), (212, 250)])
def test_times_are_told_in_steps(spent: float, told: int) -> None:
    """65.9 and 68.9 ms revealed whether a forbidden document matches."""
    assert round_up_ms(spent) == told


@pytest.mark.django_db
@pytest.mark.usefixtures("fast")
def test_every_time_that_is_told_outside_is_rounded(bob: APIClient) -> None:
    """In results, in searches and in lists; what is stored is exact."""
    found = bob.post("/api/v1/search", {"query": "opening hours"}, format="json").json()
    asked = bob.post("/api/v1/ask", {"question": "When does it open?"}, format="json").json()
    listed = bob.get("/api/v1/queries").json()["results"][0]
    stored = bob.get(f"/api/v1/queries/{asked['request_id']}").json()
    times = [found["took_ms"], listed["response_time_ms"]]
    for result in (asked, stored):
        times += [result["processing_time_ms"], *result["timings_ms"].values()]
    assert [spent for spent in times if spent % 50] == []
