"""Make receipts as Footnote does, without a database: with a key, an audit trail and a document of their own."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.asking.receipts.verify_receipt import (
    ALGORITHM,
    DIGEST,
    TYPE,
    describe_key,
    disclose,
    encode,
    find_thumbprint,
    hash_disclosure,
    hash_event,
    seal_digests,
    write_json,
)

MANUAL = b"# Pier manual\n\nThe lamp of the north pier is lit at dusk by the harbour master.\n"
PARTS: Mapping[str, Any] = {
    "question": "Who lights the lamp of the north pier? – naïve “quotes” & <b>",
    "answer": "The lamp of the north pier is lit at dusk by the harbour master. [1]",
    "statements": [
        {"statement": "The lamp of the north pier is lit at dusk by the harbour master.", "quotes": [1]},
    ],
    "asked_at": "2026-11-30T08:00:00.000001+00:00",
    "answered_at": "2026-11-30T08:00:01.250000+00:00",
    "asked_by": "5f0c1a2b-0000-4000-8000-000000000001",
    "origin": "slack",
    "audience": [["staff"], ["crew", "staff"]],
    "confidence": {"level": "high", "value": 0.87},
    "model": {"name": "sentences", "provider": "extractive", "footnote": "0.4.0"},
    "quote_1": {
        "quote": "The lamp of the north pier is lit at dusk by the harbour master.",
        "document": "Pier manual",
        "document_id": "5f0c1a2b-0000-4000-8000-000000000002",
        "edition": 3,
        "date": "2026-10-01",
        "page": None,
        "chapter": "",
        "section": "Lamps",
        "authors": "",
        "citation": "",
        "address": "https://example.com/pier",
        "is_recognised": False,
    },
    "file_1": {"sha256": hashlib.sha256(MANUAL).hexdigest(), "name": "pier.md"},
    "readers_1": ["crew", "staff"],
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """Holds a receipt with all that it can be compared with, and the key that signed it."""

    receipt: dict[str, Any]
    keys: dict[str, Any]  # a JSON Web Key Set
    audit: tuple[str, ...]  # lines of an export
    head: str
    documents: Mapping[str, bytes]  # by name
    private_key: Ed25519PrivateKey


def make_sample(number: int = 1, private_key: Ed25519PrivateKey | None = None) -> Sample:
    """Make a receipt. number: makes its salts, ids and words another receipt's; the same each time but for the key."""
    key = private_key or Ed25519PrivateKey.generate()
    name = find_thumbprint(key.public_key().public_bytes_raw())
    salt = hashlib.sha256(f"salt {number}".encode()).hexdigest()
    parts = {**PARTS, "question": f"{PARTS['question']} ({number})"}
    of_answer = disclose(parts, salt)
    of_receipt = disclose({"issued_to_name": "Bob", "asked_by_name": "Bob"}, salt[::-1])
    sealed = seal_digests(map(hash_disclosure, of_answer.values()))
    receipt_id = f"5f0c1a2b-0000-4000-8000-{number:012}"
    trail = _Trail()
    trail.add("sign_in", "user", "1", {})
    answered = trail.add("answer", "query_log", "7", {"citations": [], "sealed": sealed})
    trail.add("grant", "role", "2", {"documents": 3})
    details = {"is_own": True, "key": name, "left_out": [], "query": "9", "sealed": sealed}
    issued = trail.add("issue_receipt", "receipt", receipt_id, details)
    trail.add("export", "auditevent", "", {"format": "jsonl", "from": 1})
    payload = {
        "iss": "https://footnote.example.com/",
        "iat": 1_796_000_000,
        "jti": receipt_id,
        "request_id": f"req_20261130_{number:08}",
        "footnote": "0.4.0",
        "_sd_alg": DIGEST,
        "_sd": sorted(map(hash_disclosure, of_receipt.values())),
        "answer": {"_sd": sorted(map(hash_disclosure, of_answer.values()))},
        "sealed": sealed,
        "answered_event": answered,
        "issued_event": issued,
    }
    return Sample(
        receipt=sign(payload, [*of_answer.values(), *of_receipt.values()], key),
        keys={"keys": [{**describe_key(key.public_key().public_bytes_raw()), "kid": name}]},
        audit=tuple(trail.lines),
        head=f"{trail.number}:{trail.previous}",
        documents={"pier.md": MANUAL},
        private_key=key,
    )


def sign(payload: Mapping[str, Any], disclosures: list[str], key: Ed25519PrivateKey, **header: Any) -> dict[str, Any]:
    """Sign a payload as a receipt. header: what its header has otherwise, which the signature covers."""
    public = key.public_key().public_bytes_raw()
    named = {"alg": ALGORITHM, "typ": TYPE, "kid": find_thumbprint(public), "jwk": describe_key(public), **header}
    protected, content = encode(write_json(named).encode()), encode(json.dumps(payload).encode())
    return {
        "payload": content,
        "protected": protected,
        "signature": encode(key.sign(f"{protected}.{content}".encode())),
        "header": {"disclosures": disclosures},
    }


class _Trail:
    """Collects events of an audit trail in its chain, as core.access.audit exports it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.number, self.previous = 0, "0" * 64

    def add(self, action: str, object_type: str, object_id: str, details: dict[str, Any]) -> dict[str, str]:
        """Add an event. Returns it as a receipt holds it."""
        self.number += 1
        event = {
            "number": self.number,
            "previous": self.previous,
            "id": f"5f0c1a2b-0000-4000-9000-{self.number:012}",
            "created_at": f"2026-11-30T08:00:{self.number:02}.000000+00:00",
            "actor": None,
            "action": action,
            "object_type": object_type,
            "object_id": object_id,
            "details": details,
        }
        content = write_json(event)
        self.previous = hash_event(content)
        self.lines.append(json.dumps({**event, "digest": self.previous}, sort_keys=True, ensure_ascii=False) + "\n")
        return {"content": content, "digest": self.previous}
