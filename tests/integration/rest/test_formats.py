"""Answers in a form that does not exist."""

import pytest

from tests.integration.rest.conftest import Callers


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("reports", "json, csv, xlsx"),
        ("reports/usage", "json, csv"),
        ("reports/editions", "json, csv"),
        ("reports/evaluations", "json"),
    ],
)
@pytest.mark.parametrize("asked", ["pdf", "docx", "CSV", "../csv"])
def test_an_unknown_format_is_a_mistake_that_names_the_known_ones(
    callers: Callers, path: str, known: str, asked: str
) -> None:
    """In the JSON of other mistakes; what was asked for is not repeated."""
    refused = callers.analyst.get(path, format=asked)
    assert refused.status_code == 400
    assert refused["Content-Type"] == "application/json"
    assert refused.json() == {
        "detail": "Some fields cannot be used.",
        "code": "invalid",
        "fields": {"format": [f"There is no such format here. There are: {known}."]},
    }


def test_known_formats_are_still_given(callers: Callers) -> None:
    """Each in its own media type."""
    given = {name: callers.analyst.get("reports", format=name)["Content-Type"] for name in ("json", "csv")}
    assert given["json"] == "application/json"
    assert given["csv"].startswith("text/csv")
