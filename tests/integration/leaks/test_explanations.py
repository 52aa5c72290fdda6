"""Test explanations: a document that the viewer may not read looks deleted, or as if it had never existed."""

import pytest
from django.db import transaction

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask
from core.asking.explanations import explain, explain_own
from core.errors import NotFoundError
from core.models import Document, Query, QueryLog, Role
from core.testing import Cast, make_document
from core.types import Answer, Audience, Refusal
from core.values.explained import LeftOut
from tests.integration.leaks.worlds import held_marks

pytestmark = pytest.mark.usefixtures("fast")
QUESTION = "When does the canteen in the harbour office open?"
CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
SECRET = "The quagmire in the harbour office is green."


@pytest.fixture
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """The canteen for the staff, and beside it what only the owners may read."""
    return {
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours"),
        "quagmire": make_document("Quagmire rules", SECRET, roles=[cast.owners], collection="Deep shelf"),
    }


def asked(cast: Cast) -> Answer:
    """Return Alice's answer, for which both documents were read; one sentence of its draft was left out."""
    result = ask(QUESTION, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    assert isinstance(result, Answer)
    assert len(result.retrieved) == 2
    assert len(result.citations) == 1
    QueryLog.objects.filter(request_id=result.request_id).update(dropped_statements=1, dropped_reasons={"number": 1})
    return result


def told(result: Answer, audience: Audience) -> str:
    """Return all of an explanation, without what is no part of it for a person."""
    return str(explain(result.request_id, audience=audience))


def test_all_that_was_read_is_told_to_who_may_read_it(cast: Cast, library: dict[str, Document]) -> None:
    """Both passages, the quoted one first, with what was left out."""
    result = asked(cast)
    found = explain(result.request_id, audience=audience_of([cast.alice.pk]))
    assert [(one.document_name, one.section, one.is_quoted) for one in found.passages] == [
        ("Canteen rules", "Hours", True),
        ("Quagmire rules", "", False),
    ]
    assert found.left_out == ((LeftOut.FIGURES, 1),)
    assert [(shelf.name, shelf.documents) for shelf in found.collections] == [("Deep shelf", 1), ("Test library", 1)]
    assert not found.is_at_limit  # two of the five that a question gets


def test_a_document_that_is_not_the_viewers_looks_deleted(cast: Cast, library: dict[str, Document]) -> None:
    """To the colleague who may not read it, and to the asker who may not any more; nothing is counted of it."""
    result = asked(cast)
    alice, bob = (audience_of([person.pk]) for person in (cast.alice, cast.bob))
    with transaction.atomic():
        Document.objects.get(pk=library["quagmire"].pk).delete()
        deleted = told(result, bob)
        assert deleted == told(result, alice)
        transaction.set_rollback(True)
    assert told(result, bob) == deleted
    revoke(cast.owners, [library["quagmire"]], by=None)
    assert told(result, alice) == deleted
    assert held_marks(deleted.casefold(), {"quagmire", "deep shelf", "figures"}) == set()


def test_an_answer_that_cites_what_one_may_not_read_is_not_there(cast: Cast, library: dict[str, Document]) -> None:
    """For a colleague, for somebody without a role, and for the asker once it was taken away."""
    result = asked(cast)
    revoke(cast.staff, [library["canteen"]], by=None)
    for person in (cast.alice, cast.bob, cast.charlie):
        with pytest.raises(NotFoundError):
            told(result, audience_of([person.pk]))


def test_an_edition_that_was_never_the_viewers_is_not_told_of(cast: Cast, library: dict[str, Document]) -> None:
    """A role that was granted a later edition reads nothing of what was quoted from an earlier one."""
    result = asked(cast)
    late = Role.objects.create(name="late")
    cast.charlie.user_roles.create(role=late)
    Document.objects.filter(pk=library["canteen"].pk).update(version=2)
    late.document_access.create(document=library["canteen"], since_version=2)
    with pytest.raises(NotFoundError):
        told(result, audience_of([cast.charlie.pk]))
    assert "Canteen rules" in told(result, audience_of([cast.bob.pk]))


def test_the_question_as_it_was_understood_is_for_who_may_read_its_words(
    cast: Cast, library: dict[str, Document]
) -> None:
    """A standalone question may hold words of a document that it names."""
    result = asked(cast)
    Query.objects.filter(request_id=result.request_id).update(
        standalone_question="And the quagmire?",
        named_documents=[library["quagmire"].pk],
        named_versions=[library["quagmire"].version],
    )
    alice, bob = (explain(result.request_id, audience=audience_of([p.pk])) for p in (cast.alice, cast.bob))
    assert (alice.understood, bob.understood) == ("And the quagmire?", "")
    assert bob.question == QUESTION


def test_ones_own_questions_alone_are_explained_over_rest(cast: Cast, library: dict[str, Document]) -> None:
    """Bob may read all that Alice's answer cites, and sees nothing of it; nor of an erased answer."""
    result = asked(cast)
    with pytest.raises(NotFoundError):
        explain_own(result.request_id, user_id=cast.bob.pk, audience=audience_of([cast.bob.pk]))
    alice = audience_of([cast.alice.pk])
    assert explain_own(result.request_id, user_id=cast.alice.pk, audience=alice).question == QUESTION
    Query.objects.filter(request_id=result.request_id).update(erased_at="2026-01-01T00:00:00Z")
    with pytest.raises(NotFoundError):
        explain_own(result.request_id, user_id=cast.alice.pk, audience=alice)


def test_a_selected_text_is_explained_to_its_asker_alone(cast: Cast, library: dict[str, Document]) -> None:
    """It is no document: omissions are shown to the person who selected it, and no passage to anybody."""
    result = ask(
        "With which code does the vault open?",
        asker=asker_for(cast.bob),
        audience=audience_of([cast.bob.pk]),
        selected_text="The vault in the mill opens with the code 9952.",
    )
    QueryLog.objects.filter(request_id=result.request_id).update(dropped_reasons={"opposite": 2})
    bob, alice = (audience_of([person.pk]) for person in (cast.bob, cast.alice))
    own = explain(result.request_id, audience=bob, viewer=cast.bob.pk)
    assert (own.left_out, own.passages, own.collections) == (((LeftOut.CONTRADICTED, 2),), (), ())
    with pytest.raises(NotFoundError):
        explain(result.request_id, audience=alice, viewer=cast.alice.pk)


def test_a_refusal_about_a_selected_text_tells_others_of_nothing_that_was_left_out(
    cast: Cast, library: dict[str, Document]
) -> None:
    """A dropped statement would reveal a text that is its asker's alone."""
    refusal = ask(
        "When does the regatta of the barges begin?",
        asker=asker_for(cast.bob),
        audience=audience_of([cast.bob.pk]),
        selected_text="The vault in the mill opens with the code 9952.",
    )
    assert isinstance(refusal, Refusal)
    QueryLog.objects.filter(request_id=refusal.request_id).update(dropped_reasons={"opposite": 2})
    bob, alice = (audience_of([person.pk]) for person in (cast.bob, cast.alice))
    assert explain(refusal.request_id, audience=bob, viewer=cast.bob.pk).left_out == ((LeftOut.CONTRADICTED, 2),)
    told_to_alice = explain(refusal.request_id, audience=alice, viewer=cast.alice.pk)
    assert (told_to_alice.left_out, told_to_alice.passages) == ((), ())
