"""A deleted document's words: gone from every table, by whatever way it is deleted, and other words stay."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from core.access.audiences import asker_for, audience_of
from core.api import ask, give_feedback, recent_questions, stored_quotes, stored_result
from core.asking.history.deleted_documents import GONE
from core.errors import NotFoundError
from core.library.ingestion.jobs import create_job, run_job
from core.models import Answer, Citation, Document, Query, QueryLog, User
from core.testing import Cast, make_document
from core.types import Answer as Answered
from tests.integration.asked import add_citation
from tests.integration.core.test_retention import everything_kept, tables_with

pytestmark = pytest.mark.usefixtures("fast")

VAULT = "The vault in the harbour office opens with the code quagmire-7741 on weekdays."
LEDGER = "The ledger of the harbour office is kept by the jackdaw guild."
TITLE = "Zanzibar vault rules"
WORDS = ("quagmire", "Zanzibar", "Lockwork")
ASKED = "With which code does the vault in the harbour office open?"


@pytest.fixture
def vault(cast: Cast, fast: None) -> Document:
    """Create the vault's document for Alice."""
    return make_document(TITLE, VAULT, roles=[cast.owners], section="Lockwork section")


def asked(person: User, question: str = ASKED) -> str:
    """The request id of a question."""
    return ask(question, asker=asker_for(person), audience=audience_of([person.pk])).request_id


def alone(document: Document) -> None:
    document.delete()


def among_others(document: Document) -> None:
    Document.objects.filter(pk=document.pk).delete()


@pytest.mark.parametrize("delete", [alone, among_others])
def test_no_table_keeps_a_word_of_it(delete: Callable[[Document], None], cast: Cast, vault: Document) -> None:
    """Answers, quotes, titles, sections, what was asked back; questions, comments and figures stay."""
    request_id = asked(cast.alice)
    give_feedback(request_id, user_id=cast.alice.pk, verdict="down", comment="A comment of the cockatrice.")
    follow_up = Query.objects.filter(request_id=asked(cast.alice, "And what of Sundays?"))
    follow_up.update(standalone_question="What of quagmire-7741 on Sundays?", named_documents=[vault.pk])
    Answer.objects.filter(query__in=follow_up).update(
        answer_text=None, message="“Zanzibar vault rules” or which?", refusal_reason="ambiguous"
    )
    assert set().union(*tables_with(*WORDS).values()) == set(WORDS)
    figures = list(QueryLog.objects.order_by("pk").values())
    delete(vault)
    assert tables_with(*WORDS) == {}
    assert set().union(*tables_with("cockatrice", "With which code", "And what of Sundays?").values()) == {
        "cockatrice",
        "With which code",
        "And what of Sundays?",
    }
    assert list(QueryLog.objects.order_by("pk").values()) == figures
    assert {(row.answer_text, row.message) for row in Answer.objects.all()} == {("", ""), (None, GONE)}


def test_an_answer_of_two_loses_its_text_and_keeps_the_others_quotes(cast: Cast, vault: Document) -> None:
    """Its sentences mingle both. A quote of what is still there may be shown, as to whom it might before."""
    other = make_document("Ledger rules", LEDGER, roles=[cast.owners])
    request_id = asked(cast.alice)
    answer = Answer.objects.get(query__request_id=request_id)
    Citation.objects.filter(answer=answer).exclude(document=vault).delete()
    add_citation(answer, other, LEDGER, number=2)
    audience = cast.audience(cast.alice)
    assert isinstance(stored_result(request_id, audience=audience), Answered)
    vault.delete()
    with pytest.raises(NotFoundError):
        stored_result(request_id, audience=audience, viewer=cast.alice.pk)
    assert [quote.citation.quoted_excerpt for quote in stored_quotes(request_id, audience=audience)] == [LEDGER]
    assert [recent.is_readable for recent in recent_questions(cast.alice.pk, audience=audience, limit=5)] == [False]
    assert tables_with(*WORDS) == {}


def test_answers_from_other_documents_stay(cast: Cast, vault: Document) -> None:
    """Word for word."""
    make_document("Ledger rules", LEDGER, roles=[cast.staff])
    request_id = asked(cast.bob, "Who keeps the ledger of the harbour office?")
    before = everything_kept()["core_citation"], everything_kept()["core_answer"]
    vault.delete()
    assert (everything_kept()["core_citation"], everything_kept()["core_answer"]) == before
    assert isinstance(stored_result(request_id, audience=cast.audience(cast.bob)), Answered)


def test_what_was_handed_in_goes_as_well(cast: Cast, vault: Document) -> None:
    """Bytes that were kept for another try, and the title in the reason of a refusal."""
    lines = b'{"id": "1", "title": "Basilisk", "text": "The basilisk sleeps."}\nbroken'
    job = create_job(files=[("rows.jsonl", lines)], collection=vault.collection, by=None)
    run_job(job.pk)
    kept = job.files.get()
    assert (kept.state, kept.document_count, bytes(kept.content or b"")) == ("failed", 1, lines)
    Document.objects.filter(pk=vault.pk).update(source="vault.md")
    refused = create_job(files=[("vault.md", b"# Else\n\nElse.")], collection=vault.collection, by=None)
    run_job(refused.pk)
    assert TITLE in refused.files.get().error
    Document.objects.get(source="rows.jsonl#1").delete()
    Document.objects.get(pk=vault.pk).delete()
    assert bytes(refused.files.get().content or b"") == b"# Else\n\nElse."  # these are not its words
    assert "core_ingestionfile" not in tables_with("basilisk", "Zanzibar")
    job.files.update(state="queued")
    run_job(job.pk)
    assert "no longer kept" in job.files.get().error


class TestInTheAdmin:
    """The page that asks for confirmation says so before."""

    @pytest.fixture(autouse=True)
    def _plain_http(self, settings: Any) -> None:
        settings.SECURE_SSL_REDIRECT = False

    @pytest.fixture
    def root(self, db: None) -> Client:
        """An administrator's browser."""
        client = Client()
        client.force_login(User.objects.create_superuser("root@example.com"))
        return client

    def test_it_counts_the_answers(self, root: Client, cast: Cast, vault: Document) -> None:
        """One by one and in bulk; afterwards the audit trail has the number."""
        asked(cast.alice)
        url = "/admin/core/document/"
        one = root.get(f"{url}{vault.pk}/delete/").content.decode()
        many = root.post(url, {"action": "delete_selected", "_selected_action": [str(vault.pk)]}).content.decode()
        for shown in (one, many):
            assert "nswers that cite them, whose text is erased for good: 1" in " ".join(shown.split())
        assert tables_with("quagmire")
        root.post(f"{url}{vault.pk}/delete/", {"post": "yes"})
        assert tables_with(*WORDS) == {}
