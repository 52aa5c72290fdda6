"""Settings from the environment: a wrong value is named, and not guessed at."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from adminsite.environment import Environment, database_of, mail_server_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("int", "many", "TRIED must be a whole number."),
        ("int", "", "TRIED must be a whole number."),
        ("float", "half", "TRIED must be a number."),
        ("bool", "maybe", "TRIED must be true or false."),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(kind: str, given: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its name and what it should be."""
    monkeypatch.setenv("TRIED", given)
    with pytest.raises(ImproperlyConfigured) as error:
        getattr(Environment(), kind)("TRIED", default=1)
    assert str(error.value).startswith(said)
    assert not given or given not in str(error.value)  # it may be a secret in the wrong place
    assert error.value.__context__ is None or error.value.__suppress_context__


@pytest.mark.parametrize(
    ("given", "meant"), [("1", True), ("Yes", True), ("off", False), ("False", False), ("", False)]
)
def test_truth_has_many_words(given: str, meant: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing counts as false."""
    monkeypatch.setenv("TRIED", given)
    assert Environment().bool("TRIED", default=not meant) is meant


def test_a_text_is_taken_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that begins with a dollar, which is no reference to another variable."""
    monkeypatch.setenv("TRIED", "$HOME/key")
    assert Environment().str("TRIED", default="") == "$HOME/key"


def test_what_is_not_set_is_as_it_is_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every kind."""
    monkeypatch.delenv("TRIED", raising=False)
    env = Environment()
    assert (env.int("TRIED", default=5), env.bool("TRIED", default=True), env.str("TRIED", default="a")) == (
        5,
        True,
        "a",
    )


@pytest.mark.parametrize(
    "url", ["canary", "sqlite:////tmp/canary.db", "mysql://u:canary@h/d", "postgres://u:can/ary@h:5432/d"]
)
def test_only_the_address_of_a_postgresql_will_do(url: str) -> None:
    """The message does not repeat what it was given, which may hold a password."""
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL is not the address of a PostgreSQL") as error:
        database_of(url)
    assert "can" not in str(error.value).replace("cannot", "")
    assert error.value.__context__ is None


def test_the_parts_of_an_address_are_read() -> None:
    """Special characters of a password are written as %XX."""
    database = database_of("postgres://bob:p%2Fw@db.example.com:6000/notes")
    assert {name: database[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")} == {
        "USER": "bob",
        "PASSWORD": "p/w",
        "HOST": "db.example.com",
        "PORT": 6000,
        "NAME": "notes",
    }


@pytest.mark.parametrize("wrong", [{"LLM_TIMEOUT_S": "soon"}, {"DATABASE_URL": "nowhere"}, {"EMAIL_URL": "nowhere"}])
def test_a_command_says_in_one_line_which_setting_is_wrong(wrong: dict[str, str]) -> None:
    """Without a traceback, and with an exit code."""
    env = os.environ | {"DATABASE_URL": "postgres://unused"} | wrong
    command = [sys.executable, "manage.py", "start", "--no-demo"]
    done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{next(iter(wrong))} ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://mail.example.com", ("mail.example.com", 25, "", "", False, False)),
        ("smtp+tls://bob:p%2Fw%40@mail.example.com", ("mail.example.com", 587, "bob", "p/w@", True, False)),
        ("smtps://b%40c:x@mail.example.com:1465/", ("mail.example.com", 1465, "b@c", "x", False, True)),
        ("smtp+ssl://mail.example.com", ("mail.example.com", 465, "", "", False, True)),
        ("smtp://[::1]:25", ("::1", 25, "", "", False, False)),
    ],
)
def test_the_address_of_a_mail_server_is_read(url: str, expected: tuple[object, ...]) -> None:
    """With the usual port of its kind of encryption, where none is named."""
    server = mail_server_of(url, "Footnote <footnote@example.com>")
    names = ("host", "port", "username", "password", "use_tls", "use_ssl")
    assert (tuple(server[name] for name in names), len(server)) == (expected, len(names))
    assert mail_server_of("", "") == {}


@pytest.mark.parametrize(
    "url",
    [
        *("canary", "http://u:canary@h", "smtp://", "smtp://u:can/ary@h", "smtp://u:can#ary@h", "smtp://u:can?ary@h"),
        *("smtp://u:canary@h:port", "smtp://canary@h", "smtp://:canary@h", "smtp://u:p@h?ssl=canary", "smtp://[canary"),
    ],
)
def test_only_the_address_of_a_mail_server_will_do(url: str) -> None:
    """The message does not repeat what it was given, which may hold a password."""
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL is not the address of a mail server") as error:
        mail_server_of(url, "footnote@example.com")
    assert "canary" not in str(error.value)
    assert error.value.__context__ is None


@pytest.mark.parametrize("sender", ["nobody", "a@example.com\nBcc: b@example.com", "A <a@>", " "])
def test_the_sender_of_mail_is_an_address(sender: str) -> None:
    """With a name or without."""
    with pytest.raises(ImproperlyConfigured, match="EMAIL_FROM must be an e-mail address") as error:
        mail_server_of("smtp://mail.example.com", sender)
    assert error.value.__context__ is None


@pytest.mark.parametrize(("url", "sender"), [("smtp://mail.example.com", ""), ("", "footnote@example.com")])
def test_mail_needs_a_server_and_a_sender(url: str, sender: str) -> None:
    """One without the other is a mistake."""
    with pytest.raises(ImproperlyConfigured, match="must be set together"):
        mail_server_of(url, sender)
