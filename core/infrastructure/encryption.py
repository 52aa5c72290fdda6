"""Encrypting what has to be stored and read again: tokens of workspaces, credentials of data sources."""

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac


def build_cipher(keys: Sequence[str], *, purpose: str) -> MultiFernet | None:
    """Fernet (AES-128 in CBC mode with HMAC-SHA256) under the keys, of which the first encrypts. None without a key.

    For a trial a key is derived from SECRET_KEY and the purpose; a real installation keeps the two apart.
    """
    chosen = list(keys)
    if not chosen and settings.DEBUG:
        digest = salted_hmac(purpose, "trial", algorithm="sha256").digest()
        chosen = [base64.urlsafe_b64encode(digest).decode()]
    return MultiFernet([Fernet(key) for key in chosen]) if chosen else None
