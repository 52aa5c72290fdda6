"""The admin's everyday pages in a real browser, on a desk and on a telephone."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.audit import seal
from core.models import (
    Answer,
    AuditEvent,
    Collection,
    DataSource,
    Document,
    EmbeddingModel,
    IngestionFile,
    IngestionJob,
    Query,
    Role,
    SyncRun,
    User,
)
from core.testing import Cast, make_cast, make_document
from tests.acceptance.browser import PICTURES, shared_chromium, sign_in, take_picture
from tests.integration.asked import make_question
from tests.integration.sections.files import handbook, ingest

PASSWORD = "correct horse battery staple"
WIDE, NARROW = 1400, 390
SETTLED_S = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """A browser in which an administrator is signed in."""

    page: Page
    url: str
    cast: Cast

    def open(self, path: str) -> Page:
        """Open a page of the admin, at the width at hand."""
        self.page.goto(f"{self.url}/admin/{path}")
        self.page.wait_for_load_state("networkidle")
        return self.page

    def fits(self, name: str) -> None:
        """Assert that the page is no wider than the window, nor than a telephone's.

        Its pictures are kept where somebody wants them.
        """
        own = self.page.viewport_size
        assert own is not None
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        deadline = time.monotonic() + SETTLED_S
        for width in sorted({own["width"], NARROW}):
            self.page.set_viewport_size({"width": width, "height": own["height"]})
            if PICTURES:
                self._take_pictures(f"{name}-{width}")
            # Scripts lay out parts of a page once it has loaded.
            while (over := self.page.evaluate(wide)) > 0 and time.monotonic() < deadline:
                self.page.wait_for_timeout(100)
            assert over <= 0, f"{name} is wider than {width} pixels"

    def _take_pictures(self, name: str) -> None:
        self.page.wait_for_timeout(300)
        for scheme in ("light", "dark"):
            self.page.evaluate("on => document.documentElement.classList.toggle('dark', on)", scheme == "dark")
            self.page.wait_for_timeout(300)  # colours fade
            take_picture(self.page, f"{name}-{scheme}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with shared_chromium() as launched:
        yield launched


@pytest.fixture(params=[WIDE, pytest.param(NARROW, marks=pytest.mark.slow)])
def desk(
    request: pytest.FixtureRequest, browser: Browser, transactional_db: None, settings: Settings, fast: None
) -> Iterator[Desk]:
    """An administrator with a library of one document, and a question."""
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    dana = User.objects.create_superuser("dana@example.org", PASSWORD)
    make_question(dana, day=timezone.localdate())
    cast = make_cast()
    make_document("Canteen rules", "The canteen opens at noon.", roles=[cast.staff])
    site = LiveServer("127.0.0.1")
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    try:
        sign_in(context, site.url, dana)
        yield Desk(page=context.new_page(), url=site.url, cast=cast)
    finally:
        context.close()
        site.stop()


def ask_about_the_canteen(cast: Cast) -> Query:
    """Bob's question, which the library answers."""
    asked = api.ask("When does the canteen open?", asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
    return Query.objects.get(request_id=asked.request_id)


def test_a_person_is_added_by_name_address_and_role(desk: Desk) -> None:
    """Nothing else is asked for, and the list shows the person without a cross for what they are not."""
    page = desk.open("core/user/add/")
    page.get_by_label("Name").fill("Dora")
    page.get_by_label("Email").fill("dora@example.com")
    page.get_by_label("staff").check()
    desk.fits("person-add")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added successfully")).to_be_visible()
    expect(page.get_by_text("dora@example.com").first).to_be_visible()
    desk.fits("people")
    dora = User.objects.get(email="dora@example.com")
    assert set(dora.roles.all()) == {desk.cast.staff}
    desk.open(f"core/user/{dora.pk}/change/")
    desk.fits("person")
    roles = page.locator("#content-main").get_by_text("Roles", exact=True).first.bounding_box()
    address = page.get_by_label("Email").bounding_box()
    assert roles is not None
    assert address is not None
    assert roles["y"] < address["y"]
    expect(page.get_by_label("Superuser")).not_to_be_visible()


def test_ten_people_are_pasted(desk: Desk) -> None:
    """The bad line stays in the box with its reason above it; the next try adds it alone."""
    page = desk.open("core/user/several/")
    lines = [f"Person {number} <p{number}@example.com>" for number in range(9)]
    page.get_by_label("Addresses").fill("\n".join([*lines, "p9 at example.com"]))
    page.get_by_label("staff").check()
    page.locator("form button[type=submit]", has_text="Add").click()
    expect(page.get_by_text("Added: 9")).to_be_visible()
    expect(page.get_by_text("p9 at example.com: There is no e-mail address in it.")).to_be_visible()
    desk.fits("people-several")
    page.get_by_label("Addresses").fill("p9@example.com, P8@example.com")
    page.locator("form button[type=submit]", has_text="Add").click()
    expect(page.get_by_text("There already: 1")).to_be_visible()
    assert Role.objects.get(name="staff").users.filter(email__startswith="p").count() == 10


def test_the_menu_has_six_entries_and_one_for_the_rest(desk: Desk) -> None:
    """The pages of an entry stand beside each other; what is no everyday work is found by its name."""
    page = desk.open("core/role/")
    titles = page.locator("#nav-sidebar-apps li a span:last-child").all_inner_texts()
    if page.viewport_size and page.viewport_size["width"] > 1000:
        everyday = ["Ask", "Documents", "Sources", "People and roles", "Questions", "Quality"]
        assert titles == [*everyday, "Advanced"]
    for name in ("People", "Roles", "Who reads what"):
        expect(page.locator("#tabs-items").get_by_text(name, exact=True)).to_be_visible()
    desk.fits("roles")
    desk.open("advanced/")
    desk.fits("advanced")
    page.get_by_label("Find a page").fill("audit")
    page.get_by_label("Find a page").press("Enter")
    page.locator("main, #main, body").get_by_role("link", name="Audit trail").click()
    expect(page).to_have_title("Audit trail | Footnote")
    desk.fits("audit-trail")
    desk.open("core/query/")
    desk.fits("questions")


def test_the_front_page_leads_to_the_first_answer(desk: Desk) -> None:
    """Done steps are marked, the others lead to where they are done; dismissing removes the list."""
    Answer.objects.all().delete()
    page = desk.open("")
    expect(page.get_by_text("Until the first answer")).to_be_visible()
    desk.fits("front")
    page.get_by_text("Scores, times, the library and alerts").click()
    expect(page.get_by_text("Groundedness").first).to_be_visible()
    desk.fits("front-open")
    page.get_by_role("button", name="Do not show this again").click()
    expect(page.get_by_text("Until the first answer")).not_to_be_visible()
    expect(page.get_by_text("People helped")).to_be_visible()


@pytest.mark.parametrize("desk", [WIDE, NARROW], indirect=True)
def test_rights_and_the_choice_of_them_are_told_apart(desk: Desk) -> None:
    """The first column stays while roles scroll; on a telephone a document is a card; the buttons are in sight."""
    for number in range(6):
        Role.objects.create(name=f"A department with a long name {number}")
    for number in range(30):
        make_document(f"Page {number}", "The canteen opens at noon.", roles=[desk.cast.staff], collection="Long shelf")
    shelf = Document.objects.get(title="Page 2").collection_id
    page = desk.open(f"core/role/matrix/?collection={shelf}")
    desk.fits("matrix")
    titles = page.locator(".fn-rights tbody th .text-link").all_inner_texts()
    assert titles == [f"Page {number}" for number in range(30)]
    box = page.get_by_label("Choose: staff, Page 2", exact=True)
    assert "may read" in box.locator("xpath=ancestor::td").inner_text()
    expect(box).not_to_be_checked()
    box.check()
    expect(page.get_by_role("button", name="Take away")).to_be_in_viewport()
    if page.viewport_size and page.viewport_size["width"] > 1000:
        first = page.locator(".fn-rights tbody th").first
        before = first.bounding_box()
        page.locator(".fn-rights").evaluate("box => { box.scrollLeft = 400 }")
        assert page.locator(".fn-rights").evaluate("box => box.scrollLeft") > 0
        after = first.bounding_box()
        assert before is not None
        assert after is not None
        assert before["x"] == after["x"]
    page.get_by_role("button", name="Take away").click()
    expect(page.get_by_text("Page 2").first).to_be_visible()


def test_a_section_is_restricted_by_keyboard_once_it_was_seen_who_loses_it(desk: Desk) -> None:
    """From its row to the form, which has it chosen; roles that do not read the document are closed."""
    Role.objects.create(name="divers")
    shelf = Collection.objects.create(name="Rules")
    book = ingest(handbook(), "handbook.md", shelf, desk.cast.owners, desk.cast.staff)
    page = desk.open(f"core/sectionrule/document/{book.pk}/")
    desk.fits("sections")
    page.get_by_label("Restrict: For supervisors", exact=True).press("Enter")
    form = page.locator("#restrict")
    expect(form.get_by_label("Section", exact=True)).to_have_value("heading:For supervisors")
    closed = form.get_by_label("divers (0 people) – does not read this document: grant it first")
    expect(closed).to_be_disabled()
    assert closed.evaluate("box => getComputedStyle(box, '::after').content") == "none"  # no tick that is not there
    form.get_by_label("owners (1 person)").press("Space")
    form.get_by_role("button", name="Preview").press("Enter")
    expect(page.get_by_text("Who does not read them then")).to_be_visible()
    desk.fits("section-plan")
    page.get_by_role("button", name="Restrict").press("Enter")
    expect(page.get_by_text("The section is restricted.")).to_be_visible()
    desk.open("core/sectionrule/")
    desk.fits("restricted-sections")


def test_a_withheld_question_is_shown_as_its_asker(desk: Desk) -> None:
    """The button says beforehand what is recorded; the page it leads to has the answer."""
    query = ask_about_the_canteen(desk.cast)
    page = desk.open(f"core/conversation/{query.conversation_id}/change/")
    expect(page.get_by_text("the audit trail records: preview as somebody else, by you, as Bob")).to_be_visible()
    desk.fits("withheld")
    page.locator("button", has_text="Show as its asker").click()
    expect(page.get_by_text("As Bob may read it now")).to_be_visible()
    expect(page.locator(".fn-said", has_text="The canteen opens at noon").first).to_be_visible()
    desk.fits("as-asker")


def test_a_source_is_tried_before_it_is_saved_and_before_it_runs(
    desk: Desk, tmp_path: Path, settings: Settings
) -> None:
    """The form keeps what was written; the page shows what would come and who would read it."""
    settings.SOURCE_FOLDERS = [str(tmp_path)]
    (tmp_path / "tides.md").write_text("# Tides\n\nThe tide is high at noon.")
    Collection.objects.create(name="Harbour")
    page = desk.open("core/datasource/add/")
    desk.fits("source-kinds")
    page = desk.open("core/datasource/add/?kind=folder")
    expect(page.locator("#id_schedule")).to_have_value("every day at 02:00")
    page.locator("#id_name").fill("Handbook")
    page.locator("#id_setting_path").fill(f"{tmp_path}/elsewhere")
    page.get_by_label("staff").check()
    page.get_by_role("button", name="Test the connection").click()
    expect(page.get_by_text("The source cannot be read.")).to_be_visible()
    page.locator("#id_setting_path").fill(str(tmp_path))
    page.get_by_role("button", name="Test the connection").click()
    expect(page.locator("#fn-trial").get_by_text("tides.md")).to_be_visible()
    expect(page.locator("#fn-trial")).to_contain_text("staff: 2 people")
    expect(page.locator("#id_name")).to_have_value("Handbook")
    desk.fits("source-tried")
    page.get_by_role("combobox", name="Collection").click()
    page.get_by_role("option", name="Harbour").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added. Nothing has been read yet.")).to_be_visible()
    expect(page.get_by_role("region", name="Before the first run")).to_contain_text("tides.md")
    desk.fits("source-before-first-run")
    page.locator("button", has_text="Begin the first run").click()
    expect(page.get_by_text("0 documents at the source")).to_be_visible()
    assert SyncRun.objects.get().source.schedule == "0 2 * * *"


def test_a_new_collection_says_who_will_read_what_comes_in(desk: Desk) -> None:
    """Each role with its people, before there is a collection; afterwards those that were chosen."""
    page = desk.open("core/collection/add/")
    expect(page.get_by_role("region", name="Who will read what comes into it")).to_contain_text("Nobody, until")
    page.get_by_label("Name").fill("Harbour")
    desk.fits("collection-add")
    page.locator("#id_collection_roles-0-role").select_option(label="staff (2 people)")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_role("region", name="Who will read what comes into it")).to_contain_text("staff: 2 people")
    desk.fits("collection")


