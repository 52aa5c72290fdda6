"""A newcomer without a workspace, in a real browser: who asks decides what is answered."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.acceptance.axe import NARROW, WIDE, find_serious
from tests.acceptance.boiler_house import (
    CONTRACT,
    CONTRACT_QUOTE,
    FURNISH,
    HANDBOOK,
    HANDBOOK_QUOTE,
    PUMP_PAGE,
    PUMP_QUESTION,
    PUMP_QUOTE,
    QUESTION,
    SECRETS,
    draw_pump_manual,
)
from tests.acceptance.browser import chromium
from tests.acceptance.installation import Installation, installation
from tests.prepared_home import Prepare

ANSWER_TIMEOUT_MS = 90_000  # the first question waits until the worker has loaded its models
EXPECT_TIMEOUT_MS = 15_000  # for the rest, on a machine with much else to do


@pytest.fixture(scope="module")
def footnote(prepare_home: Prepare) -> Iterator[Installation]:
    """An installation where the handbook is for the staff and the agreement for the owners, of whom Alice is one."""
    with installation(prepare_home) as here:
        (here.home / "handbook.md").write_text(HANDBOOK)
        (here.home / "agreement.md").write_text(CONTRACT)
        (here.home / "pump.pdf").write_bytes(draw_pump_manual())
        here.manage("shell", "-c", FURNISH.replace("HOME", str(here.home)))
        here.start()
        yield here


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    expect.set_options(timeout=EXPECT_TIMEOUT_MS)
    with chromium() as launched:
        yield launched


@pytest.fixture
def page(browser: Browser, footnote: Installation) -> Iterator[Page]:
    """The local page, as it is first opened. What the browser complains about or asks of others fails the test."""
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None)
    page.on("request", lambda request: complaints.append(request.url) if _is_elsewhere(request.url, footnote) else None)
    page.goto(footnote.local_page)
    expect(page.locator("#person option:checked")).to_have_text("Alice")
    yield page
    page.close()
    assert complaints == []


@pytest.fixture
def other(browser: Browser, footnote: Installation) -> Iterator[Page]:
    """The local page in a second browser, as small as a phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(footnote.local_page)
    expect(page.get_by_label("Message Footnote")).to_be_visible()
    yield page
    context.close()


def test_it_opens_where_somebody_has_something_to_ask(page: Page) -> None:
    """As a person who may read something, in their direct messages; the examples go once they have asked."""
    expect(page.get_by_role("heading", name="Footnote", exact=True)).to_be_visible()
    expect(page.locator("#direct [aria-current=page]")).to_have_text("Footnote")
    expect(page.get_by_label("Message Footnote")).to_be_editable()
    _go_to(page, "garden")
    example = page.get_by_role("button", name=QUESTION)
    expect(example).to_be_visible()
    field = page.get_by_label("Message #garden")
    field.fill("Good morning, all.")
    field.press("Enter")
    expect(page.get_by_role("article").filter(has_text="Good morning, all.")).to_be_visible()
    expect(example).to_have_count(0)


@pytest.mark.parametrize("size", [WIDE, pytest.param(NARROW, marks=pytest.mark.slow)], ids=["wide", "narrow"])
def test_nothing_serious_keeps_somebody_from_reading_or_asking(page: Page, size: ViewportSize) -> None:
    """With an answer and its quotes, the thread open, the window for a vote against it, and the Home tab; dark too."""
    _become(page, "Bob")
    page.set_viewport_size(size)
    faults = list(find_serious(page, "as it opens"))
    page.emulate_media(color_scheme="light")
    _ask_directly(page)
    answer = _answer(page)
    faults += find_serious(page, "an answer")
    answer.get_by_role("button", name="This answer did not help").click()
    expect(page.get_by_role("dialog").get_by_label("It is wrong")).to_be_visible()
    faults += find_serious(page, "a window")
    page.get_by_role("dialog").get_by_role("button", name="Close this window").click()
    page.get_by_role("button", name="Close the thread").click()
    page.get_by_role("tab", name="Home").click()
    expect(page.get_by_label("What would you like to know?")).to_be_visible()
    faults += find_serious(page, "the Home tab")
    assert faults == []


