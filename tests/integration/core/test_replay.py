"""`manage.py replay`: a logged question again, with its asker's eyes as they are now."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.access.grants import grant, revoke
from core.api import ask
from core.errors import ModelUnavailableError
from core.llm.scripted import answers, calls, script_model
from core.models import (
    Answer,
    AuditEvent,
    Chunk,
    Document,
    Query,
    QueryLog,
    Research,
    ResearchLine,
    RetrievedChunk,
    UserRole,
)
from core.models.row_security import bypass_row_security
from core.testing import Cast, fetch_chunks, make_document
from core.types import Refusal

pytestmark = pytest.mark.usefixtures("fast")

VAULT = "The vault in the harbour office opens with the code quagmire-7741 on weekdays."
CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
ASKED = "With which code does the vault in the harbour office open?"
OF_THE_VAULT = ("quagmire", "Zanzibar vault rules", "Lockwork section", "zanzibar-vault-rules")


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Zanzibar vault rules", VAULT, roles=[cast.owners], section="Lockwork section"),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff]),
    }


def asked(cast: Cast, question: str = ASKED, **options: Any) -> str:
    """The request id of a question of Alice's."""
    return ask(question, asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]), **options).request_id


def replay(request_id: str, *options: str) -> tuple[int, str]:
    """The command's exit code and all that it prints."""
    out = StringIO()
    try:
        call_command("replay", request_id, *options, stdout=out)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


def replay_json(request_id: str) -> tuple[int, dict[str, Any]]:
    """The command's exit code and its JSON."""
    code, said = replay(request_id, "--json")
    return code, dict(json.loads(said))


def kept() -> dict[str, int]:
    """Count the rows that a question leaves."""
    return {model.__name__: model.objects.count() for model in (Query, QueryLog, Answer, RetrievedChunk)}


def test_a_question_that_nothing_has_happened_to_gives_the_same(cast: Cast) -> None:
    """Exit code 0; the same answer, citations, confidence and steps; nothing is kept but that it was replayed."""
    request_id = asked(cast)
    before = kept()
    code, said = replay_json(request_id)
    assert (code, said["same"], said["differing"]) == (0, True, [])
    assert said["then"] == said["now"]
    assert VAULT in said["now"]["answer"]
    assert (said["passages"], said["gone"], said["forbidden"], said["hidden"]) == (2, 0, 0, False)
    assert said["retrieval"] == {"then": "exact", "now": "exact", "found_again": 2}
    assert kept() == before
    log = QueryLog.objects.get(request_id=request_id)
    event = AuditEvent.objects.get(action="replay")
    assert (event.object_type, event.object_id, event.details) == ("query_log", str(log.pk), {"differing": []})


def test_in_words_it_says_that_it_is_the_same(cast: Cast) -> None:
    """A table of then and now, and one sentence."""
    code, said = replay(asked(cast))
    assert code == 0
    assert "The same in every respect." in said
    assert "Citations: 1 the same, 0 lost, 0 new." in said
    assert "quagmire-7741" in said


