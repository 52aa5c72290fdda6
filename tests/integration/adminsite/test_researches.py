"""The pages of researches: a topic, its plan as a form, how far it is, and what was proven; each its asker's alone."""

import datetime as dt
import io
import re
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import docx
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from core.access.grants import revoke
from core.asking.research.running import run_research
from core.llm.scripted import script_model
from core.models import Citation, Document, Query, Research, ResearchLine, SlackIdentity, User
from core.testing import Cast, make_document
from core.values.research import ResearchState, StopReason
from tests.integration.leaks.worlds import logged

pytestmark = pytest.mark.usefixtures("fast")

CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
PRICES = "Lunch in the canteen in the harbour office costs seven euros."
TOPIC = "the canteen of the harbour office"
SCRIPT = "<script>alert(1)</script>"
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')  # another one in each page


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = False
    settings.PUBLIC_URL = "https://footnote.example.com/"


@pytest.fixture
def rules(cast: Cast, fast: None) -> Document:
    """Two documents of the topic, the second of which is returned, and one about something else."""
    make_document("Harbour canteen prices", PRICES, roles=[cast.staff], document_date=dt.date(2025, 5, 1))
    make_document("Timetable", "The ferry to the island leaves at nine.", roles=[cast.staff])
    return make_document(
        "Harbour canteen rules", CANTEEN, roles=[cast.staff], section="Opening hours", document_date=dt.date(2023, 5, 1)
    )


@pytest.fixture
def alice(cast: Cast, rules: Document) -> Client:
    """The browser in which Alice reads: she holds no right in the admin."""
    return _as(cast.alice)


def _as(user: User, **options: Any) -> Client:
    client = Client(**options)
    client.force_login(user)
    return client


def plan(client: Client, topic: str = TOPIC) -> str:
    """Plan a research, and return the address of its page."""
    sent = client.post("/research/", {"topic": topic})
    assert sent.status_code == 302, sent.content.decode()
    return str(sent["Location"])


def read(client: Client, address: str) -> str:
    """Return the page at an address."""
    shown = client.get(address)
    assert shown.status_code == 200
    assert {"private", "no-store"} <= set(shown["Cache-Control"].split(", "))
    return str(shown.content.decode())


def form_of(address: str) -> list[str]:
    """Return what the form of a stored plan sends when nothing is changed."""
    sent, heading = [], None
    for line in ResearchLine.objects.filter(research=_id_of(address)).order_by("number"):
        if line.heading != heading:
            sent += ["heading", heading := line.heading]
        sent += [str(line.pk), line.text]
    return sent


def _id_of(address: str) -> UUID:
    return UUID(address.strip("/").rpartition("/")[2])


def finish(client: Client, address: str) -> None:
    """Start a research as it was planned, and run it as the worker does."""
    sent = client.post(address, {"act": "start", "minutes": "15", "part": form_of(address)})
    assert sent.status_code == 302, sent.content.decode()
    run_research(_id_of(address))


def lines_of(address: str) -> list[tuple[str, str, Any]]:
    """Return the stored plan: headings, questions and the documents that they are asked in."""
    lines = ResearchLine.objects.filter(research=_id_of(address)).order_by("number")
    return [(line.heading, line.text, line.filters.get("source")) for line in lines]


