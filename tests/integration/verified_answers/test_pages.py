"""The pages on which verified answers are written, taken over and looked after."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.fixtures import DjangoAssertNumQueries

from core.api import give_feedback
from core.models import AuditEvent, Document, Query, User, UserRole, VerifiedAnswer
from core.testing import Cast, make_document
from tests.integration.verified_answers.conftest import QUESTION, TEXT, VAULT, Asks, Verify, replace_text

LIST = reverse("admin:core_verifiedanswer_changelist")
ADD = reverse("admin:core_verifiedanswer_add")
SUGGESTIONS = reverse("admin:core_verifiedanswer_suggestions")
SECRET = "With which code does the vault in the harbour office open?"
WRITTEN = {"question": QUESTION, "text": TEXT, "document_1": "Canteen rules", "quote_1": "opens at noon"}


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The test client speaks plain http."""
    settings.SECURE_SSL_REDIRECT = False


Desk = Callable[..., Client]


@pytest.fixture
def desk(cast: Cast, library: dict[str, Document]) -> Desk:
    """The browser of one of the cast, as an administrator with these permissions."""

    def browser(person: User, *codenames: str) -> Client:
        User.objects.filter(pk=person.pk).update(is_staff=True)
        person.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
        client = Client()
        client.force_login(User.objects.get(pk=person.pk))
        return client

    return browser


def page(row: VerifiedAnswer) -> str:
    """The address of an answer's page."""
    return reverse("admin:core_verifiedanswer_change", args=[row.pk])


def shown(browser: Client, address: str) -> str:
    """Return a page's text."""
    return browser.get(address).content.decode()


def test_who_has_the_right_writes_and_verifies(cast: Cast, desk: Desk) -> None:
    """A draft first, then verified by the same form; each leaves its row in the audit trail."""
    browser = desk(cast.bob, "manage_verified_answers")
    assert browser.post(ADD, {**WRITTEN, "act": "draft"}).status_code == 302
    row = VerifiedAnswer.objects.get()
    assert (row.state, row.sources.count()) == ("draft", 1)
    assert "opens at noon" in shown(browser, page(row))
    assert browser.post(page(row), {**WRITTEN, "owner": "alice@example.com", "act": "verify"}).status_code == 302
    row.refresh_from_db()
    assert (row.state, row.owner, row.verified_by, row.cited_text) == ("active", cast.alice, cast.bob, f"{TEXT} [1]")
    assert browser.post(page(row), {"act": "retire"}).status_code == 302
    row.refresh_from_db()
    assert row.state == "retired"
    done = AuditEvent.objects.filter(object_type="verifiedanswer", action__in=("create", "change"))
    assert [event.details["state"] for event in done.order_by("created_at")] == ["draft", "active", "retired"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"text": "The canteen opens at eight."}, "eight"),
        ({"quote_1": "opens at midnight"}, "opens at midnight"),
        ({"document_1": ""}, "A source is a document and the words in it."),
        ({"owner": "nobody@example.com"}, "Nobody active has this e-mail address."),
        ({"question": "When does it open today?"}, "another day"),
        ({"review_on": "2020-01-01"}, "has passed"),
        ({"question": ""}, "This field is required."),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_lost(cast: Cast, desk: Desk, changed: dict[str, str], said: str) -> None:
    """The form comes back with what was written."""
    browser = desk(cast.bob, "manage_verified_answers")
    response = browser.post(ADD, {**WRITTEN, "phrasings": "Canteen hours?", **changed, "act": "verify"})
    assert response.status_code == 200
    answer = response.content.decode()
    assert said in answer
    assert "Canteen hours?" in answer
    assert VerifiedAnswer.objects.count() == 0


def test_without_the_right_nothing_is_written(cast: Cast, desk: Desk, verify: Verify) -> None:
    """A viewer can only view."""
    row, browser = verify(), desk(cast.bob, "view_verifiedanswer")
    assert TEXT in shown(browser, page(row))
    assert browser.get(ADD).status_code == 403
    for act in ("verify", "draft", "retire"):
        assert browser.post(page(row), {**WRITTEN, "act": act}).status_code == 403
        assert browser.post(ADD, {**WRITTEN, "act": act}).status_code == 403
    assert browser.get(SUGGESTIONS).status_code == 403
    row.refresh_from_db()
    assert row.state == "active"
    assert desk(cast.charlie).get(LIST).status_code == 403


def test_who_may_not_read_a_source_sees_no_word_of_it(cast: Cast, desk: Desk, verify: Verify) -> None:
    """Neither question nor answer, in the list or on the page; it can be retired, and not changed."""
    row = verify(SECRET, "The vault opens with the code K7741.", ("Vault rules", VAULT))
    browser = desk(cast.bob, "manage_verified_answers")
    for address in (LIST, page(row), f"{LIST}?state__exact=active"):
        said = shown(browser, address)
        assert "Withheld" in said
        assert not any(word in said for word in ("K7741", SECRET, "Vault rules"))
    assert browser.post(page(row), {**WRITTEN, "act": "verify"}).status_code == 403
    assert browser.post(page(row), {"act": "retire"}).status_code == 302
    row.refresh_from_db()
    assert (row.state, row.question) == ("retired", SECRET)


