"""Reading settings from the environment: a wrong value ends the start in words, with its name, and is not guessed at.

No message repeats a value: a value in the wrong place may be a secret.
"""

import contextlib
from collections.abc import Callable, Sequence
from email.utils import parseaddr
from typing import Any
from urllib.parse import unquote, urlsplit

import environ
from croniter import croniter
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

_CRON_PARTS = 5
_FALSE = frozenset({"", "0", "f", "false", "n", "no", "off"})
_KINDS: dict[Any, str] = {int: "a whole number", float: "a number", bool: "true or false"}
_POSTGRESQL_SCHEMES = {
    scheme for scheme, engine in environ.Env.DB_SCHEMES.items() if engine == "django.db.backends.postgresql"
}
_MAIL_SCHEMES: dict[str, tuple[int, dict[str, bool]]] = {  # to the usual port and how the connection is encrypted
    "smtp": (25, {"use_tls": False, "use_ssl": False}),
    "smtp+tls": (587, {"use_tls": True, "use_ssl": False}),
    "smtps": (465, {"use_tls": False, "use_ssl": True}),
    "smtp+ssl": (465, {"use_tls": False, "use_ssl": True}),
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


def mail_server_of(url: str, sender: str) -> dict[str, Any]:
    """Return the arguments of Django's SMTP backend for an EMAIL_URL; {} for none. Messages do not repeat it.

    sender: EMAIL_FROM, without which no mail can be sent. django-environ reads such addresses too, but takes smtps for
    STARTTLS, leaves out what it does not understand and names no port.
    """
    if not url and not sender:
        return {}
    if not url or not sender:
        raise ImproperlyConfigured("EMAIL_URL and EMAIL_FROM must be set together, or neither for no mail.")
    _check_sender(sender)
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        if parts.scheme in _MAIL_SCHEMES and parts.hostname and not (parts.path.strip("/") or parts.query):
            port, encryption = _MAIL_SCHEMES[parts.scheme]
            user, password = unquote(parts.username or ""), unquote(parts.password or "")
            if bool(user) == bool(password) and not parts.fragment:
                reached = {"host": parts.hostname, "port": parts.port or port}
                return reached | {"username": user, "password": password} | encryption
    raise ImproperlyConfigured(
        "EMAIL_URL is not the address of a mail server, such as smtp+tls://user:password@mail.example.com:587, with "
        "smtp+tls for encryption by STARTTLS, smtps for encryption from the start, smtp for none. In the password, "
        "write every character that is neither a letter nor a digit as %XX: / as %2F, @ as %40, # as %23."
    )


def _check_sender(sender: str) -> None:
    """Raise ImproperlyConfigured for what is neither an address nor a name with an address."""
    with contextlib.suppress(ValidationError):
        if sender.isprintable():
            validate_email(parseaddr(sender)[1])
            return
    raise ImproperlyConfigured(
        "EMAIL_FROM must be an e-mail address, such as Footnote <footnote@example.com>. docs/settings.md lists all "
        "settings."
    )


_TRUTH_VALUES = _FALSE | frozenset(environ.Env.BOOLEAN_TRUE_STRINGS)


def _wrong(var: str, kind: Any) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{var} must be {_KINDS.get(kind, 'of another type')}. docs/settings.md lists all settings."
    )
