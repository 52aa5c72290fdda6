# /// script
# requires-python = ">=3.11"
# dependencies = ["cryptography>=42"]
# ///
"""Verify a signed receipt of an answer on any machine: this file and the package cryptography are all that it needs.

A receipt is an SD-JWT (RFC 9901) as flattened JSON, signed with Ed25519 (RFC 8037). Its signed payload holds a digest
of each part of the answer; the parts themselves lie beside, so that any can be taken out and the rest still verifies.
The payload also holds the events of the audit trail in which the answer and the receipt were recorded.

    python verify_receipt.py RECEIPT --keys KEYS --document FILE --audit EXPORT

Footnote writes receipts with the functions of this file, so that both agree on every byte.
"""

import argparse
import base64
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
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TYPE = "footnote-receipt+sd-jwt"
ALGORITHM = "EdDSA"
DIGEST = "sha-256"
UNTOUCHED, CHANGED, WRONG_USAGE, NOT_COMPARED = 0, 1, 2, 3  # exit codes
EPILOGUE = (
    "Exit code 0: untouched, and signed by a key that was given; 1: something does not hold; 2: wrong usage; "
    "3: untouched, and no keys were given."
)
LONGEST = 16 * 1024 * 1024  # bytes of a receipt; real ones have some ten thousand
_SALT_BYTES = 16
_OUTER = {"payload", "protected", "signature", "header"}
_HEADER = {"alg", "typ", "kid", "jwk"}
_NAMES_OF_SD_JWT = {"_sd", "...", "_sd_alg"}
_HEAD = re.compile(r"[0-9]{1,19}:[0-9a-f]{64}")
_TURNS_ORDER = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


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
    """Read JSON. ReceiptFormatError where it is none, or says a key twice."""
    try:
        found = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_refuse_doubles,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
        )
        json.dumps(found, ensure_ascii=False).encode()  # half a character of two cannot be written
    except (ValueError, RecursionError) as error:
        raise ReceiptFormatError("it is not JSON, or a key of it is there twice") from error
    return found


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
    return Receipt(
        signed=f"{outer['protected']}.{outer['payload']}".encode("ascii"),
        signature=decode(outer["signature"]),
        header=header,
        payload=payload,
        disclosures=tuple(beside["disclosures"]),
    )


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
    trail that was kept, as NUMBER:DIGEST, which must be in that export.
    """
    verdict = Verdict()
    verdict.checks += _check_signature(receipt, keys)
    verdict.checks.append(_check_parts(receipt, verdict))
    verdict.checks += _check_events(receipt)
    verdict.checks += [_check_document(name, sha256, verdict.parts) for name, sha256 in (documents or {}).items()]
    if audit is not None:
        verdict.checks.append(_check_audit(receipt, audit, head))
    return verdict


def _check_signature(receipt: Receipt, keys: Collection[bytes] | None) -> Iterator[Check]:
    header = receipt.header
    try:
        if set(header) != _HEADER or header["alg"] != ALGORITHM or header["typ"] != TYPE:
            raise ReceiptFormatError("its header is not as Footnote writes it")
        public_key = decode(header["jwk"].get("x") if isinstance(header["jwk"], dict) else None)
        if header["jwk"] != describe_key(public_key) or header["kid"] != find_thumbprint(public_key):
            raise ReceiptFormatError("its key is not the one that it names")
        Ed25519PublicKey.from_public_bytes(public_key).verify(receipt.signature, receipt.signed)
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


def _list_digests(of: Any) -> list[str]:
    digests = of.get("_sd") if isinstance(of, dict) else None
    if not isinstance(digests, list) or not all(isinstance(each, str) for each in digests):
        raise ReceiptFormatError("it lists no digests")
    return digests


def _check_parts(receipt: Receipt, verdict: Verdict) -> Check:
    """Check each part against its digest, and note in the verdict those that fit."""
    try:
        if receipt.payload.get("_sd_alg") != DIGEST:
            raise ReceiptFormatError("its digests are of another kind")
        of_answer, of_receipt = _list_digests(receipt.payload.get("answer")), _list_digests(receipt.payload)
        digests = [*of_answer, *of_receipt]
        given = [hash_disclosure(_ensure_ascii(each)) for each in receipt.disclosures]
        if len({*digests}) < len(digests) or len({*given}) < len(given):
            raise ReceiptFormatError("a part is there twice")
        for digest, disclosure in zip(given, receipt.disclosures, strict=True):
            name, value = _read_disclosure(disclosure)
            if digest not in digests:
                raise ReceiptFormatError(f"the part '{name}' is not what was signed")
            if name in verdict.parts:
                raise ReceiptFormatError(f"the part '{name}' is there twice")
            verdict.parts[name] = value
        verdict.withheld = len(digests) - len(given)
        if receipt.payload.get("sealed") != seal_digests(of_answer):
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
    if parts[1] in _NAMES_OF_SD_JWT:
        raise ReceiptFormatError("a part has a name that says how digests are listed")
    return parts[1], parts[2]


def _read_event(event: Any) -> tuple[dict[str, Any], str]:
    """Return the content of an event, checked against its digest, and the digest."""
    if not isinstance(event, dict) or not isinstance(event.get("content"), str):
        raise ReceiptFormatError("an event of the audit trail is missing")
    digest = hash_event(event["content"])
    if digest != event.get("digest"):
        raise ReceiptFormatError("an event of the audit trail does not fit its digest")
    content = read_json(event["content"])
    if not isinstance(content, dict) or not isinstance(content.get("details"), dict):
        raise ReceiptFormatError("an event of the audit trail says nothing")
    return content, digest


def _check_events(receipt: Receipt) -> Iterator[Check]:
    payload = receipt.payload
    try:
        issued, _ = _read_event(payload.get("issued_event"))
        if issued["details"].get("sealed") != payload.get("sealed") or issued.get("object_id") != payload.get("jti"):
            raise ReceiptFormatError("it is the event of another receipt")
        if issued["details"].get("key") != receipt.header.get("kid"):
            raise ReceiptFormatError("it names another key")
    except ReceiptFormatError as error:
        yield Check(name="issued", passed=False, says=f"The event of the receipt does not fit: {error}.")
    else:
        says = f"The audit trail has the receipt as event {issued.get('number')}, of {issued.get('created_at')}."
        yield Check(name="issued", passed=True, says=says)
    event = payload.get("answered_event")
    if event is None:
        says = "The answer is older than receipts: it was sealed when the first receipt of it was issued."
        yield Check(name="answered", passed=None, says=says)
    elif isinstance(event, dict) and "content" not in event:
        says = (
            f"The event of the answer, {event.get('number')}, is not in the receipt: compare it with the audit trail."
        )
        yield Check(name="answered", passed=None, says=says)
    else:
        yield _check_answer_event(payload, event)


def _check_answer_event(payload: Mapping[str, Any], event: Any) -> Check:
    try:
        answered, _ = _read_event(event)
        if answered["details"].get("sealed") != payload.get("sealed"):
            raise ReceiptFormatError("it is the event of another answer")
    except ReceiptFormatError as error:
        return Check(name="answered", passed=False, says=f"The event of the answer does not fit: {error}.")
    says = f"The words are those that the audit trail sealed as event {answered.get('number')}, of "
    return Check(name="answered", passed=True, says=f"{says}{answered.get('created_at')}.")


def _check_document(name: str, sha256: str, parts: Mapping[str, Any]) -> Check:
    files = {key: value for key, value in parts.items() if key.startswith("file_") and isinstance(value, dict)}
    quotes = sorted(int(key[len("file_") :]) for key, value in files.items() if value.get("sha256") == sha256)
    if quotes:
        which = ", ".join(map(str, quotes))
        return Check(name="document", passed=True, says=f"{name} is the edition that is quoted by: {which}.")
    if not files:
        says = f"{name} could not be compared: the receipt has no hash of a document's file."
        return Check(name="document", passed=None, says=says)
    says = f"{name} is none of the editions that are quoted: it is another document, or was changed since."
    return Check(name="document", passed=False, says=says)


def _check_audit(receipt: Receipt, lines: Iterable[str], head: str) -> Check:
    """Check an export of the audit trail, and that the events of the receipt are in it."""
    wanted = {event["digest"] for event in _list_events(receipt.payload) if isinstance(event.get("digest"), str)}
    number, _, kept = head.partition(":")
    previous, count = None, 0
    try:
        for line in lines:
            event = read_json(line)
            if not isinstance(event, dict) or "digest" not in event:
                break  # a statement of rights, which may follow the events
            own = event.pop("digest")
            if previous is not None and event.get("previous") != previous:
                raise ReceiptFormatError(f"event {event.get('number')} does not follow the one before")
            if hash_event(write_json(event)) != own:
                raise ReceiptFormatError(f"event {event.get('number')} was changed")
            wanted.discard(own)
            if kept and str(event.get("number")) == number and own == kept:
                kept = ""
            previous, count = own, count + 1
    except (ReceiptFormatError, UnicodeDecodeError) as error:
        return Check(name="audit", passed=False, says=f"The audit trail is not intact: {error}.")
    if wanted:
        says = f"{len(wanted)} of the receipt's events are not among the {count} of the audit trail."
        return Check(name="audit", passed=False, says=says)
    if kept:
        return Check(name="audit", passed=False, says="The audit trail is not the one whose head was kept.")
    return Check(name="audit", passed=True, says=f"The receipt's events are in the chain of {count} events.")


def _list_events(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    events = [payload.get("issued_event"), payload.get("answered_event")]
    return [event for event in events if isinstance(event, dict)]


def redact(content: bytes, names: Collection[str]) -> bytes:
    """Return a receipt without these parts: it still verifies. LookupError for a name that it does not hold."""
    receipt = read_receipt(content)
    held = {_read_disclosure(each)[0]: each for each in receipt.disclosures}
    if missing := sorted({*names} - {*held}):
        raise LookupError(f"The receipt has no part {', '.join(missing)}. It has {', '.join(sorted(held))}.")
    outer = read_json(content)
    outer["header"] = {"disclosures": [each for name, each in held.items() if name not in names]}
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
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
        lines.append(f"{name}: {_strip_controls(shown)}")
    marks = {True: "ok", False: "WRONG", None: "not compared"}
    lines += ["", *(f"[{marks[check.passed]}] {_strip_controls(check.says)}" for check in verdict.checks), ""]
    says = {
        UNTOUCHED: "The words are untouched, and the signer is known.",
        NOT_COMPARED: "The words are untouched. Who signed them was not compared with anything: give --keys.",
        CHANGED: "Something does not hold: see what is WRONG above.",
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
        "--without", action="append", default=[], metavar="PART", help="Write it to --output without this part."
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
        content = options["receipt"].read_bytes()
        if options["without"]:
            less = redact(content, options["without"])
            with options["output"].open("xb") as file:
                file.write(less)
            return UNTOUCHED, f"{options['output']} has less in it, and verifies."
        receipt = read_receipt(content)
        keys = read_keys(options["keys"].read_bytes()) if options["keys"] else None
        documents = {str(path): _hash_file(path) for path in options["documents"]}
        if options["audit"]:
            with options["audit"].open(encoding="utf-8") as lines:
                verdict = verify(receipt, keys=keys, documents=documents, audit=lines, head=options["head"])
        else:
            verdict = verify(receipt, keys=keys, documents=documents)
    except ReceiptFormatError as error:
        return CHANGED, f"This does not hold: {error}."
    except LookupError as error:
        return WRONG_USAGE, str(error)
    except OSError as error:
        return WRONG_USAGE, f"{error.filename} cannot be read or written: {error.strerror}."
    shown = json.dumps(as_json(receipt, verdict)) if options["json"] else write_verdict(receipt, verdict)
    return verdict.exit_code, shown


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
