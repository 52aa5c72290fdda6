"""Test receipts over REST: one's own answers, for all for whom the token asks."""

from core.asking.receipts.verify_receipt import NOT_COMPARED, read_receipt, verify
from core.models import AuditEvent
from core.testing import Cast
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