def test_a_window_stays_in_the_browser_that_opened_it(page: Page, other: Page) -> None:
    """A second browser shows it to nobody, the same person included; in its own it is there after a reload."""
    for each in (page, other):
        _become(each, "Bob")
    _ask_directly(page)
    _answer(page).get_by_role("button", name="This answer did not help").click()
    window = page.get_by_role("dialog")
    expect(window.get_by_label("It is wrong")).to_be_visible()
    other.reload()
    other.wait_for_timeout(2000)  # some turns of its asking for news
    expect(other.get_by_role("dialog")).to_have_count(0)
    page.reload()
    expect(window.get_by_label("It is wrong")).to_be_visible()
    window.get_by_role("button", name="Close this window").click()
    expect(window).to_be_hidden()


def test_the_newest_message_is_never_covered(other: Page) -> None:
    """On a phone: while an answer grows, when the field grows, and when somebody comes back to a long thread."""
    _become(other, "Bob")
    _ask_directly(other)
    _answer(other)
    reply = other.get_by_label("Reply in the thread")
    for number in range(3):
        reply.fill(f"{QUESTION} And who enters inspection {number}?")
        reply.press("Enter")
        expect(_replies(other).get_by_role("article")).to_have_count(4 + 2 * number, timeout=ANSWER_TIMEOUT_MS)
        _answer(other)
        assert _end_of_newest(other) <= 0
    reply.fill("One line\n" * 8)
    other.wait_for_timeout(500)
    assert _end_of_newest(other) <= 0


def test_a_question_on_the_home_tab_is_answered_in_the_messages(page: Page) -> None:
    """Once; the field is empty then, and the tab says where the answer is."""
    _become(page, "Bob")
    page.get_by_role("navigation").get_by_role("button", name="Footnote", exact=True).click()
    page.get_by_role("tab", name="Messages").click()
    asked = page.get_by_role("log", name="Messages", exact=True).get_by_text("On which day is an inspection entered")
    page.get_by_role("tab", name="Home").click()
    field = page.get_by_label("What would you like to know?")
    field.fill("On which day is an inspection entered in the boiler log?")
    field.press("Enter")
    expect(page.get_by_role("tabpanel", name="Home")).to_contain_text("I am looking it up")
    expect(page.get_by_label("What would you like to know?")).to_have_value("")
    page.get_by_role("tab", name="Messages").click()
    expect(asked).to_have_count(1, timeout=ANSWER_TIMEOUT_MS)
    expect(page.get_by_role("log", name="Messages", exact=True).get_by_role("article").last).to_contain_text("same day")


def test_alice_reads_what_bob_may_not(page: Page) -> None:
    """The same question: Alice sees the agreement with its quote, Bob and Charlie see no trace of it."""
    _become(page, "Alice")
    _go_to(page, "owners")
    page.get_by_role("button", name=QUESTION).click()
    page.keyboard.press("Enter")
    answer = _answer(page)
    expect(page.get_by_text("Footnote has the question")).to_be_hidden()
    expect(answer).to_contain_text("Supplier agreement")
    expect(answer).to_contain_text("[1]")

    answer.get_by_role("button", name="This answer helped").click()
    expect(_replies(page).get_by_text("your feedback is recorded")).to_be_visible()

    answer.get_by_role("button", name="Show the quoted passages").click()
    quotes = page.get_by_role("dialog", name="Quotes")
    expect(quotes).to_contain_text(CONTRACT_QUOTE)
    page.keyboard.press("Escape")
    expect(quotes).to_be_hidden()

    _become(page, "Bob")
    expect(page.get_by_role("button", name="owners")).to_have_count(0)
    _ask_directly(page)
    answer = _answer(page)
    expect(answer).to_contain_text("Boiler handbook")
    _show_quotes(page, answer, HANDBOOK_QUOTE)
    _assert_no_secret(page)

    _become(page, "Charlie")
    _ask_directly(page)
    expect(_answer(page)).not_to_contain_text("Boiler handbook")
    _assert_no_secret(page)


def test_a_channel_is_answered_from_what_all_its_members_may_read(page: Page) -> None:
    """Alice asks where Bob reads along: the agreement is not used. A reply asks on in the thread."""
    _become(page, "Alice")
    _go_to(page, "staff")
    field = page.get_by_label("Message #staff")
    field.fill(f"@Footnote {QUESTION}")
    field.press("Enter")
    expect(_answer(page)).to_contain_text("Boiler handbook")
    _assert_no_secret(page)
    reply = page.get_by_label("Reply in the thread")
    reply.fill("@Footnote When is an inspection entered in the boiler log?")
    reply.press("Enter")
    expect(_answer(page)).to_contain_text("same day")
    expect(_replies(page)).to_contain_text(QUESTION)  # it is the same thread
    _assert_no_secret(page)


