"""Test that a receipt shows nobody what they may not read, and that nothing withheld can be found by trying."""

import base64
import hashlib
import json
from typing import Any

import pytest
from pytest_django import Settings

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.asking.receipts.verify_receipt import (
    decode,
    hash_disclosure,
    read_json,
    read_receipt,
    verify,
    write_disclosure,
)
from core.asking.verified_answers.editing import Content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.errors import NotFoundError
from core.llm.scripted import answers, script_model
from core.models import (
    AnswerSeal,
    AuditEvent,
    Collection,
    CollectionRole,
    Document,
    Query,
    ShownSecret,
    User,
    fingerprint_of,
)
from core.models.masking import forget_shown
from core.programs.asking import Program, issue_receipt
from core.testing import Cast, make_document
from core.types import Answer, Asker, Origin, Refusal
from core.values.receipts import IssuedReceipt
from core.values.token_audience import TokenAudience
from tests.integration.asked import give_right
from tests.integration.sections.files import HOLIDAYS, WELCOME, handbook, ingest

pytestmark = pytest.mark.usefixtures("fast")

LAMP = "The lamp of the north pier is lit at dusk by the harbour master."
QUESTION = "Who lights the lamp of the north pier?"
PASSWORD = "Kestrel!4471"
SECRET = f"The password of the pier's network is {PASSWORD} and the lamp of the north pier is lit at dusk."


def ask(person: User, question: str, quote: str = "") -> Answer | Refusal:
    """Ask as a person; a scripted model quotes the first passage, where there is anything to quote."""
    with script_model(answers((quote, 1, quote)) if quote else answers()):
        return api.ask(question, asker=asker_for(person), audience=audience_of([person.pk]))


def issue(person: User, request_id: str) -> IssuedReceipt:
    """Issue a receipt to somebody who reads alone."""
    return api.issue_receipt(request_id, audience=audience_of([person.pk]), viewer=person, by_right=True)


def read_parts(receipt: IssuedReceipt) -> dict[str, Any]:
    """Return what a receipt discloses, verified."""
    verdict = verify(read_receipt(json.dumps(receipt.content).encode()))
    assert verdict.is_untouched
    return verdict.parts


def test_a_files_hash_is_for_who_reads_all_of_the_file(cast: Cast) -> None:
    """With the rest of the file, a few unknown words of a restricted section would be found by trying."""
    document = make_document("Pier handbook", LAMP, roles=[cast.staff, cast.owners])
    result = ask(cast.bob, "Who lights the lamp of the north pier?", LAMP)
    assert read_parts(issue(cast.bob, result.request_id))["file_1"]["sha256"] == document.content_hash
    make_document("Pier handbook: fees", "The fee is 17 euros.", part_of=document)
    receipt = issue(cast.bob, result.request_id)
    assert "file_1" in receipt.withheld
    assert document.content_hash not in json.dumps(read_parts(receipt))


def test_a_later_edition_tells_nothing_of_the_file_before(cast: Cast) -> None:
    """Withholds its hash from who reads all of today's edition, and could not read a section of the earlier file."""
    shelf = Collection.objects.create(name="Rules")
    CollectionRole.objects.create(collection=shelf, role=cast.staff)
    document = ingest(handbook(), "handbook.md", shelf)
    before = document.content_hash
    root = User.objects.create_superuser("root@example.com", password="!")
    api.restrict_section(document.pk, "heading", "For supervisors", [cast.owners.pk], by=root)
    result = ask(cast.bob, "How many days of holiday does everybody have?", HOLIDAYS)
    assert isinstance(result, Answer)
    assert "file_1" in issue(cast.bob, result.request_id).withheld
    ingest(f"# Handbook\n\n{WELCOME}\n\n## Holidays\n\n{HOLIDAYS}".encode(), "handbook.md", shelf)
    [undecided] = api.list_undecided_parts(by=root)
    api.decide_unrecognised(undecided.part_id, "gone", by=root)
    assert Document.objects.readable_in_full_by(audience_of([cast.bob.pk])).filter(pk=document.pk).exists()
    receipt = issue(cast.bob, result.request_id)
    assert "file_1" in receipt.withheld
    assert before not in json.dumps(read_parts(receipt))