class TestWay:
    """From a topic to a page whose citations open."""

    def test_from_topic_to_page(self, alice: Client) -> None:
        """Each step shows what there is then; the log has no word of it."""
        with logged() as lines:
            assert "how our travel rules changed" in read(alice, "/research/")
            address = plan(alice)
            planned = read(alice, address)
            assert "Opening hours" in planned
            assert "costs nothing" in planned
            assert "US dollars" not in planned
            assert not Query.objects.exists()
            alice.post(address, {"act": "start", "minutes": "7", "part": form_of(address)})
            assert "Waiting to begin" in read(alice, address)
            Research.objects.update(state=ResearchState.RUNNING, started_at=timezone.now())
            running = read(alice, address)
            assert "0 of 2 questions asked" in running
            assert "Asking now: What does Harbour canteen prices say" in running
            assert 'http-equiv="refresh" content="2"' in running
            run_research(_id_of(address))
            page = read(alice, address)
            listed = read(alice, "/research/")
        assert 'http-equiv="refresh"' not in page
        for cited in Citation.objects.all():
            assert f'href="/citations/{cited.pk}/"' in page
        assert CANTEEN in page
        assert PRICES in page
        assert "Harbour canteen rules, 1 May 2023" in page
        assert "2 of 2 questions asked" in page
        assert "Done" in listed
        assert "2 of 2 asked" in listed
        assert Research.objects.get().most_minutes == 7
        said = " ".join(lines)
        assert not [word for word in ("canteen", "harbour office", "noon") if word in said.casefold()]

    def test_it_is_for_who_came_by_slack_too(self, cast: Cast, rules: Document) -> None:
        """They have no right in the admin, and no password."""
        SlackIdentity.objects.create(team_id="T1", slack_user_id="U1", user=cast.bob, checked_at=timezone.now())
        client = Client()
        session = client.session
        ids = {"person": str(cast.bob.pk), "team": "T1", "account": "U1"}
        now = int(timezone.now().timestamp())
        bound = cast.bob.get_session_auth_hash()
        session["slack_reader"] = {**ids, "bound": bound, "began": now, "seen": now}
        session.save()
        client.cookies["sessionid"] = str(session.session_key)
        address = plan(client)
        finish(client, address)
        assert CANTEEN in read(client, address)
        assert Research.objects.get().user == cast.bob
        assert client.get("/admin/").status_code == 302

    def test_a_table_of_contents_where_it_is_long(self, alice: Client, cast: Cast) -> None:
        """From four sections on; it leads to each, and to what comes below them."""
        names = ("kitchen", "terrace", "cellar", "garden")
        for name in names:
            make_document(f"Card of the {name}", f"The {name} has {len(name)} lamps.", roles=[cast.staff])
        sections = [("heading", name.title(), "new", f"How many lamps has the {name}?") for name in names]
        for count, is_long in ((3, False), (4, True)):
            address = plan(alice)
            parts = [*sum(sections[:count], ()), "new", "Who painted the ceiling?"]
            alice.post(address, {"act": "start", "minutes": "1", "part": parts})
            run_research(_id_of(address))
            page = read(alice, address)
            assert "What could not be proven" in page
            assert ('aria-label="Contents"' in page) is is_long
            led = re.findall(r'<li><a href="#([\w-]+)">', page)
            assert led == ([*(f"section-{number}" for number in range(1, 5)), "unproven", "sources"] if is_long else [])
            assert all(f'id="{place}"' in page for place in led)

    @pytest.mark.parametrize(
        ("topic", "said"),
        [
            ("ab", "too short"),
            ("", "no question"),
            ("quantum gravity", "Nothing that you can read"),
            ("\0\0\0", "no que"),
        ],
    )
    def test_a_topic_that_cannot_be_planned_stays_in_its_field(self, alice: Client, topic: str, said: str) -> None:
        """With the reason beside it."""
        shown = alice.post("/research/", {"topic": topic}).content.decode()
        assert said in shown
        assert f'aria-invalid="true" autofocus>{topic}</textarea>' in shown
        assert not Research.objects.exists()

    def test_of_a_topic_of_which_nothing_may_be_read_no_more_is_said(self, alice: Client, cast: Cast) -> None:
        """Than of one of which there is nothing."""
        shown = _as(cast.charlie).post("/research/", {"topic": TOPIC}).content.decode()
        assert "Nothing that you can read speaks of this." in shown
        assert f"autofocus>{TOPIC}</textarea>" in shown

    def test_what_ended_early_says_why(self, alice: Client) -> None:
        """In words, for every reason; what was not asked is named as such."""
        address = plan(alice)
        alice.post(address, {"act": "start", "minutes": "1", "part": form_of(address)})
        assert alice.post(address, {"act": "stop"}).status_code == 302
        stopped = read(alice, address)
        assert "You stopped it. What was found until then is below." in stopped
        assert stopped.count("Not asked: the research ended before.") == 2
        assert "Nothing was proven." in stopped
        said = set()
        for reason in StopReason:
            Research.objects.update(stop_reason=reason, most_usd=Decimal("0.5"))
            said.add(read(alice, address).partition('<p class="notice">')[2].partition("</p>")[0])
        assert len(said) == len(StopReason)
        assert "It reached its limit of 1 minute. What was found until then is below." in said
        assert "It reached its limit of $0.50. What was found until then is below." in said


