"""Tokens of workspaces, encrypted before they are stored and decrypted when a call is made."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

from core.errors import FootnoteError


class NoTokenKeyError(FootnoteError):
    """SLACK_TOKEN_KEYS is not set, so a workspace's token can be neither stored nor used."""


class UnreadableTokenError(FootnoteError):
    """No key in SLACK_TOKEN_KEYS decrypts this workspace's token. Put its key back, or install the app there again."""


def encrypt(token: str) -> str:
    """A token as it may be stored: by the first key of SLACK_TOKEN_KEYS. NoTokenKeyError without one."""
    return _build_cipher().encrypt(token.encode()).decode()


def decrypt(stored: str) -> str:
    """The token that was stored. UnreadableTokenError when it was encrypted by none of the keys, or was altered."""
    cipher = _build_cipher()
    try:
        return cipher.decrypt(stored.encode()).decode()
    except InvalidToken:
        raise UnreadableTokenError from None


def reencrypt(stored: str) -> str:
    """What was stored, now by the first key. UnreadableTokenError as in `decrypt`."""
    cipher = _build_cipher()
    try:
        return cipher.rotate(stored.encode()).decode()
    except InvalidToken:
        raise UnreadableTokenError from None


def _build_cipher() -> MultiFernet:
    """Fernet (AES-128 in CBC mode with HMAC-SHA256) under the configured keys, of which the first encrypts.

    For a trial a key is derived from SECRET_KEY; a real installation keeps the two apart.
    """
    keys = list(settings.SLACK_TOKEN_KEYS)
    if not keys and settings.DEBUG:
        digest = salted_hmac("bot.encryption", "trial", algorithm="sha256").digest()
        keys = [base64.urlsafe_b64encode(digest).decode()]
    if not keys:
        raise NoTokenKeyError
    return MultiFernet([Fernet(key) for key in keys])
