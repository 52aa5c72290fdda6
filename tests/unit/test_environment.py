"""Settings that cannot be used name themselves, never their values."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from adminsite.environment import Environment, checked_database_url

env = Environment()


@pytest.mark.parametrize("text", ["abc", "1.5", "", "sk-secret"])
def test_what_is_no_number_is_named_and_not_repeated(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a secret that stands in the wrong place."""
    monkeypatch.setenv("LLM_RETRIES", text)
    with pytest.raises(ImproperlyConfigured, match=r"^LLM_RETRIES has to be a number") as caught:
        env.int("LLM_RETRIES", default=2)
    assert not text or text not in str(caught.value)


@pytest.mark.parametrize(("word", "means"), [("1", True), ("Yes", True), ("on", True), ("False", False), ("", False)])
def test_words_for_on_and_off(word: str, means: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In either case; an empty one is off."""
    monkeypatch.setenv("SECURE_SSL_REDIRECT", word)
    assert env.bool("SECURE_SSL_REDIRECT", default=True) is means


def test_a_word_that_is_neither_on_nor_off_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would mean off, which for a protection is what nobody wanted."""
    monkeypatch.setenv("SECURE_SSL_REDIRECT", "enabled")
    with pytest.raises(ImproperlyConfigured, match="SECURE_SSL_REDIRECT has to be true or false"):
        env.bool("SECURE_SSL_REDIRECT", default=True)


@pytest.mark.parametrize("number", ["0", "-1", "65536"])
def test_a_port_that_no_server_could_listen_on_is_an_error(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says which there are."""
    monkeypatch.setenv("PORT", number)
    with pytest.raises(ImproperlyConfigured, match="PORT has to be from 1 to 65535"):
        env.port("PORT", default=8000)


def test_without_a_variable_the_default_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each type."""
    monkeypatch.delenv("PORT", raising=False)
    monkeypatch.delenv("DEBUG", raising=False)
    assert (env.port("PORT", default=8000), env.bool("DEBUG", default=True)) == (8000, True)


@pytest.mark.parametrize("url", ["mysql://u:hunter2@h/x", "hunter2", "sqlite:///x.db"])
def test_another_database_than_postgresql_is_an_error(url: str) -> None:
    """Without the address, which holds a password."""
    with pytest.raises(ImproperlyConfigured, match="postgres://USER:PASSWORD@HOST") as caught:
        checked_database_url(url)
    assert "hunter2" not in str(caught.value)


def test_a_postgresql_is_none() -> None:
    """By either name."""
    for url in ("postgres://u:p@h/x", "postgresql://u:p@h/x"):
        assert checked_database_url(url) == url
