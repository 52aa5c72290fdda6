"""Test the outcomes of questions: an answer, the closest passages, or a refusal; and who decides."""

from typing import Any

import pytest
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, stored_quotes, stored_result
from core.asking.confidence.endings import COME_CLOSEST, NOTHING_FOUND
from core.llm.scripted import Script, answers, calls, script_model
from core.models import Answer as AnswerRow
from core.models import Citation, CitationWords, Document, Query, QueryLog, User
from core.models.row_security import bypass_row_security
from core.serialization import as_json
from core.testing import Cast, fetch_chunks, make_document
from core.types import Answer, ConfidenceLevel, QueryState, Refusal, RefusalReason

pytestmark = pytest.mark.usefixtures("fast")

OWNERS = "Owners of the harbour office keep the brass key of the gate in the blue drawer."
CANTEEN = "The canteen in the harbour office opens at noon and closes at three. Visitors may not bring dogs."
PARKING = "Parking at the harbour office is free for visitors after six. Bicycles stand behind the gate."
VAGUE = "Is the gate of the harbour office any good for guests with animals?"
SURE = "When does the canteen in the harbour office open?"
QUESTIONS = (
    SURE,
    "When is parking at the harbour office free for visitors?",
    "Where do bicycles stand?",
    "May visitors bring dogs?",
    VAGUE,
    "Which submarine did the walrus paint yesterday?",
)


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Alice may read all three, Bob not that about the key."""
    return {
        "key": make_document("Keys", OWNERS, roles=[cast.owners], section="Gate"),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff]),
        "parking": make_document("Parking rules", PARKING, roles=[cast.staff]),
    }


@pytest.fixture
def close(settings: Settings) -> Settings:
    """Nothing is sure enough for an answer, and all that is found comes close."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 1.0, 0.0
    return settings


def asked(person: User, question: str = VAGUE, **options: Any) -> Answer | Refusal:
    return ask(question, asker=asker_for(person), audience=audience_of([person.pk]), **options)


def unsure(person: User, question: str = VAGUE, **options: Any) -> Refusal:
    """Ask a question that ends with the closest passages."""
    result = asked(person, question, **options)
    assert isinstance(result, Refusal)
    assert result.reason is RefusalReason.UNSURE
    return result


# --- The closest passages --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("close")
def test_the_closest_passages_are_no_answer_and_are_quoted(cast: Cast) -> None:
    """Up to three, of documents apart, numbered from one, each word for word in its place."""
    result = unsure(cast.alice)
    assert (result.message, result.state) == (COME_CLOSEST, QueryState.NO_CONTENT_FOUND)
    assert (result.confidence_level, result.confidence) == (ConfidenceLevel.INSUFFICIENT, min(result.confidence, 0.49))
    assert [citation.number for citation in result.closest] == [1, 2, 3]
    assert {citation.document_name for citation in result.closest} == {"Keys", "Canteen rules", "Parking rules"}
    content = {chunk.pk: chunk.content for chunk in fetch_chunks()}
    for citation in result.closest:
        assert citation.chunk_id is not None
        assert content[citation.chunk_id][citation.start : citation.end] == citation.quoted_excerpt
    said = as_json(result)
    assert (said["answer"], said["citations"]) == (None, [])
    assert [passage["quoted_excerpt"] for passage in said["closest"]] == [c.quoted_excerpt for c in result.closest]


@pytest.mark.usefixtures("close")
def test_they_are_stored_and_counted_as_an_outcome_of_their_own(cast: Cast) -> None:
    """The log says unsure, cites nothing and keeps the estimate; what is shown again is the same."""
    result = unsure(cast.alice)
    log = QueryLog.objects.get(request_id=result.request_id)
    assert (log.refusal_reason, log.citation_count, log.has_sufficient_context) == ("unsure", 0, False)
    assert log.estimate is not None
    assert log.estimate >= log.confidence == result.confidence
    again = stored_result(result.request_id, audience=cast.audience(cast.alice))
    assert isinstance(again, Refusal)
    assert (again.reason, again.message, again.closest) == (result.reason, result.message, result.closest)
    quotes = stored_quotes(result.request_id, audience=cast.audience(cast.alice))
    assert tuple(quote.citation for quote in quotes) == result.closest


