"""Test authentication, the form of errors, and the schema's promises."""

import datetime as dt
import logging
import re
from typing import Any
from uuid import UUID

import jsonschema
import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from rest_framework.test import APIClient

from adminsite.api.errors import exception_handler
from adminsite.api.urls import VIEWS
from core.asking.research.running import run_research
from core.errors import EmbeddingError, ModelUnavailableError
from core.models import AuthToken
from core.testing import Cast
from tests.integration.rest.conftest import CANTEEN_QUESTION, Callers, Library, assert_no_canary

GET_PATHS = (
    "queries",
    "queries/req_20200101_00000000",
    "evaluations",
    "feedback",
    "documents",
    "research",
    "reports/usage",
)
POST_PATHS = ("ask", "search", "feedback", "research")


@pytest.mark.parametrize("path", [*GET_PATHS, *(f"{path}/" for path in GET_PATHS)])
def test_no_one_reads_without_a_token(path: str, library: Library) -> None:
    """Without a token each path gives the same 401 and asks for one."""
    response = APIClient().get(f"/api/v1/{path}")
    assert response.status_code == 401
    assert response.json().keys() == {"detail", "code"}
    assert response["WWW-Authenticate"] == "Token"
    assert_no_canary(response)


@pytest.mark.parametrize("path", POST_PATHS)
def test_no_one_asks_without_a_token(path: str, library: Library) -> None:
    """The body is not even looked at."""
    assert APIClient().post(f"/api/v1/{path}", {}, format="json").status_code == 401


@pytest.mark.parametrize("token", ["", "x", "Ã¿Ã¾", "a b", "0" * 64, "nul\x00", "x" * 5000])
def test_a_wrong_token_is_refused(token: str, db: None) -> None:
    """Whatever the header says, the answer is 401."""
    response = APIClient().get("/api/v1/documents", HTTP_AUTHORIZATION=f"Token {token}")
    assert response.status_code == 401


def test_a_token_ends_with_its_time_and_with_its_person(callers: Callers, cast: Cast) -> None:
    """An expired token and an inactive person's are refused."""
    _row, expired = AuthToken.objects.create(cast.bob, expiry=-dt.timedelta(seconds=1))
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {expired}")
    assert client.get("/api/v1/documents").status_code == 401
    assert callers.alice.get("documents").status_code == 200
    cast.alice.is_active = False
    cast.alice.save()
    assert callers.alice.get("documents").status_code == 401


def test_a_session_reads_but_writes_only_with_its_csrf_token(cast: Cast, library: Library) -> None:
    """Signed in through the browser one may read; another site cannot make the browser ask."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.bob)
    assert [row["title"] for row in client.get("/api/v1/documents").json()["results"]] == ["Canteen rules"]
    response = client.post("/api/v1/ask", {"question": CANTEEN_QUESTION}, content_type="application/json")
    assert response.status_code == 403
    assert response.json().keys() == {"detail", "code"}


@pytest.mark.parametrize(
    ("method", "path", "status"), [("get", "nowhere", 404), ("get", "ask", 405), ("delete", "documents", 405)]
)
def test_other_paths_and_methods_answer_in_json(callers: Callers, method: str, path: str, status: int) -> None:
    """A path that does not exist and a method that a path does not take."""
    response = getattr(callers.bob.client, method)(f"/api/v1/{path}")
    assert response.status_code == status
    assert response.json().keys() == {"detail", "code"}


def test_what_stands_in_an_address_is_not_logged(callers: Callers, caplog: pytest.LogCaptureFixture) -> None:
    """A refused request is logged with its path and without its query, which may hold a question."""
    callers.bob.get("nowhere", question="quagmire-7741")
    written = [handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler]
    lines = [handler.format(record) for handler in written for record in caplog.records]
    assert any("Not Found: /api/v1/nowhere" in line for line in lines)
    assert not any("quagmire" in line for line in lines)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OperationalError("connection to server at 10.0.0.1 failed"), 503, "try_again"),
        (ModelUnavailableError(), 503, "try_again"),
        (EmbeddingError("/opt/models is empty"), 500, "error"),
    ],
)
def test_a_failure_inside_shows_nothing_internal(error: Exception, status: int, code: str) -> None:
    """A temporary fault asks to try again; no error reveals addresses, folders or settings."""
    response = exception_handler(error, {})
    assert response is not None
    assert (response.status_code, response.data["code"]) == (status, code)
    assert "10.0.0.1" not in response.data["detail"]
    assert "/opt" not in response.data["detail"]


def test_a_fault_of_ours_is_not_dressed_up() -> None:
    """An error that nobody foresaw goes on to the log as what it is."""
    assert exception_handler(ZeroDivisionError(), {}) is None


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The OpenAPI schema."""
    GENERATOR_STATS.reset()
    generated: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return generated


