"""Test receipts: what they hold, that they verify, and that what was changed in the database gets none."""

import json
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from core import api
from core.access import audit
from core.access.audiences import asker_for, audience_of
from core.asking.receipts import issuing
from core.asking.receipts.parts import list_parts
from core.asking.receipts.sealing import collect_facts, write_seal
from core.asking.receipts.verify_receipt import (
    CHANGED,
    NOT_COMPARED,
    UNTOUCHED,
    Verdict,
    decode,
    read_receipt,
    redact,
    verify,
)
from core.errors import NotFoundError, ReceiptError
from core.llm.scripted import answers, script_model
from core.models import Answer, AnswerSeal, AuditEvent, Document, Query, Role, RoleDocumentAccess, User
from core.testing import Cast, make_document
from core.values.receipts import IssuedReceipt
from tests.integration.asked import give_right
from tests.integration.receipts.conftest import LAMP, QUESTION, Asks

pytestmark = pytest.mark.usefixtures("fast")


def issue(person: User, request_id: str, **options: Any) -> IssuedReceipt:
    """Issue a receipt to a person who reads alone, signed in with their rights."""
    return api.issue_receipt(
        request_id, audience=audience_of([person.pk]), viewer=person, **{"by_right": True, **options}
    )


def check(receipt: IssuedReceipt, **options: Any) -> Verdict:
    """Verify a receipt with the published keys."""
    keys = [decode(key["x"]) for key in api.published_keys()]
    return verify(read_receipt(json.dumps(receipt.content).encode()), keys=keys, **options)


def test_a_receipt_holds_the_answer_and_verifies(cast: Cast, asks: Asks, document: Document) -> None:
    """It has the question, the quote and the hash of the file, and all that is checked fits."""
    result = asks(cast.bob)
    receipt = issue(cast.bob, result.request_id)
    verdict = check(receipt, audit=audit.export("jsonl", by=None))
    assert verdict.exit_code == UNTOUCHED
    assert {each.name: each.passed for each in verdict.checks} == dict.fromkeys(
        ("signature", "signer", "words", "issued", "answered", "audit"), True
    )
    assert verdict.parts["question"] == QUESTION
    assert verdict.parts["quote_1"]["quote"] == LAMP
    assert verdict.parts["statements"] == [{"statement": LAMP, "quotes": [1]}]
    assert verdict.parts["file_1"]["sha256"] == document.content_hash
    assert verdict.parts["asked_by_name"] == "Bob"


def test_roles_are_for_who_may_see_roles(cast: Cast, asks: Asks) -> None:
    """The same receipt with the right names the roles, and without it verifies all the same."""
    result = asks(cast.bob)
    plain = issue(cast.bob, result.request_id)
    assert {"audience", "readers_1"} <= set(plain.withheld)
    assert "staff" not in json.dumps(check(plain).parts)
    seeing = issue(give_right(cast.bob, "view_role"), result.request_id)
    parts = check(seeing).parts
    assert (parts["readers_1"], parts["audience"]) == (["staff"], [["staff"]])
    without = issue(give_right(cast.bob, "view_role"), result.request_id, by_right=False)
    assert without.withheld == plain.withheld


def test_only_who_asked_or_may_issue_others_gets_one(cast: Cast, asks: Asks) -> None:
    """To others there is no such answer, also where they could read the document."""
    result = asks(cast.bob)
    for person in (cast.alice, cast.charlie):
        with pytest.raises(NotFoundError):
            issue(person, result.request_id)
    seeing = give_right(cast.alice, "view_query", "view_answer", "issue_receipts")
    assert check(issue(seeing, result.request_id)).exit_code == UNTOUCHED
    with pytest.raises(NotFoundError):
        issue(seeing, result.request_id, by_right=False)
    blind = give_right(cast.charlie, "view_query", "view_answer", "issue_receipts")
    with pytest.raises(NotFoundError):
        issue(blind, result.request_id)
    event = AuditEvent.objects.get(action=AuditEvent.Action.ISSUE_RECEIPT)
    assert (event.actor_id, event.details["is_own"]) == (cast.alice.pk, False)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE core_answer SET answer_text = replace(answer_text, 'master', 'warden')",
        "UPDATE core_query SET question_text = question_text || '?'",
        "UPDATE core_answerseal SET facts = jsonb_set(facts, '{audience}', '[[\"owners\"]]')",
        "UPDATE core_answerseal SET sealed = repeat('0', 64)",
        "UPDATE core_answerseal SET salt = repeat('0', 64)",
        "UPDATE core_answerseal SET is_late = true",
        "DELETE FROM core_answerseal",
        "UPDATE core_citation SET page_number = 7",
        "UPDATE core_querylog SET response_id = NULL",
        (
            "INSERT INTO core_auditevent (id, actor_id, action, object_type, object_id, details, created_at, digest)"
            " SELECT gen_random_uuid(), actor_id, action, object_type, object_id, details, now(), ''"
            " FROM core_auditevent WHERE action = 'answer'"
        ),
    ],
)
def test_what_was_changed_in_the_database_gets_none(cast: Cast, asks: Asks, statement: str) -> None:
    """The seal is in the audit trail, so that a change of a row behind it is seen."""
    result = asks(cast.bob)
    with connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount == 1
    with pytest.raises(ReceiptError, match="not as it was recorded"):
        issue(cast.bob, result.request_id)


