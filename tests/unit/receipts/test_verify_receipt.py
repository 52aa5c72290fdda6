"""Test the verifier of receipts: what was changed never verifies, what was not does, and nothing makes it fail."""

import io
import json
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.receipts.making import make_sample
from benchmarks.receipts.tampering import Case, flip_bytes, judge, list_cases, write
from core.asking.receipts import verify_receipt
from core.asking.receipts.verify_receipt import (
    CHANGED,
    NOT_COMPARED,
    UNTOUCHED,
    WRONG_USAGE,
    ReceiptFormatError,
    decode,
    main,
    read_json,
    read_keys,
    read_receipt,
    redact,
    verify,
    write_verdict,
)

SAMPLE, OTHER = make_sample(1), make_sample(2)
CASES = list(list_cases(SAMPLE, OTHER))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.name}")
def test_each_change_is_noticed_and_nothing_else(case: Case) -> None:
    """With its sentence for each check, and no words where they were changed."""
    code, verdict = judge(case)
    assert code == case.code
    if verdict:
        assert all(check.says.endswith(".") for check in verdict.checks)
        assert bool(verdict.parts) == all(check.passed for check in verdict.checks if check.name == "words")


def test_there_are_changes_of_every_kind() -> None:
    """Otherwise the test above would prove little."""
    kinds = {case.kind for case in CASES}
    assert kinds == {"nothing", "words", "form", "signature", "signed content", "document", "keys", "audit trail"}
    assert len([case for case in CASES if case.code == CHANGED]) > 120


def test_a_flipped_bit_is_noticed_or_changes_nothing() -> None:
    """Wherever it is in the file: what still verifies says what it said."""
    draw = random.Random(20)
    said = verify(read_receipt(write(SAMPLE.receipt)), keys=read_keys(json.dumps(SAMPLE.keys).encode())).parts
    noticed = 0
    for content in flip_bytes(SAMPLE, 3000, draw.randrange):
        try:
            verdict = verify(read_receipt(content))
        except ReceiptFormatError:
            noticed += 1
            continue
        noticed += verdict.exit_code == CHANGED
        assert verdict.exit_code == CHANGED or verdict.parts == said
    assert noticed > 2900


@settings(max_examples=150, deadline=None)
@given(_JSON)
def test_nothing_that_is_signed_makes_it_fail(payload: object) -> None:
    """Whatever the holder of a key signs, a verdict comes of it, and can be written."""
    from benchmarks.receipts.making import sign

    signed = sign({"a": payload, "_sd": payload, "answer": payload, "issued_event": payload}, [], SAMPLE.private_key)
    receipt = read_receipt(json.dumps(signed).encode())
    verdict = verify(receipt, keys=[], documents={"x": "0"}, audit=["{}"])
    assert verdict.exit_code == CHANGED
    assert write_verdict(receipt, verdict)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200) | _JSON.map(lambda value: json.dumps(value).encode()))
def test_nothing_that_is_read_makes_it_fail(content: bytes) -> None:
    """Neither as a receipt, nor as keys, nor as an audit trail."""
    for read in (read_receipt, read_keys):
        with pytest.raises(ReceiptFormatError):
            read(content)
    verdict = verify(read_receipt(write(SAMPLE.receipt)), audit=[content.decode(errors="replace")])
    assert verdict.exit_code == CHANGED


def test_what_is_shown_cannot_turn_itself_around() -> None:
    """Characters that move a terminal's cursor, or turn the order of others, are replaced."""
    assert verify_receipt._strip_controls("a\x1b[2J\u202eb\nc\xa0") == "a\ufffd[2J\ufffdb\nc\xa0"


def test_the_program_says_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For people and as JSON, with the exit code of the verdict."""
    receipt, keys, document = (tmp_path / name for name in ("receipt.json", "keys.json", "pier.md"))
    receipt.write_bytes(write(SAMPLE.receipt))
    keys.write_text(json.dumps(SAMPLE.keys))
    document.write_bytes(SAMPLE.documents["pier.md"])
    assert main([str(receipt)]) == NOT_COMPARED
    assert main([str(receipt), "--keys", str(keys), "--document", str(document)]) == UNTOUCHED
    assert "is the edition that is quoted by: 1" in capsys.readouterr().out
    document.write_bytes(b"another")
    assert main([str(receipt), "--document", str(document), "--json"]) == CHANGED
    said = json.loads(capsys.readouterr().out)
    assert (said["untouched"], said["signer"], said["parts"]["origin"]) == (False, None, "slack")
    assert main([str(tmp_path / "none")]) == WRONG_USAGE
    assert main([str(keys)]) == CHANGED


def test_a_terminal_without_unicode_is_no_reason_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters that it does not know are written as escapes."""
    receipt = tmp_path / "receipt.json"
    receipt.write_bytes(write(SAMPLE.receipt))
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
    assert main([str(receipt)]) == NOT_COMPARED
    sys.stdout.flush()
    assert b"na\\xefve" in shown.getvalue()


def test_parts_are_taken_out_by_name() -> None:
    """A name that it does not hold is said, with those that it does."""
    less = read_receipt(redact(write(SAMPLE.receipt), ["asked_by", "quote_1"]))
    names = {read_json(decode(each))[1] for each in less.disclosures}
    assert {"asked_by", "quote_1"} & names == set()
    assert verify(less).withheld == 2
    with pytest.raises(LookupError, match="has no part nothing"):
        redact(write(SAMPLE.receipt), ["nothing"])
