"""Test that every response limits the browser: nothing from elsewhere, and within no other page."""

import pytest
from django.test import Client
from django.urls import path
from pytest_django import Settings

pytestmark = pytest.mark.django_db


def _directives(policy: str) -> dict[str, str]:
    return {name: sources for name, _, sources in (part.strip().partition(" ") for part in policy.split(";"))}


@pytest.mark.parametrize(
    "address",
    ["/admin/login/", "/admin/", "/api/v1/docs", "/api/v1/documents", "/livez", "/not-there", "/mcp", "/slack/events"],
)
def test_every_response_has_a_policy(address: str, settings: Settings) -> None:
    """Pages, redirects, refusals and what is not there."""
    settings.SECURE_SSL_REDIRECT = False
    response = Client().get(address)
    policy = _directives(response["Content-Security-Policy"])
    assert (policy["default-src"], policy["base-uri"], policy["frame-ancestors"]) == ("'none'", "'none'", "'none'")
    assert "'unsafe-inline'" not in policy["script-src"]
    assert ("'unsafe-eval'" in policy["script-src"]) is address.startswith("/admin/")
    assert not any("http" in sources or "*" in sources for sources in policy.values())
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"
    assert "camera=()" in response["Permissions-Policy"]


def test_an_error_page_has_one_too(settings: Settings) -> None:
    """An error does not bypass the policy."""
    settings.SECURE_SSL_REDIRECT = False
    settings.ROOT_URLCONF = __name__
    response = Client(raise_request_exception=False).get("/broken")
    assert response.status_code == 500
    assert "default-src 'none'" in response["Content-Security-Policy"]


def _broken(_: object) -> None:
    raise RuntimeError


urlpatterns = [path("broken", _broken)]
