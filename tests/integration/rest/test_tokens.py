"""Test a token's scopes, its networks and its lifetime, and that it can be ended at once."""

import datetime as dt
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from typing import Any

import pytest
from django.conf import settings as project_settings
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from adminsite.mcp.view import McpView
from core.mcp.tools import TOOLS
from core.models import AuditEvent, AuthToken, User
from core.testing import Cast
from core.values.token_audience import TokenAudience
from tests.integration.rest.conftest import CANTEEN_QUESTION, Caller, Callers, Library

# They tell nothing of anybody, or name the scope for each tool.
WITHOUT_SCOPE = {"SpectacularAPIView", "SpectacularSwaggerSplitView", "NowhereView", McpView.__name__}


def rest_views() -> Iterator[type[Any]]:
    """The views of REST and MCP."""

    def walk(patterns: list[URLPattern | URLResolver]) -> Iterator[type[Any]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns)
            elif view := getattr(pattern.callback, "cls", None):
                yield view

    return walk(get_resolver().url_patterns)


def test_every_view_and_every_tool_says_which_scope_it_needs() -> None:
    """A view that names none lets no token in, and none leaves out the check."""
    views = set(rest_views())
    assert {view.__name__ for view in views} > WITHOUT_SCOPE
    for view in views:
        if view.__name__ not in WITHOUT_SCOPE:
            assert view.token_scope in AuthToken.Scope, view
            assert "InScope" in {permission.__name__ for permission in view.permission_classes}, view
    assert {tool.scope for tool in TOOLS.values()} <= set(AuthToken.Scope)


def test_a_token_reads_answers_and_nothing_else_unless_it_is_told(callers: Callers, cast: Cast) -> None:
    """The default scope asks; reports need their own, though the person may read them."""
    plain = Caller(callers.analyst.user)
    assert plain.row.scopes == ["ask"]
    assert plain.get("documents").status_code == 200
    for report in ("reports/usage", "reports/evaluations", "reports/benchmarks"):
        refused = plain.get(report)
        assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
        assert "scope reports" in refused.json()["detail"]
        assert callers.analyst.get(report).status_code == 200


def test_figures_of_everyone_need_the_scope_of_reports(callers: Callers, library: Library) -> None:
    """Without it the analyst's program sees the analyst's own questions alone."""
    callers.bob.ask(CANTEEN_QUESTION)
    plain = Caller(callers.analyst.user)
    for path in ("queries", "evaluations"):
        assert plain.get(path).json()["count"] == 0
    assert callers.analyst.get("queries").json()["count"] == 1


def test_a_token_for_reports_asks_nothing(callers: Callers, library: Library) -> None:
    """Each scope opens its own doors alone; one without doors opens none."""
    for scope, report in (("reports", 200), ("ingest", 403)):
        caller = Caller(callers.analyst.user, scope)
        assert caller.get("reports/usage").status_code == report
        assert caller.post("ask", question=CANTEEN_QUESTION).status_code == 403
        assert caller.post("search", query="canteen").status_code == 403
        assert {caller.get(path).status_code for path in ("documents", "queries", "feedback")} == {403}


def test_a_session_of_the_browser_has_every_scope(callers: Callers) -> None:
    """The permission alone decides there, as before."""
    browser = Client()
    browser.force_login(callers.analyst.user)
    assert browser.get("/api/v1/documents").status_code == 200
    assert browser.get("/api/v1/reports/usage").status_code == 200


@pytest.mark.parametrize("scopes", [["everything"], [], ["ask", "admin"]])
def test_the_database_takes_no_unknown_scope(scopes: list[str], cast: Cast) -> None:
    """Nor a token without any."""
    with pytest.raises(IntegrityError), transaction.atomic():
        AuthToken.objects.create(cast.bob, scopes=scopes)


def test_a_token_ends_after_ninety_days(cast: Cast) -> None:
    """Unless REST_TOKEN_DAYS says otherwise."""
    row, _token = AuthToken.objects.create(cast.bob)
    assert project_settings.REST_KNOX["TOKEN_TTL"] == dt.timedelta(days=90)
    assert dt.timedelta(days=89, hours=23) < row.expiry - timezone.now() <= dt.timedelta(days=90)


