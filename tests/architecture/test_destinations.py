"""Each kind of data source says which of its settings decide to whom its credentials are sent."""

import pytest
from pydantic import BaseModel

from core.library.sync.connector import Kind
from core.library.sync.kinds import MODULES, kind_of

# What settings are called that say where a server is, or by what it is known.
NAMES_OF_SERVERS = {
    *("account", "address", "api", "cloud", "endpoint", "host", "host_key", "port", "region", "server", "tenant", "url")
}


@pytest.mark.parametrize("name", MODULES)
def test_a_kind_with_secrets_says_to_whom_they_are_sent(name: str) -> None:
    """By names of its settings; each that names a server is among them."""
    kind = kind_of(name)
    if not kind.secrets:
        return
    assert kind.destination is not None
    assert set(kind.destination) == NAMES_OF_SERVERS & set(kind.settings.model_fields)
    assert not any("@" in secret for secret in kind.secrets)  # so begins what is stored beside them


def test_a_kind_that_does_not_say_so_is_none() -> None:
    """It cannot even be made."""
    with pytest.raises(TypeError, match="does not say to whom"):
        Kind(name="new", label="", help="", settings=BaseModel, connect=lambda *_: None, secrets={"token": "Token"})  # type: ignore[arg-type,return-value]


def test_a_kind_whose_readers_nobody_names_is_none() -> None:
    """It would be read by nobody, or by whoever is chosen."""
    with pytest.raises(TypeError, match="readers whom it does not tell"):
        Kind(name="new", label="", help="", settings=BaseModel, connect=lambda *_: None, named_readers_only=True)  # type: ignore[arg-type,return-value]
