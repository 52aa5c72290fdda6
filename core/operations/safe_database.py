"""Refuse to start with an unsafe database: its user bypasses row security, or it is one of a trial.

Web, bot, worker and `manage.py start` ask here, and so does `manage.py check --deploy`.
"""

import contextlib
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from core.errors import UnsafeDatabaseError
from core.models import User

SAMPLE_LIBRARY = "samples/library.toml"  # below BASE_DIR: who the people of the demo are


@dataclass(frozen=True, kw_only=True, slots=True)
class Danger:
    """Something about the database because of which nothing must start on it."""

    id: str  # of the system check that reports it
    message: str
    hint: str


def dangers() -> list[Danger]:
    """List the dangers of the database; none where it is away or has no tables yet, which other checks report."""
    found = []
    for look in (_check_row_security_bypass, _demo_people):
        with contextlib.suppress(DatabaseError):  # each for itself: a role may be forbidden what the other needs
            found.append(look())
    return [danger for danger in found if danger]


def refuse_unsafe_database() -> None:
    """UnsafeDatabaseError, with every hint, when nothing must start on this database."""
    if found := dangers():
        raise UnsafeDatabaseError(
            "Footnote does not start on this database. " + " ".join(f"{each.message} {each.hint}" for each in found)
        )


@cache
def demo_addresses(file: Path) -> frozenset[str]:
    """Return the e-mail addresses of the demo's people; none where the samples were left out of the installation."""
    if not file.exists():
        return frozenset()
    return frozenset(person["email"] for person in tomllib.loads(file.read_text(encoding="utf-8"))["people"])


def _check_row_security_bypass() -> Danger | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        (bypasses,) = cursor.fetchone()
    if not bypasses:
        return None
    return Danger(
        id="footnote.E030",
        message="The database user bypasses row-level security.",
        hint=("Use one that is not a superuser and does not have BYPASSRLS. docs/postgresql.md shows how."),
    )


def _demo_people() -> Danger | None:
    """Whoever tried Footnote on this database knows the password of the demo's administrator."""
    if settings.DEBUG:
        return None
    people = User.objects.filter(email__in=demo_addresses(settings.BASE_DIR / SAMPLE_LIBRARY))
    if not any(person.has_usable_password() for person in people):
        return None
    return Danger(
        id="footnote.E031",
        message="The database contains demo people who can sign in.",
        hint="Remove them with: manage.py remove_demo",
    )
