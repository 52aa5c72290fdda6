"""What tests of Jira as a data source share."""

from typing import Any

from core.library.sync.connector import Listed
from tests.integration.sync.served import listing
from tests.integration.sync.servers.jira import Tracker


def listed(tracker: Tracker, **settings: Any) -> dict[str, Listed]:
    """Return the listed documents."""
    documents, _, error = listing(tracker.connect(**settings))
    assert error is None
    return documents


def load(tracker: Tracker, one: Listed, **settings: Any) -> str:
    """Return an issue as it is loaded."""
    loaded = tracker.connect(**settings).load(one, "")
    assert loaded is not None
    return loaded.file.content.decode()
