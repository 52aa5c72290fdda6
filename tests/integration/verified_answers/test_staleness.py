"""Test the times at which a verified answer is outdated, and the effects."""

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from core.asking.verified_answers.staleness import list_outdated
from core.models import Chunk, Document, VerifiedAnswer
from core.models.row_security import bypass_row_security
from core.serialization import as_json
from core.testing import Cast
from core.types import Answer, ConfidenceLevel, Outdated, Refusal
from tests.integration.verified_answers.conftest import CANTEEN, TEXT, Asks, Verify, replace_text

EMPTY = "Nothing is said here about meals."


def silence(document: Document) -> None:
    """A version that says nothing of it, and is found by nothing."""
    with bypass_row_security():
        Chunk.objects.filter(document=document).delete()
    document.version += 1
    document.save()


def age(row: VerifiedAnswer) -> None:
    """The day of review has passed."""
    VerifiedAnswer.objects.filter(pk=row.pk).update(review_on=timezone.localdate() - dt.timedelta(days=1))


@pytest.mark.parametrize("what", ["version", "quote", "review"])
def test_an_outdated_one_is_not_given_first(
    cast: Cast, library: dict[str, Document], verify: Verify, asks: Asks, what: str
) -> None:
    """The documents answer, with their current words."""
    row = verify()
    if what == "version":
        replace_text(library["canteen"])
    elif what == "quote":
        with bypass_row_security():
            moved = f"Since May. {CANTEEN}"
            Chunk.objects.filter(document=library["canteen"]).update(content=moved, end_offset=len(moved))
    else:
        age(row)
    result = asks(cast.bob)
    assert isinstance(result, Answer)
    assert result.verified is None


def test_where_nothing_else_is_found_it_is_given_and_says_so(
    cast: Cast, library: dict[str, Document], verify: Verify, asks: Asks
) -> None:
    """With little confidence, in its own words."""
    row = verify()
    silence(library["canteen"])
    result = asks(cast.bob)
    assert isinstance(result, Answer)
    assert result.text == f"{TEXT} [1]"
    assert result.verified is not None
    assert (result.verified.outdated, result.verified.verified_at) == (Outdated.SOURCES_CHANGED, row.verified_at)
    assert result.confidence_level is ConfidenceLevel.LOW
    said = as_json(result)["verified"]
    assert said is not None
    assert said["outdated"] == "sources_changed"


def test_an_outdated_one_is_as_secret_as_ever(
    cast: Cast, library: dict[str, Document], verify: Verify, asks: Asks
) -> None:
    """A person who may not read the source is refused, and learns nothing."""
    verify()
    silence(library["canteen"])
    assert isinstance(asks(cast.charlie), Refusal)
    assert isinstance(asks(cast.bob, "When does the canteen open?", cast.charlie), Refusal)


def test_verified_again_it_comes_first_again(
    cast: Cast, library: dict[str, Document], verify: Verify, asks: Asks
) -> None:
    """It quotes the version of now."""
    row = verify()
    replace_text(library["canteen"])
    assert list_outdated([row], today=timezone.localdate()) == {row.pk: Outdated.SOURCES_CHANGED}
    verify(row=row)
    assert list_outdated([row], today=timezone.localdate()) == {}
    result = asks(cast.bob)
    assert isinstance(result, Answer)
    assert result.verified is not None


def test_on_the_day_of_review_it_still_holds(cast: Cast, verify: Verify, asks: Asks) -> None:
    """From the day after it does not."""
    row = verify(review_on=timezone.localdate())
    first: Any = asks(cast.bob)
    age(row)
    second: Any = asks(cast.bob)
    assert [bool(one.verified) for one in (first, second)] == [True, False]
