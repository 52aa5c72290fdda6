"""Make receipts as Footnote does, without a database: with a key, an audit trail and a document of their own."""

import calendar
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.asking.receipts.verify_receipt import (
    ALGORITHM,
    DIGEST,
    OF_ANSWER,
    OF_RECEIPT,
    TYPE,
    describe_key,
    disclose,
    encode,
    find_thumbprint,
    hash_disclosure,
    hash_event,
    hash_payload,
    seal_digests,
    write_json,
)

MANUAL = b"# Pier manual\n\nThe lamp of the north pier is lit at dusk by the harbour master.\n"
PARTS: Mapping[str, Any] = {
    "question": "Who lights the lamp of the north pier? – naïve “quotes” & <b>",
    "understood": "Who lights the lamp of the north pier?",
    "selected_text": None,
    "message": "",
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgery:
    """Holds what somebody with the signing key and the database makes otherwise, so that all else fits it."""

    parts: Mapping[str, Any] = field(default_factory=dict)  # of the answer
    people: Mapping[str, Any] = field(default_factory=dict)  # parts outside the seal
    payload: Mapping[str, Any] = field(default_factory=dict)  # before its digest is taken
    signed: Mapping[str, Any] = field(default_factory=dict)  # after that
    answered: Mapping[str, Any] = field(default_factory=dict)  # of the event of the answer
    issued: Mapping[str, Any] = field(default_factory=dict)  # of the event of the receipt
    number: int | None = None  # the event of the answer by this number and its digest alone


def make_sample(number: int = 1, private_key: Ed25519PrivateKey | None = None, forged: Forgery | None = None) -> Sample:
    """Make a receipt. number: makes its salts, ids and words another receipt's; the same each time but for the key."""
    key, forged = private_key or Ed25519PrivateKey.generate(), forged or Forgery()
    name = find_thumbprint(key.public_key().public_bytes_raw())
    salt = hashlib.sha256(f"salt {number}".encode()).hexdigest()
    of_answer = disclose({**PARTS, "question": f"{PARTS['question']} ({number})", **forged.parts}, salt)
    of_receipt = disclose({"issued_to_name": "Bob", "asked_by_name": "Bob", **forged.people}, salt[::-1])
    sealed = seal_digests(map(hash_disclosure, of_answer.values()))
    receipt_id = f"5f0c1a2b-0000-4000-8000-{number:012}"
    payload = {
        "iss": "https://footnote.example.com/",
        "iat": calendar.timegm((2026, 11, 30, 8, 0, 4)),
        "jti": receipt_id,
        "request_id": f"req_20261130_{number:08}",
        "footnote": "0.4.0",
        "_sd_alg": DIGEST,
        "_sd": sorted(map(hash_disclosure, of_receipt.values())),
        "answer": {"_sd": sorted(map(hash_disclosure, of_answer.values()))},
        "sealed": sealed,
        **forged.payload,
    }
    trail = _Trail()
    trail.add("sign_in", "user", "1", {}, {})
    answered = trail.add(
        "answer",
        OF_ANSWER,
        "7",
        {"citations": [], "sealed": sealed},
        {"actor": PARTS["asked_by"], **forged.answered},
    )
    trail.add("grant", "role", "2", {"documents": 3}, {})
    issued = trail.add("issue_receipt", OF_RECEIPT, receipt_id, _describe_issue(payload, name), forged.issued)
    trail.add("export", "auditevent", "", {"format": "jsonl", "from": 1}, {})
    told = answered if forged.number is None else {"number": forged.number, "digest": answered["digest"]}
    payload |= {"answered_event": told, "issued_event": issued, **forged.signed}
    return Sample(
        receipt=sign(payload, [*of_answer.values(), *of_receipt.values()], key),
        keys={"keys": [{**describe_key(key.public_key().public_bytes_raw()), "kid": name}]},
        audit=tuple(trail.lines),
        head=f"{trail.number}:{trail.previous}",
        documents={"pier.md": MANUAL},
        private_key=key,
    )


def _describe_issue(payload: Mapping[str, Any], key: str) -> dict[str, Any]:
    signs = hash_payload(payload)
    return {"is_own": True, "key": key, "left_out": [], "query": "9", "sealed": payload["sealed"], "signs": signs}


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

    def add(
        self, action: str, object_type: str, object_id: str, details: Mapping[str, Any], changes: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Add an event, a second after the one before. Returns it as a receipt holds it. changes: of its fields."""
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
            **changes,
        }
        content = write_json(event)
        self.previous = hash_event(content)
        self.lines.append(json.dumps({**event, "digest": self.previous}, sort_keys=True, ensure_ascii=False) + "\n")
        return {"content": content, "digest": self.previous}
