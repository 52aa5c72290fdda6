"""Test unusable input: a client error names the fault and the right values; never a 500."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.integration.rest.conftest import Callers

HUGE = b'{"question": "' + b"a" * 3_000_000 + b'"}'


@pytest.mark.parametrize("path", ["ask", "search", "feedback"])
@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"[" * 100_000, 400, "nested too deeply"),
        (b"{", 400, "JSON parse error"),
        (b'{"question": "caf\xe9"}', 400, "JSON parse error"),
        (HUGE, 413, "The body is larger than 1 MB."),
    ],
)
def test_a_body_that_cannot_be_read_is_the_senders_fault(
    path: str, body: bytes, status: int, said: str, callers: Callers
) -> None:
    """In JSON, as every error."""
    response = callers.bob.client.post(f"/api/v1/{path}", body, content_type="application/json")
    assert response.status_code == status, response.content[:300]
    assert said in response.json()["detail"]


def test_another_kind_of_body_is_told_which_kind_is_read(callers: Callers) -> None:
    """Not only that this one is not."""
    response = callers.bob.client.post("/api/v1/ask", b"<q/>", content_type="application/xml")
    assert response.status_code == 415
    assert "Content-Type: application/json" in response.json()["detail"]


@pytest.mark.parametrize(
    ("path", "query", "choices"),
    [
        ("queries", {"state": "done"}, "COMPLETE, NO_CONTENT_FOUND, FAILED"),
        ("queries", {"mine": "maybe"}, "true or false"),
        ("evaluations", {"abstained": "2"}, "true or false"),
        ("documents", {"document_type": "novel"}, "paper, book, manual"),
        ("feedback", {"verdict": "helpful"}, "up, down"),
    ],
)
def test_a_filter_with_a_wrong_value_is_refused_and_says_the_right_ones(
    path: str, query: dict[str, str], choices: str, callers: Callers
) -> None:
    """It is not ignored: the list would show what was not asked for."""
    response = callers.bob.get(path, **query)
    assert response.status_code == 400
    (field,) = query
    assert choices in " ".join(response.json()["fields"][field])


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [("verdict", "helpful", "one of: up, down."), ("reasons", ["boring"], "one of: ")],
)
def test_a_verdict_with_a_wrong_value_says_the_right_ones(field: str, value: Any, said: str, callers: Callers) -> None:
    """Of the verdict and of each reason."""
    response = callers.bob.post("feedback", **{"request_id": "req_x", "verdict": "up", field: value})
    assert response.status_code == 400
    assert said in str(response.json()["fields"][field])


@pytest.mark.parametrize("word", ["true", "True", "1", "false", "False", "0"])
def test_true_and_false_are_read_as_programs_write_them(word: str, callers: Callers) -> None:
    """In either case, and as numbers."""
    assert callers.bob.get("queries", mine=word).status_code == 200


def test_no_address_is_a_fault_of_ours(callers: Callers) -> None:
    """An id that PostgreSQL could not store is one that is not there."""
    assert callers.bob.get("queries/%00").status_code == 404


@pytest.mark.parametrize("path", ["", "nowhere"])
def test_an_address_with_nothing_behind_it_names_the_reference(path: str, db: None) -> None:
    """The root too, in JSON."""
    response = APIClient().get(f"/api/v1/{path}")
    assert response.status_code == 404
    assert "/api/v1/docs" in response.json()["detail"]


@pytest.mark.parametrize("header", ["", "Bearer abc", "Token abc", "Token"])
def test_who_is_not_let_in_is_told_how_to_come_in(header: str, db: None) -> None:
    """By the form of the header, and who makes a token."""
    detail = APIClient().get("/api/v1/queries", HTTP_AUTHORIZATION=header).json()["detail"]
    assert "Authorization: Token " in detail
    assert "administrator" in detail


def test_who_may_not_read_reports_is_told_what_is_needed(callers: Callers) -> None:
    """And who gives it."""
    detail = callers.bob.get("reports/usage").json()["detail"]
    assert "view_reports" in detail
    assert "administrator" in detail


@pytest.mark.parametrize("path", ["docs", "docs/", "schema", "schema/"])
def test_the_reference_is_there_with_and_without_a_slash(path: str, db: None) -> None:
    """The launcher prints its address with one."""
    assert APIClient().get(f"/api/v1/{path}").status_code == 200
