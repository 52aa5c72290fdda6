# /// script
# requires-python = ">=3.11"
# dependencies = ["cryptography>=42"]
# ///
"""Verify a signed receipt of an answer on any machine: this file and the package cryptography are all that it needs.

A receipt is an SD-JWT (RFC 9901) as flattened JSON, signed with Ed25519 (RFC 8037). Its signed payload holds a digest
of each part of the answer; the parts themselves lie beside, so that any can be taken out and the rest still verifies.
The payload also holds the events of the audit trail in which the answer and the receipt were recorded. That of the
answer holds the seal, over the digests of all its parts, and that of the receipt a digest of all else that is signed:
who steals the key alone cannot make events of a trail that is kept elsewhere, and can sign nothing that fits others.

    python verify_receipt.py RECEIPT --keys KEYS --document FILE --audit EXPORT

Footnote writes receipts with the functions of this file, so that both agree on every byte.
"""

import argparse
import base64
import codecs
import datetime as dt
import hashlib
import hmac
import io
import json
import math
import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TYPE = "footnote-receipt+sd-jwt"
ALGORITHM = "EdDSA"
DIGEST = "sha-256"
UNTOUCHED, CHANGED, WRONG_USAGE, NOT_COMPARED = 0, 1, 2, 3  # exit codes
EPILOGUE = (
    "Exit code 0: untouched, and signed by a key that was given; 1: something does not hold; 2: wrong usage, or a "
    "file that nothing can be compared with; 3: untouched, and no keys were given."
)
LONGEST = 16 * 1024 * 1024  # bytes of a receipt, or of a line of a trail; real ones have some ten thousand
DEEPEST = 400  # lists and objects in each other; real ones have five
OF_ANSWER, OF_RECEIPT = "query_log", "receipt"  # kinds of objects of the two events
PEOPLE = frozenset({"asked_by_name", "issued_to_name", "verified_by_name"})  # parts that are added by the receipt
_ANSWERED, _ISSUED = ("answer", "refusal"), ("issue_receipt",)  # actions of the two events
_SALT_BYTES = 16
_OUTER = {"payload", "protected", "signature", "header"}
_HEADER = {"alg", "typ", "kid", "jwk"}
_EVENTS = {"answered_event", "issued_event"}
_TEXTS = ("iss", "jti", "request_id", "footnote", "_sd_alg", "sealed")
_PAYLOAD = {*_TEXTS, *_EVENTS, "iat", "_sd", "answer"}
_END_OF_TIME = 253_402_300_800  # the first second of the year 10000
_HEAD = re.compile(r"[0-9]{1,19}:[0-9a-f]{64}")
_NAME = re.compile(r"[a-z]{1,30}(?:_[a-z]{1,30}){0,5}(?:_[0-9]{1,6})?")
_OF_QUOTE = re.compile(r"(quote|file)_([0-9]{1,6})")
_SHA256 = re.compile(r"[A-Za-z0-9_-]{43}")  # in base64url
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,6})?\+00:00")
_TOGETHER = dt.timedelta(minutes=10)  # between what is recorded at once: clocks are set meanwhile
_LATE = dt.timedelta(hours=1)  # after which an event is dated back: the longest that recording one takes
_TURNS_ORDER = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Points of small order, with which a signature fits every text, whatever their sign (crypto_core_ed25519 of libsodium).
_SMALL_ORDER = frozenset(
    {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    }
)


class CannotVerifyError(Exception):
    """This machine cannot verify receipts."""


