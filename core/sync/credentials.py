"""Credentials of data sources: encrypted before they are stored, shown nowhere, decrypted when the source is asked."""

import json
from collections.abc import Mapping

from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings

from core.encryption import build_cipher
from core.errors import SourceError, SourceRefusedError
from core.models import DataSource


def keep(source: DataSource, credentials: Mapping[str, str]) -> None:
    """Put the credentials of a source into its row, which is not saved. SourceError without a key."""
    given = {name: value for name, value in credentials.items() if value}
    source.secrets = _cipher().encrypt(json.dumps(given).encode()).decode() if given else ""


def read(source: DataSource) -> dict[str, str]:
    """The credentials of a source by name. SourceRefusedError when no key decrypts them."""
    if not source.secrets:
        return {}
    try:
        credentials: dict[str, str] = json.loads(_cipher().decrypt(source.secrets.encode()))
    except InvalidToken:
        raise SourceRefusedError(
            "No key in SOURCE_SECRET_KEYS decrypts the credentials. Put their key back, or enter them again."
        ) from None
    return credentials


def _cipher() -> MultiFernet:
    cipher = build_cipher(settings.SOURCE_SECRET_KEYS, purpose="core.sync.credentials")
    if cipher is None:
        raise SourceError("SOURCE_SECRET_KEYS is not set, so credentials can be neither stored nor used.")
    return cipher