def test_a_message_is_shown_as_text_whatever_it_looks_like(page: Page) -> None:
    """Markup that somebody types neither runs nor formats; the page says when a message is empty talk."""
    _become(page, "Bob")
    _go_to(page, "staff")
    hostile = '<img src=x onerror="document.title=1"> <https://example.com|click> & *bold*'
    field = page.get_by_label("Message #staff")
    field.fill(hostile)
    field.press("Enter")
    message = page.get_by_role("log", name="Messages", exact=True).get_by_role("article").last
    expect(message).to_contain_text('<img src=x onerror="document.title=1"> <https://example.com|click> & bold')
    expect(message.locator("img, a")).to_have_count(0)
    expect(field).to_have_value("")
    expect(page).to_have_title("#staff – Footnote local page")


def test_the_keyboard_is_enough(page: Page) -> None:
    """A message is sent, its thread opened and left, and the field reached again without a mouse."""
    _become(page, "Alice")
    _go_to(page, "staff")
    page.keyboard.type("Tea at four?")
    page.keyboard.press("Enter")
    message = page.get_by_role("article").filter(has_text="Tea at four?")
    message.get_by_role("button", name="Reply in thread, to Alice").press("Enter")
    expect(page.get_by_label("Reply in the thread")).to_be_focused()
    page.keyboard.type("With cake")
    page.keyboard.press("Enter")
    expect(_replies(page).get_by_role("article")).to_have_text([re.compile("Tea at four"), re.compile("With cake")])
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="Thread")).to_be_hidden()
    expect(page.get_by_label("Message #staff")).to_be_focused()
    expect(message.get_by_role("button", name="1 reply, to Alice")).to_be_visible()


def test_the_caret_waits_where_the_next_question_belongs(page: Page) -> None:
    """In the thread of the answer, also once it is there: what is typed then continues it."""
    _become(page, "Bob")
    page.get_by_label("Message Footnote").fill(QUESTION)
    page.keyboard.press("Enter")
    reply = page.get_by_label("Reply in the thread")
    expect(reply).to_be_focused()
    _answer(page)
    expect(reply).to_be_focused()
    page.keyboard.type("On which day is it entered in the boiler log?")
    page.keyboard.press("Enter")
    expect(_replies(page).get_by_role("article")).to_have_count(4, timeout=ANSWER_TIMEOUT_MS)
    expect(reply).to_be_focused()
    expect(reply).to_have_value("")
    expect(page.get_by_label("Message Footnote")).to_have_value("")


def test_files_are_chosen_removed_and_shared(page: Page) -> None:
    """A message may be a file alone; the menu at a message opens and closes without a mouse."""
    _become(page, "Bob")
    _go_to(page, "staff")
    chosen = page.get_by_role("list", name="Files to send")
    files = [{"name": f"{name}.md", "mimeType": "text/markdown", "buffer": b"# Notes"} for name in ("notes", "draft")]
    page.locator("#composer input[type=file]").set_input_files(files)  # type: ignore[arg-type]
    page.get_by_role("button", name="Remove draft.md").press("Enter")
    expect(chosen.get_by_role("listitem")).to_have_text([re.compile("notes.md")])
    page.get_by_role("button", name="Send").first.click()
    message = page.get_by_role("article").filter(has_text="notes.md")
    expect(message.get_by_role("list", name="Files")).to_contain_text("1 KB")
    expect(chosen.get_by_role("listitem")).to_have_count(0)
    more = message.locator("summary")
    more.press("Enter")
    expect(message.get_by_role("button", name="Ask about this message")).to_be_visible()
    page.keyboard.press("Escape")
    expect(message.get_by_role("button", name="Ask about this message")).to_be_hidden()
    expect(more).to_be_focused()