def test_its_use_is_noted_at_most_once_a_minute(callers: Callers) -> None:
    """The first use is noted, the next is not, one after a minute is."""
    row = callers.bob.row
    assert callers.bob.get("documents").status_code == 200
    row.refresh_from_db()
    first = row.last_used_at
    assert first is not None
    callers.bob.get("documents")
    row.refresh_from_db()
    assert row.last_used_at == first
    AuthToken.objects.filter(pk=row.pk).update(last_used_at=first - dt.timedelta(minutes=2))
    callers.bob.get("documents")
    row.refresh_from_db()
    assert row.last_used_at >= first


def test_a_refused_token_is_not_noted(callers: Callers) -> None:
    """Last use means a use that was let in."""
    row = callers.bob.row
    AuthToken.objects.filter(pk=row.pk).update(networks=["192.0.2.0/24"])
    assert callers.bob.get("documents").status_code == 401
    row.refresh_from_db()
    assert row.last_used_at is None


@pytest.mark.parametrize(
    ("networks", "address", "is_let_in"),
    [
        ([], "198.51.100.7", True),
        (["192.0.2.0/24"], "192.0.2.200", True),
        (["192.0.2.0/24"], "::ffff:192.0.2.200", True),
        (["192.0.2.0/24"], "192.0.3.1", False),
        (["192.0.2.7"], "192.0.2.7", True),
        (["192.0.2.7"], "192.0.2.8", False),
        (["10.0.0.0/8", "2001:db8::/32"], "2001:db8::1", True),
        (["10.0.0.0/8", "2001:db8::/32"], "2001:db9::1", False),
        (["10.0.0.0/8"], "", False),
        (["0.0.0.0/0"], "not an address", False),
    ],
)
def test_a_token_works_from_its_addresses_alone(
    networks: list[str], address: str, is_let_in: bool, callers: Callers
) -> None:
    """Over REST and MCP; an unknown address is none of them."""
    AuthToken.objects.filter(pk=callers.bob.row.pk).update(networks=networks)
    response = callers.bob.client.get("/api/v1/documents", REMOTE_ADDR=address)
    assert response.status_code == (200 if is_let_in else 401)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepted = "application/json, text/event-stream"
    headers = {"Authorization": f"Bearer {callers.bob.token}", "Accept": accepted, "Host": "testserver"}
    response = APIClient().post("/mcp", body, format="json", headers=headers, REMOTE_ADDR=address)
    assert response.status_code == (200 if is_let_in else 401)


@pytest.mark.parametrize(
    ("is_behind", "forwarded", "is_let_in"),
    [
        (False, "192.0.2.7", False),  # the caller's own word
        (True, "192.0.2.7", True),
        (True, "192.0.2.7, 198.51.100.9", False),  # the proxy saw another address than the caller claims
        (True, "198.51.100.9, 192.0.2.7", True),
        (True, "192.0.2.7, nonsense", False),
    ],
)
def test_behind_a_proxy_the_address_that_the_proxy_saw_counts(
    is_behind: bool, forwarded: str, is_let_in: bool, callers: Callers, settings: Settings
) -> None:
    """The last of X-Forwarded-For, and only where BEHIND_PROXY says that there is a proxy."""
    settings.BEHIND_PROXY = is_behind
    AuthToken.objects.filter(pk=callers.bob.row.pk).update(networks=["192.0.2.7"])
    response = callers.bob.client.get("/api/v1/documents", HTTP_X_FORWARDED_FOR=forwarded, REMOTE_ADDR="10.0.0.1")
    assert response.status_code == (200 if is_let_in else 401)


def test_a_token_that_is_taken_back_ends_at_once(callers: Callers) -> None:
    """With the very next request."""
    assert callers.bob.get("documents").status_code == 200
    callers.bob.row.delete()
    assert callers.bob.get("documents").status_code == 401


