"""Test receipts in a real browser: taken from their page, verified by a page that is opened from the disk."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from adminsite.receipts.views import _read_verifier
from benchmarks.receipts.making import Forgery, make_sample
from benchmarks.receipts.tampering import judge, list_cases, to_base64, write
from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.receipts.verify_receipt import NOT_COMPARED, read_receipt, verify
from core.llm.scripted import answers, script_model
from core.testing import Cast, make_cast, make_document
from tests.acceptance.axe import NARROW, WIDE, find_serious, is_as_wide_as_its_window
from tests.acceptance.browser import sign_in, take_picture, watched_page

LAMP = "The lamp of the north pier is lit at dusk by the harbour master."

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def cast(transactional_db: None, settings: Settings, fast: None) -> Cast:
    """The cast, and a document that staff reads."""
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    cast = make_cast()
    make_document("Pier handbook", LAMP, roles=[cast.staff], section="Lamps")
    return cast


@pytest.fixture
def page(browser: Browser, cast: Cast, site: LiveServer) -> Iterator[Page]:
    """A page in which Bob is signed in."""
    with watched_page(browser, accept_downloads=True) as page:
        sign_in(page.context, site.url, cast.bob)
        yield page


@pytest.fixture
def saved(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The verifying page, saved and opened from the disk without a network."""
    file = tmp_path / "verify.html"
    file.write_text(_read_verifier()[0], encoding="utf-8")
    with watched_page(browser, offline=True) as page:
        page.goto(file.as_uri())
        yield page


def look_at(page: Page, name: str) -> None:
    """Nothing serious is wrong with the page, on a desk and on a telephone, and it fits both."""
    for size, width in ((NARROW, "390"), (WIDE, "1400")):
        page.set_viewport_size(size)
        take_picture(page, f"receipts-{name}-{width}")
        assert is_as_wide_as_its_window(page), (name, width)
        assert list(find_serious(page, f"{name} {width}")) == []


def test_a_receipt_is_taken_and_verified(page: Page, cast: Cast, site: LiveServer, tmp_path: Path) -> None:
    """From the page of the answer to the verdict, with the keys as they are published."""
    with script_model(answers((LAMP, 1, LAMP))):
        asked = api.ask(
            "Who lights the lamp of the pier?", asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk])
        )
    page.goto(f"{site.url}/receipts/{asked.request_id}/")
    expect(page.get_by_text(LAMP)).to_be_visible()
    look_at(page, "page")
    page.get_by_label("The model", exact=True).check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the signed receipt").click()
    receipt, keys, trail = (tmp_path / name for name in ("receipt.json", "keys.json", "trail.jsonl"))
    download.value.save_as(receipt)
    keys.write_text(page.request.get(f"{site.url}/.well-known/footnote-receipts.json").text())
    page.goto(f"{site.url}/verify-receipt/")
    page.set_input_files("#receipt", receipt)
    page.get_by_role("button", name="Verify").click()
    expect(page.locator("#verdict")).to_contain_text("Untouched, signer not compared")
    page.locator("#more summary").click()
    page.set_input_files("#keys", keys)
    page.get_by_role("button", name="Verify").click()
    expect(page.locator("#verdict")).to_contain_text("the signer is known")
    expect(page.locator("blockquote")).to_have_text(LAMP)
    look_at(page, "untouched")
    page.get_by_label("Question", exact=True).check()
    with page.expect_download() as copy:
        page.get_by_role("button", name="Save the copy").click()
    copy.value.save_as(trail)
    less = verify(read_receipt(trail.read_bytes()))
    assert (less.exit_code, "question" in less.parts, "answer" in less.parts) == (NOT_COMPARED, False, True)


