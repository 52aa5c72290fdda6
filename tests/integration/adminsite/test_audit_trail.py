"""The audit trail in the admin: who did what, also after they are gone, and the whole of it to take away."""

import ast
import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client

from core.access.audit import head, seal
from core.models import AuditEvent
from core.testing import Cast
from tests.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[3]
TRAIL = "/admin/core/auditevent/"


def nodes() -> Iterator[ast.AST]:
    """All the code of the packages but the module of the audit trail, node by node."""
    for file in (file for folder in PACKAGES for file in (ROOT / folder).rglob("*.py")):
        if file != ROOT / "core/models/audit.py":
            yield from ast.walk(ast.parse(file.read_text()))


def test_every_action_is_written_somewhere() -> None:
    """One that nobody writes is taken out."""
    named = {ast.unparse(node) for node in nodes() if isinstance(node, ast.Attribute)}
    assert {f"AuditEvent.Action.{name}" for name in AuditEvent.Action.names} <= named


def test_no_row_has_an_action_without_a_label() -> None:
    """Each is one of AuditEvent.Action, or is given by a function that takes nothing else."""
    calls = [node for node in nodes() if isinstance(node, ast.Call)]
    rows = [call for call in calls if ast.unparse(call.func).endswith("AuditEvent.objects.create")]
    given = [ast.unparse(word.value) for call in rows for word in call.keywords if word.arg == "action"]
    assert len(given) == len(rows) > 20
    assert {action for action in given if "AuditEvent.Action." not in action} == {"action"}


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_the_trail_can_be_taken_away_with_its_chain(form: str, root: Client, cast: Cast) -> None:
    """As a stream; the last line is the export itself, and its digest the head to keep."""
    AuditEvent.objects.create(
        actor=cast.bob, action=AuditEvent.Action.GRANT, object_type="role", object_id="1", details={"n": 1}
    )
    response = root.get(f"{TRAIL}export_{form}/")
    assert response.streaming
    text = b"".join(response.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text))) if form == "csv" else [json.loads(x) for x in text.splitlines()]
    assert [row["action"] for row in rows] == ["grant", "export"]
    assert (int(rows[-1]["number"]), rows[-1]["digest"]) == (head().number, head().digest)
    assert f'.{form}"' in response["Content-Disposition"]


@pytest.mark.parametrize(("permission", "status"), [("core.view_role", 403), ("core.view_auditevent", 200)])
def test_who_may_not_view_the_trail_takes_nothing_away(
    permission: str, status: int, staff: Callable[..., Client]
) -> None:
    """Nor does the attempt pass for an export."""
    assert staff(permission).get(f"{TRAIL}export_jsonl/").status_code == status
    assert AuditEvent.objects.filter(action=AuditEvent.Action.EXPORT).exists() == (status == 200)


def test_what_somebody_did_who_is_gone_is_shown_with_their_id(root: Client, cast: Cast) -> None:
    """On the list and on the event's page; the page shows its place in the chain as well."""
    event = AuditEvent.objects.create(
        actor=cast.bob, action=AuditEvent.Action.CHANGE_ROLES, object_type="role", object_id="1"
    )
    seal()
    gone = str(cast.bob.pk)
    cast.bob.delete()
    event.refresh_from_db()
    page = root.get(f"{TRAIL}{event.pk}/change/").content.decode()
    assert gone in page
    assert event.digest in page
    shown = root.get(TRAIL).content.decode()
    assert gone in shown
    assert "change roles" in shown