def test_what_is_masked_by_now_is_withheld(cast: Cast) -> None:
    """A secret that was meant to be read is in no receipt once it is not any more."""
    forget_shown()
    ShownSecret.objects.create(fingerprint=fingerprint_of(PASSWORD), reason="for guests")
    make_document("Gate", SECRET, roles=[cast.staff])
    result = ask(cast.bob, "What is the password of the pier's network?", SECRET)
    assert PASSWORD in json.dumps(read_parts(issue(cast.bob, result.request_id)))
    ShownSecret.objects.all().delete()
    forget_shown()
    receipt = issue(cast.bob, result.request_id)
    assert {"answer", "quote_1", "statements"} <= set(receipt.withheld)
    assert "Kestrel" not in json.dumps(read_parts(receipt))


def test_what_is_withheld_is_not_found_by_trying(cast: Cast) -> None:
    """Roles have few names: with every salt that is disclosed, no digest of a withheld part is met."""
    make_document("Pier handbook", LAMP, roles=[cast.staff])
    receipt = issue(cast.bob, ask(cast.bob, "Who lights the lamp of the north pier?", LAMP).request_id)
    payload = read_json(decode(receipt.content["payload"]))
    given = receipt.content["header"]["disclosures"]
    hidden = {*payload["answer"]["_sd"], *payload["_sd"]} - set(map(hash_disclosure, given))
    assert len(hidden) == len(receipt.withheld) == 2
    salts = {read_json(decode(each))[0] for each in given} | {""}
    assert len(salts) == len(given) + 1
    seal = AnswerSeal.objects.get()
    guesses = {
        hash_disclosure(write_disclosure(salt, name, value))
        for salt in salts
        for name, value in (("readers_1", ["staff"]), ("audience", [["staff"]]))
    }
    assert not guesses & hidden
    assert seal.salt not in json.dumps(receipt.content)
    assert seal.salt not in base64.b64decode(receipt.content["payload"] + "==", altchars=b"-_").decode()


def test_a_refusal_does_not_tell_how_much_came_close(cast: Cast, settings: Settings) -> None:
    """Neither by parts nor by its event, to who may issue receipts of others' questions."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 1.0, 0.0
    holder = give_right(cast.charlie, "view_query", "view_answer", "issue_receipts")
    seen = []
    for titles in ((), ("Pier handbook", "Pier rules")):
        for title in titles:
            make_document(title, f"{title}: {LAMP}", roles=[cast.staff])
        result = ask(cast.bob, "Who lights the lamp of the north pier?")
        assert isinstance(result, Refusal)
        assert bool(result.closest) == bool(titles)
        receipt = issue(holder, result.request_id)
        payload = read_json(decode(receipt.content["payload"]))
        seen.append((len(payload["answer"]["_sd"]), set(payload["answered_event"]), set(read_parts(receipt))))
        assert "Pier" not in json.dumps(read_parts(receipt)).replace("north pier", "")
    assert seen[0][1] == seen[1][1] == {"number", "digest"}
    assert seen[0] == seen[1]
    assert not {"refusal", "confidence", "message"} & seen[0][2]


def test_who_asked_is_told_of_a_refusal_what_they_may_still_see(cast: Cast, settings: Settings) -> None:
    """All of it while the passages that came close may be read, and later neither their ids nor that there were any."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 1.0, 0.0
    document = make_document("Pier handbook", LAMP, roles=[cast.staff])
    result = ask(cast.bob, "Who lights the lamp of the north pier?")
    assert isinstance(result, Refusal)
    chunk = str(result.closest[0].chunk_id)
    before = issue(cast.bob, result.request_id)
    assert read_parts(before)["refusal"] == "unsure"
    assert chunk in read_json(decode(before.content["payload"]))["answered_event"]["content"]
    revoke(cast.staff, [document], by=None)
    after = issue(cast.bob, result.request_id)
    payload = decode(after.content["payload"]).decode()
    assert set(json.loads(payload)["answered_event"]) == {"number", "digest"}
    assert chunk not in payload
    assert not {"refusal", "confidence", "message"} & set(read_parts(after))
    assert {"refusal", "confidence", "message"} <= set(after.withheld)


