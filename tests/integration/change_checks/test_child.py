"""A check runs in a process of its own, which ends with the worker and leaves nothing of the change."""

import pytest

from core.access.changes import plan_change
from core.models import RoleDocumentAccess
from core.quality.change_checks import running
from core.quality.change_checks.submitting import check_grants
from core.testing import Cast, make_document
from core.values.change_checks import CheckState

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _in_process() -> None:
    """Let the process of its own ask."""


@pytest.fixture(autouse=True)
def _without_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process answer without a reader, as tests do."""
    monkeypatch.setenv("READER", "none")


def test_a_check_is_asked_beside_and_leaves_nothing(cast: Cast) -> None:
    make_document("Canteen", "The canteen opens at half past eleven and closes at two.", roles=[cast.staff])
    vault = make_document("Vault", "Opening time: seven\nKeys: two", roles=[])
    check = check_grants(plan_change(gives=True, documents=[(cast.staff.pk, vault.pk)]), by=None)
    running.run_check(check.pk)
    check.refresh_from_db()
    assert (check.state, check.reason) == (CheckState.TRIED, "")
    assert check.figures["people"] == 2
    assert not RoleDocumentAccess.objects.filter(document=vault).exists()