class ReceiptFormatError(ValueError):
    """This is no receipt, or not as Footnote writes one."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """Holds one thing that was checked. passed: None where it could not be compared with anything."""

    name: str
    passed: bool | None
    says: str


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """Holds a receipt as it was read: nothing of it is checked yet."""

    signed: bytes  # what the signature is of
    signature: bytes
    header: Mapping[str, Any]
    payload: Mapping[str, Any]
    disclosures: tuple[str, ...]


@dataclass(kw_only=True)
class Verdict:
    """Holds what was checked, and the parts of the receipt that its digests confirm."""

    checks: list[Check] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)
    withheld: int = 0  # digests whose part is not there

    @property
    def is_untouched(self) -> bool:
        """True where nothing that was checked is wrong."""
        return all(check.passed is not False for check in self.checks)

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        if not self.is_untouched:
            return CHANGED
        is_known = any(check.name == "signer" and check.passed for check in self.checks)
        return UNTOUCHED if is_known else NOT_COMPARED


def encode(content: bytes) -> str:
    """Write bytes in base64url without padding, RFC 7515."""
    return base64.urlsafe_b64encode(content).decode("ascii").rstrip("=")


def decode(text: Any) -> bytes:
    """Read base64url without padding. ReceiptFormatError for anything else, also for a second spelling of the same."""
    if not isinstance(text, str):
        raise ReceiptFormatError("a text in base64url is missing")
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise ReceiptFormatError("a text is not in base64url") from error
    if encode(content) != text:
        raise ReceiptFormatError("a text is not in base64url")
    return content


def write_json(value: Any) -> str:
    """Write JSON in one form: keys in order, no spaces, no escapes but those that JSON asks for."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def read_json(text: str | bytes) -> Any:
    """Read JSON. ReceiptFormatError where it is none, says a key twice, or is deeper than any receipt."""
    try:
        found = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_refuse_doubles,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
        )
        if _measure_depth(found) > DEEPEST:
            raise ReceiptFormatError("it is deeper than any receipt")
        json.dumps(found, ensure_ascii=False).encode()  # half a character of two cannot be written
    except ReceiptFormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise ReceiptFormatError("it is not JSON, or a key of it is there twice") from error
    return found


def _measure_depth(value: Any) -> int:
    """Return how many lists and objects are in each other at most."""
    depth, level = 0, [value]
    while level := [each for one in level if isinstance(one, list | dict) for each in _list_inner(one)]:
        depth += 1
    return depth


