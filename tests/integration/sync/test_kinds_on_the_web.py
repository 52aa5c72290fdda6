"""Test the form of every kind of source on the web for adding one."""

import pytest

from core.library.sync.kinds import MODULES, kind_of

ON_THE_WEB = ("web_site", "arxiv", "federal_reserve", "confluence", "jira", "notion", "google_drive", "sharepoint")


@pytest.mark.parametrize("name", ON_THE_WEB)
def test_a_form_can_be_made_of_a_kind(name: str) -> None:
    """Each setting has a label and a help, no secret is among them, and the kind bears the name it is stored by."""
    kind = kind_of(name)
    assert kind.name == name
    assert kind.label
    assert kind.help
    schema = kind.settings.model_json_schema()
    bare = {key for key, field in schema["properties"].items() if not (field.get("title") and field.get("description"))}
    assert bare == set()
    assert not set(kind.secrets) & set(schema["properties"])


def test_only_sources_that_tell_readers_say_so() -> None:
    """The others need roles that somebody chooses."""
    telling = {"confluence", "jira", "google_drive", "sharepoint"}
    assert {name for name in ON_THE_WEB if kind_of(name).tells_readers} == telling
    assert set(ON_THE_WEB) <= set(MODULES)
