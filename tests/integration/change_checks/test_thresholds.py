"""Thresholds are tried without anybody going by them, and put live with a yes or within the limits."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Permission
from pytest_django.fixtures import Settings

from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.confidence.threshold import answer_from
from core.asking.confidence.threshold_values import Thresholds, forget_thresholds, read_thresholds
from core.models import AnswerThresholds, AuditEvent, ChangeCheck, ChangeLimit, Document, User
from core.quality.change_checks.deciding import DecisionError, approve, decline
from core.quality.change_checks.submitting import CheckError, change_thresholds, check_thresholds
from core.testing import Cast
from core.types import Answer
from core.values.change_checks import ChangeKind, CheckState, Limit, Outcome
from tests.integration.change_checks.conftest import Deciding, ask, run

CANTEEN_HOURS = "When does the canteen close?"
HIGHEST = Thresholds(answer_from=1.0, closest_from=1.0)


@pytest.fixture(autouse=True)
def _of_the_settings(settings: Settings) -> Iterator[None]:
    """Begin with the thresholds of the settings, low enough for answers."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM, settings.ANSWERS_RIGHT = 0.1, 0.05, 0.0
    forget_thresholds()
    yield
    forget_thresholds()


def is_answered(person: User) -> bool:
    """Return True if a person is answered when the canteen closes."""
    result = api.ask(CANTEEN_HOURS, asker=asker_for(person), audience=audience_of([person.pk]))
    return isinstance(result, Answer)


def test_a_look_counts_what_would_vanish_and_nobody_goes_by_it(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    """Before and after the try this process answers the same."""
    asked = ask(cast.bob, CANTEEN_HOURS)
    alice = deciding(cast.alice, "change_answerthresholds")
    check = run(check_thresholds(HIGHEST, by=alice))
    assert (check.state, check.figures["vanished"], check.figures["people_worse"]) == (CheckState.TRIED, 1, 1)
    assert check.lines.get(query=asked).outcome == Outcome.VANISHED
    assert (answer_from(), read_thresholds().is_put_live) == (0.1, False)
    assert not AnswerThresholds.objects.exists()
    assert is_answered(cast.bob)


def test_thresholds_that_take_answers_wait_for_a_yes(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    """And are taken back by those of the settings."""
    ChangeLimit.objects.create(kind=ChangeKind.THRESHOLDS, is_on=True)
    ask(cast.bob, CANTEEN_HOURS)
    alice = deciding(cast.alice, "change_answerthresholds")
    check = change_thresholds(HIGHEST, by=alice)
    assert check is not None
    assert (run(check).state, check.crossed) == (CheckState.HELD, [Limit.WORSE])
    assert is_answered(cast.bob)
    with pytest.raises(DecisionError):
        approve(check, by=deciding(cast.charlie))  # who decides who reads, and not about thresholds
    approve(check, by=alice)
    assert (answer_from(), read_thresholds().is_put_live) == (1.0, True)
    assert AnswerThresholds.objects.get().changed_by == alice
    assert not is_answered(cast.bob)
    back = change_thresholds(None, by=alice)
    assert back is not None
    assert run(back).state == CheckState.MADE
    assert back.figures["answered"] == 1
    assert is_answered(cast.bob)
    assert not AnswerThresholds.objects.exists()


def test_a_no_leaves_the_thresholds(cast: Cast, library: dict[str, Document], deciding: Deciding) -> None:
    ChangeLimit.objects.create(kind=ChangeKind.THRESHOLDS, is_on=True)
    ask(cast.bob, CANTEEN_HOURS)
    alice = deciding(cast.alice, "change_answerthresholds")
    check = change_thresholds(HIGHEST, by=alice)
    assert check is not None
    decline(run(check), by=alice)
    assert answer_from() == 0.1


def test_without_a_limit_they_are_live_at_once_and_on_record(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    alice = deciding(cast.alice, "change_answerthresholds")
    assert change_thresholds(Thresholds(answer_from=0.8, closest_from=0.3), by=alice) is None
    assert answer_from() == 0.8
    details = AuditEvent.objects.get(object_type="answer thresholds").details
    assert (details["answer_from"], details["closest_from"], details["before"]["answer_from"]) == (0.8, 0.3, 0.1)
    assert change_thresholds(None, by=alice) is None
    assert answer_from() == 0.1
    assert not ChangeCheck.objects.exists()


def test_who_lost_the_right_makes_nothing_by_itself(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    ChangeLimit.objects.create(kind=ChangeKind.THRESHOLDS, is_on=True, most_worse=100)
    ask(cast.bob, CANTEEN_HOURS)
    alice = deciding(cast.alice, "change_answerthresholds")
    check = change_thresholds(HIGHEST, by=alice)
    assert check is not None
    alice.user_permissions.remove(Permission.objects.get(codename="change_answerthresholds"))
    assert (run(check).state, answer_from()) == (CheckState.HELD, 0.1)
    assert check.reason


@pytest.mark.parametrize(("answer", "closest"), [(0.2, 0.3), (1.1, 0.3), (0.5, -0.1), (float("nan"), float("nan"))])
def test_thresholds_that_do_not_fit_together_are_refused(cast: Cast, answer: float, closest: float) -> None:
    wrong = Thresholds(answer_from=answer, closest_from=closest)
    for submit in (check_thresholds, change_thresholds):
        with pytest.raises(CheckError):
            submit(wrong, by=cast.alice)
    assert not ChangeCheck.objects.exists()
