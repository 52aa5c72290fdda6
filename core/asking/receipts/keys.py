"""Read the keys that receipts are signed with, and publish their public halves."""

import secrets
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.utils.crypto import salted_hmac

from core.asking.receipts.verify_receipt import ALGORITHM, decode, describe_key, encode, find_thumbprint
from core.errors import ReceiptError

PUBLIC = "public:"  # before a key of RECEIPT_SIGNING_KEYS that signs no more
_BYTES = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishedKey:
    """Holds a public key that receipts are, or were, signed with."""

    name: str  # its thumbprint
    public_key: bytes
    is_signing: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON Web Key."""
        return {**describe_key(self.public_key), "kid": self.name, "use": "sig", "alg": ALGORITHM}


def read_signing_key() -> Ed25519PrivateKey:
    """Return the key that receipts are signed with: the first that is configured, else one made of SECRET_KEY.

    ReceiptError where that is no key.
    """
    first = next(iter(settings.RECEIPT_SIGNING_KEYS), "")
    if not first:
        return Ed25519PrivateKey.from_private_bytes(
            salted_hmac("core.asking.receipts", "signing key", algorithm="sha256").digest()
        )
    if first.startswith(PUBLIC):
        raise ReceiptError(
            "The first of RECEIPT_SIGNING_KEYS is a public key, which signs nothing. Put a new one first."
        )
    return Ed25519PrivateKey.from_private_bytes(_read_bytes(first))


def list_published_keys() -> list[PublishedKey]:
    """List the public keys, the signing one first. ReceiptError where something configured is no key."""
    found = {find_public_bytes(read_signing_key()): True}
    for text in settings.RECEIPT_SIGNING_KEYS[1:]:
        key = _read_bytes(text.removeprefix(PUBLIC))
        is_public = text.startswith(PUBLIC)
        found.setdefault(key if is_public else find_public_bytes(Ed25519PrivateKey.from_private_bytes(key)), False)
    return [
        PublishedKey(name=find_thumbprint(key), public_key=key, is_signing=is_signing)
        for key, is_signing in found.items()
    ]


def make_key() -> tuple[str, str]:
    """Make a key. Returns it as RECEIPT_SIGNING_KEYS takes it, and as it is kept there once it signs no more."""
    content = secrets.token_bytes(_BYTES)
    public = find_public_bytes(Ed25519PrivateKey.from_private_bytes(content))
    return encode(content), f"{PUBLIC}{encode(public)}"


def find_public_bytes(key: Ed25519PrivateKey) -> bytes:
    """Return the 32 bytes of the public half of a key."""
    return key.public_key().public_bytes_raw()


def _read_bytes(text: str) -> bytes:
    try:
        content = decode(text)
    except ValueError:
        content = b""
    if len(content) != _BYTES:
        raise ReceiptError(
            "RECEIPT_SIGNING_KEYS contains something that is not a key. Make one with: manage.py receipt_keys --new"
        )
    return content