def test_estimates_decide_for_the_key_free_model(cast: Cast, settings: Settings) -> None:
    """From ANSWER_FROM an answer, from CLOSEST_FROM the closest passages, below a refusal."""
    sure = asked(cast.bob, SURE)
    assert isinstance(sure, Answer)
    estimate = QueryLog.objects.get(request_id=sure.request_id).estimate
    assert estimate is not None
    settings.ANSWER_FROM, settings.CLOSEST_FROM = estimate, estimate
    assert isinstance(asked(cast.bob, SURE), Answer)
    settings.ANSWER_FROM = estimate + 0.001
    assert unsure(cast.bob, SURE).closest[0].quoted_excerpt.startswith("The canteen in the harbour office opens")
    settings.CLOSEST_FROM = estimate + 0.001
    refused = asked(cast.bob, SURE)
    assert isinstance(refused, Refusal)
    assert (refused.reason, refused.message, refused.closest) == (RefusalReason.NOTHING_FOUND, NOTHING_FOUND, ())
    assert not Citation.objects.filter(answer__query__request_id=refused.request_id).exists()


def test_without_an_address_nothing_is_the_answer(cast: Cast, settings: Settings) -> None:
    """However sure: the passages are shown as the closest. A person may be named in any words."""
    settings.ANSWER_FROM = settings.CLOSEST_FROM = 0.0
    assert isinstance(asked(cast.bob, "When does the canteen open?"), Answer)
    assert isinstance(asked(cast.bob, "Who opens the canteen?"), Answer)
    assert unsure(cast.bob, "What is the e-mail address of the canteen in the harbour office?").closest


@pytest.mark.usefixtures("close")
def test_what_may_not_be_read_any_more_is_left_out_without_a_gap(cast: Cast, library: dict[str, Document]) -> None:
    """The numbers show no gap; where nothing is left it is as if nothing had come close."""
    result = unsure(cast.alice)
    audience = cast.audience(cast.bob)
    left = stored_result(result.request_id, audience=audience)
    assert isinstance(left, Refusal)
    assert [(c.number, c.document_id in {library["canteen"].pk, library["parking"].pk}) for c in left.closest] == [
        (1, True),
        (2, True),
    ]
    assert [q.citation.number for q in stored_quotes(result.request_id, audience=audience)] == [1, 2]
    for gone in (stored_result(result.request_id, audience=cast.audience(cast.charlie)),):
        assert isinstance(gone, Refusal)
        assert (gone.reason, gone.message, gone.closest) == (RefusalReason.NOTHING_FOUND, NOTHING_FOUND, ())
        assert (gone.confidence, gone.retrieved) == (0.0, ())


@pytest.mark.usefixtures("close")
def test_what_is_revoked_meanwhile_is_not_among_them(cast: Cast, library: dict[str, Document]) -> None:
    """Access is asked for once more before anything is stored."""

    def revoke_when_checking(step: str) -> None:
        if step == "checking":
            revoke(cast.owners, [library["key"]], by=None)

    result = unsure(cast.alice, on_step=revoke_when_checking)
    assert [(c.number, c.document_name == "Keys") for c in result.closest] == [(1, False), (2, False)]
    stored = Citation.objects.filter(answer__query__request_id=result.request_id)
    assert library["key"].pk not in set(stored.values_list("document_id", flat=True))


@pytest.mark.usefixtures("close")
def test_a_deleted_document_leaves_them_and_the_others_stay(cast: Cast, library: dict[str, Document]) -> None:
    """Its words are erased; the sentence above them is ours and stays."""
    result = unsure(cast.alice)
    library["key"].delete()
    with bypass_row_security():
        assert CitationWords.objects.count() == 2
        assert not CitationWords.objects.filter(quoted_excerpt__contains="brass key").exists()
    left = stored_result(result.request_id, audience=cast.audience(cast.alice))
    assert isinstance(left, Refusal)
    assert (left.message, len(left.closest)) == (COME_CLOSEST, 2)


@pytest.mark.usefixtures("close")
def test_a_follow_up_knows_nothing_of_them(cast: Cast) -> None:
    """They were no answer: neither their words nor their documents are in what is asked next."""
    first = unsure(cast.alice)
    with script_model("Is the gate open on Sundays?", answers()) as script:
        second = asked(cast.alice, "And on Sundays?", conversation=first.conversation_id)
    assert "brass key" not in str(script.asked[0])
    assert Query.objects.get(request_id=second.request_id).named_documents == []


@pytest.mark.usefixtures("close")
def test_of_a_selected_text_they_are_the_askers_alone(cast: Cast) -> None:
    """They point into no document, and nobody else is shown them."""
    result = unsure(cast.alice, selected_text=f"{CANTEEN} {OWNERS}")
    assert {citation.document_id for citation in result.closest} == {None}
    own = stored_result(result.request_id, audience=cast.audience(cast.alice), viewer=cast.alice.pk)
    assert isinstance(own, Refusal)
    assert own.closest == result.closest
    other = stored_result(result.request_id, audience=cast.audience(cast.alice), viewer=cast.bob.pk)
    assert isinstance(other, Refusal)
    assert (other.reason, other.closest) == (RefusalReason.INSUFFICIENT, ())


