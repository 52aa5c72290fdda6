"""Test the verifier of receipts: what was changed never verifies, what was not does, and nothing makes it fail."""

import io
import json
import random
import sys
from pathlib import Path

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.receipts.making import Forgery, make_sample
from benchmarks.receipts.tampering import Case, flip_bytes, judge, list_cases, write
from core.asking.receipts import verify_receipt
from core.asking.receipts.verify_receipt import (
    CHANGED,
    NOT_COMPARED,
    UNTOUCHED,
    WRONG_USAGE,
    CannotVerifyError,
    ReceiptFormatError,
    as_json,
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
VOUCHING = {"signature", "signer", "words", "issued", "answered"}
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
        is_vouched_for = all(check.passed is not False for check in verdict.checks if check.name in VOUCHING)
        assert bool(verdict.parts) == is_vouched_for


def test_there_are_changes_of_every_kind() -> None:
    """Otherwise the test above would prove little."""
    kinds = {case.kind for case in CASES}
    assert kinds == {
        *("nothing", "words", "form", "signature", "signed content", "forged", "document", "keys", "audit trail")
    }
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
@given(_JSON, st.sampled_from(["actor", "action", "created_at", "details", "number", "object_id", "object_type"]))
def test_nothing_that_is_signed_makes_it_fail(value: object, field: str) -> None:
    """Whatever the holder of a key signs, it is refused, or a verdict comes of it, and can be written."""
    for forged in (
        Forgery(signed={"answer": value, "issued_event": value, "answered_event": value}),
        Forgery(payload={"iat": value}),
        Forgery(answered={field: value}),
        Forgery(issued={field: value}, number=2),
        Forgery(parts={"statements": value, "file_1": value, "answered_at": value, "quote_1": value}),
    ):
        sample = make_sample(1, SAMPLE.private_key, forged)
        try:
            receipt = read_receipt(write(sample.receipt))
        except ReceiptFormatError:
            continue
        verdict = verify(receipt, documents={"x": "0"}, audit=sample.audit, head=sample.head)
        assert verdict.exit_code in {CHANGED, NOT_COMPARED}
        assert write_verdict(receipt, verdict)
        assert json.dumps(as_json(receipt, verdict))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200) | _JSON.map(lambda value: json.dumps(value).encode()))
def test_nothing_that_is_read_makes_it_fail(content: bytes) -> None:
    """Neither as a receipt, nor as keys, nor as an audit trail."""
    for read in (read_receipt, read_keys):
        with pytest.raises(ReceiptFormatError):
            read(content)
    verdict = verify(read_receipt(write(SAMPLE.receipt)), audit=[content.decode(errors="replace")])
    assert verdict.exit_code == CHANGED


def test_a_verdict_cannot_be_written_into_a_part() -> None:
    """Lines of a part are indented below its name, so that none of them looks like a check."""
    sample = make_sample(1, SAMPLE.private_key, Forgery(parts={"question": "Who?\n[ok] All fits."}))
    receipt = read_receipt(write(sample.receipt))
    said = write_verdict(receipt, verify(receipt)).splitlines()
    assert [line for line in said if "All fits" in line] == ["    [ok] All fits."]


def test_words_that_nobody_vouches_for_are_not_shown() -> None:
    """Neither under a wrong signature nor by another signer."""
    for receipt, keys in (
        (SAMPLE.receipt | {"signature": OTHER.receipt["signature"]}, None),
        (SAMPLE.receipt, [bytes(32)]),
    ):
        found = read_receipt(write(receipt))
        verdict = verify(found, keys=keys)
        assert (verdict.exit_code, verdict.parts) == (CHANGED, {})
        assert "harbour master" not in write_verdict(found, verdict)


def test_a_head_shows_the_age_of_the_answer_alone() -> None:
    """One from before the answer is compared with nothing; one of another trail is wrong."""
    receipt = read_receipt(write(SAMPLE.receipt))
    events = [json.loads(line) for line in SAMPLE.audit]
    found = []
    for event in events:
        verdict = verify(receipt, audit=SAMPLE.audit, head=f"{event['number']}:{event['digest']}")
        found += [check.passed for check in verdict.checks if check.name == "head"]
    assert found == [None, True, True, True, True]
    later = verify(receipt, audit=SAMPLE.audit, head=f"9:{'0' * 64}")
    assert {check.name: check.passed for check in later.checks}["head"] is False


def test_a_machine_without_ed25519_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is no verdict on the receipt."""

    def refuse(content: bytes) -> None:
        raise UnsupportedAlgorithm(content.hex())

    receipt = tmp_path / "receipt.json"
    receipt.write_bytes(write(SAMPLE.receipt))
    monkeypatch.setattr(verify_receipt.Ed25519PublicKey, "from_public_bytes", refuse)
    assert main([str(receipt)]) == WRONG_USAGE


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_export_may_come_through_a_shell(encoding: str, tmp_path: Path) -> None:
    """PowerShell writes it in UTF-16, with line ends of its own."""
    receipt, trail = tmp_path / "receipt.json", tmp_path / "trail.jsonl"
    receipt.write_bytes(write(SAMPLE.receipt))
    trail.write_bytes("".join(SAMPLE.audit).replace("\n", "\r\n").encode(encoding))
    assert main([str(receipt), "--audit", str(trail), "--head", SAMPLE.head]) == NOT_COMPARED


def test_what_nothing_can_be_compared_with_is_no_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is no list of keys, or no text, is said by its name."""
    receipt, other = tmp_path / "receipt.json", tmp_path / "other.bin"
    receipt.write_bytes(write(SAMPLE.receipt))
    other.write_bytes(b"\x00\xff\xff")
    for option in ("--keys", "--audit"):
        assert main([str(receipt), option, str(other)]) == WRONG_USAGE
        assert f"Nothing was compared with {other}" in capsys.readouterr().out
    monkeypatch.setattr(verify_receipt, "LONGEST", 20_000)
    other.write_bytes(b"1" * 20_001)
    assert main([str(receipt), "--audit", str(other)]) == WRONG_USAGE
    assert main([str(other)]) == CHANGED


def test_a_copy_with_less_is_written_of_what_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the verdict and its exit code; of a changed receipt there is no copy."""
    receipt, keys, less = (tmp_path / name for name in ("receipt.json", "keys.json", "less.json"))
    keys.write_text(json.dumps(SAMPLE.keys))
    receipt.write_bytes(write(SAMPLE.receipt | {"signature": OTHER.receipt["signature"]}))
    assert main([str(receipt), "--without", "model", "--output", str(less)]) == CHANGED
    assert not less.exists()
    receipt.write_bytes(write(SAMPLE.receipt))
    assert main([str(receipt), "--keys", str(keys), "--without", "model", "--output", str(less)]) == UNTOUCHED
    assert f"{less} has less in it" in capsys.readouterr().out
    assert verify(read_receipt(less.read_bytes())).withheld == 1


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
    with pytest.raises(CannotVerifyError, match="has no part nothing"):
        redact(write(SAMPLE.receipt), ["nothing"])