def test_an_answer_is_taken_over_in_one_click(cast: Cast, desk: Desk, asks: Asks) -> None:
    """From its page: the form is filled in, and verifies as it is."""
    query = Query.objects.get(request_id=asks(cast.bob, "When does the canteen in the harbour office open?").request_id)
    browser = desk(cast.bob, "manage_verified_answers", "view_answer")
    answer = reverse("admin:core_answer_change", args=[query.answer.pk])
    assert "Take over as verified answer" in shown(browser, answer)
    form = browser.get(f"{ADD}?query={query.pk}").context["form"]
    filled = {name: value for name, value in form.initial.items() if value}
    assert filled["document_1"] == "Canteen rules"
    assert browser.post(f"{ADD}?query={query.pk}", {**filled, "act": "verify"}).status_code == 302
    row = VerifiedAnswer.objects.get()
    assert (row.state, row.origin) == ("active", query)


def test_what_may_not_be_read_is_not_taken_over(cast: Cast, desk: Desk, asks: Asks) -> None:
    """Nothing of it is shown."""
    query = Query.objects.get(request_id=asks(cast.alice, SECRET).request_id)
    browser = desk(cast.bob, "manage_verified_answers")
    response = browser.get(f"{ADD}?query={query.pk}", follow=True)
    said = response.content.decode()
    assert "You may not read every document" in said
    assert "K7741" not in said


def test_looking_at_the_words_of_another_is_recorded(cast: Cast, desk: Desk, verify: Verify, asks: Asks) -> None:
    """An answer that somebody else owns, and one that is taken over from another's question."""
    row = verify()
    query = Query.objects.get(request_id=asks(cast.alice, "When does the canteen close?").request_id)
    browser = desk(cast.bob, "manage_verified_answers")
    browser.get(page(row))
    browser.get(f"{ADD}?query={query.pk}")
    read = AuditEvent.objects.filter(action="read_text", actor=cast.bob).order_by("created_at")
    assert [(event.object_type, event.object_id) for event in read] == [
        ("verifiedanswer", str(row.pk)),
        ("query", str(query.pk)),
    ]


def test_the_list_says_what_is_outdated(cast: Cast, library: dict[str, Document], desk: Desk, verify: Verify) -> None:
    """And so does the page."""
    row, browser = verify(), desk(cast.bob, "manage_verified_answers")
    assert "a source has changed" not in shown(browser, LIST)
    replace_text(library["canteen"])
    assert "a source has changed" in shown(browser, LIST)
    assert "a source has changed" in shown(browser, page(row))


def test_the_list_takes_few_queries(
    cast: Cast, desk: Desk, verify: Verify, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """However many there are."""
    browser = desk(cast.bob, "manage_verified_answers")
    for number in range(12):
        verify(f"When does the canteen {number} open?")
    with django_assert_max_num_queries(19):
        assert browser.get(LIST).status_code == 200


def vote(asks: Asks, question: str, *people: User) -> None:
    """The question asked and voted up by each."""
    for person in people:
        request = asks(person, question).request_id
        give_feedback(request, user_id=person.pk, verdict="up")


def test_what_several_people_voted_up_is_suggested(cast: Cast, desk: Desk, asks: Asks, verify: Verify) -> None:
    """From three people on, to who may read all of it, and until it is taken over."""
    dora = User.objects.create_user("dora@example.com")
    UserRole.objects.create(user=dora, role=cast.staff)
    make_document("Pool rules", "The swimming pool in the harbour is heated in winter.", roles=[cast.staff])
    browser, other = desk(cast.bob, "manage_verified_answers"), desk(cast.charlie, "manage_verified_answers")
    vote(asks, "When does the canteen in the harbour office open?", cast.alice, cast.bob)
    assert "Voted up by" not in shown(browser, SUGGESTIONS)
    vote(asks, "when does the canteen in the harbour office open", dora)
    assert "Voted up by 3 people" in shown(browser, SUGGESTIONS)
    assert "canteen" not in shown(other, SUGGESTIONS)
    verify("When does the canteen in the harbour office open?")
    assert "Voted up by" not in shown(browser, SUGGESTIONS)


def test_what_may_not_hold_any_more_waits_for_its_owner(
    cast: Cast, desk: Desk, verify: Verify, library: dict[str, Document]
) -> None:
    """On the dashboard of its owner alone, and in the list of what they have to review."""
    row = verify()
    owner, other = (desk(person, "manage_verified_answers") for person in (cast.alice, cast.bob))
    dashboard = reverse("admin:index")
    assert "of yours may not hold" not in shown(owner, dashboard)
    replace_text(library["canteen"])
    assert "1 verified answer of yours may not hold any more" in shown(owner, dashboard)
    assert "of yours may not hold" not in shown(other, dashboard)
    assert page(row) in shown(owner, f"{LIST}?review=mine")
    assert page(row) not in shown(other, f"{LIST}?review=mine")
    assert page(row) in shown(other, f"{LIST}?review=all")