def change_trail(statement: str) -> None:
    """Change rows of the audit trail as who owns its table could."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE core_auditevent DISABLE TRIGGER USER")
        cursor.execute(statement)
        cursor.execute("ALTER TABLE core_auditevent ENABLE TRIGGER USER")


def forget_seal() -> None:
    """Make the one answer that there is as old as if it were from before receipts."""
    AnswerSeal.objects.all().delete()
    change_trail("UPDATE core_auditevent SET details = details - 'sealed' WHERE action = 'answer'")


def test_an_event_that_was_changed_is_noticed_before_a_receipt_is_recorded(cast: Cast, asks: Asks) -> None:
    """Nobody gets a receipt, and the trail has none."""
    result = asks(cast.bob)
    audit.seal()
    change_trail("UPDATE core_auditevent SET actor_id = NULL WHERE action = 'answer'")
    with pytest.raises(ReceiptError, match="not as it was recorded"):
        issue(cast.bob, result.request_id)
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.ISSUE_RECEIPT).exists()


@pytest.mark.parametrize(
    "statements",
    [
        ["UPDATE core_answer SET answer_text = 'Changed. [1]'"],
        ["UPDATE core_answer SET answer_text = 'Changed. [1]'", "DELETE FROM core_answerseal"],
        ["DELETE FROM core_answerseal", "UPDATE core_querylog SET response_id = NULL"],
    ],
)
def test_an_answer_of_before_gets_one_seal(cast: Cast, asks: Asks, statements: list[str]) -> None:
    """Another one, of changed words, is refused by the events of the receipts that it had."""
    result = asks(cast.bob)
    forget_seal()
    assert issue(cast.bob, result.request_id).is_late
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    with pytest.raises(ReceiptError, match="not as it was recorded"):
        issue(cast.bob, result.request_id)


def seal_anew(person: User, *, is_late: bool) -> None:
    """Change the answer, and give it a seal that fits, as who writes to the database could."""
    AnswerSeal.objects.all().delete()
    Answer.objects.update(answer_text=f"{LAMP} Now and then. [1]")
    row = issuing._find_answer(Query.objects.get().request_id)
    quotes = issuing._read_quotes(row, audience_of([person.pk]))
    facts = collect_facts(row.query, row, [citation for citation, _ in quotes], origin="rest", audience=None)
    write_seal(row.query, row, quotes, facts, is_late=is_late)


def test_a_seal_of_changed_words_is_not_the_one_of_the_trail(cast: Cast, asks: Asks) -> None:
    """It fits the answer, and not the event in which that was recorded."""
    result = asks(cast.bob)
    seal_anew(cast.bob, is_late=False)
    with pytest.raises(ReceiptError, match="not as it was recorded"):
        issue(cast.bob, result.request_id)


def test_a_late_seal_that_was_replaced_is_noticed(cast: Cast, asks: Asks) -> None:
    """One that fits changed words meets the one of an earlier receipt; before the first, nobody can tell."""
    result = asks(cast.bob)
    forget_seal()
    issue(cast.bob, result.request_id)
    seal_anew(cast.bob, is_late=True)
    with pytest.raises(ReceiptError, match="not as it was recorded"):
        issue(cast.bob, result.request_id)


def test_an_answer_of_before_is_sealed_late(cast: Cast, asks: Asks) -> None:
    """It is said to be, and holds what is known today."""
    result = asks(cast.bob)
    forget_seal()
    receipt = issue(cast.bob, result.request_id)
    verdict = check(receipt)
    assert receipt.is_late
    assert verdict.exit_code == UNTOUCHED
    assert {each.name: each.passed for each in verdict.checks}["answered"] is None
    assert issue(cast.bob, result.request_id).is_late


def test_parts_can_be_left_out(cast: Cast, asks: Asks) -> None:
    """When it is issued, and from a receipt that somebody has."""
    result = asks(cast.bob)
    receipt = issue(cast.bob, result.request_id, left_out=["question", "asked_by"])
    verdict = check(receipt)
    assert not {"question", "asked_by", "asked_by_name", "issued_to_name"} & set(verdict.parts)
    assert "Bob" not in json.dumps(verdict.parts)
    assert verdict.exit_code == UNTOUCHED
    assert str(cast.bob.pk) not in json.dumps(receipt.content["header"])
    less = read_receipt(redact(json.dumps(receipt.content).encode(), ["model", "quote_1"]))
    assert verify(less).exit_code == NOT_COMPARED
    assert verify(less).withheld == verdict.withheld + 2
    with pytest.raises(ReceiptError, match="answer cannot be left out"):
        issue(cast.bob, result.request_id, left_out=["answer"])


def test_a_changed_receipt_does_not_verify(cast: Cast, asks: Asks) -> None:
    """A disclosure of another receipt, and another file, are said to be wrong."""
    first, second = (issue(cast.bob, asks(cast.bob).request_id) for _ in range(2))
    mixed = {**first.content, "header": {"disclosures": second.content["header"]["disclosures"]}}
    verdict = verify(read_receipt(json.dumps(mixed).encode()))
    assert (verdict.exit_code, verdict.parts) == (CHANGED, {})
    assert check(first, documents={"other.pdf": "0" * 64}).exit_code == CHANGED


def test_erased_texts_have_no_seal(cast: Cast, asks: Asks, document: Document) -> None:
    """Neither when a question is erased, nor when the document goes."""
    result = asks(cast.bob)
    document.delete()
    assert not AnswerSeal.objects.exists()
    assert Answer.objects.exists()
    with pytest.raises(NotFoundError):
        issue(cast.bob, result.request_id)


@pytest.mark.parametrize("is_answered", [True, False], ids=["answer", "refusal"])
def test_words_of_a_document_that_was_only_named_end_receipts(
    cast: Cast, asks: Asks, caplog: pytest.LogCaptureFixture, is_answered: bool
) -> None:
    """It is said why, and nobody is accused of a change."""
    if is_answered:
        request_id = asks(cast.bob).request_id
    else:
        request_id = api.ask("Is it so?", asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk])).request_id
    other = make_document("Named", "The other lamp is lit at dawn.", roles=[cast.staff])
    Query.objects.update(named_documents=[other.pk], named_versions=[other.version])
    assert issue(cast.bob, request_id)
    other.delete()
    with pytest.raises(ReceiptError, match="erased with a document"):
        issue(cast.bob, request_id)
    assert "receipt_refused" not in caplog.text


def test_what_is_erased_meanwhile_is_no_change(
    cast: Cast, asks: Asks, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A question that is erased while its receipt is made is gone."""
    result = asks(cast.bob)
    find = issuing._find_seal

    def erase_first(*given: Any) -> Any:
        api.erase_texts(before=timezone.now())
        return find(*given)

    monkeypatch.setattr(issuing, "_find_seal", erase_first)
    with pytest.raises(NotFoundError):
        issue(cast.bob, result.request_id)
    assert "receipt_refused" not in caplog.text


