"""Test the scripted kind, which represents all kinds in the tests of runs."""

import pytest

from core.errors import SourceError
from core.library.sync.connector import Access, Listed, TellsReaders
from tests.integration.sync.scripted import KIND, Held, Shelf


def test_a_shelf_changes_between_the_steps(shelf: Shelf) -> None:
    """Between listing, loading and looking again, as a test says."""
    steps: list[tuple[str, str]] = []

    def write(step: str, key: str) -> None:
        steps.append((step, key))
        shelf.documents["a.md"] = Held(f"before {step}", groups=(step,))

    shelf.meanwhile = write
    connector = KIND.connect(KIND.settings(), {}, Access(max_mb=1))
    assert isinstance(connector, TellsReaders)
    [one] = connector.list()
    assert isinstance(one, Listed)
    loaded, now = connector.load(one, ""), connector.look_again(one)
    assert steps == [("list", ""), ("readers", "a.md"), ("load", "a.md"), ("look", "a.md")]
    assert loaded is not None
    assert now is not None
    assert (one.fingerprint, loaded.file.content, now.fingerprint) == ("before list", b"before load", "before look")
    assert one.groups == ("readers",)  # those of another moment
    assert (now.groups, shelf.looked) == (("look",), ["a.md"])
    shelf.meanwhile = lambda step, key: None
    shelf.documents.clear()
    assert connector.look_again(now) is None
    shelf.unseen["a.md"] = SourceError()
    with pytest.raises(SourceError):
        connector.look_again(now)