class TestPlan:
    """The plan as a form."""

    def test_it_is_changed_and_keeps_what_was_not(self, alice: Client) -> None:
        """Questions that stay as they were keep where they are asked; emptied ones are struck out."""
        address = plan(alice)
        _, _, key, text, *others = form_of(address)
        sent = ["heading", "Ferry", "new", "When does the ferry leave?", "heading", "Money", key, text, "new", "  "]
        saved = alice.post(address, {"act": "save", "minutes": "30", "part": sent})
        assert saved["Location"] == f"{address}?minutes=30"
        assert lines_of(address) == [
            ("Ferry", "When does the ferry leave?", None),
            ("Money", text, "Harbour canteen prices"),
        ]
        shown = read(alice, saved["Location"])
        assert "The plan was saved." in shown
        assert 'value="30"' in shown
        assert others[-1] not in shown
        # A page from before has ids that there are no more.
        alice.post(address, {"act": "save", "minutes": "30", "part": sent})
        assert lines_of(address)[1] == ("Money", text, "Harbour canteen prices")

    def test_without_a_script_buttons_send_it(self, alice: Client) -> None:
        """The form comes back as it would be; nothing is stored."""
        address = plan(alice)
        before = lines_of(address)
        sent = ["heading", "One", "new", "First question?", "new", "Second question?"]
        shown = alice.post(address, {"act": "up 2", "minutes": "44", "part": sent}).content.decode()
        assert 0 < shown.index("Second question?") < shown.index("First question?")
        assert 'value="44"' in shown
        assert lines_of(address) == before

    @pytest.mark.parametrize(
        ("sent", "minutes", "said"),
        [
            (["heading", "All", "new", "ab"], "15", "too short"),
            (["heading", "All"], "15", "A plan needs a question."),
            (["heading", "All", "new", "Which one?"] * 25, "15", "at most 24"),
            (["new", "Which one is it?"], "0", "greater than or equal to 1"),
            (["new", "Which one is it?"], "999", "less than or equal to 120"),
            (["new", "Which one is it?"], "soon", "whole number"),
        ],
    )
    def test_what_cannot_be_started_is_shown_with_the_reason(
        self, alice: Client, sent: list[str], minutes: str, said: str
    ) -> None:
        """Nothing that was typed is lost."""
        address = plan(alice)
        shown = alice.post(address, {"act": "start", "minutes": minutes, "part": sent}).content.decode()
        assert said in shown
        assert sent[-1] in shown
        assert f'value="{minutes}"' in shown
        assert Research.objects.get().state == ResearchState.PLANNED

    def test_a_model_that_costs_has_a_limit_in_dollars(self, alice: Client) -> None:
        """And says that it wrote the plan."""
        with script_model("# Hours\n- When does the canteen open?\n"):
            address = plan(alice)
            shown = read(alice, address)
            assert "as scripted/model proposes it" in shown
            assert "US dollars, at most" in shown
            refused = alice.post(address, {"act": "start", "minutes": "1", "usd": "NaN", "part": form_of(address)})
            assert "Enter a number" in refused.content.decode()
            alice.post(address, {"act": "start", "minutes": "1", "usd": "0.25", "part": form_of(address)})
        started = Research.objects.get()
        assert (started.state, started.most_usd) == (ResearchState.WAITING, Decimal("0.25"))

    def test_a_second_click_starts_nothing_anew(self, alice: Client) -> None:
        """It leads to the page, on which it is asked."""
        address = plan(alice)
        finish(alice, address)
        again = alice.post(address, {"act": "start", "minutes": "1", "part": ["new", "Another question?"]})
        assert (again.status_code, again["Location"]) == (302, address)
        assert ResearchLine.objects.count() == 2
        assert "What you changed in the plan was not taken" in read(alice, address)

    def test_a_double_click_is_told_nothing(self, alice: Client) -> None:
        """It sends the plan that was started."""
        address = plan(alice)
        sent = {"act": "start", "minutes": "5", "part": form_of(address)}
        alice.post(address, sent)
        alice.post(address, sent)
        assert "was not taken" not in read(alice, address)

    def test_a_plan_is_used_again(self, alice: Client, cast: Cast) -> None:
        """As a new one, with the places of its questions and the editions whose words are in it; not by others."""
        address = plan(alice)
        finish(alice, address)
        again = alice.post(address, {"act": "again"})
        assert again["Location"] != address
        assert lines_of(again["Location"]) == lines_of(address)
        assert all(line.made_of for line in ResearchLine.objects.all())
        assert "This is the plan" in read(alice, again["Location"])
        assert _as(cast.bob).post(address, {"act": "again"}).status_code == 404