def test_uploads_and_runs_count_languages_and_a_collection_offers_to_read_comments(desk: Desk) -> None:
    """With the models that know them, and with what the choice means."""
    shelf = Collection.objects.create(name="Guides")
    job = IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.DONE)
    languages = {"German": 2, "Korean": 1, "English or not recognised": 4}
    IngestionFile.objects.create(job=job, name="a.jsonl", state="done", document_count=7, languages=languages)
    EmbeddingModel.objects.update(name="all-MiniLM-L6-v2")
    page = desk.open(f"core/ingestionjob/{job.pk}/change/")
    expect(page.get_by_text("English or not recognised (4), German (2), Korean (1).")).to_be_visible()
    expect(page.get_by_text("BAAI/bge-m3")).to_be_visible()
    desk.fits("upload")
    source = DataSource.objects.create(name="Guides", kind="folder", collection=shelf)
    run = SyncRun.objects.create(
        source=source, state=SyncRun.State.DONE, listed=7, to_load=7, languages=languages, finished_at=timezone.now()
    )
    page = desk.open(f"core/syncrun/{run.pk}/change/")
    expect(page.get_by_text("English or not recognised (4), German (2), Korean (1).")).to_be_visible()
    expect(page.get_by_text("BAAI/bge-m3")).to_be_visible()
    desk.fits("run")
    page = desk.open(f"core/collection/{shelf.pk}/change/")
    expect(page.get_by_label("Read comments")).not_to_be_checked()
    expect(page.get_by_text("Resolved comments are never read.")).to_be_visible()
    desk.fits("collection")


def test_forms_fit_a_telephone_and_say_rights_in_full(desk: Desk) -> None:
    """Neither digests without a space nor the long names of rights widen a page, or are cut off."""
    page = desk.open("auth/group/add/")
    desk.fits("group-add")
    page = desk.open(f"core/user/{desk.cast.bob.pk}/create_token/")
    desk.fits("token")
    page.set_viewport_size({"width": NARROW, "height": 844})
    labels = page.locator("#id_scopes label span")
    assert labels.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0
    ask_about_the_canteen(desk.cast)
    seal()
    event = AuditEvent.objects.exclude(digest="").latest("created_at")
    desk.open(f"core/auditevent/{event.pk}/change/")
    desk.fits("audit-event")


def test_results_are_counted_where_somebody_searched(desk: Desk) -> None:
    """A list of everything does not offer to show all."""
    page = desk.open("core/document/")
    expect(page.get_by_text("Show all", exact=True)).to_have_count(0)
    page = desk.open("core/document/?q=canteen")
    expect(page.locator("h1")).to_contain_text("1 result (Show all)")
    desk.fits("documents-found")
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.get_by_text("Show all", exact=True).click()
    expect(page.get_by_text("Show all", exact=True)).to_have_count(0)