def test_the_page_agrees_with_the_program(saved: Page) -> None:
    """About every change, offline, with the same checks by the same names."""
    cases = list(list_cases(make_sample(1), make_sample(2)))
    given = [
        [
            to_base64(case.receipt),
            None if case.keys is None else json.dumps(case.keys),
            list(case.documents.items()),
            None if case.audit is None else "".join(case.audit),
            case.head,
        ]
        for case in cases
    ]
    found = saved.evaluate(
        "async (given) => { const all = []; for (const one of given) all.push(await verifyAll(...one)); return all; }",
        given,
    )
    for case, one in zip(cases, found, strict=True):
        code, verdict = judge(case)
        assert one["code"] == code == case.code, (case.kind, case.name, one)
        assert (
            one["checks"] == [[check.name, check.passed] for check in verdict.checks]
            if verdict
            else one["checks"] == []
        )
        assert one["parts"] == (sorted(verdict.parts) if verdict else []), case.name


def test_what_was_changed_is_said_and_not_shown(saved: Page) -> None:
    """Pasted, in the dark, with words that would be markup, and that would turn the order of others."""
    sample = make_sample(1)
    saved.emulate_media(color_scheme="dark")
    saved.fill("#pasted", write(sample.receipt).decode())
    saved.get_by_role("button", name="Verify").click()
    expect(saved.locator("#shown")).to_contain_text("naïve “quotes” & <b>")
    look_at(saved, "dark")
    changed = sample.receipt | {"header": {"disclosures": make_sample(2).receipt["header"]["disclosures"]}}
    saved.fill("#pasted", write(changed).decode())
    saved.get_by_role("button", name="Verify").click()
    expect(saved.locator("#verdict")).to_contain_text("Something does not hold")
    expect(saved.locator("#shown")).to_be_empty()
    expect(saved.locator("#less")).to_be_hidden()
    look_at(saved, "changed")
    saved.fill("#pasted", "nonsense")
    saved.get_by_role("button", name="Verify").click()
    expect(saved.locator("#verdict")).to_contain_text("This is no receipt that holds")


def test_what_was_chosen_last_counts(saved: Page, tmp_path: Path) -> None:
    """A file replaces what was pasted, and the other way round; a part may be named like a method of JavaScript."""
    sample = make_sample(1, forged=Forgery(parts={"constructor": "a part of that name"}))
    other = tmp_path / "other.json"
    other.write_bytes(write(make_sample(2).receipt))
    saved.fill("#pasted", write(sample.receipt).decode())
    saved.get_by_role("button", name="Verify").click()
    expect(saved.locator("#shown")).to_contain_text("(1)")
    expect(saved.get_by_label("constructor", exact=True)).to_be_visible()
    saved.set_input_files("#receipt", other)
    expect(saved.locator("#pasted")).to_have_value("")
    saved.get_by_role("button", name="Verify").click()
    expect(saved.locator("#shown")).to_contain_text("(2)")
    saved.fill("#pasted", write(sample.receipt).decode())
    saved.get_by_role("button", name="Verify").click()
    expect(saved.locator("#shown")).to_contain_text("(1)")


def test_a_file_that_is_none_is_no_verdict(saved: Page, tmp_path: Path) -> None:
    """Keys that are no list of keys, and a trail that is no text, are said by what they are."""
    sample = make_sample(1)
    saved.fill("#pasted", write(sample.receipt).decode())
    saved.locator("#more summary").click()
    wrong = tmp_path / "wrong.bin"
    wrong.write_bytes(b"\x00\xff\xff")
    for field in ("keys", "audit"):
        saved.set_input_files(f"#{field}", wrong)
        saved.get_by_role("button", name="Verify").click()
        expect(saved.locator("#verdict")).to_contain_text("Nothing was verified")
        saved.set_input_files(f"#{field}", [])
    trail = tmp_path / "trail.jsonl"
    trail.write_bytes("".join(sample.audit).encode("utf-16"))
    saved.set_input_files("#audit", trail)
    saved.get_by_role("button", name="Verify").click()
    expect(saved.locator("#verdict")).to_contain_text("Untouched")
    expect(saved.locator("#checks")).to_contain_text("in the chain of 5 events")
