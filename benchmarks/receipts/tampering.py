"""Change receipts, and what they are compared with, in every way that somebody could try.

Each change comes with what a verifier must say: that it does not hold, or, of what changes nothing, that it does.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.receipts.making import Forgery, Sample, make_sample, sign
from core.asking.receipts.verify_receipt import (
    CHANGED,
    NOT_COMPARED,
    UNTOUCHED,
    ReceiptFormatError,
    Verdict,
    decode,
    encode,
    read_json,
    read_keys,
    read_receipt,
    verify,
    write_json,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """Holds a receipt as somebody hands it over, what it is compared with, and the exit code that is right."""

    kind: str
    name: str
    receipt: bytes
    keys: dict[str, Any] | None
    documents: Mapping[str, str]  # SHA-256 by name
    audit: tuple[str, ...] | None
    head: str
    code: int


def list_cases(sample: Sample, other: Sample) -> Iterator[Case]:
    """Yield a receipt changed in every way. other: a receipt of the same issuer, to mix with."""
    base = _make_case(sample)
    yield base
    yield replace(base, kind="nothing", name="without keys", keys=None, code=NOT_COMPARED)
    for kind, changes in (
        ("words", _change_words(sample, other)),
        ("form", _change_form(sample)),
        ("signature", _change_signature(sample, other)),
        ("signed content", _change_payload(sample)),
        ("nothing", _change_nothing(sample)),
    ):
        for name, content in changes:
            code = UNTOUCHED if kind == "nothing" else CHANGED
            yield replace(base, kind=kind, name=name, receipt=content, code=code)
    stolen = dict(_change_signature(sample, other))["another's key under our name"]
    name = "another's key under our name, without keys"
    yield replace(base, kind="signature", name=name, receipt=stolen, keys=None, code=CHANGED)
    yield from _change_comparisons(base, sample, other)
    yield from _forge(base, sample)


def _forge(base: Case, sample: Sample) -> Iterator[Case]:
    """Yield receipts that whoever has the signing key makes, each with a trail that fits it but for one thing."""
    for name, (forgery, code) in _FORGERIES.items():
        forged = make_sample(1, sample.private_key, forgery)
        documents = {name: hashlib.sha256(content).hexdigest() for name, content in forged.documents.items()}
        yield replace(
            base,
            kind="forged" if code == CHANGED else "nothing",
            name=name,
            receipt=write(forged.receipt),
            keys=forged.keys,
            documents=documents,
            audit=forged.audit,
            head=forged.head,
            code=code,
        )


_EARLIER, _LATER = "2026-11-29T08:00:00.000000+00:00", "2026-12-01T08:00:00.000000+00:00"
_DIGEST = encode(bytes(32))
_FORGERIES: Mapping[str, tuple[Forgery, int]] = {
    "forged as the honest one": (Forgery(), UNTOUCHED),
    "words outside the seal": (Forgery(people={"note": "approved"}), CHANGED),
    "an answer outside the seal": (Forgery(people={"answer": "The warden lights it. [1]"}), CHANGED),
    "a person's name inside the seal": (Forgery(parts={"verified_by_name": "Alice"}), CHANGED),
    "more digests outside the seal than people": (Forgery(payload={"_sd": [_DIGEST, *"ABC"]}), CHANGED),
    **{
        f"another {name} than was recorded": (Forgery(signed={name: value}), CHANGED)
        for name, value in {
            "iss": "https://example.com/",
            "iat": 1_796_025_605,
            "request_id": "req_20261130_99999999",
            "footnote": "9",
            "_sd": [_DIGEST],
        }.items()
    },
    "signed a day later than recorded": (Forgery(issued={"created_at": _LATER}), CHANGED),
    "a receipt of another time": (Forgery(payload={"iat": 4}), CHANGED),
    "the receipt's event as the answer's": (
        Forgery(answered={"action": "issue_receipt", "object_type": "receipt"}),
        CHANGED,
    ),
    "an event of another kind as the answer's": (Forgery(answered={"object_type": "query"}), CHANGED),
    "the answer's event as the receipt's": (Forgery(issued={"action": "answer", "object_type": "query_log"}), CHANGED),
    "an event of another kind as the receipt's": (Forgery(issued={"object_type": "query"}), CHANGED),
    "a list as an action": (Forgery(answered={"action": ["answer"]}), CHANGED),
    "the event of a refusal": (Forgery(answered={"action": "refusal"}), CHANGED),
    "the event of another's answer": (Forgery(answered={"actor": "5f0c1a2b-0000-4000-8000-000000000009"}), CHANGED),
    "the event of nobody's answer": (Forgery(answered={"actor": None}), UNTOUCHED),
    "an answer of another time": (Forgery(answered={"created_at": _LATER}), CHANGED),
    "an answer that is dated back": (
        Forgery(answered={"created_at": _EARLIER}, parts={"answered_at": _EARLIER}),
        CHANGED,
    ),
    "a time that is none": (Forgery(answered={"created_at": "2026-13-30T08:00:02.000000+00:00"}), CHANGED),
    "the answer's event by its number": (Forgery(number=2), UNTOUCHED),
    "the answer's event by another number": (Forgery(number=3), CHANGED),
    "by its number an event of another seal": (
        Forgery(number=2, answered={"details": {"sealed": "0" * 64}}),
        CHANGED,
    ),
    "by its number an event of another kind": (Forgery(number=2, answered={"action": "grant"}), CHANGED),
    "a seal of other words": (
        Forgery(payload={"sealed": "0" * 64}, answered={"details": {"sealed": "0" * 64}}),
        CHANGED,
    ),
    "no event of the answer": (Forgery(signed={"answered_event": None}), UNTOUCHED),
    "a summary beside": (Forgery(payload={"summary": "approved"}), CHANGED),
    "a time with a fraction": (Forgery(payload={"iat": 1_796_025_604.5}), CHANGED),
    "a part of a file without a number": (Forgery(parts={"file_x": {"sha256": ""}}), UNTOUCHED),
    "a part with a name of JavaScript": (Forgery(parts={"constructor": {"a": 1}}), UNTOUCHED),
    "a part whose name moves the cursor": (Forgery(parts={"a\x1b[2J": "x"}), CHANGED),
    "a part whose name is two lines": (Forgery(parts={"a\n[ok] fits": "x"}), CHANGED),
    "a part that is too deep": (Forgery(parts={"deep": json.loads("[" * 401 + "]" * 401)}), CHANGED),
    "a part that is deep": (Forgery(parts={"deep": json.loads("[" * 300 + "]" * 300)}), UNTOUCHED),
    "statements of another form": (Forgery(parts={"statements": [{"quotes": {"a": []}}, 7]}), UNTOUCHED),
}


def _make_case(sample: Sample) -> Case:
    return Case(
        kind="nothing",
        name="as it was issued",
        receipt=write(sample.receipt),
        keys=sample.keys,
        documents={name: hashlib.sha256(content).hexdigest() for name, content in sample.documents.items()},
        audit=sample.audit,
        head=sample.head,
        code=UNTOUCHED,
    )


def write(receipt: Mapping[str, Any]) -> bytes:
    """Write a receipt as a file."""
    return json.dumps(receipt, indent=1).encode()


def _with_disclosures(sample: Sample, disclosures: list[Any]) -> bytes:
    return write({**sample.receipt, "header": {"disclosures": disclosures}})


def _change_words(sample: Sample, other: Sample) -> Iterator[tuple[str, bytes]]:
    """Yield receipts with other words, names or parts than were signed."""
    own: list[str] = sample.receipt["header"]["disclosures"]
    for at, disclosure in enumerate(own):
        salt, name, value = read_json(decode(disclosure))
        for what, changed in (
            ("another value", [salt, name, _change_value(value)]),
            ("another name", [salt, f"{name}_2", value]),
            ("another salt", [salt[::-1], name, value]),
        ):
            rewritten = encode(write_json(changed).encode())
            yield f"{what} of {name}", _with_disclosures(sample, [*own[:at], rewritten, *own[at + 1 :]])
        spaced = encode(json.dumps([salt, name, value]).encode())
        yield (
            f"the same value of {name}, written otherwise",
            _with_disclosures(sample, [*own[:at], spaced, *own[at + 1 :]]),
        )
    others: list[str] = other.receipt["header"]["disclosures"]
    yield "all parts of another receipt", _with_disclosures(sample, others)
    yield "one part of another receipt", _with_disclosures(sample, [others[0], *own[1:]])
    yield "a part more", _with_disclosures(sample, [*own, encode(b'["c2FsdA","note","approved"]')])
    yield "a part twice", _with_disclosures(sample, [*own, own[0]])
    yield "a list of digests as a part", _with_disclosures(sample, [*own, encode(b'["c2FsdA","_sd",["x"]]')])
    yield "a part without a name", _with_disclosures(sample, [*own, encode(b'["c2FsdA","x"]')])
    yield "a part that is no text", _with_disclosures(sample, [*own, 7])
    yield "a part that is no base64url", _with_disclosures(sample, [*own, "%%%"])
    yield "a part with padding", _with_disclosures(sample, [f"{own[0]}=", *own[1:]])


def _change_value(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("master", "warden") if "master" in value else f"{value}."
    if isinstance(value, dict):
        first = next(iter(value))
        return {**value, first: _change_value(value[first])}
    if isinstance(value, list):
        return value[1:] if len(value) > 1 else [*value, "everybody"]
    return "another"


def _change_form(sample: Sample) -> Iterator[tuple[str, bytes]]:
    """Yield files that are not what Footnote writes."""
    receipt, text = sample.receipt, write(sample.receipt)
    yield "nothing", b""
    yield "no JSON", text[:-2]
    yield "a list", b"[1]"
    yield "text in other characters", text.decode().replace("1", "é").encode("latin-1")
    yield "a byte order mark", b"\xef\xbb\xbf" + text
    yield "UTF-16", text.decode().encode("utf-16")
    yield "something behind it", text + b"{}"
    yield "a summary that nothing vouches for", write({**receipt, "summary": "approved"})
    yield "a summary beside the parts", write({**receipt, "header": {**receipt["header"], "summary": "approved"}})
    yield "no parts", write({name: receipt[name] for name in receipt if name != "header"})
    yield "a key twice", text.replace(b'"payload"', b'"payload": "", "payload"', 1)
    yield "deep JSON", b'{"a":' * 5000 + b"1" + b"}" * 5000
    yield "a number beyond all", text.replace(b'"disclosures"', b'"x": 1e400, "disclosures"', 1)
    yield "half a character", text.replace(b'"disclosures": [', b'"disclosures": ["\\ud800", ', 1)
    yield "NaN", text.replace(b'"disclosures": [', b'"disclosures": [NaN, ', 1)
    for part in ("payload", "protected", "signature"):
        yield f"no {part}", write({**receipt, part: None})
        yield f"{part} with padding", write({**receipt, part: f"{receipt[part]}="})
        yield f"{part} with a line break", write({**receipt, part: f"{receipt[part]}\n"})
        yield f"{part} in two spellings", write({**receipt, part: _spell_otherwise(receipt[part])})


def _spell_otherwise(text: str) -> str:
    """Return base64url whose last character has other bits that count for nothing; else with one character more."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    spare = {2: 4, 3: 2}.get(len(text) % 4, 0)
    return text[:-1] + alphabet[alphabet.index(text[-1]) ^ 1] if spare else f"{text}A"


