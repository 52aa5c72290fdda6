"""Test receipts over REST: one's own answers, for all for whom the token asks."""

import io

from openpyxl import load_workbook

from core import api
from core.access.audiences import audience_of
from core.asking.receipts.verify_receipt import NOT_COMPARED, read_receipt, verify
from core.models import AuditEvent
from core.testing import Cast
from tests.integration.asked import give_right
from tests.integration.rest.conftest import CANARIES, CANTEEN, CANTEEN_QUESTION, VAULT_QUESTION, Caller, Library


def test_a_program_gets_the_receipt_of_its_persons_answer(cast: Cast, library: Library) -> None:
    """As the file itself, under a name to save it; parts can be left out."""
    caller = Caller(cast.bob)
    asked = caller.post("ask", question=CANTEEN_QUESTION).data
    answer = caller.post(f"queries/{asked['request_id']}/receipt", left_out=["asked_by"])
    assert (answer.status_code, answer["Content-Disposition"]) == (
        201,
        f'attachment; filename="receipt-{asked["request_id"]}.json"',
    )
    verdict = verify(read_receipt(answer.content))
    assert verdict.exit_code == NOT_COMPARED
    assert verdict.parts["quote_1"]["quote"] in CANTEEN
    assert "asked_by" not in verdict.parts
    assert AuditEvent.objects.get(action=AuditEvent.Action.ISSUE_RECEIPT).actor_id == cast.bob.pk


def test_a_refusal_has_a_receipt_without_what_came_close(cast: Cast, library: Library) -> None:
    """It shows that there was no answer, and no word of a document."""
    caller = Caller(cast.bob)
    asked = caller.post("ask", question="Who painted the ceiling of the opera?").data
    assert asked["answer"] is None
    verdict = verify(read_receipt(caller.post(f"queries/{asked['request_id']}/receipt").content))
    assert verdict.exit_code == NOT_COMPARED
    assert verdict.parts["refusal"]
    assert not [name for name in verdict.parts if name.startswith("quote_")]
    assert not [word for word in CANARIES if word in str(verdict.parts)]


def test_what_cannot_be_given_is_said_as_everywhere(cast: Cast, library: Library) -> None:
    """Another's answer and none are the same; a part that cannot be left out is named; no token gets nothing."""
    asked = Caller(cast.alice).post("ask", question=VAULT_QUESTION).data["request_id"]
    bob = Caller(cast.bob)
    others, none = (bob.post(f"queries/{one}/receipt") for one in (asked, "req_20260101_00000000"))
    assert (others.status_code, others.content) == (none.status_code, none.content)
    assert others.status_code == 404
    wrong = Caller(cast.alice).post(f"queries/{asked}/receipt", left_out=["answer"])
    assert (wrong.status_code, wrong.data["code"]) == (400, "invalid")
    bob.client.credentials()
    assert bob.post(f"queries/{asked}/receipt").status_code == 401


def test_the_report_counts_receipts_by_month(cast: Cast, library: Library) -> None:
    """Own and others', shortened ones, people and questions: figures alone, also as files."""
    bob = Caller(cast.bob)
    first, second = (bob.post("ask", question=CANTEEN_QUESTION).data["request_id"] for _ in range(2))
    bob.post(f"queries/{first}/receipt")
    bob.post(f"queries/{second}/receipt", left_out=["question"])
    alice = give_right(cast.alice, "view_query", "view_answer", "issue_receipts", "view_reports")
    api.issue_receipt(first, audience=audience_of([alice.pk]), viewer=alice, by_right=True)
    analyst = Caller(alice, "reports")
    [row] = analyst.get("reports/receipts").json()["rows"]
    assert {name: row[name] for name in row if name != "month"} == {
        "issued": 3,
        "own": 2,
        "others": 1,
        "shortened": 1,
        "people": 2,
        "questions": 2,
        "keys": 1,
    }
    lines = analyst.get("reports/receipts", format="csv").content.decode().splitlines()
    assert lines == [",".join(row), ",".join(map(str, row.values()))]
    book = load_workbook(io.BytesIO(analyst.get("reports/receipts", format="xlsx").content))
    assert [cell.value for cell in book.worksheets[0][2]] == list(row.values())
    assert AuditEvent.objects.filter(action=AuditEvent.Action.EXPORT, object_type="receipt").count() == 2
    assert Caller(cast.bob, "reports").get("reports/receipts").status_code == 403