def test_the_command_says_what_a_token_is_for(cast: Cast) -> None:
    """With its name, scopes and networks; and the audit row without addresses or names."""
    out = StringIO()
    chosen = ["--name", "Wiki", "--scope", "reports", "--scope", "ask", "--from", "192.0.2.0/24", "--days", "7"]
    call_command("create_token", "bob@example.com", *chosen, stdout=out)
    row = AuthToken.objects.get(user=cast.bob)
    assert (row.name, row.scopes, row.networks) == ("Wiki", ["ask", "reports"], ["192.0.2.0/24"])
    assert AuditEvent.objects.get(action="create").details == {
        "user": str(cast.bob.pk),
        "scopes": ["ask", "reports"],
        "networks": 1,
        "days": 7,
    }
    with pytest.raises(CommandError, match="is not a network") as refused:
        call_command("create_token", "bob@example.com", "--from", "192.0.2.7/24")
    assert refused.value.returncode == 2


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["--for-people", "bob@example.com, Alice@Example.COM"], {"for_people"}),
        (["--for-channel", "T0TEST/C0GENERAL"], {"for_channel"}),
    ],
)
def test_a_token_is_made_on_behalf_of_others(given: list[str], kept: set[str], cast: Cast) -> None:
    """The audit row says of whom, by ids."""
    call_command("create_token", "charlie@example.com", *given, stdout=StringIO())
    row = AuthToken.objects.get(user=cast.charlie)
    details = AuditEvent.objects.get(action="create").details
    assert details.keys() & {"for_people", "for_channel"} == kept
    if "for_people" in kept:
        assert row.asks_for == TokenAudience(people=frozenset({cast.alice.pk, cast.bob.pk}))
        assert details["for_people"] == sorted([str(cast.alice.pk), str(cast.bob.pk)])
    else:
        assert row.asks_for == TokenAudience(team_id="T0TEST", channel_id="C0GENERAL")
        assert details["for_channel"] == "T0TEST/C0GENERAL"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--for-people", "nobody@example.com"], "Nobody active"),
        (["--for-people", "bob@example.com"], "Nobody active"),
        (["--for-channel", "general"], "is not a channel"),
        (["--for-channel", "T0TEST/D0DIRECT"], "is not a channel"),
        (["--for-people", "alice@example.com", "--for-channel", "T0TEST/C0GENERAL"], "not both"),
        (["--for-people", "alice@example.com", "--scope", "ask", "--scope", "reports"], "no scope but ask"),
        (["--for-channel", "T0TEST/C0GENERAL", "--scope", "ingest"], "no scope but ask"),
        (["--for-channel", "T0TEST/C0GENERAL", "--scope", "grant"], "no scope but ask"),
    ],
)
def test_what_can_be_no_token_for_others_is_refused(given: list[str], said: str, cast: Cast) -> None:
    """Whoever has left, what is no channel, and what may do more than ask."""
    User.objects.filter(pk=cast.bob.pk).update(is_active=False)
    with pytest.raises(CommandError, match=said) as refused:
        call_command("create_token", "charlie@example.com", *given, stdout=StringIO())
    assert refused.value.returncode == 2
    assert not AuthToken.objects.exists()


def test_tokens_of_before_work_on(cast: Cast) -> None:
    """The migration takes them over with all that they could do, and leaves who may make them that permission."""
    _row, token = AuthToken.objects.create(cast.bob)
    before = AuthToken.objects.values_list("token_key", "digest", "created", "expiry").get()
    group = Group.objects.create(name="desk")
    group.permissions.add(Permission.objects.get(content_type__app_label="core", codename="delete_authtoken"))
    ContentType.objects.filter(app_label="core", model="authtoken").update(app_label="knox")
    migration = import_module("core.migrations.0016_tokens_and_audit_chain")
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE knox_authtoken AS SELECT token_key, digest, user_id, created, expiry FROM core_authtoken"
        )
        cursor.execute("DELETE FROM core_authtoken")
        cursor.execute(migration.TAKE_OVER)
        cursor.execute("SELECT to_regclass('knox_authtoken')")
        assert cursor.fetchone() == (None,)
        cursor.execute(migration.TAKE_OVER)  # where there is no such table, nothing is done
    row = AuthToken.objects.get()
    assert (row.token_key, row.digest, row.created, row.expiry) == before
    assert row.scopes == ["ask", "reports"]
    client = APIClient()
    assert client.get("/api/v1/documents", HTTP_AUTHORIZATION=f"Token {token}").status_code == 200
    assert group.permissions.get().content_type.app_label == "core"