def _change_signature(sample: Sample, other: Sample) -> Iterator[tuple[str, bytes]]:
    """Yield receipts that somebody else signed, or nobody."""
    payload = read_json(decode(sample.receipt["payload"]))
    disclosures = sample.receipt["header"]["disclosures"]
    header = read_json(decode(sample.receipt["protected"]))
    stranger = Ed25519PrivateKey.generate()

    def pack(**changes: Any) -> bytes:
        protected = encode(write_json({**header, **changes}).encode())
        return write({**sample.receipt, "protected": protected})

    yield "another's key", write(sign(payload, disclosures, stranger))
    yield "another's key under our name", write(sign(payload, disclosures, stranger, kid=header["kid"]))
    yield (
        "another's signature beside our key",
        write(sign(payload, disclosures, stranger, kid=header["kid"], jwk=header["jwk"])),
    )
    yield "the signature of another receipt", write({**sample.receipt, "signature": other.receipt["signature"]})
    yield "no signature", write({**sample.receipt, "signature": ""})
    yield "a signature of zeros", write({**sample.receipt, "signature": encode(bytes(64))})
    yield (
        "a longer signature",
        write({**sample.receipt, "signature": encode(decode(sample.receipt["signature"]) + b"\0")}),
    )
    yield "the same signature plus the order of the curve", write({**sample.receipt, "signature": _add_order(sample)})
    yield "algorithm none", write({**sample.receipt, "protected": pack_header(header, alg="none"), "signature": ""})
    yield "HS256 with the public key as its secret", _sign_with_hmac(sample, header)
    for name in ("ES256", "Ed25519", "eddsa", "RS256"):
        yield f"algorithm {name}", pack(alg=name)
    for name in ("ES256", "none", "Ed25519"):
        yield f"algorithm {name}, signed so", write(sign(payload, disclosures, sample.private_key, alg=name))
    for what, changes in {
        "another type": {"typ": "JWT"},
        "another's name": {"kid": encode(bytes(32))},
        "a critical extension": {"crit": ["b64"], "b64": False},
        "a key elsewhere": {"jku": "https://example.com/keys.json"},
    }.items():
        yield f"{what}, signed so", write(sign(payload, disclosures, sample.private_key, **changes))
    yield "another type", pack(typ="JWT")
    yield "a critical extension", pack(crit=["b64"], b64=False)
    yield "a key elsewhere", pack(jku="https://example.com/keys.json")
    yield "a key of zeros", pack(jwk={**header["jwk"], "x": encode(bytes(32))})
    # The point of order one: with it, a signature of zeros would fit every text.
    small = encode(b"\1" + bytes(31))
    thumbprint = encode(hashlib.sha256(write_json({"crv": "Ed25519", "kty": "OKP", "x": small}).encode()).digest())
    yield (
        "a key of small order",
        write(
            {
                **sample.receipt,
                "protected": pack_header(header, jwk={"crv": "Ed25519", "kty": "OKP", "x": small}, kid=thumbprint),
                "signature": encode(b"\1" + bytes(63)),
            }
        ),
    )
    yield "a private key beside", pack(jwk={**header["jwk"], "d": encode(bytes(32))})