def test_a_refusal_where_nothing_came_close_is_shown_to_who_asked(cast: Cast) -> None:
    """With its reason and its event: nothing was hidden from them."""
    receipt = issue(cast.bob, ask(cast.bob, "Who lights the lamp of the north pier?").request_id)
    assert read_parts(receipt)["refusal"] == "nothing_found"
    assert "content" in read_json(decode(receipt.content["payload"]))["answered_event"]


def test_rights_that_are_gone_end_receipts(cast: Cast) -> None:
    """Also of one's own answers; and what a person may not see looks like what is not there."""
    document = make_document("Pier handbook", LAMP, roles=[cast.staff])
    result = ask(cast.bob, "Who lights the lamp of the north pier?", LAMP)
    revoke(cast.staff, [document], by=None)
    with pytest.raises(NotFoundError) as gone:
        issue(cast.bob, result.request_id)
    with pytest.raises(NotFoundError) as missing:
        issue(cast.bob, "req_20260101_00000000")
    assert gone.value.message == missing.value.message
    User.objects.filter(pk=cast.bob.pk).update(is_active=False)
    cast.bob.refresh_from_db()
    with pytest.raises(NotFoundError):
        issue(cast.bob, result.request_id)


def test_a_person_who_was_deleted_is_named_nowhere(cast: Cast) -> None:
    """Neither in the seal nor in a receipt that an auditor takes afterwards."""
    make_document("Pier handbook", LAMP, roles=[cast.staff])
    result = ask(cast.bob, "Who lights the lamp of the north pier?", LAMP)
    assert "Bob" not in json.dumps(AnswerSeal.objects.get().facts)
    cast.bob.delete()
    holder = give_right(cast.alice, "view_query", "view_answer", "issue_receipts")
    parts = read_parts(issue(holder, result.request_id))
    assert "asked_by_name" not in parts
    assert "Bob" not in json.dumps(parts)


def test_a_program_gets_no_roles_and_nothing_that_was_asked_for_fewer(cast: Cast) -> None:
    """Whatever its person may see; its receipts are for all who are shown its answers."""
    make_document("Pier handbook", LAMP, roles=[cast.staff])
    seeing = give_right(cast.bob, "view_role")
    shared = TokenAudience(people=frozenset({cast.alice.pk}))
    alone = Program(person=seeing, origin=Origin.REST)
    together = Program(person=seeing, asks_for=shared, origin=Origin.REST)
    for program in (alone, together):
        with script_model(answers((LAMP, 1, LAMP))):
            asker: Asker = program.asker
            conversation = api.open_conversation(origin=Origin.REST, asker=asker)
            result = api.ask(
                "Who lights the lamp of the north pier?",
                asker=asker,
                audience=program.find_readers().audience,
                conversation=conversation,
            )
        assert not {"readers_1", "audience"} & set(read_parts(issue_receipt(program, result.request_id)))
        if not program.asks_for:
            with pytest.raises(NotFoundError):
                issue_receipt(together, result.request_id)


