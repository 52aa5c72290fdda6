"""A small library with words that must not get out, and people who call REST with tokens of their own."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from pytest_django.fixtures import Settings
from rest_framework.response import Response
from rest_framework.test import APIClient

from core.models import AuthToken, Document, User
from core.testing import Cast, make_document

VAULT = "The vault in the harbour office opens with the code quagmire-7741 on weekdays."
CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
# Words of the document that Alice alone may read; nobody else's response may hold one of them.
CANARIES = ("quagmire-7741", "Zanzibar vault rules", "zanzibar-vault-rules", "Zanzibar shelf", "Lockwork section")
VAULT_QUESTION = "With which code does the vault in the harbour office open?"
CANTEEN_QUESTION = "When does the canteen in the harbour office open?"


@dataclass(frozen=True, kw_only=True, slots=True)
class Library:
    """Alice alone may read about the vault; Bob too about the canteen; Charlie nothing."""

    vault: Document
    canteen: Document


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The test client speaks plain http."""
    settings.SECURE_SSL_REDIRECT = False


@pytest.fixture
def library(cast: Cast, fast: None) -> Library:
    """The two documents."""
    vault = make_document(
        "Zanzibar vault rules", VAULT, roles=[cast.owners], collection="Zanzibar shelf", section="Lockwork section"
    )
    return Library(vault=vault, canteen=make_document("Canteen rules", CANTEEN, roles=[cast.staff]))


class Caller:
    """A person who calls REST with a token."""

    def __init__(self, user: User, *scopes: str) -> None:
        self.user = user
        self.row, self.token = AuthToken.objects.create(user, scopes=list(scopes) or ["ask"])
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Token {self.token}")

    def get(self, path: str, **query: Any) -> Response:
        """GET /api/v1/`path`."""
        return self.client.get(f"/api/v1/{path}", query)

    def post(self, path: str, **body: Any) -> Response:
        """POST a JSON object to /api/v1/`path`."""
        return self.client.post(f"/api/v1/{path}", body, format="json")

    def ask(self, question: str, **body: Any) -> dict[str, Any]:
        """The JSON that a question gets."""
        response = self.post("ask", question=question, **body)
        assert response.status_code == 200, response.content
        return dict(response.json())


@dataclass(frozen=True, kw_only=True, slots=True)
class Callers:
    """The cast with tokens, and an analyst who may read reports but no document."""

    alice: Caller
    bob: Caller
    charlie: Caller
    analyst: Caller


@pytest.fixture
def callers(cast: Cast) -> Callers:
    """Everyone who calls."""
    analyst = User.objects.create_user("analyst@example.com", display_name="Ann")
    analyst.user_permissions.add(Permission.objects.get(codename="view_reports"))
    return Callers(
        alice=Caller(cast.alice),
        bob=Caller(cast.bob),
        charlie=Caller(cast.charlie),
        analyst=Caller(analyst, "ask", "reports"),
    )


def assert_no_canary(response: Response) -> None:
    """Assert that nothing of the forbidden document is in the response."""
    text = response.content.decode().casefold()
    assert [canary for canary in CANARIES if canary.casefold() in text] == []