def pack_header(header: Mapping[str, Any], **changes: Any) -> str:
    """Write a header with something else in it."""
    return encode(write_json({**header, **changes}).encode())


def _add_order(sample: Sample) -> str:
    """Return the signature with its second half plus the order of the group: a second spelling, RFC 8032 (8.4)."""
    order = 2**252 + 27742317777372353535851937790883648493
    signature = decode(sample.receipt["signature"])
    scalar = int.from_bytes(signature[32:], "little") + order
    return encode(signature[:32] + (scalar % 2**256).to_bytes(32, "little"))


def _sign_with_hmac(sample: Sample, header: Mapping[str, Any]) -> bytes:
    protected = pack_header(header, alg="HS256")
    secret = decode(header["jwk"]["x"])
    signed = f"{protected}.{sample.receipt['payload']}".encode()
    signature = encode(hmac.digest(secret, signed, "sha256"))
    return write({**sample.receipt, "protected": protected, "signature": signature})


def _change_payload(sample: Sample) -> Iterator[tuple[str, bytes]]:
    """Yield receipts whose signed content is another: under the old signature, and signed anew by who has the key."""
    payload = read_json(decode(sample.receipt["payload"]))
    disclosures = sample.receipt["header"]["disclosures"]
    for name in payload:
        changed = {**payload, name: None}
        yield f"without {name}", write({**sample.receipt, "payload": encode(write_json(changed).encode())})
    events = {
        "another answer's seal in its event": ("answered_event", "sealed", "0" * 64),
        "another receipt's seal in its event": ("issued_event", "sealed", "0" * 64),
        "another key in its event": ("issued_event", "key", "nobody"),
    }
    for what, (event, name, value) in events.items():
        content = read_json(payload[event]["content"])
        content["details"][name] = value
        text = write_json(content)
        told = {"content": text, "digest": hashlib.sha256(text.encode()).hexdigest()}
        yield f"{what}, signed anew", write(sign({**payload, event: told}, disclosures, sample.private_key))
        kept = {"content": text, "digest": payload[event]["digest"]}
        yield f"{what}, under the old digest", write(sign({**payload, event: kept}, disclosures, sample.private_key))
    for event in ("answered_event", "issued_event"):
        text = payload[event]["content"].replace('"number":', '"number":9', 1)
        told = {"content": text, "digest": payload[event]["digest"]}
        yield f"another number in the {event}", write(sign({**payload, event: told}, disclosures, sample.private_key))
    for what, changes in {
        "another seal": {"sealed": "0" * 64},
        "another id than its event's": {"jti": "5f0c1a2b-0000-4000-8000-000000000099"},
        "digests of another kind": {"_sd_alg": "sha-512"},
        "a digest less": {"answer": {"_sd": payload["answer"]["_sd"][1:]}},
        "a digest more": {"answer": {"_sd": [*payload["answer"]["_sd"], _DIGEST]}},
        "a digest that is none": {"answer": {"_sd": [*payload["answer"]["_sd"], "x"]}},
        "a digest of other characters": {"answer": {"_sd": [*payload["answer"]["_sd"], "é" * 43]}},
        "a number as a digest": {"answer": {"_sd": [*payload["answer"]["_sd"], 7]}},
        "no digests": {"answer": {}},
        "an event that is a text": {"issued_event": payload["issued_event"]["content"]},
        "a digest that is a list": {"issued_event": {**payload["issued_event"], "digest": []}},
        "the event of the answer twice": {"issued_event": payload["answered_event"]},
        "the event of the receipt twice": {"answered_event": payload["issued_event"]},
        "an event by a number that is none": {"answered_event": {"number": "2", "digest": "0" * 64}},
        "no event": {"issued_event": None},
    }.items():
        yield f"{what}, signed anew", write(sign({**payload, **changes}, disclosures, sample.private_key))


