"""Test the records of a sign-in: ids and codes, and nothing that was typed."""

import logging

import pytest
from django.test import Client

from core.models import AuditEvent, User
from tests.integration.sign_in.conftest import is_in, sign_in

pytestmark = pytest.mark.django_db


def _rows() -> list[tuple[str, str | None, str, dict[str, object]]]:
    events = AuditEvent.objects.order_by("created_at")
    return [(event.action, event.actor and event.actor.email, event.object_id, event.details) for event in events]


def test_success_failure_and_the_end_are_written_down(dana: User) -> None:
    """A known account by its id; of an unknown one nothing at all."""
    client, key = Client(), str(dana.pk)
    sign_in(client, "wrong")
    sign_in(client, "canary-password", "canary@example.org")
    sign_in(client)
    assert is_in(client)
    client.post("/admin/logout/")
    assert not is_in(client)
    by_password = {"single_sign_on": False, "second_factor": False}
    assert _rows() == [
        ("sign_in_failed", None, key, {"reason": "password"}),
        ("sign_in_failed", None, "", {"reason": "password"}),
        ("sign_in", "dana@example.org", key, by_password),
        ("sign_out", "dana@example.org", key, {}),
    ]


def test_the_log_has_ids_alone(dana: User, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the address nor the password that was typed, right or wrong."""
    caplog.set_level(logging.INFO, "adminsite")
    sign_in(Client(), "canary-password", "canary@example.org")
    sign_in(Client(), "canary-password")
    sign_in(Client())
    said = [(record.message, record.__dict__.get("user_id")) for record in caplog.records if "sign" in record.message]
    assert said == [("sign_in_failed", None), ("sign_in_failed", str(dana.pk)), ("signed_in", str(dana.pk))]
    assert "canary" not in str([record.__dict__ for record in caplog.records])
    assert "dana@" not in str([record.__dict__ for record in caplog.records])


def test_who_is_over_the_limit_fills_no_table(dana: User) -> None:
    """Refused attempts are lines of the log; the rows before them say enough."""
    for _ in range(8):
        sign_in(Client(), "wrong")
    assert AuditEvent.objects.filter(action="sign_in_failed").count() == 5


def test_who_may_not_use_the_admin_is_not_signed_in(db: None) -> None:
    """Not with the right password either, nor once the account is closed."""
    User.objects.create_user("bob@example.org", "his own")
    User.objects.create_superuser("gone@example.org", "hers", is_active=False)
    for email, password in (("bob@example.org", "his own"), ("gone@example.org", "hers")):
        client = Client()
        assert sign_in(client, password, email) == 200
        assert not is_in(client)
    assert not AuditEvent.objects.filter(action="sign_in").exists()