# --- A real model ----------------------------------------------------------------------------------------------------

NOTHING = answers()
INVENTED = answers(("The walrus sells the canteen for 900 crowns.", 1, "sells the canteen for 900 crowns"))
IN_WORDS = answers(
    ("The time is not mentioned in the given passages.", 1, "The canteen in the harbour office opens at noon"),
)
PROSE = "Happy to help! The walrus will know."
MANNERS: dict[str, list[Any]] = {
    "nothing": [NOTHING],
    "nothing, after a search": [calls("pgvector_retriever", query="walrus"), NOTHING],
    "a refusal in words": [IN_WORDS],
    "inventions": [INVENTED, INVENTED],
    "prose": [PROSE] * 5,
}


def says(*statements: tuple[str, str]) -> dict[str, Any]:
    """The reply with statements, each quoted under every number: the order of passages is unknown here."""
    return calls(
        "final_answer",
        statements=[
            {"text": text, "quotes": [{"passage": number, "text": quote} for number in (1, 2)]}
            for text, quote in statements
        ],
    )


def provider_of(result: Answer | Refusal) -> tuple[str, str]:
    log = QueryLog.objects.get(request_id=result.request_id)
    row = AnswerRow.objects.get(query__request_id=result.request_id)
    assert (row.model_provider, row.model) == (log.model_provider, log.model)
    return log.model_provider, log.model


def test_statements_that_stand_are_an_answer_whatever_the_estimate(cast: Cast, settings: Settings) -> None:
    """The estimate is only a part of the confidence that is shown, which is never that of a refusal."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 0.99, 0.98
    with script_model(says(("Visitors may not bring dogs.", "Visitors may not bring dogs."))):
        result = asked(cast.bob, "Is a labrador welcome at lunch?")
    assert isinstance(result, Answer)
    assert result.text == "Visitors may not bring dogs. [1]"
    assert (result.confidence, result.confidence_level) == (0.5, ConfidenceLevel.LOW)
    assert provider_of(result) == ("scripted", "scripted/model")
    log = QueryLog.objects.get(request_id=result.request_id)
    assert log.estimate is not None
    assert log.estimate < 0.5


@pytest.mark.parametrize(("manner", "threshold"), [*((manner, 0.5) for manner in MANNERS), ("nothing", 1.0)])
def test_a_model_never_makes_it_worse_than_none(manner: str, threshold: float, cast: Cast, settings: Settings) -> None:
    """A model's misses, inventions and filler cost nobody what the key-free model would have shown."""
    settings.ANSWER_FROM = threshold
    for question in QUESTIONS:
        without = asked(cast.bob, question)
        with script_model(*MANNERS[manner]):
            with_model = asked(cast.bob, question)
        assert type(with_model) is type(without)
        assert _shown(with_model) == _shown(without)
        assert "walrus" not in str(_shown(with_model))
        answered = isinstance(with_model, Answer)
        assert provider_of(with_model)[0] == with_model.model_provider == ("extractive" if answered else "scripted")


def _shown(result: Answer | Refusal) -> tuple[Any, ...]:
    """All that a person sees of a result."""
    quoted = result.citations if isinstance(result, Answer) else result.closest
    text = result.text if isinstance(result, Answer) else result.reason
    return text, result.message, [(c.number, c.document_name, c.quoted_excerpt) for c in quoted], result.confidence


def test_a_statement_that_says_nothing_is_left_out_of_an_answer(cast: Cast) -> None:
    """The others are kept, the model is not asked to repair it, and it is not counted as dropped."""
    mixed = says(
        ("The canteen opens at noon.", "The canteen in the harbour office opens at noon"),
        ("The price of lunch is not mentioned in the given passages.", "closes at three"),
    )
    with script_model(mixed) as script:
        result = asked(cast.bob, SURE)
    assert isinstance(result, Answer)
    assert result.text == "The canteen opens at noon. [1]"
    assert (len(script.asked), QueryLog.objects.get(request_id=result.request_id).dropped_statements) == (1, 0)


def test_a_real_model_is_asked_the_whole_question(cast: Cast) -> None:
    """Also where the estimate finds only one sub-question, and none that it answers is said to be lacking."""
    both = says(
        ("The canteen opens at noon.", "The canteen in the harbour office opens at noon"),
        ("Bicycles stand behind the gate.", "Bicycles stand behind the gate."),
    )
    question = "When does the canteen in the harbour office open, and where are velocipedes put?"
    with script_model(both, both) as script:
        result = asked(cast.bob, question)
    assert isinstance(result, Answer)
    assert "velocipedes" in _prompt(script)


def _prompt(script: Script) -> str:
    return str(script.asked[0])
