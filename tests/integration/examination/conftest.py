"""A small library with a table, a form and prose, and one document that Alice alone may read."""

from typing import Any

import pytest

from core.models import Document
from core.testing import Cast, make_document

POOL = (
    "Prices of the harbour pool.\n\n"
    "Ticket | Adults | Children\n--- | --- | ---\n"
    "Single swim | 6.80 euros | 3.40 euros\nMonthly pass | 48 euros | 21 euros"
)
KILN = "Firing temperature: 1,240 degrees\nCooling time: 14 hours"
LOCKER = "Deposit: 75 euros\nMaster code: quagmire-7741"


@pytest.fixture
def library(cast: Cast, fast: None, settings: Any) -> dict[str, Document]:
    """Without a reader, questions come of tables and labels, by their form."""
    settings.READER = "none"
    return {
        "pool": make_document("Pool prices", POOL, roles=[cast.staff], section="Tickets"),
        "kiln": make_document("Kiln card", KILN, roles=[cast.staff], section="Kiln"),
        "locker": make_document("Locker card", LOCKER, roles=[cast.owners], section="Locker room"),
    }
