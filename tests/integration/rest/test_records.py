"""Questions, feedback and documents over REST: one's own, and only as long as one may read them."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from core.access.grants import revoke
from core.models import EvaluationResult, Feedback, QueryLog
from core.testing import Cast, make_document
from tests.integration.rest.conftest import (
    CANTEEN_QUESTION,
    VAULT_QUESTION,
    Caller,
    Callers,
    Library,
    assert_no_canary,
)

CANTEEN_SHELF = {"collection": "Test library"}  # an answer from it cites what Bob may read as well as Alice

pytestmark = pytest.mark.usefixtures("library")


def rows(caller: Caller, path: str, **query: Any) -> list[dict[str, Any]]:
    """Return the rows of a list, whose count reveals no more than the rows."""
    response = caller.get(path, **query)
    assert response.status_code == 200, response.content
    assert response.json()["count"] == len(response.json()["results"])
    return list(response.json()["results"])


def test_a_stored_result_reads_like_the_first_one(callers: Callers) -> None:
    """Fetching a result gives the JSON that asking gave."""
    first = callers.alice.ask(VAULT_QUESTION)
    response = callers.alice.get(f"queries/{first['request_id']}")
    assert response.status_code == 200
    assert response.json()["answer"] == first["answer"]
    assert response.json()["citations"] == first["citations"]


def test_anyone_elses_result_is_not_there(callers: Callers) -> None:
    """Another's request, an unknown one and nonsense look the same, also to an analyst and to one who may read it."""
    alices = callers.alice.ask(CANTEEN_QUESTION, filters=CANTEEN_SHELF)["request_id"]
    for caller in (callers.bob, callers.charlie, callers.analyst):
        answers = [caller.get(f"queries/{request_id}") for request_id in (alices, "req_20200101_00000000", "x")]
        assert {(response.status_code, response.content) for response in answers} == {(404, answers[0].content)}


def test_a_result_goes_with_the_right_to_read_its_sources(callers: Callers, cast: Cast, library: Library) -> None:
    """Once Alice may no longer read the vault rules, her own answer from them is not there either."""
    request_id = callers.alice.ask(VAULT_QUESTION)["request_id"]
    revoke(cast.owners, [library.vault], by=None)
    response = callers.alice.get(f"queries/{request_id}")
    assert response.status_code == 404
    assert_no_canary(response)


def test_the_list_holds_ones_own_questions(callers: Callers) -> None:
    """Each person lists what they asked, with its text and figures."""
    mine = callers.bob.ask(CANTEEN_QUESTION)
    callers.alice.ask(VAULT_QUESTION)
    listed = rows(callers.bob, "queries")
    assert [(row["request_id"], row["question"], row["mine"]) for row in listed] == [
        (mine["request_id"], CANTEEN_QUESTION, True)
    ]
    assert listed[0]["citation_count"] == len(mine["citations"])
    assert rows(callers.charlie, "queries") == []


def test_an_analyst_lists_everyones_figures_without_text(callers: Callers) -> None:
    """With the permission to view reports all questions are listed, and of other people's no word."""
    asked = {
        callers.alice.ask(VAULT_QUESTION)["request_id"],
        callers.bob.ask(CANTEEN_QUESTION)["request_id"],
    }
    own = callers.analyst.ask("What may an analyst read about the harbour?")["request_id"]
    listed = {row["request_id"]: row["question"] for row in rows(callers.analyst, "queries")}
    assert listed == {**dict.fromkeys(asked), own: "What may an analyst read about the harbour?"}
    assert [row["request_id"] for row in rows(callers.analyst, "queries", mine="true")] == [own]
    assert_no_canary(callers.analyst.get("queries"))


def test_questions_are_filtered_by_state_and_day(callers: Callers) -> None:
    """Filters narrow the list, and a value that is none of theirs is a 400."""
    answered = callers.bob.ask(CANTEEN_QUESTION)["request_id"]
    callers.charlie.ask(CANTEEN_QUESTION)
    assert [row["request_id"] for row in rows(callers.analyst, "queries", state="COMPLETE")] == [answered]
    assert rows(callers.analyst, "queries", until="2020-01-01") == []
    assert len(rows(callers.analyst, "queries", since="2020-01-01")) == 2
    response = callers.analyst.get("queries", state="SLEEPING")
    assert (response.status_code, list(response.json()["fields"])) == (400, ["state"])


def evaluate(request_id: str) -> None:
    """Store scores for a request, as the worker does."""
    EvaluationResult.objects.create(
        query_log=QueryLog.objects.get(request_id=request_id),
        relevance_score="0.900",
        groundedness_score="1.000",
        method="by hand",
    )


def test_evaluations_are_ones_own_or_everyones(callers: Callers) -> None:
    """A person sees the scores of their answers, an analyst all, others none."""
    alices, bobs = (caller.ask(CANTEEN_QUESTION)["request_id"] for caller in (callers.alice, callers.bob))
    evaluate(alices)
    evaluate(bobs)
    assert [row["request_id"] for row in rows(callers.bob, "evaluations")] == [bobs]
    assert {row["request_id"] for row in rows(callers.analyst, "evaluations")} == {alices, bobs}
    assert rows(callers.charlie, "evaluations") == []
    row = rows(callers.bob, "evaluations")[0]
    assert (row["relevance_score"], row["groundedness_score"], row["answer_relevance_score"]) == (0.9, 1.0, None)
    assert row["not_measured"] == []
    assert rows(callers.bob, "evaluations", request_id=alices) == []
    EvaluationResult.objects.update(method="local:4:large", groundedness_score=None, answer_relevance_score="0.5")
    assert rows(callers.bob, "evaluations")[0]["not_measured"] == ["groundedness_score"]


