"""Verified answers over REST: written, changed and listed under the rights of their pages."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.response import Response

from core.models import User, VerifiedAnswer
from core.testing import Cast
from tests.integration.rest.conftest import (
    CANTEEN,
    CANTEEN_QUESTION,
    VAULT,
    VAULT_QUESTION,
    Caller,
    Callers,
    Library,
    assert_no_canary,
)

WRITTEN = {
    "question": CANTEEN_QUESTION,
    "text": "The canteen opens at noon.",
    "sources": [{"document": "Canteen rules", "quote": CANTEEN}],
}
SECRET = {
    "question": VAULT_QUESTION,
    "text": "The vault opens with the code quagmire-7741.",
    "sources": [{"document": "Zanzibar vault rules", "quote": VAULT}],
}


@pytest.fixture
def callers(callers: Callers, cast: Cast, library: Library) -> Callers:
    """Alice and Bob may write, by tokens that may put something into the library; Charlie may not."""
    for person in (cast.alice, cast.bob):
        person.user_permissions.add(Permission.objects.get(codename="manage_verified_answers"))
    everything = ("ask", "ingest")
    return replace(
        callers,
        alice=Caller(User.objects.get(pk=cast.alice.pk), *everything),
        bob=Caller(User.objects.get(pk=cast.bob.pk), *everything),
        charlie=Caller(cast.charlie, *everything),
    )


def patch(caller: Caller, pk: Any, **body: Any) -> Response:
    """PATCH one."""
    return caller.client.patch(f"/api/v1/verified-answers/{pk}", body, format="json")


def test_one_is_written_verified_and_given(callers: Callers) -> None:
    """A draft first; what is not sent stays as it was; then whoever asks is given it."""
    draft = callers.bob.post("verified-answers", **WRITTEN).json()
    assert (draft["state"], draft["verified_at"]) == ("draft", None)
    assert callers.bob.ask(CANTEEN_QUESTION)["verified"] is None
    active = patch(callers.bob, draft["id"], state="active", owner="alice@example.com").json()
    assert (active["state"], active["text"], active["owner"]) == ("active", WRITTEN["text"], "alice@example.com")
    assert (active["verified_by"], active["outdated"]) == ("bob@example.com", None)
    said = callers.alice.ask(CANTEEN_QUESTION)
    assert said["answer"] == "The canteen opens at noon. [1]"
    assert said["verified"]["by"] == "Bob"
    assert patch(callers.bob, draft["id"], state="retired").json()["state"] == "retired"
    assert callers.alice.ask(CANTEEN_QUESTION)["verified"] is None


def test_what_is_wrong_is_said(callers: Callers) -> None:
    """With 400, and nothing is stored."""
    for changed, said in (
        ({"text": "The canteen opens at eight."}, "eight"),
        ({"sources": []}, "Name at least one source"),
        ({"question": "ab"}, "question"),
        ({"odd": 1}, "odd"),
        ({"owner": "nobody@example.com"}, "owner"),
        ({"state": "odd"}, "state"),
    ):
        response = callers.bob.post("verified-answers", **{**WRITTEN, "state": "active", **changed})
        assert response.status_code == 400, changed
        assert said in response.content.decode()
    assert VerifiedAnswer.objects.count() == 0


def test_without_the_right_there_is_nothing(callers: Callers) -> None:
    """Neither a list nor a way to write."""
    pk = callers.bob.post("verified-answers", **WRITTEN).json()["id"]
    only_asks = Caller(callers.bob.user, "ask")
    for caller in (callers.charlie, callers.analyst, only_asks):
        assert caller.get("verified-answers").status_code == 403
        assert caller.post("verified-answers", **WRITTEN).status_code == 403
        assert patch(caller, pk, state="retired").status_code == 403


def test_what_quotes_a_forbidden_document_is_not_there(callers: Callers) -> None:
    """For Bob: not listed, not changed, and the same error as for one that does not exist."""
    secret = callers.alice.post("verified-answers", **SECRET, state="active").json()
    assert secret["state"] == "active"
    listed = callers.bob.get("verified-answers")
    assert listed.json()["results"] == []
    assert_no_canary(listed)
    refused, absent = (
        patch(callers.bob, pk, state="retired") for pk in (secret["id"], "00000000-0000-0000-0000-000000000000")
    )
    assert (refused.status_code, refused.json()) == (404, absent.json())
    wrong = callers.bob.post("verified-answers", **SECRET)
    assert wrong.status_code == 400
    assert [one["id"] for one in callers.alice.get("verified-answers").json()["results"]] == [secret["id"]]


def test_a_list_takes_few_queries(callers: Callers, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    """However many there are on a page."""
    for number in range(8):
        callers.bob.post("verified-answers", **{**WRITTEN, "question": f"When does canteen {number} open?"})
    with django_assert_max_num_queries(25):
        assert len(callers.bob.get("verified-answers", state="draft").json()["results"]) == 8
