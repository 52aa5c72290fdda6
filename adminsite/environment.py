"""Reading settings from the environment: a wrong value ends the start in words, with its name, and is not guessed at.

No message repeats a value: a value in the wrong place may be a secret.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import environ
from croniter import croniter
from django.core.exceptions import ImproperlyConfigured

_CRON_PARTS = 5
_FALSE = frozenset({"", "0", "f", "false", "n", "no", "off"})
_KINDS: dict[Any, str] = {int: "a whole number", float: "a number", bool: "true or false"}
_POSTGRESQL_SCHEMES = {
    scheme for scheme, engine in environ.Env.DB_SCHEMES.items() if engine == "django.db.backends.postgresql"
}
names_read: set[str] = set()  # of the variables that this process has asked for


class Environment(environ.Env):  # type: ignore[misc]  # the library has no types
    """The environment's values by type. ImproperlyConfigured, with the name, when one is of the wrong kind."""

    def get_value(
        self,
        var: str,
        cast: Callable[..., Any] | None = None,
        default: Any = environ.Env.NOTSET,
        parse_default: bool = False,
    ) -> Any:
        """The value of `var`, or the default where it is not set. What is no truth value does not count as false."""
        names_read.add(var)
        given = self.ENVIRON.get(var)
        if cast is str and given is not None:
            return given  # of a key that begins with $ the library would make the name of another variable
        if cast is bool and given is not None and given.strip().lower() not in _TRUTH_VALUES:
            raise _wrong(var, bool)
        try:
            return super().get_value(var, cast, default, parse_default)
        except ValueError:
            raise _wrong(var, cast) from None


def schedule_of(name: str, value: str) -> str:
    """A schedule as cron writes it. ImproperlyConfigured, with the setting's name, when it is none."""
    if croniter.is_valid(value) and len(value.split()) == _CRON_PARTS:
        return value
    raise ImproperlyConfigured(
        f"{name} must be a schedule as cron writes it, such as 0 2 * * 1 for Mondays at two. docs/settings.md lists "
        "all settings."
    )


def choice_of(name: str, value: str, choices: Sequence[str]) -> str:
    """One of some values. ImproperlyConfigured, with the setting's name, for any other."""
    if value in choices:
        return value
    raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}. docs/settings.md lists all settings.")


def database_of(url: str) -> dict[str, Any]:
    """Django's form of a DATABASE_URL. Messages do not repeat it: it holds a password."""
    if url.partition("://")[0] in _POSTGRESQL_SCHEMES:  # of others the library warns, with the password
        with contextlib.suppress(ValueError):
            database: dict[str, Any] = environ.Env.db_url_config(url)
            return database
    raise ImproperlyConfigured(
        "DATABASE_URL is not the address of a PostgreSQL database, such as postgres://user:password@host:5432/name. "
        "In the password, write every character that is neither a letter nor a digit as %XX: / as %2F, @ as %40, # "
        "as %23."
    )


_TRUTH_VALUES = _FALSE | frozenset(environ.Env.BOOLEAN_TRUE_STRINGS)


def _wrong(var: str, kind: Any) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{var} must be {_KINDS.get(kind, 'of another type')}. docs/settings.md lists all settings."
    )