def test_who_may_read_more_is_answered_alone(page: Page) -> None:
    """In a channel with Bob, Alice is offered what she alone may read; she is not offered to share it there."""
    _become(page, "Alice")
    _go_to(page, "staff")
    field = page.get_by_label("Message #staff")
    field.fill(f"@Footnote {QUESTION}")
    field.press("Enter")
    expect(_answer(page)).to_contain_text(HANDBOOK_QUOTE)
    for secret in SECRETS:
        expect(_answer(page)).not_to_contain_text(secret)
    alone = _replies(page).locator("article.only-you")
    alone.get_by_role("button", name="Answer only me").click()
    expect(alone.first).to_contain_text(CONTRACT_QUOTE, timeout=ANSWER_TIMEOUT_MS)
    expect(alone.get_by_role("button", name="Show this answer to everyone")).to_have_count(0)
    _become(page, "Bob")
    _go_to(page, "staff")
    for secret in SECRETS:
        expect(page.get_by_role("main")).not_to_contain_text(secret)


def test_a_vote_against_an_answer_asks_why(page: Page) -> None:
    """The reasons and a comment are sent from a window, and thanked for."""
    _become(page, "Bob")
    _ask_directly(page)
    _answer(page).get_by_role("button", name="This answer did not help").click()
    window = page.get_by_role("dialog")
    window.get_by_label("It is wrong").check()
    window.get_by_role("textbox").fill("It is inspected monthly now.")
    window.get_by_role("button", name="Send").click()
    expect(window).to_be_hidden()
    expect(_replies(page).locator("article.only-you").last).to_contain_text("your feedback is recorded")


def test_the_home_tab_shows_what_its_reader_may_read(page: Page) -> None:
    """The counts are those of the viewer; a person without a role gets a hint."""
    for name, shown in (("Alice", "3 documents"), ("Bob", "1 document")):
        _become(page, name)
        page.get_by_role("navigation").get_by_role("button", name="Footnote", exact=True).click()
        page.get_by_role("tab", name="Home").click()
        expect(page.get_by_role("tabpanel", name="Home")).to_contain_text(shown)


def test_a_slash_offers_the_commands(page: Page) -> None:
    """Choosing one fills the field. In a thread there are none, as in Slack, and what was typed stays."""
    _become(page, "Bob")
    _go_to(page, "staff")
    field = page.get_by_label("Message #staff")
    field.fill("/foot")
    page.get_by_role("group", name="Commands").get_by_role("button", name="/footnote help").click()
    expect(field).to_have_value("/footnote help")
    expect(field).to_be_focused()
    field.fill("Any tea left?")
    field.press("Enter")
    page.get_by_role("article").filter(has_text="Any tea left?").get_by_role("button", name="Reply in thread").click()
    reply = page.get_by_label("Reply in the thread")
    reply.fill("/footnote help")
    reply.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="cannot be used in threads")).to_be_visible()
    expect(reply).to_have_value("/footnote help")


def test_a_citation_leads_to_its_page_with_the_quote_marked(
    page: Page, browser: Browser, footnote: Installation
) -> None:
    """After signing in as who one is in Slack; somebody else sees there what they see where nothing is."""
    _become(page, "Alice")
    _ask_directly(page, PUMP_QUESTION)
    link = _answer(page).get_by_role("link", name="Pump")
    address = link.get_attribute("href") or ""
    with page.context.expect_page() as opened:
        link.click()
    document = opened.value
    _sign_in_with_slack(document, "Alice")
    assert document.url == address
    marked = document.locator(f"[data-number='{PUMP_PAGE}'] mark")
    expect(marked.first).to_be_in_viewport()
    assert " ".join(marked.all_inner_texts()) == PUMP_QUOTE.replace(",", "").rstrip(".")  # line by line
    expect(document.get_by_role("blockquote")).to_have_text(PUMP_QUOTE)
    with document.expect_download() as download:
        document.get_by_role("link", name="Download pump.pdf").click()
    assert download.value.path().read_bytes() == (footnote.home / "pump.pdf").read_bytes()
    document.get_by_role("link", name="Whole text").click()
    expect(document.locator("mark")).to_have_text(PUMP_QUOTE)
    document.get_by_role("button", name="Sign out").click()
    expect(document.get_by_role("heading")).to_have_text("Sign in to open the document")
    document.goto(address)
    _sign_in_with_slack(document, "Bob")
    expect(document.get_by_role("heading")).to_have_text("There is nothing here that you may read")
    told = document.content()
    document.goto(f"{footnote.url}/citations/{uuid4()}/")
    assert document.content() == told
    document.close()