def test_a_verdict_replaces_the_one_before(callers: Callers, cast: Cast) -> None:
    """Changing one's mind leaves one verdict, the last."""
    request_id = callers.bob.ask(CANTEEN_QUESTION)["request_id"]
    callers.bob.post("feedback", request_id=request_id, verdict="up")
    response = callers.bob.post(
        "feedback", request_id=request_id, verdict="down", reasons=["wrong"], comment="It closes at four."
    )
    assert response.status_code == 200
    assert [(f.user, f.verdict, f.reasons, f.comment) for f in Feedback.objects.all()] == [
        (cast.bob, "down", ["wrong"], "It closes at four.")
    ]
    assert rows(callers.bob, "feedback") == [response.json()]
    assert rows(callers.alice, "feedback") == []


def test_a_verdict_is_given_on_ones_own_readable_answer_only(callers: Callers, cast: Cast, library: Library) -> None:
    """Another's request, an unknown one, and one whose source was taken away: the same 404, and nothing stored."""
    alices = callers.alice.ask(CANTEEN_QUESTION, filters=CANTEEN_SHELF)["request_id"]
    readable = callers.bob.post("feedback", request_id=alices, verdict="up")
    bobs = callers.bob.ask(CANTEEN_QUESTION)["request_id"]
    revoke(cast.staff, [library.canteen], by=None)
    answers = [
        callers.bob.post("feedback", request_id=request_id, verdict="up")
        for request_id in (alices, "req_20200101_00000000", bobs)
    ]
    assert {(response.status_code, response.content) for response in [readable, *answers]} == {
        (404, answers[0].content)
    }
    assert Feedback.objects.count() == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": "maybe"},
        {"verdict": None},
        {"reasons": "wrong"},
        {"reasons": ["outdated"]},
        {"comment": "x" * 2001},
        {"request_id": 7},
    ],
)
def test_a_malformed_verdict_is_refused(callers: Callers, wrong: dict[str, Any]) -> None:
    """The field that is wrong is named."""
    request_id = callers.bob.ask(CANTEEN_QUESTION)["request_id"]
    response = callers.bob.post("feedback", **{"request_id": request_id, "verdict": "up", **wrong})
    assert response.status_code == 400
    assert list(response.json()["fields"]) == list(wrong)


def test_documents_are_those_one_may_read(callers: Callers, library: Library) -> None:
    """Whole sets: Alice both, Bob one, Charlie and the analyst none; what is hidden is not counted."""
    everything = {"Zanzibar vault rules", "Canteen rules"}
    assert {row["title"] for row in rows(callers.alice, "documents")} == everything
    assert [row["title"] for row in rows(callers.bob, "documents")] == ["Canteen rules"]
    assert rows(callers.charlie, "documents") == []
    assert rows(callers.analyst, "documents") == []
    assert_no_canary(callers.bob.get("documents"))


@pytest.mark.parametrize(
    "query",
    [{"title": "vault"}, {"collection": "Zanzibar shelf"}, {"collection": "no such shelf"}, {"document_type": "book"}],
)
def test_no_filter_tells_what_is_hidden(callers: Callers, query: dict[str, str]) -> None:
    """To Bob a hidden document's collection is as unknown as one that never was."""
    response = callers.bob.get("documents", **query)
    assert response.json() == {"count": 0, "next": None, "previous": None, "results": []}


def test_lists_come_in_pages_at_a_steady_cost(
    callers: Callers, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Two hundred rows a page at most, and as many database queries for many rows as for few."""
    for number in range(60):
        make_document(f"Notice {number:02}", "The harbour is open.", roles=[cast.staff])
    for _ in range(3):
        evaluate(callers.bob.ask(CANTEEN_QUESTION)["request_id"])
    first = callers.bob.get("documents").json()
    assert (first["count"], len(first["results"])) == (61, 50)
    assert first["next"].startswith("http")
    for path in ("documents", "queries", "evaluations", "feedback"):
        with django_assert_max_num_queries(7):
            assert callers.bob.get(path, page_size=1000).status_code == 200
    assert len(callers.bob.get("documents", page_size=1000).json()["results"]) == 61
    response = callers.bob.get("documents", page=99)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_ones_own_result_is_explained(callers: Callers, cast: Cast, library: Library) -> None:
    """It has the passages that were read and quoted, by place; an unreadable one goes with the answer."""
    request_id = callers.alice.ask(CANTEEN_QUESTION, filters=CANTEEN_SHELF)["request_id"]
    told = callers.alice.get(f"queries/{request_id}/why").json()
    assert (told["question"], told["understood"], told["refusal"]) == (CANTEEN_QUESTION, CANTEEN_QUESTION, None)
    assert [(one["document_name"], one["is_quoted"]) for one in told["passages"]] == [("Canteen rules", True)]
    assert told["collections"] == [{"name": "Test library", "documents": 1, "newest": None}]
    assert (told["left_out"], told["is_at_limit"]) == ({}, False)
    revoke(cast.staff, [library.canteen], by=None)
    assert callers.alice.get(f"queries/{request_id}/why").status_code == 404


def test_nobody_elses_result_is_explained(callers: Callers) -> None:
    """Another's request, an unknown one and nonsense look the same, also to who may read all of it."""
    alices = callers.alice.ask(CANTEEN_QUESTION, filters=CANTEEN_SHELF)["request_id"]
    for caller in (callers.bob, callers.charlie, callers.analyst):
        answers = [caller.get(f"queries/{one}/why") for one in (alices, "req_20200101_00000000", "x")]
        assert {(response.status_code, response.content) for response in answers} == {(404, answers[0].content)}