def test_a_refusal_is_refused_again(cast: Cast, settings: Settings) -> None:
    """With its own confidence."""
    settings.CLOSEST_FROM = settings.ANSWER_FROM
    result = ask("Which submarine did the walrus paint?", asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    assert isinstance(result, Refusal)
    code, said = replay_json(result.request_id)
    assert (code, said["differing"]) == (0, [])
    assert said["now"]["refusal"] == "nothing_found"


def test_what_is_revoked_is_neither_used_nor_shown(cast: Cast, library: dict[str, Document]) -> None:
    """The operator learns how many passages and nothing of them; the answer of then, which cites one, is hidden."""
    request_id = asked(cast)
    revoke(cast.owners, [library["vault"]], by=None)
    code, said = replay_json(request_id)
    assert code == 1
    assert {"access", "answer", "citations"} <= set(said["differing"])
    assert (said["passages"], said["forbidden"], said["gone"], said["hidden"]) == (2, 1, 0, True)
    assert (said["then"]["answer"], said["then"]["citations"]) == (None, [])
    code, words = replay(request_id)
    assert code == 1
    assert "Access has changed: 1 of 2 passages may no longer be read and were not used." in words
    assert "The original answer is not shown" in words
    everything = (json.dumps(said) + words).casefold()
    assert [mark for mark in OF_THE_VAULT if mark.casefold() in everything] == []
    ids = {str(library["vault"].pk), *(str(chunk.pk) for chunk in fetch_chunks(library["vault"]))}
    assert [one for one in ids if one in everything] == []


def test_the_model_is_not_sent_what_is_revoked(cast: Cast, library: dict[str, Document]) -> None:
    """A model that searches greedily gets the recorded passages that may still be read, and no others."""
    request_id = asked(cast)
    revoke(cast.owners, [library["vault"]], by=None)
    with script_model(calls("pgvector_retriever", query="vault code"), answers()) as script:
        replay(request_id, "--json")
    sent = json.dumps(script.asked).casefold()
    assert "canteen" in sent
    assert [mark for mark in OF_THE_VAULT if mark.casefold() in sent] == []


def test_what_was_granted_since_is_not_used(cast: Cast, library: dict[str, Document]) -> None:
    """Bob was refused; the passages of a search show that he may read the vault's document now."""
    result = ask(ASKED, asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    grant(cast.staff, [library["vault"]], by=None)
    _code, said = replay_json(result.request_id)
    assert said["passages"] == 1
    assert said["forbidden"] == 0
    assert [mark for mark in OF_THE_VAULT if mark.casefold() in json.dumps(said).casefold()] == []


@pytest.mark.parametrize("how", ["deactivated", "without roles", "deleted"])
def test_an_asker_who_may_read_nothing_any_more(how: str, cast: Cast) -> None:
    """Then nothing at all is shown."""
    request_id = asked(cast)
    if how == "deactivated":
        type(cast.alice).objects.filter(pk=cast.alice.pk).update(is_active=False)
    elif how == "without roles":
        UserRole.objects.filter(user=cast.alice).delete()
    else:
        cast.alice.delete()
    code, said = replay_json(request_id)
    assert (code, said["forbidden"], said["hidden"]) == (1, 2, True)
    assert "harbour" not in json.dumps(said)


def test_passages_that_are_gone_are_counted(cast: Cast, library: dict[str, Document]) -> None:
    """A document that was deleted or replaced is distinguished from one that may not be read."""
    request_id = asked(cast)
    with bypass_row_security():
        Chunk.objects.filter(document=library["canteen"]).delete()
    code, said = replay_json(request_id)
    assert code == 1
    assert (said["gone"], said["forbidden"], said["hidden"]) == (1, 0, False)
    assert "passages" in said["differing"]
    assert "access" not in said["differing"]


def test_another_model_is_named_and_its_answer_compared(cast: Cast) -> None:
    """The sentences that only one side has are marked."""
    request_id = asked(cast, "When does the harbour office open at noon or on weekdays?")
    with script_model(answers((CANTEEN, 1, CANTEEN), (CANTEEN, 2, CANTEEN))):
        code, words = replay(request_id)
    assert code == 1
    assert "extractive/sentences" in words
    assert "scripted/model" in words
    assert f"- {VAULT}" in words
    assert f"{CANTEEN} [1]" in words
    assert "Citations: 1 the same, 1 lost, 0 new." in words
    assert "- [Zanzibar vault rules, section Lockwork section]" in words
    assert "+" not in words
    with script_model(answers((CANTEEN, 1, CANTEEN), (CANTEEN, 2, CANTEEN))):
        _code, said = replay_json(request_id)
    assert [(row["name"], row["then"], row["now"]) for row in said["settings"]] == [
        ("model", "extractive/sentences", "scripted/model"),
        ("num_retries", "2", "0"),
    ]
    assert {"model", "answer"} <= set(said["differing"])


def test_the_same_model_that_says_something_else_differs(cast: Cast, settings: Settings) -> None:
    """Settings that are the same are not named, also where the key-free model answers in its place."""
    statement = ("The vault opens with the code quagmire-7741.", 1, VAULT)
    with script_model(answers(statement)):
        request_id = asked(cast)
    with script_model(answers(statement)):
        assert replay_json(request_id)[0] == 0
    with script_model(answers()):
        code, said = replay_json(request_id)
    assert (code, said["settings"], said["differing"]) == (1, [], ["answer"])
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 1.0, 0.0
    with script_model(answers()):
        code, said = replay_json(request_id)
    assert (code, said["settings"], said["now"]["refusal"]) == (1, [], "unsure")
    assert {"answer", "refusal", "citations", "closest", "confidence"} <= set(said["differing"])


def test_closest_passages_are_replayed(cast: Cast, library: dict[str, Document], settings: Settings) -> None:
    """The same ones are no difference; those that may not be read any more are shown on neither side."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 1.0, 0.0
    request_id = asked(cast)
    code, said = replay_json(request_id)
    assert (code, said["then"]["refusal"], said["then"]["closest"]) == (0, "unsure", said["now"]["closest"])
    revoke(cast.owners, [library["vault"]], by=None)
    code, said = replay_json(request_id)
    assert (code, said["forbidden"]) == (1, 1)
    assert not any(word in json.dumps(said) for word in OF_THE_VAULT)


def test_other_settings_and_prompts_are_named(cast: Cast, settings: Settings) -> None:
    """The model's arguments and the hash of the prompts are compared; never an address or a key."""
    settings.LLM_API_BASE = "https://user:secret@models.example"
    request_id = asked(cast)
    log = QueryLog.objects.get(request_id=request_id)
    assert log.model_settings == {"temperature": 0, "timeout": 60, "num_retries": 2}
    QueryLog.objects.filter(pk=log.pk).update(prompt_hash="0" * 64, embedding_model="older")
    settings.LLM_TIMEOUT_S = 5
    code, said = replay_json(request_id)
    assert code == 1
    assert said["differing"] == ["timeout", "prompt", "embedding model"]
    assert {row["name"]: row["then"] for row in said["settings"]} == {
        "timeout": "60",
        "prompt": "0" * 64,
        "embedding model": "older",
    }
    assert "secret" not in json.dumps(said)


def test_a_model_that_cannot_be_reached_is_a_difference(cast: Cast) -> None:
    """The documents' own words are shown, as the asker would get them, and the model that wrote is another."""
    request_id = asked(cast)
    with script_model(ModelUnavailableError()):
        code, said = replay_json(request_id)
    assert code == 1
    assert "model" in said["differing"]
    assert said["now"]["answer"] == said["then"]["answer"]


def test_selected_text_is_replayed_from_the_text_alone(cast: Cast) -> None:
    """The stored selection is used, and nothing of the library."""
    shop = "The shop in the harbour office closes at six."
    request_id = asked(cast, "When does the shop in the harbour office close?", selected_text=shop)
    code, said = replay_json(request_id)
    assert (code, said["differing"]) == (0, [])
    assert said["now"]["answer"] == f"{shop} [1]"
    assert "quagmire" not in json.dumps(said)


def test_a_follow_up_is_understood_as_it_was_then(cast: Cast) -> None:
    """A later question in the conversation does not change it."""
    first = ask("When does the canteen open?", asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
    follow_up = asked(cast, "And when does it close?", conversation=first.conversation_id)
    asked(cast, ASKED, conversation=first.conversation_id)
    code, said = replay_json(follow_up)
    assert (code, said["differing"]) == (0, [])


def test_what_cannot_be_replayed_says_why(cast: Cast) -> None:
    """An unknown id, text that is erased, a question that was refused before it was stored, one without an end."""
    unfinished, erased, invalid = asked(cast), asked(cast), asked(cast, "?")
    Answer.objects.filter(query__request_id=unfinished).delete()
    Query.objects.filter(request_id=erased).update(question_text="", erased_at=timezone.now())
    reasons = {}
    for name, request_id in (
        ("unknown", "req_20200101_00000000"),
        ("erased", erased),
        ("invalid", invalid),
        ("unfinished", unfinished),
    ):
        with pytest.raises(CommandError) as raised:
            replay(request_id)
        assert raised.value.returncode == 2
        reasons[name] = str(raised.value)
    assert reasons == {
        "unknown": "There is no question with this request id.",
        "erased": "The text of this question has been erased. Its figures are kept.",
        "invalid": "The question was refused before it was stored, or it has been deleted. Only its figures are left.",
        "unfinished": "This question is still being answered.",
    }
    assert not AuditEvent.objects.filter(action="replay").exists()


def test_what_a_page_quotes_is_not_replayed(cast: Cast) -> None:
    """Its sentences were quoted whatever the question got; an answer in a page is replayed as every other."""
    request_id = asked(cast)
    research = Research.objects.create(user=cast.alice, origin="rest", topic="The vault", state="done")
    line = ResearchLine.objects.create(
        research=research, number=1, text=ASKED, outcome="answered", query=Query.objects.get(request_id=request_id)
    )
    assert replay(request_id)[0] == 0
    ResearchLine.objects.filter(pk=line.pk).update(outcome="quoted")
    with pytest.raises(CommandError, match="A page about a topic quotes a section here") as raised:
        replay(request_id)
    assert raised.value.returncode == 2