def test_links_show_where_they_lead_to_those_who_may_read_it(page: Page, footnote: Installation) -> None:
    """Of two links among the staff, the handbook's has a card, and whoever opens it is shown it."""
    listing = "from core.models import Document; print(*Document.objects.values_list('pk', flat=True))"
    keys = footnote.manage("shell", "-v", "0", "-c", listing).split()
    _become(page, "Alice")
    _go_to(page, "staff")
    field = page.get_by_label("Message #staff")
    field.fill(" ".join(f"{footnote.url}/documents/{key}/" for key in keys))
    field.press("Enter")
    card = page.get_by_role("log", name="Messages", exact=True).get_by_role("article").last.locator(".entity")
    expect(card).to_contain_text("Boiler handbook", timeout=ANSWER_TIMEOUT_MS)
    expect(card).to_have_count(1)
    card.get_by_role("button", name="Details").click()
    expect(card.get_by_role("status", name="Details")).to_contain_text("Boiler handbook")
    _assert_no_secret(page)


def test_a_question_means_the_channel_that_is_open_beside_it(page: Page) -> None:
    """As the page lets one choose; the answer says so."""
    _become(page, "Alice")
    page.get_by_role("navigation").get_by_role("button", name="Footnote", exact=True).click()
    page.get_by_label("When you write “this channel”, you mean").select_option(label="#staff")
    _ask_directly(page, "When is the boiler inspected, in this channel?")
    expect(_answer(page)).to_contain_text("About #staff")


def _sign_in_with_slack(document: Page, name: str) -> None:
    document.get_by_role("link", name="Sign in with Slack").click()
    document.get_by_role("button", name=f"Continue as {name}").click()


def _end_of_newest(page: Page) -> float:
    """Measure how far the newest message extends below the visible part of the open thread, in pixels."""
    return float(
        page.evaluate(
            "() => { const list = document.querySelector('#replies');"
            " return list.lastElementChild.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom; }"
        )
    )


def _is_elsewhere(url: str, footnote: Installation) -> bool:
    return not url.startswith(f"{footnote.url}/")


def _become(page: Page, name: str) -> None:
    menu = page.get_by_role("button", name="Channels and people")
    if menu.is_visible():  # on a phone
        menu.click()
    page.get_by_label("You are").select_option(label=name)
    expect(page.locator("#channel[inert]")).to_have_count(0)
    expect(page.locator("#person option:checked")).to_have_text(name)


def _go_to(page: Page, channel: str) -> None:
    page.get_by_role("navigation").get_by_role("button", name=channel, exact=True).click()
    expect(page.get_by_role("heading", name=f"#{channel}")).to_be_visible()
    expect(page.get_by_label(f"Message #{channel}")).to_be_focused()  # the page has arrived there


def _ask_directly(page: Page, question: str = QUESTION) -> None:
    if page.get_by_role("navigation").is_visible():
        page.get_by_role("navigation").get_by_role("button", name="Footnote", exact=True).click()
    field = page.get_by_label("Message Footnote")
    field.fill(question)
    field.press("Enter")


def _replies(page: Page) -> Locator:
    return page.get_by_role("log", name="Messages of the thread")


def _answer(page: Page) -> Locator:
    """Footnote's newest reply in the open thread, once it is more than the placeholder."""
    reply = _replies(page).locator("article[aria-label^='Footnote']:not(.only-you)").last
    expect(reply).to_be_visible(timeout=ANSWER_TIMEOUT_MS)
    ends = re.compile("This answer helped|Say what you were looking for")
    expect(reply.get_by_role("button", name=ends)).to_be_visible(timeout=ANSWER_TIMEOUT_MS)
    return reply


def _show_quotes(page: Page, answer: Locator, quote: str) -> None:
    answer.get_by_role("button", name="Show the quoted passages").click()
    dialog = page.get_by_role("dialog", name="Quotes")
    expect(dialog).to_contain_text(quote)
    dialog.get_by_role("button", name="Close", exact=True).click()
    expect(dialog).to_be_hidden()


def _assert_no_secret(page: Page) -> None:
    """Nowhere in the document, seen or not: not in texts, not in attributes."""
    content = page.content()
    assert [secret for secret in SECRETS if secret in content] == []