def test_a_title_with_a_secret_is_no_change(cast: Cast) -> None:
    """What is masked in a title, a heading or a file's name is sealed as it is kept."""
    secret = "password: Kestrel!4471"
    document = make_document(f"Gate, {secret}", LAMP, roles=[cast.staff], section=f"Lamps, {secret}")
    Document.objects.filter(pk=document.pk).update(original_name=f"{secret} gate.md")
    with script_model(answers((LAMP, 1, LAMP))):
        result = api.ask(QUESTION, asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
    parts = check(issue(cast.bob, result.request_id)).parts
    assert parts["quote_1"]["quote"] == LAMP
    assert "Kestrel" not in json.dumps(parts)
    assert "file_1" not in parts


def test_the_number_of_parts_does_not_tell_of_another_wording(cast: Cast, asks: Asks) -> None:
    """Nor of a text that was selected, or of what was said besides."""
    asks(cast.bob)
    row = Answer.objects.select_related("query").get()
    plain = list_parts(row.query, row, [], {})
    row.query.standalone_question, row.query.selected_text, row.message = "Who?", "Selected.", "Said besides."
    assert list_parts(row.query, row, [], {}).keys() == plain.keys()


def test_of_very_many_roles_only_their_number_is_kept(cast: Cast, asks: Asks, document: Document) -> None:
    """A document of thousands of mailboxes' roles makes no row of megabytes."""
    roles = Role.objects.bulk_create(Role(name=f"mailbox {number}") for number in range(501))
    RoleDocumentAccess.objects.bulk_create(RoleDocumentAccess(role=role, document=document) for role in roles)
    result = asks(cast.bob)
    parts = check(issue(give_right(cast.bob, "view_role"), result.request_id)).parts
    assert parts["readers_1"] == {"roles": 502}