def _list_inner(value: list[Any] | dict[str, Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _refuse_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ReceiptFormatError("a key is there twice")
    return found


def _read_float(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ReceiptFormatError("a number is too large")
    return number


def _refuse_constant(name: str) -> None:
    raise ReceiptFormatError(f"{name} is no JSON")


def write_disclosure(salt: str, name: str, value: Any) -> str:
    """Write a part with its name and salt, as RFC 9901 names a disclosure."""
    return encode(write_json([salt, name, value]).encode())


def disclose(parts: Mapping[str, Any], salt: str) -> dict[str, str]:
    """Return the disclosure of each part, by its name. salt: of the answer, as hexadecimal.

    Each has a salt of its own, so that one that is disclosed tells nothing of another: 128 bits, RFC 9901 (9.3).
    """
    key = bytes.fromhex(salt)
    return {
        name: write_disclosure(encode(hmac.digest(key, name.encode(), hashlib.sha256)[:_SALT_BYTES]), name, value)
        for name, value in parts.items()
    }


def hash_disclosure(disclosure: str) -> str:
    """Return the digest of a disclosure, as a receipt's payload holds it."""
    return encode(hashlib.sha256(disclosure.encode("ascii")).digest())


def seal_digests(digests: Iterable[str]) -> str:
    """Return the seal of an answer's digests, which the audit trail holds: SHA-256 of all in order, as hexadecimal."""
    return hashlib.sha256(".".join(sorted(digests)).encode("ascii")).hexdigest()


def hash_payload(payload: Mapping[str, Any]) -> str:
    """Return the digest of all that a receipt signs but the events, which the event of the receipt holds."""
    return hashlib.sha256(
        write_json({key: value for key, value in payload.items() if key not in _EVENTS}).encode()
    ).hexdigest()


def hash_event(content: str) -> str:
    """Return the digest of an event of the audit trail. content: its JSON in one form, with the digest before it."""
    return hashlib.sha256(content.encode()).hexdigest()


def find_thumbprint(public_key: bytes) -> str:
    """Return the name of a key: its thumbprint by RFC 7638. public_key: its 32 bytes."""
    return encode(hashlib.sha256(write_json(describe_key(public_key)).encode()).digest())


def describe_key(public_key: bytes) -> dict[str, str]:
    """Return a public key as a JSON Web Key, RFC 8037."""
    return {"crv": "Ed25519", "kty": "OKP", "x": encode(public_key)}


def read_receipt(content: bytes) -> Receipt:
    """Read a receipt. ReceiptFormatError where it is none, or holds anything that nothing vouches for."""
    if len(content) > LONGEST:
        raise ReceiptFormatError("it is longer than any receipt")
    outer = read_json(content)
    if not isinstance(outer, dict) or set(outer) != _OUTER:
        raise ReceiptFormatError("it must have payload, protected, signature and header, and nothing else")
    beside = outer["header"]
    if not isinstance(beside, dict) or set(beside) != {"disclosures"} or not isinstance(beside["disclosures"], list):
        raise ReceiptFormatError("its header must have disclosures, and nothing else")
    if not all(isinstance(each, str) for each in beside["disclosures"]):
        raise ReceiptFormatError("its disclosures must be texts")
    header, payload = read_json(decode(outer["protected"])), read_json(decode(outer["payload"]))
    if not isinstance(header, dict) or not isinstance(payload, dict):
        raise ReceiptFormatError("what is signed must be an object")
    _check_form(payload)
    return Receipt(
        signed=f"{outer['protected']}.{outer['payload']}".encode("ascii"),
        signature=decode(outer["signature"]),
        header=header,
        payload=payload,
        disclosures=tuple(beside["disclosures"]),
    )


def _check_form(payload: Mapping[str, Any]) -> None:
    """Raise ReceiptFormatError for signed content that has anything but what Footnote signs."""
    is_right = (
        set(payload) == _PAYLOAD
        and all(isinstance(payload[name], str) for name in _TEXTS)
        and (_is_whole(payload["iat"]) and 0 <= payload["iat"] < _END_OF_TIME)
        and (isinstance(payload["answer"], dict) and set(payload["answer"]) == {"_sd"})
        and _is_event(payload["issued_event"], "content", str)
    )
    event = payload.get("answered_event")
    is_told = event is None or _is_event(event, "content", str) or _is_event(event, "number", int)
    if not is_right or not is_told:
        raise ReceiptFormatError("what is signed is not as this version writes it")


def _is_event(event: Any, says: str, kind: type) -> bool:
    """Return True for a digest beside what an event says, or beside its number."""
    is_one = isinstance(event, dict) and set(event) == {says, "digest"} and isinstance(event["digest"], str)
    return is_one and isinstance(event[says], kind) and not isinstance(event[says], bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def read_keys(content: bytes) -> frozenset[bytes]:
    """Read a published list of keys, a JSON Web Key Set. ReceiptFormatError where it is none, or lists no key."""
    listed = read_json(content)
    keys = listed.get("keys") if isinstance(listed, dict) else None
    if not isinstance(keys, list) or not keys:
        raise ReceiptFormatError("it is no list of keys, as Footnote publishes at /.well-known/footnote-receipts.json")
    found: set[bytes] = set()
    for key in keys:
        if isinstance(key, dict) and key.get("kty") == "OKP" and key.get("crv") == "Ed25519":
            found.add(decode(key.get("x")))
    if not found:
        raise ReceiptFormatError("it lists no key of the kind Ed25519")
    return frozenset(found)


def verify(
    receipt: Receipt,
    *,
    keys: Collection[bytes] | None = None,
    documents: Mapping[str, str] | None = None,
    audit: Iterable[str] | None = None,
    head: str = "",
) -> Verdict:
    """Check a receipt, and say what was checked.

    keys: the public keys of who may have signed it; None: that is not compared. documents: the SHA-256 of each file to
    compare, in hexadecimal, by its name. audit: the lines of an export of the audit trail, as JSON. head: an end of the
    trail that was kept, as NUMBER:DIGEST, which must be in that export. CannotVerifyError where this machine does not
    know Ed25519.
    """
    verdict = Verdict()
    verdict.checks += _check_signature(receipt, keys)
    verdict.checks.append(_check_parts(receipt, verdict))
    trail = _read_trail(receipt.payload, audit, head) if audit is not None else _Trail()
    verdict.checks += _check_events(receipt, verdict.parts, trail.found)
    if not verdict.is_untouched:
        verdict.parts.clear()  # nobody vouches for them
    verdict.checks += [_check_document(name, sha256, verdict.parts) for name, sha256 in (documents or {}).items()]
    verdict.checks += trail.checks
    return verdict


def _check_signature(receipt: Receipt, keys: Collection[bytes] | None) -> Iterator[Check]:
    header = receipt.header
    try:
        if set(header) != _HEADER or header["alg"] != ALGORITHM or header["typ"] != TYPE:
            raise ReceiptFormatError("its header is not as Footnote writes it")
        public_key = decode(header["jwk"].get("x") if isinstance(header["jwk"], dict) else None)
        if header["jwk"] != describe_key(public_key) or header["kid"] != find_thumbprint(public_key):
            raise ReceiptFormatError("its key is not the one that it names")
        if bytes([*public_key[:31], *(each & 0x7F for each in public_key[31:])]).hex() in _SMALL_ORDER:
            raise ReceiptFormatError("its key is one with which every signature fits")
        Ed25519PublicKey.from_public_bytes(public_key).verify(receipt.signature, receipt.signed)
    except UnsupportedAlgorithm as error:
        raise CannotVerifyError("The package cryptography does not know Ed25519 here: verify elsewhere.") from error
    except (ValueError, InvalidSignature) as error:
        why = str(error) or "what it says was changed after it was signed"
        yield Check(name="signature", passed=False, says=f"The signature does not fit: {why}.")
        return
    yield Check(name="signature", passed=True, says=f"The signature fits the key {header['kid']}.")
    if keys is None:
        says = "No keys were given: compare the key's name with what the organisation publishes."
        yield Check(name="signer", passed=None, says=says)
    elif public_key in keys:
        yield Check(name="signer", passed=True, says="The key is one of those that were given.")
    else:
        yield Check(name="signer", passed=False, says="The key is none of those that were given: somebody else signed.")


def _list_digests(of: Mapping[str, Any]) -> list[str]:
    digests = of["_sd"]
    if not isinstance(digests, list) or not all(isinstance(each, str) and _SHA256.fullmatch(each) for each in digests):
        raise ReceiptFormatError("it lists no digests")
    return digests


def _check_parts(receipt: Receipt, verdict: Verdict) -> Check:
    """Check each part against its digest, and note in the verdict those that fit."""
    try:
        if receipt.payload["_sd_alg"] != DIGEST:
            raise ReceiptFormatError("its digests are of another kind")
        of_answer, of_receipt = _list_digests(receipt.payload["answer"]), _list_digests(receipt.payload)
        digests = [*of_answer, *of_receipt]
        given = [hash_disclosure(_ensure_ascii(each)) for each in receipt.disclosures]
        if len({*digests}) < len(digests) or len({*given}) < len(given) or len(of_receipt) > len(PEOPLE):
            raise ReceiptFormatError("a part is there twice")
        sealed, added = {*of_answer}, {*of_receipt}
        for digest, disclosure in zip(given, receipt.disclosures, strict=True):
            name, value = _read_disclosure(disclosure)
            # Names of people alone stand outside the seal.
            if digest not in (added if name in PEOPLE else sealed):
                raise ReceiptFormatError(f"the part '{name}' is not what was signed")
            if name in verdict.parts:
                raise ReceiptFormatError(f"the part '{name}' is there twice")
            verdict.parts[name] = value
        verdict.withheld = len(digests) - len(given)
        if receipt.payload["sealed"] != seal_digests(of_answer):
            raise ReceiptFormatError("the seal is not that of its digests")
    except ReceiptFormatError as error:
        verdict.parts.clear()
        return Check(name="words", passed=False, says=f"The words are not as they were signed: {error}.")
    left_out = f", and {verdict.withheld} are left out" if verdict.withheld else ""
    says = f"The words are as they were signed: {len(verdict.parts)} parts fit their digests{left_out}."
    return Check(name="words", passed=True, says=says)


def _ensure_ascii(text: str) -> str:
    if not text.isascii():
        raise ReceiptFormatError("a part is not in base64url")
    return text


def _read_disclosure(disclosure: str) -> tuple[str, Any]:
    parts = read_json(decode(disclosure))
    if not isinstance(parts, list) or len(parts) != 3 or not isinstance(parts[0], str) or not isinstance(parts[1], str):
        raise ReceiptFormatError("a part has no name")
    if not _NAME.fullmatch(parts[1]):
        raise ReceiptFormatError("a part has a name that no part has")
    return parts[1], parts[2]


def _read_event(event: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of an event, checked against its digest."""
    if hash_event(event["content"]) != event["digest"]:
        raise ReceiptFormatError("an event of the audit trail does not fit its digest")
    content = read_json(event["content"])
    if not isinstance(content, dict):
        raise ReceiptFormatError("an event of the audit trail says nothing")
    return content


def _read_moment(text: Any) -> dt.datetime:
    """Read a moment in UTC, to the second, as Footnote writes it."""
    found = _MOMENT.fullmatch(text) if isinstance(text, str) else None
    try:
        return dt.datetime.fromisoformat(f"{found[1] if found else ''}+00:00")
    except ValueError as error:
        raise ReceiptFormatError("a time is not as Footnote writes it") from error


def _check_event(
    content: Mapping[str, Any], *, of: str, actions: Collection[str], sealed: Any, at: dt.datetime | None
) -> Mapping[str, Any]:
    """Return the details of an event of this kind and seal. ReceiptFormatError for another. at: when it was."""
    details, moment = content.get("details"), _read_moment(content.get("created_at"))
    if content.get("object_type") != of or content.get("action") not in actions or not isinstance(details, dict):
        raise ReceiptFormatError("it is an event of another kind")
    if details.get("sealed") != sealed:
        raise ReceiptFormatError("it is the event of something else")
    if at is not None and abs(moment - at) > _TOGETHER:
        raise ReceiptFormatError("it is of another time")
    return details


def _check_events(
    receipt: Receipt, parts: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]
) -> Iterator[Check]:
    """Check the two events. found: those that an export of the trail has, by their digests."""
    payload = receipt.payload
    try:
        issued = _read_event(payload["issued_event"])
        at = dt.datetime.fromtimestamp(payload["iat"], dt.UTC)
        details = _check_event(issued, of=OF_RECEIPT, actions=_ISSUED, sealed=payload["sealed"], at=at)
        if issued.get("object_id") != payload["jti"] or details.get("signs") != hash_payload(payload):
            raise ReceiptFormatError("it is the event of another receipt")
        if details.get("key") != receipt.header.get("kid"):
            raise ReceiptFormatError("it names another key")
    except ReceiptFormatError as error:
        yield Check(name="issued", passed=False, says=f"The event of the receipt does not fit: {error}.")
    else:
        says = f"The audit trail has the receipt as event {issued.get('number')}, of {issued.get('created_at')}."
        yield Check(name="issued", passed=True, says=says)
    event = payload["answered_event"]
    if event is None:
        says = "The answer is older than receipts: it was sealed when the first receipt of it was issued."
        yield Check(name="answered", passed=None, says=says)
    elif "content" not in event and event["digest"] not in found:
        says = f"The event of the answer, {event['number']}, is not in the receipt: give an export of the trail."
        yield Check(name="answered", passed=None, says=says)
    else:
        yield _check_answer_event(payload, event, parts, found)


def _check_answer_event(
    payload: Mapping[str, Any],
    event: Mapping[str, Any],
    parts: Mapping[str, Any],
    found: Mapping[str, Mapping[str, Any]],
) -> Check:
    try:
        content = _read_event(event) if "content" in event else found[event["digest"]]
        at = _read_moment(parts["answered_at"]) if "answered_at" in parts else None
        _check_event(content, of=OF_ANSWER, actions=_ANSWERED, sealed=payload["sealed"], at=at)
        other = "answer" if content["action"] == "refusal" else "refusal"
        if other in parts or event.get("number", content.get("number")) != content.get("number"):
            raise ReceiptFormatError("it is the event of something else")
        if (actor := content.get("actor")) is not None and parts.get("asked_by", actor) != actor:
            raise ReceiptFormatError("it names another person")
    except ReceiptFormatError as error:
        return Check(name="answered", passed=False, says=f"The event of the answer does not fit: {error}.")
    says = f"The words are those that the audit trail sealed as event {content.get('number')}, of "
    return Check(name="answered", passed=True, says=f"{says}{content.get('created_at')}.")


def _check_document(name: str, sha256: str, parts: Mapping[str, Any]) -> Check:
    files = {number: value for number, value in _list_of_quotes(parts, "file").items() if isinstance(value, dict)}
    quotes = sorted(number for number, value in files.items() if value.get("sha256") == sha256)
    if quotes:
        which = ", ".join(map(str, quotes))
        return Check(name="document", passed=True, says=f"{name} is the edition that is quoted by: {which}.")
    quoted = _list_quoted(parts)
    if quoted and quoted <= {*files}:
        says = f"{name} is none of the editions that are quoted: it is another document, or was changed since."
        return Check(name="document", passed=False, says=says)
    says = f"{name} is no edition whose hash is in the receipt, and not every quote's is: it cannot be compared."
    return Check(name="document", passed=None, says=says)


def _list_of_quotes(parts: Mapping[str, Any], kind: str) -> dict[int, Any]:
    """Return the parts of a kind by the number of their quote."""
    named = ((_OF_QUOTE.fullmatch(name), value) for name, value in parts.items())
    return {int(found[2]): value for found, value in named if found and found[1] == kind}


def _list_quoted(parts: Mapping[str, Any]) -> set[int]:
    """Return the numbers of all quotes; nothing where the receipt does not tell."""
    statements = parts.get("statements")
    if not isinstance(statements, list):
        return set()
    told = [each.get("quotes") for each in statements if isinstance(each, dict)]
    numbers = {number for each in told if isinstance(each, list) for number in each if _is_whole(number)}
    return numbers | {*_list_of_quotes(parts, "quote")}


@dataclass(kw_only=True)
class _Trail:
    """Holds what an export of the audit trail says of a receipt."""

    checks: list[Check] = field(default_factory=list)
    found: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # the receipt's events, by their digests
    later: list[str] = field(default_factory=list)  # of those that stand behind younger ones
    count: int = 0
    is_kept: bool = False  # the end that was kept is in it


def _read_trail(payload: Mapping[str, Any], lines: Iterable[str], head: str) -> _Trail:
    """Check an export of the audit trail, that the events of the receipt are in it, and whether before a head."""
    trail, wanted = _Trail(), {event["digest"] for event in _list_events(payload)}
    try:
        _follow(trail, lines, wanted, head)
    except ReceiptFormatError as error:
        trail.found.clear()
        trail.checks.append(Check(name="audit", passed=False, says=f"The audit trail is not intact: {error}."))
        return trail
    missing = len(wanted - {*trail.found})
    if missing:
        says = f"{missing} of the receipt's events are not among the {trail.count} of the audit trail."
    elif trail.later:
        says = f"{' '.join(trail.later)} Somebody added it later."
    else:
        says = f"The receipt's events are in the chain of {trail.count} events."
    trail.checks.append(Check(name="audit", passed=not missing and not trail.later, says=says))
    if head:
        trail.checks.append(_check_head(payload, trail, head))
    return trail


def _follow(trail: _Trail, lines: Iterable[str], wanted: Collection[str], head: str) -> None:
    """Follow the chain to its end, and note what is looked for. ReceiptFormatError where it is not intact."""
    previous: dict[str, Any] | None = None
    digest, latest = "", None
    for line in lines:
        if not line.strip(" \t\r\n"):
            continue
        event = read_json(line)
        if not isinstance(event, dict) or "digest" not in event:
            break  # a statement of rights, which may follow the events
        own, number = event.pop("digest"), event.get("number")
        if not _is_whole(number):
            raise ReceiptFormatError("an event has no number")
        if previous is not None and (event.get("previous") != digest or number != previous["number"] + 1):
            raise ReceiptFormatError(f"event {number} does not follow the one before")
        if hash_event(write_json(event)) != own:
            raise ReceiptFormatError(f"event {number} was changed")
        moment = _read_moment(event.get("created_at"))
        if own in wanted:
            trail.found[own] = event
            if latest is not None and moment < latest - _LATE:
                trail.later.append(f"Event {number} says that it is of {event['created_at']}, behind younger ones.")
        latest = moment if latest is None else max(latest, moment)
        trail.is_kept = trail.is_kept or head == f"{number}:{own}"
        trail.count, previous, digest = trail.count + 1, event, own


def _check_head(payload: Mapping[str, Any], trail: _Trail, head: str) -> Check:
    """Check that the answer was recorded when an end of the trail was kept."""
    if not trail.is_kept:
        return Check(name="head", passed=False, says="The audit trail is not the one whose end was kept.")
    event = trail.found.get(_list_events(payload)[-1]["digest"], {})
    kept = int(head.partition(":")[0])
    number = event.get("number")
    if number is None or number > kept:
        says = f"The end that was kept, {kept}, is older than event {number}: it does not show when that was added."
        return Check(name="head", passed=None, says=says)
    return Check(name="head", passed=True, says=f"Event {number} was in the audit trail when its end {kept} was kept.")


def _list_events(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a receipt: its own, and then the answer's, if it has one."""
    return [payload["issued_event"], *([payload["answered_event"]] if payload["answered_event"] else [])]


def redact(content: bytes, names: Collection[str]) -> bytes:
    """Return a receipt without these parts: it still verifies. CannotVerifyError for a name that it does not hold."""
    held = [(_read_disclosure(each)[0], each) for each in read_receipt(content).disclosures]
    if missing := sorted({*names} - {name for name, _ in held}):
        has = ", ".join(sorted(name for name, _ in held))
        raise CannotVerifyError(f"The receipt has no part {', '.join(missing)}. It has {has}.")
    outer = read_json(content)
    outer["header"] = {"disclosures": [each for name, each in held if name not in names]}
    return json.dumps(outer, indent=1).encode()


def as_json(receipt: Receipt, verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as JSON, with the parts that it confirms."""
    return {
        "untouched": verdict.is_untouched,
        "signer": next((check.passed for check in verdict.checks if check.name == "signer"), False),
        "checks": [{"name": check.name, "passed": check.passed, "says": check.says} for check in verdict.checks],
        "key": receipt.header.get("kid"),
        "receipt": {key: receipt.payload.get(key) for key in ("iss", "iat", "jti", "request_id")},
        "parts": verdict.parts,
        "withheld": verdict.withheld,
    }


def write_verdict(receipt: Receipt, verdict: Verdict) -> str:
    """Write the verdict for people: what the receipt says, and what was checked."""
    lines: list[str] = []
    for name, value in sorted(verdict.parts.items()):
        if value not in (None, ""):
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
            lines.append(f"{name}: {_strip_controls(shown)}".replace("\n", "\n    "))
    marks = {True: "ok", False: "WRONG", None: "not compared"}
    lines += ["", *(f"[{marks[check.passed]}] {_strip_controls(check.says)}" for check in verdict.checks), ""]
    says = {
        UNTOUCHED: "The words are untouched, and the signer is known.",
        NOT_COMPARED: "The words are untouched. Who signed them was not compared with anything: give --keys.",
        CHANGED: "Something does not hold: see what is WRONG above. Do not rely on it.",
    }
    return "\n".join([*lines, says[verdict.exit_code]])


def _strip_controls(text: str) -> str:
    """Return a text without characters that move the cursor of a terminal, or turn around the order of others."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if each in _TURNS_ORDER or (unicodedata.category(each) == "Cc" and each not in "\n\t")
        else each
        for each in text
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("receipt", type=Path, help="The receipt, a JSON file.")
    parser.add_argument("--keys", type=Path, metavar="FILE", help="The organisation's published keys.")
    parser.add_argument(
        "--document",
        dest="documents",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="A document's file: is it an edition that is quoted? May be given several times.",
    )
    parser.add_argument("--audit", type=Path, metavar="FILE", help="An export of the audit trail, as JSON lines.")
    parser.add_argument("--head", default="", metavar="NUMBER:DIGEST", help="An end of the audit trail that was kept.")
    parser.add_argument("--json", action="store_true", help="Print the verdict as JSON.")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="PART",
        help="Write it to --output without this part, unless something does not hold. May be given several times.",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="Where to write the receipt with less in it.")


def run(options: Mapping[str, Any]) -> tuple[int, str]:
    """Carry out the command. Returns its exit code and what it prints."""
    if bool(options["without"]) != bool(options["output"]):
        return WRONG_USAGE, "--without and --output belong together."
    if options["head"] and not options["audit"]:
        return WRONG_USAGE, "--head needs --audit."
    if options["head"] and not _HEAD.fullmatch(options["head"]):
        return WRONG_USAGE, "--head must be NUMBER:DIGEST, with 64 hexadecimal digits."
    try:
        return _run(options)
    except ReceiptFormatError as error:
        return CHANGED, f"{options['receipt']} does not hold: {error}."
    except CannotVerifyError as error:
        return WRONG_USAGE, str(error)
    except OSError as error:
        return WRONG_USAGE, f"{error.filename} cannot be read or written: {error.strerror}."


def _run(options: Mapping[str, Any]) -> tuple[int, str]:
    content = _read_file(options["receipt"])
    receipt = read_receipt(content)
    keys = _read_keys(options["keys"]) if options["keys"] else None
    documents = {str(path): _hash_file(path) for path in options["documents"]}
    if options["audit"]:
        with options["audit"].open(encoding=_find_encoding(options["audit"]), newline="\n") as file:
            lines = _read_lines(file, options["audit"])
            verdict = verify(receipt, keys=keys, documents=documents, audit=lines, head=options["head"])
    else:
        verdict = verify(receipt, keys=keys, documents=documents)
    code, shown = verdict.exit_code, json.dumps(as_json(receipt, verdict)) if options["json"] else ""
    shown = shown or write_verdict(receipt, verdict)
    if options["without"] and code != CHANGED:
        less = redact(content, options["without"])
        with options["output"].open("xb") as file:
            file.write(less)
        if not options["json"]:
            shown = f"{shown}\n{options['output']} has less in it."
    return code, shown


def _read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ReceiptFormatError("it is longer than any receipt")
    return content


def _read_keys(path: Path) -> frozenset[bytes]:
    try:
        return read_keys(_read_file(path))
    except ReceiptFormatError as error:
        raise CannotVerifyError(f"Nothing was compared with {path}: {error}.") from error


def _find_encoding(path: Path) -> str:
    """Return the encoding of an export: UTF-8, or UTF-16 where a shell wrote it."""
    with path.open("rb") as file:
        is_wide = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return "utf-16" if is_wide else "utf-8-sig"


def _read_lines(file: TextIO, path: Path) -> Iterator[str]:
    """Yield the lines of an export. CannotVerifyError for a file that is none."""
    try:
        while line := file.readline(LONGEST):
            if len(line) == LONGEST:
                raise CannotVerifyError(f"Nothing was compared with {path}: a line of it is longer than any event.")
            yield line
    except UnicodeDecodeError as error:
        raise CannotVerifyError(f"Nothing was compared with {path}: it is not text in UTF-8.") from error


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify a receipt, as a program of its own."""
    parser = argparse.ArgumentParser(
        description="Verifies a signed receipt of an answer: that its words are as they were signed.",
        epilog=EPILOGUE,
    )
    add_arguments(parser)
    code, shown = run(vars(parser.parse_args(arguments)))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know each character
    print(shown)  # noqa: T201 - a program
    return code


if __name__ == "__main__":
    sys.exit(main())