def test_no_word_is_logged_or_kept_in_the_trail(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    """Of question, answer, quote or document; the trail has digests, ids and names of parts."""
    make_document("Pier handbook", LAMP, roles=[cast.staff])
    result = ask(cast.bob, "Who lights the lamp of the north pier?", LAMP)
    issue(cast.bob, result.request_id)
    Query.objects.filter(request_id=result.request_id).update(question_text="Somebody changed this.")
    with pytest.raises(Exception, match="not as it was recorded"):
        issue(cast.bob, result.request_id)
    told = caplog.text + json.dumps(list(AuditEvent.objects.values_list("details", flat=True)))
    assert "receipt_refused" in told
    for word in ("lamp", "Pier", "master", "changed this", hashlib.sha256(LAMP.encode()).hexdigest()):
        assert word not in told


def test_a_verified_answer_that_is_narrowed_has_no_receipt_for_others(cast: Cast) -> None:
    """It is taken from who had it, once it is for roles that they lack."""
    document = make_document("Pier handbook", LAMP, roles=[cast.staff])
    quotes = (SourceQuote(document=document.title, quote=LAMP),)
    row = verify_answer(Content(question=QUESTION, text=LAMP, quotes=quotes), by=cast.bob)
    result = ask(cast.bob, QUESTION)
    parts = read_parts(issue(cast.bob, result.request_id))
    assert (parts["answer"], parts["verified"]["by"]) == (f"{LAMP} [1]", str(cast.bob.pk))
    row.roles.set([cast.owners])
    for person in (cast.bob, give_right(cast.charlie, "view_query", "view_answer", "issue_receipts")):
        with pytest.raises(NotFoundError):
            issue(person, result.request_id)


def test_a_text_that_was_selected_is_its_askers_alone(cast: Cast, settings: Settings) -> None:
    """Others by right get no receipt of an answer from it, and of a refusal one without it."""
    holder = give_right(cast.alice, "view_query", "view_answer", "issue_receipts")
    told = audience_of([cast.bob.pk])
    with script_model(answers((LAMP, 1, LAMP))):
        answer = api.ask(QUESTION, asker=asker_for(cast.bob), audience=told, selected_text=LAMP)
    refusal = api.ask("When is the regatta?", asker=asker_for(cast.bob), audience=told, selected_text=LAMP)
    assert (type(answer), type(refusal)) == (Answer, Refusal)
    for result in (answer, refusal):
        assert read_parts(issue(cast.bob, result.request_id))["selected_text"] == LAMP
    with pytest.raises(NotFoundError):
        issue(holder, answer.request_id)
    receipt = issue(holder, refusal.request_id)
    assert {"selected_text", "understood", "message"} <= set(receipt.withheld)
    assert "harbour" not in json.dumps(read_parts(receipt))


def test_a_wording_with_words_of_what_may_not_be_read_any_more_is_withheld(cast: Cast) -> None:
    """The words that a follow-up was understood in come from documents that it names."""
    make_document("Pier handbook", LAMP, roles=[cast.staff])
    named = make_document("Regatta 9952", "The regatta is in May.", roles=[cast.staff])
    result = ask(cast.bob, QUESTION, LAMP)
    Query.objects.filter(request_id=result.request_id).update(
        named_documents=[named.pk], named_versions=[named.version]
    )
    assert "understood" in read_parts(issue(cast.bob, result.request_id))
    revoke(cast.staff, [named], by=None)
    receipt = issue(cast.bob, result.request_id)
    assert {"understood", "message"} <= set(receipt.withheld)
    assert not {"understood", "message"} & set(read_parts(receipt))


def test_a_question_in_a_channel_is_its_askers(cast: Cast) -> None:
    """Who read along gets no receipt, and the roles of those who did are told to nobody without the right."""
    make_document("Pier handbook", LAMP, roles=[cast.staff, cast.owners])
    with script_model(answers((LAMP, 1, LAMP))):
        result = api.ask(QUESTION, asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk, cast.alice.pk]))
    assert isinstance(result, Answer)
    with pytest.raises(NotFoundError):
        issue(cast.alice, result.request_id)
    receipt = issue(cast.bob, result.request_id)
    assert {"audience", "readers_1"} <= set(receipt.withheld)
    assert not {"owners", "staff"} & set(json.dumps(read_parts(receipt)).split('"'))
