"""Encrypt tokens of workspaces before they are stored, and decrypt them when a call is made."""

from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings

from core.errors import FootnoteError
from core.infrastructure.encryption import build_cipher


class NoTokenKeyError(FootnoteError):
    """SLACK_TOKEN_KEYS is not set, so a workspace's token can be neither stored nor used."""


class UnreadableTokenError(FootnoteError):
    """No key in SLACK_TOKEN_KEYS decrypts this workspace's token. Put its key back, or install the app there again."""


def encrypt(token: str) -> str:
    """Encrypt a token as it may be stored: by the first key of SLACK_TOKEN_KEYS. NoTokenKeyError without one."""
    return _build_cipher().encrypt(token.encode()).decode()


def decrypt(stored: str) -> str:
    """Decrypt a token that was stored. UnreadableTokenError when none of the keys encrypted it, or it was altered."""
    cipher = _build_cipher()
    try:
        return cipher.decrypt(stored.encode()).decode()
    except InvalidToken:
        raise UnreadableTokenError from None


def reencrypt(stored: str) -> str:
    """Encrypt a stored text anew, by the first key. UnreadableTokenError as in `decrypt`."""
    cipher = _build_cipher()
    try:
        return cipher.rotate(stored.encode()).decode()
    except InvalidToken:
        raise UnreadableTokenError from None


def _build_cipher() -> MultiFernet:
    cipher = build_cipher(settings.SLACK_TOKEN_KEYS, purpose="bot.encryption")
    if cipher is None:
        raise NoTokenKeyError
    return cipher