def _change_nothing(sample: Sample) -> Iterator[tuple[str, bytes]]:
    """Yield receipts that say the same, or less of it."""
    own: list[str] = sample.receipt["header"]["disclosures"]
    yield "without line breaks", json.dumps(sample.receipt, separators=(",", ":")).encode()
    yield "other order of keys", write(dict(reversed(sample.receipt.items())))
    yield "other order of parts", _with_disclosures(sample, own[::-1])
    for at, disclosure in enumerate(own):
        name = read_json(decode(disclosure))[1]
        if not name.startswith("file_"):
            yield f"without {name}", _with_disclosures(sample, [*own[:at], *own[at + 1 :]])


def _change_comparisons(base: Case, sample: Sample, other: Sample) -> Iterator[Case]:
    """Yield the receipt as it was issued beside other documents, keys and audit trails than those of then."""
    for name, content in sample.documents.items():
        changed = {name: hashlib.sha256(content + b" ").hexdigest()}
        yield replace(base, kind="document", name=f"{name} with a space more", documents=changed, code=CHANGED)
    without = [each for each in sample.receipt["header"]["disclosures"] if not _is_file(each)]
    less = _with_disclosures(sample, without)
    yield replace(base, kind="nothing", name="without hashes of files", receipt=less, code=UNTOUCHED)
    keys = {"keys": [{**other.keys["keys"][0], "x": encode(hashlib.sha256(b"key").digest())}]}
    yield replace(base, kind="keys", name="keys of another", keys=keys, code=CHANGED)
    both = {"keys": [*keys["keys"], *sample.keys["keys"]]}
    yield replace(base, kind="nothing", name="one key of two", keys=both, code=UNTOUCHED)
    yield replace(base, kind="keys", name="no list of keys", keys={"keys": []}, code=CHANGED)
    others = {"keys": [{"kty": "EC", "crv": "P-256", "x": "x", "y": "y"}]}
    yield replace(base, kind="keys", name="keys of another kind", keys=others, code=CHANGED)
    for what, lines in _change_trail(sample):
        head = base.head if lines else ""
        yield replace(base, kind="audit trail", name=what, audit=tuple(lines), head=head, code=CHANGED)
    number = base.head.partition(":")[0]
    yield replace(base, kind="audit trail", name="another head", head=f"{number}:{'0' * 64}", code=CHANGED)
    if other.audit != sample.audit:
        yield replace(base, kind="audit trail", name="of another", audit=other.audit, head=other.head, code=CHANGED)
    yield replace(base, kind="nothing", name="a later part of the trail", audit=sample.audit[1:], code=UNTOUCHED)
    gaps = ("\n", *sample.audit, " \r\n", "\n")
    yield replace(base, kind="nothing", name="blank lines in the trail", audit=gaps, code=UNTOUCHED)
    first = json.loads(sample.audit[0])
    older = f"{first['number']}:{first['digest']}"
    yield replace(base, kind="nothing", name="a head older than the answer", head=older, code=UNTOUCHED)
    wrong = {"another.md": "0" * 64}
    yield replace(
        base, kind="nothing", name="a file whose hash is not in it", receipt=less, documents=wrong, code=UNTOUCHED
    )
    followed = (*sample.audit, '{"right": 1}\n')
    yield replace(base, kind="nothing", name="a statement of rights behind the trail", audit=followed, code=UNTOUCHED)