class TestRights:
    """Whoever looks sees what is theirs, and of that what they may read at that moment."""

    def test_anothers_looks_like_none(self, alice: Client, cast: Cast) -> None:
        """At each address and for each button, as one that was deleted; nothing of it is changed."""
        address = plan(alice)
        finish(alice, address)
        bob = _as(cast.bob)
        gone = plan(bob)
        bob.post(gone, {"act": "delete"})

        def ask(path: str, act: str = "") -> tuple[int, str]:
            shown = bob.post(path, {"act": act, "minutes": "1"}) if act else bob.get(path)
            return shown.status_code, _TOKEN.sub("", shown.content.decode())

        for act in ("save", "start", "stop", "delete", "up 1"):
            said = {ask(one, act) for one in (address, gone, f"/research/{uuid4()}/")}
            assert {status for status, _ in said} == {404}
            assert len(said) == 1
        for page in ("", "page.md", "page.docx"):
            said = {ask(one + page) for one in (address, gone, f"/research/{uuid4()}/")}
            assert {status for status, _ in said} == {404}
            assert len(said) == 1
        assert TOPIC not in read(bob, "/research/")
        assert CANTEEN in read(alice, address)

    def test_a_right_that_is_gone_hides_at_once(self, alice: Client, cast: Cast, rules: Document) -> None:
        """The question and its sentences, on the page as in the plan; so it is after a change of the plan."""
        address, planned = plan(alice), plan(alice)
        finish(alice, address)
        parts = [*form_of(planned), "new", "When is it closed?"]
        alice.post(planned, {"act": "save", "minutes": "1", "part": parts})
        assert CANTEEN in read(alice, address)
        assert "Opening hours" in read(alice, planned)
        revoke(cast.staff, [rules], by=None)
        for shown in (read(alice, address), read(alice, planned), alice.get(f"{address}page.md").content.decode()):
            assert not [one for one in ("noon", "Opening hours", "canteen rules") if one in shown]
        assert PRICES in read(alice, address)

    def test_whoever_is_not_signed_in_is_sent_to_sign_in(self, alice: Client, rules: Document) -> None:
        """From every address alike, also with a form."""
        address = plan(alice)
        for path in ("/research/", address, f"/research/{uuid4()}/", f"{address}page.md"):
            assert Client().get(path)["Location"] == f"/sign-in/?next={path.replace('/', '%2F')}"
        for path in ("/research/", address):
            assert Client().post(path, {"act": "delete", "topic": TOPIC}).status_code == 302
        assert Research.objects.count() == 1
        assert "Sign in to research" in Client().get("/sign-in/?next=/research/").content.decode()

    def test_no_form_of_another_site_is_taken(self, cast: Cast, alice: Client) -> None:
        """Neither a topic nor a button."""
        address = plan(alice)
        strict = _as(cast.alice, enforce_csrf_checks=True)
        assert strict.post("/research/", {"topic": TOPIC}).status_code == 403
        for act in ("save", "start", "stop", "delete"):
            assert strict.post(address, {"act": act, "minutes": "1", "part": form_of(address)}).status_code == 403
        assert Research.objects.get().state == ResearchState.PLANNED

    def test_deleting_erases_what_was_asked(self, alice: Client) -> None:
        """And says so on the list."""
        address = plan(alice)
        finish(alice, address)
        assert "was deleted" in alice.post(address, {"act": "delete"}, follow=True).content.decode()
        assert not Research.objects.exists()
        assert set(Query.objects.values_list("question_text", flat=True)) == {""}


