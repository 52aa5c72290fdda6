"""The floor of the application without that of the database under it."""

import pytest
from django.db import connection

from adminsite.admin import model_setups
from core.llm.local_model.machine import Machine


@pytest.fixture(autouse=True)
def _machine_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages show the same free memory however much the tests beside use: what differs is what is hidden."""
    machine = Machine(cores=2, memory=16_000_000_000, accelerator="")
    monkeypatch.setattr(model_setups, "look_at_machine", lambda: machine)


_UNDER_ROW_SECURITY = (
    "changecheckwords",
    "chunk",
    "citationwords",
    "contradictionwords",
    "verifiedsourcewords",
    "examinationwords",
    "proposalwords",
)


@pytest.fixture
def without_row_security(db: None) -> None:
    """The database shows every chunk and quote, to the end of the test: only the application's own filter is left.

    Tables belong to the role that tests run as, and an owner is not held by row-level security that is not forced.
    """
    with connection.cursor() as cursor:
        for table in _UNDER_ROW_SECURITY:
            cursor.execute(f"ALTER TABLE core_{table} NO FORCE ROW LEVEL SECURITY")


@pytest.fixture(params=[pytest.param("both floors", marks=pytest.mark.slow), "application alone"])
def floors(request: pytest.FixtureRequest) -> None:
    """The test runs without the database's floor, and once more as the product does: that can only show less.

    `make test` leaves the second run to `make test-all`; test_floors tries each floor by itself.
    """
    request.getfixturevalue("without_row_security" if request.param == "application alone" else "db")