def _is_file(disclosure: str) -> bool:
    return str(read_json(decode(disclosure))[1]).startswith("file_")


def _change_trail(sample: Sample) -> Iterator[tuple[str, list[str]]]:
    """Yield the audit trail as somebody could change it: each time at the events of this receipt."""
    payload, lines = read_json(decode(sample.receipt["payload"])), list(sample.audit)
    answered, issued = (
        next(at for at, line in enumerate(lines) if payload[event]["digest"] == json.loads(line)["digest"])
        for event in ("answered_event", "issued_event")
    )
    yield "nothing of it", []
    yield "without the answer", lines[:answered] + lines[answered + 1 :]
    yield "without the receipt", lines[:issued] + lines[issued + 1 :]
    yield "cut before the receipt", lines[:issued]
    yield "in another order", [*lines[:answered], lines[answered + 1], lines[answered], *lines[answered + 2 :]]
    yield "an event twice", [lines[0], *lines]
    for name, value in (("actor", "nobody"), ("created_at", "2020-01-01T00:00:00+00:00"), ("details", {})):
        changed = json.dumps({**json.loads(lines[answered]), name: value}, sort_keys=True, ensure_ascii=False)
        yield f"another {name} in it", [*lines[:answered], f"{changed}\n", *lines[answered + 1 :]]
    yield "a line that is no JSON", [*lines[:answered], "{\n", *lines[answered:]]


def judge(case: Case) -> tuple[int, Verdict | None]:
    """Return the exit code of a case, and the verdict where it is a receipt."""
    try:
        receipt = read_receipt(case.receipt)
        keys = read_keys(json.dumps(case.keys).encode()) if case.keys is not None else None
    except ReceiptFormatError:
        return CHANGED, None
    verdict = verify(receipt, keys=keys, documents=case.documents, audit=case.audit, head=case.head)
    return verdict.exit_code, verdict


def flip_bytes(sample: Sample, count: int, draw: Callable[[int], int]) -> Iterator[bytes]:
    """Yield the file of a receipt with one byte changed. draw: a number below another, by chance."""
    content = write(sample.receipt)
    for _ in range(count):
        at = draw(len(content))
        changed = bytearray(content)
        changed[at] ^= 1 << draw(8)
        yield bytes(changed)


def to_base64(content: bytes) -> str:
    """Return a file in base64, to hand it to a browser."""
    return base64.b64encode(content).decode()