class TestShown:
    """The pages show text as text, and their files open."""

    def test_markup_in_a_topic_or_a_document_is_text(self, alice: Client, cast: Cast) -> None:
        """On each page, and in each heading."""
        make_document(
            f"Harbour {SCRIPT} canteen",
            f"The canteen of the harbour office serves <b onload=alert(2)>{SCRIPT} soup</b> on Mondays.",
            roles=[cast.staff],
            section=f"Soup {SCRIPT} canteen",
        )
        address = plan(alice, f"the canteen of the harbour office {SCRIPT}")
        shown = [read(alice, address)]
        alice.post(address, {"act": "start", "minutes": "1", "part": form_of(address)})
        shown += [read(alice, address)]
        run_research(_id_of(address))
        shown += [read(alice, address), read(alice, "/research/")]
        refused = alice.post("/research/", {"topic": f"{SCRIPT}{'x' * 1000}"}).content.decode()
        for page in (*shown, refused):
            assert "&lt;script&gt;alert(1)" in page
            assert "alert(1)</script>" not in page
            assert "<b onload" not in page

    def test_downloads_open(self, alice: Client) -> None:
        """As what they say they are, under a name without markup or paths, and with links that open each citation."""
        address = plan(alice, f'{TOPIC}: ../../"etc" {SCRIPT} café')
        assert alice.get(f"{address}page.md").status_code == 404  # it has not ended
        finish(alice, address)
        opened = {f"https://footnote.example.com/citations/{one.pk}/" for one in Citation.objects.all()}
        assert len(opened) == 2
        word = alice.get(f"{address}page.docx")
        document = docx.Document(io.BytesIO(word.content))
        links = {part.target_ref for part in document.part.rels.values() if part.is_external}
        assert links == opened
        assert CANTEEN in "\n".join(part.text for part in document.paragraphs)
        written = alice.get(f"{address}page.md")
        assert CANTEEN in written.content.decode()
        assert all(link in written.content.decode() for link in opened)
        assert written["Content-Type"] == "text/markdown; charset=utf-8"
        name = "the-canteen-of-the-harbour-office-etc-scriptalert1script-caf"
        for file, ending in ((word, "docx"), (written, "md")):
            assert file["Content-Disposition"] == f'attachment; filename="{name}.{ending}"'
            assert {"private", "no-store"} <= set(file["Cache-Control"].split(", "))
            assert file["X-Content-Type-Options"] == "nosniff"

    def test_a_longer_page_takes_no_more_statements(self, alice: Client, cast: Cast) -> None:
        """The page is looked at every two seconds while it is asked; the list has all of a person's researches."""
        address = plan(alice)
        finish(alice, address)
        few, few_listed = _count(alice, address), _count(alice, "/research/")
        for number in range(8):
            text = f"The canteen of the harbour office has {number + 20} tables in hall {number}."
            make_document(f"Harbour hall {number}", text, roles=[cast.staff], section=f"Canteen hall {number}")
        longer = plan(alice)
        finish(alice, longer)
        assert ResearchLine.objects.filter(research=_id_of(longer)).count() >= 8
        assert _count(alice, longer) <= few
        assert _count(alice, "/research/") <= few_listed
        assert few <= 25


def _count(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        read(client, address)
    return len(captured)