def test_the_schema_is_valid_and_complete(schema: dict[str, Any]) -> None:
    """It validates, was made without a warning, and names each path once."""
    validate_schema(schema)
    assert not GENERATOR_STATS
    assert set(schema["paths"]) == {re.sub(r"<\w+:(\w+)>", r"{\1}", f"/api/v1/{route}") for route in VIEWS}


def test_results_are_what_the_schema_says(schema: dict[str, Any], callers: Callers, library: Library) -> None:
    """Real responses fit the schema, and it allows no key that they lack."""

    def check(name: str, value: Any) -> None:
        component = schema["components"]["schemas"][name]
        resolved = {**component, "components": schema["components"]}
        jsonschema.validate(value, _nullable(resolved))
        assert set(value) == set(component["properties"])

    answered = callers.bob.ask(CANTEEN_QUESTION)
    check("ResultJson", answered)
    check("ResultJson", callers.charlie.ask(CANTEEN_QUESTION))
    check("CitationJson", answered["citations"][0])
    check("SearchJson", callers.bob.post("search", query="harbour office").json())
    check("DocumentJson", callers.bob.get("documents").json()["results"][0])
    check("QueryJson", callers.bob.get("queries").json()["results"][0])
    check("FeedbackJson", callers.bob.post("feedback", request_id=answered["request_id"], verdict="up").json())
    planned = callers.bob.post("research", topic="the harbour office").json()
    check("ResearchJson", planned)
    callers.bob.post(f"research/{planned['research_id']}/start")
    run_research(UUID(planned["research_id"]))
    check("ResearchJson", callers.bob.get(f"research/{planned['research_id']}").json())
    check("ListedResearchJson", callers.bob.get("research").json()["results"][0])
    check("UsageJson", callers.analyst.get("reports/usage").json())


def _nullable(schema: Any) -> Any:
    """OpenAPI 3.0's `nullable` as JSON Schema's null type."""
    if isinstance(schema, list):
        return [_nullable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _nullable(value) for key, value in schema.items() if key != "nullable"}
    if schema.get("nullable") is True and isinstance(schema.get("type"), str):
        plain["type"] = [schema["type"], "null"]
    if schema.get("nullable") is True and "enum" in schema:
        plain["enum"] = [*schema["enum"], None]
    if schema.get("nullable") is True and "allOf" in schema:
        return {"anyOf": [plain, {"type": "null"}]}
    return plain


@pytest.mark.parametrize("end", ["", "/"])
def test_the_schema_and_its_page_need_nothing_from_elsewhere(client: Client, db: None, end: str) -> None:
    """The page loads its scripts from this server; like every path it also works with a slash at its end."""
    page = client.get(f"/api/v1/docs{end}").content.decode()
    assert "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js" in page
    assert "https://" not in page
    assert client.get(f"/api/v1/schema{end}").status_code == 200


def test_the_schema_command_has_no_complaints(tmp_path: Any) -> None:
    """`manage.py spectacular` writes the same schema and treats a warning as a failure."""
    target = tmp_path / "schema.yaml"
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(target))
    assert "/api/v1/ask" in target.read_text()
