"""Reading settings from the environment: a value that cannot be used ends the start, in words, with its name.

No message repeats a value: what stands in the wrong place may be a secret.
"""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

WORDS_OF_FALSE = ("false", "off", "n", "no", "0", "")
DATABASE_SCHEMES = ("postgres", "postgresql", "psql", "pgsql")
HIGHEST_PORT = 65_535


class Environment(environ.Env):  # type: ignore[misc]  # it comes without types
    """The environment's variables, each as the type that its setting has."""

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        """The value. ImproperlyConfigured names the variable whose text is not of the type."""
        try:
            return super().get_value(var, *args, **kwargs)
        except ValueError as error:
            raise ImproperlyConfigured(f"{var} has to be a number. docs/settings.md says more.") from error

    def bool(self, var: str, *args: Any, **kwargs: Any) -> bool:
        """On or off. ImproperlyConfigured for a word that is neither: it would silently mean off."""
        word = self.ENVIRON.get(var, "").strip().casefold()
        if word not in (*self.BOOLEAN_TRUE_STRINGS, *WORDS_OF_FALSE):
            raise ImproperlyConfigured(f"{var} has to be true or false. docs/settings.md says more.")
        return bool(super().bool(var, *args, **kwargs))

    def port(self, var: str, *, default: int) -> int:
        """A TCP port. ImproperlyConfigured for a number that is none."""
        number = int(self.int(var, default=default))
        if not 1 <= number <= HIGHEST_PORT:
            raise ImproperlyConfigured(f"{var} has to be from 1 to {HIGHEST_PORT}.")
        return number


def checked_database_url(url: str) -> str:
    """The address of a PostgreSQL. ImproperlyConfigured for another database."""
    scheme, separator, _rest = url.partition("://")
    if not separator or scheme not in DATABASE_SCHEMES:
        raise ImproperlyConfigured(
            "DATABASE_URL has to be the address of a PostgreSQL: postgres://USER:PASSWORD@HOST:5432/NAME. "
            "Without it, Footnote brings its own."
        )
    return url
