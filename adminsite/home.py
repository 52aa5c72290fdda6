"""Keep random secrets in FOOTNOTE_HOME for an installation that was given none, made once for this machine."""

import secrets
from pathlib import Path

from django.core.management.utils import get_random_secret_key

from core.infrastructure.kept_secrets import keep_secret


def local_secret_key(home: Path) -> str:
    """The secret key kept under `home`, made on first use. FootnoteError when that folder cannot be used.

    It serves one machine: several machines that share a database need the same SECRET_KEY, and the production checks
    ask for one.
    """
    return keep_secret(home, "secret_key", get_random_secret_key)


def local_page_token(home: Path) -> str:
    """The token in the local page's address, made on first use. FootnoteError when that folder cannot be used."""
    return keep_secret(home, "local_page_token", lambda: secrets.token_urlsafe(24))
