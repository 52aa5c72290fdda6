"""Test the pages of oversharing: what they show to whom, what each button does, and what is said where it cannot."""

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.models import (
    AuditEvent,
    Citation,
    DataSource,
    Document,
    OversharingRisk,
    Role,
    SectionPart,
    SectionRule,
    SensitivePlace,
    ShownSecret,
    SlackWorkspace,
    User,
    UsergroupRole,
    UserRole,
    forget_shown,
)
from core.quality.oversharing.refreshing import refresh_all
from core.quality.oversharing.widening import note_reach
from core.testing import Cast, fetch_chunks, make_document
from tests.integration.oversharing.people import HIDDEN, WIFI, give, look, make_people, make_shelf
from tests.integration.rows import multiply

pytestmark = pytest.mark.usefixtures("fast")
LIST, SECRETS = "admin:core_oversharingrisk_changelist", "admin:core_oversharingrisk_secrets"
LOOKS = ("core.view_oversharing", "core.view_role", "core.view_document", "core.view_collection")
DECIDES = (*LOOKS, "core.decide_who_reads")
PAY = "Mara Fink earns 92000 euros a year, and Ole Brandt 61000."
DOTS = "•" * len(HIDDEN)


@pytest.fixture(autouse=True)
def _shown() -> None:
    forget_shown()


@pytest.fixture
def wifi(cast: Cast) -> OversharingRisk:
    """A document with a password, which two of the staff and a crowd of forty may read."""
    document = make_document("Network", WIFI, roles=[cast.staff])
    give(make_people("crowd", 40), document)
    return look()["secret", document.pk]


@pytest.fixture
def desk(cast: Cast, staff: Callable[..., Client]) -> Client:
    """The browser of somebody who may decide, and reads what staff reads."""
    browser = staff(*DECIDES)
    join(cast.staff)
    return browser


def join(role: Role) -> User:
    """Give the person at the desk a role."""
    person = User.objects.get(email="desk@example.com")
    UserRole.objects.create(user=person, role=role)
    return person


def make_pay(cast: Cast) -> OversharingRisk:
    """Make a document whose words tell the pay of people, found by nobody but the test; a crowd of forty reads it."""
    document = make_document("Pay list", PAY, roles=[cast.owners])
    give(make_people("many", 40), document)
    [chunk] = fetch_chunks(document)
    start, end = PAY.index("92000"), PAY.index(" a year")
    SensitivePlace.objects.create(
        document=document, document_version=1, subject="pay", chunk_id=chunk.pk, start=start, end=end, strength=0.9
    )
    refresh_all()
    return OversharingRisk.objects.get(document=document, kind="confidential")


def shown(browser: Client, **narrowed: str) -> str:
    """Return the page of the list."""
    response = browser.get(reverse(LIST), narrowed)
    assert response.status_code == 200
    return response.content.decode()


def page_of(browser: Client, risk: OversharingRisk) -> str:
    """Return the page of a risk."""
    response = browser.get(reverse("admin:core_oversharingrisk_change", args=[risk.pk]))
    assert response.status_code == 200
    return response.content.decode()


def act(browser: Client, risk: OversharingRisk, name: str, **fields: object) -> str:
    """Press a button, follow it, and return the page behind it."""
    address = reverse("admin:core_oversharingrisk_act", args=[risk.pk])
    response = browser.post(address, {"act": name, **fields}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def words_of(page: str) -> str:
    """Return what a page says, without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page)).replace("\N{NO-BREAK SPACE}", " ").replace("&#x27;", "'")


def test_each_right_is_needed_to_see_and_one_more_to_decide(
    cast: Cast, staff: Callable[..., Client], wifi: OversharingRisk
) -> None:
    browser = staff(*LOOKS[1:])
    addresses = [reverse(LIST), reverse(SECRETS), reverse("admin:core_oversharingrisk_change", args=[wifi.pk])]
    assert [browser.get(address).status_code for address in addresses] == [403, 403, 403]
    assert reverse(LIST) not in browser.get(reverse("admin:core_role_matrix")).content.decode()
    person = User.objects.get(email="desk@example.com")
    User.objects.filter(pk=person.pk).update(is_superuser=True)
    assert [browser.get(address).status_code for address in addresses] == [200, 200, 200]
    assert reverse(LIST) in browser.get(reverse("admin:core_role_matrix")).content.decode()


def test_who_may_only_look_decides_nothing(cast: Cast, staff: Callable[..., Client], wifi: OversharingRisk) -> None:
    browser = staff(*LOOKS)
    join(cast.staff)
    assert "Narrow…" not in shown(browser)
    page = page_of(browser, wifi)
    assert "You may not decide about it" in page
    assert "<form" not in page.partition('id="content"')[2].partition("All risks")[2]
    address = reverse("admin:core_oversharingrisk_act", args=[wifi.pk])
    for name in ("look", "narrow", "accept", "reopen", "show"):
        assert browser.post(address, {"act": name, "reason": "x"}).status_code == 403
    assert browser.post(reverse(SECRETS), {"secret": "x"}).status_code == 403
    wifi.refresh_from_db()
    assert (wifi.state, ShownSecret.objects.count()) == ("open", 0)


def test_a_row_says_what_why_how_high_and_since_when(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    make_pay(cast)
    said = words_of(shown(desk))
    everybody = User.objects.filter(is_active=True).count()
    assert f"Network 43 of {everybody} people may read it; it holds passwords, masked in answers." in said
    assert f"41 of {everybody} people may read it; its words look like pay of particular people." in said
    assert f"4 × {wifi.reach} = {wifi.score}" in said
    assert f"{timezone.localdate():%-d %b %Y}" in said
    assert "Looked through 1 of 2 documents" in said
    assert "1 document has not been looked through yet. The worker does so within ten minutes." in said


def test_the_matrix_counts_what_is_open_and_leads_to_it(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    page = shown(desk)
    assert f'?sensitivity=4&amp;reach={wifi.reach}#risks" aria-label="1 open' in page
    assert "Network" in shown(desk, sensitivity="4", reach=str(wifi.reach))
    assert "None of these." in shown(desk, sensitivity="5", reach=str(wifi.reach))
    act(desk, wifi, "accept", reason="Visitors need it")
    assert "1 open, sensitivity" not in shown(desk)


def test_the_list_is_narrowed(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    pay = make_pay(cast)
    shelf = make_document("Alone", "Nothing is here.", roles=[cast.staff], collection="Else").collection
    for narrowed, names in (
        ({}, {"Network", "Pay list"}),
        ({"kind": "secret"}, {"Network"}),
        ({"level": "high"}, {one.document.title for one in (wifi, pay) if one.score >= 15 and one.document}),
        ({"subject": "pay"}, {"Pay list"}),
        ({"q": "netw"}, {"Network"}),
        ({"collection": str(shelf.pk)}, set()),
        ({"state": "accepted"}, set()),
        ({"state": "all"}, {"Network", "Pay list"}),
    ):
        page = shown(desk, **narrowed)
        assert {name for name in ("Network", "Pay list") if f">{name}</a>" in page} == names, narrowed
    for odd in ("state", "kind", "level", "subject", "collection", "reach", "sensitivity"):
        assert desk.get(reverse(LIST), {odd: "odd"}).status_code == 404, odd


def test_an_empty_list_says_what_is_looked_for(cast: Cast, desk: Client, settings: Settings) -> None:
    page = shown(desk)
    assert "No risk was found. Footnote looks through documents soon after they come" in page
    assert "OVERSHARING_ENABLED" not in page
    assert "looked through yet" not in page
    for title in ("Rota", "Menu"):
        make_document(title, "The porters open the gate at six.", roles=[cast.staff])
    page = shown(desk)
    assert "2 documents have not been looked through yet. The worker does so within ten minutes." in page
    assert "No risk is listed so far. Footnote looks through" in page
    assert "No risk was found" not in page
    look()
    page = shown(desk)
    assert "No risk was found." in page
    assert "looked through yet" not in page
    make_document("New", "The gate is shut at nine.", roles=[cast.staff])
    settings.OVERSHARING_ENABLED = False
    page = shown(desk)
    assert "Nothing is looked for: OVERSHARING_ENABLED is off." in page
    assert "within ten minutes" not in page


def test_the_list_is_paged_with_a_bounded_number_of_queries(
    cast: Cast, desk: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    documents = make_shelf("Personnel", 12, read_by=cast.owners)
    give(make_people("crowd", 20), documents[3])
    risk = look()["odd_role", documents[3].pk]
    multiply(risk, 120, key="'copy/' || n")
    with django_assert_max_num_queries(40):
        page = shown(desk)
    assert page.count("The role crowd reads 1 of 12 documents of Personnel, and brings 20 of 21 readers.") == 50
    assert "121 risks" in page
    assert "page=2" in page
    assert shown(desk, page="3").count("The role crowd reads") == 21


def test_readers_see_the_places_and_others_how_many_there_are(
    cast: Cast, desk: Client, wifi: OversharingRisk, settings: Settings
) -> None:
    settings.PUBLIC_URL = ""
    page = page_of(desk, wifi)
    assert f"network is <mark>{DOTS}</mark> and the office" in page
    assert "Answers show dots in their place." in page
    assert HIDDEN not in page
    [address] = re.findall(rf'href="({reverse("document", args=[wifi.document_id])}\?at=[^"]+)"', page)
    opened = desk.get(address)
    assert opened.status_code == 200
    assert DOTS in opened.content.decode()
    pay = make_pay(cast)
    page = page_of(desk, pay)
    assert "1 place: pay of particular people (1). Their words are shown only to people who may read" in words_of(page)
    assert [word for word in ("Mara", "92000", "<mark>", "?at=") if word in page] == []
    join(cast.owners)
    assert "Mara Fink earns <mark>92000 euros</mark> a year" in page_of(desk, pay)


def test_a_page_says_who_reads_it_and_how(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    SlackWorkspace.objects.meet("T9", "Harbour")
    SlackWorkspace.objects.filter(team_id="T9").update(decided_at=timezone.now())
    SlackWorkspace.objects.get(team_id="T9").roles.add(Role.objects.get(name="crowd"))
    said = words_of(page_of(desk, wifi))
    assert "By the role crowd: 40 people" in said
    assert "By the role staff: 3 people" in said
    assert "Everybody in the workspace Harbour, by the role crowd" in said
    assert reverse("admin:core_role_matrix") in page_of(desk, wifi)


def test_narrowing_is_one_click_and_says_where_it_is_undone(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    crowd = Role.objects.get(name="crowd")
    page = page_of(desk, wifi)
    assert f'name="role" value="{crowd.pk}" checked' in page
    assert f'name="role" value="{cast.staff.pk}">' in page
    assert "43 people now, then 3" in page
    said = words_of(act(desk, wifi, "narrow", role=[str(crowd.pk)]))
    assert "1 grant taken away from crowd: 43 people might read it before, 3 may now." in said
    assert "Whoever may see the audit trail can undo it there." in said
    assert not crowd.document_access.exists()
    assert "As it was: 43 of" not in said  # those who are left still read a password, and are counted anew
    give(crowd, Document.objects.get(pk=wifi.document_id))
    refresh_all()
    User.objects.filter(email="desk@example.com").update(is_superuser=True)
    page = act(desk, wifi, "narrow", role=[str(crowd.pk)])
    event = AuditEvent.objects.filter(action="revoke").order_by("created_at").last()
    assert event is not None
    undo = reverse("admin:core_role_undo", args=[event.pk])
    assert f'href="{undo}">Undo it for crowd</a>' in page
    desk.post(undo, {"confirmed": "1"})
    assert crowd.document_access.exists()


def test_what_follows_of_other_roles_is_counted_before(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    crowd = Role.objects.get(name="crowd")
    page = act(desk, wifi, "look", role=[str(cast.staff.pk)])
    assert "43 people now, then 40" in page
    assert f'value="{cast.staff.pk}" checked' in page
    assert f'value="{crowd.pk}">' in page
    page = act(desk, wifi, "look", role=[str(cast.staff.pk), str(crowd.pk)])
    assert "Nobody would be left who may read it." in page
    assert "fn-when-all" not in page
    assert crowd.document_access.exists()


def test_the_last_readers_lose_it_only_where_that_is_ticked(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    roles = [str(cast.staff.pk), str(Role.objects.get(name="crowd").pk)]
    assert "fn-when-all" in page_of(desk, wifi)  # it is shown as soon as each role is ticked
    page = act(desk, wifi, "narrow", role=roles)
    assert "Leave a role, or tick that the last readers lose it, too." in page
    assert [pk for pk in roles if f'value="{pk}" checked' not in page] == []
    assert re.search(r'name="takes_last" value="1">', page)
    assert "fn-when-all" not in page
    assert AuditEvent.objects.filter(action="revoke").count() == 0
    said = words_of(act(desk, wifi, "narrow", role=roles, takes_last="1"))
    assert "43 people might read it before, 0 may now." in said
    assert not wifi.document.role_access.exists()


def test_a_suggestion_that_leaves_nobody_warns_at_once(cast: Cast, desk: Client) -> None:
    document = make_document("Gate", WIFI)
    give(make_people("crowd", 40), document)
    risk = look()["secret", document.pk]
    page = page_of(desk, risk)
    assert "Nobody would be left who may read it." in page
    assert "fn-when-all" not in page
    assert "Take the last readers away, too" in page


def test_where_nothing_is_suggested_the_button_is_not_red(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    red = re.compile(r'value="narrow"[^>]*bg-red-600')
    page = page_of(desk, wifi)
    assert red.search(page)
    assert "Tick the roles to take away." not in page
    page = act(desk, wifi, "look")
    assert 'value="narrow"' in page
    assert not red.search(page)
    assert "Tick the roles to take away." in page


def test_the_page_of_a_narrowed_risk_links_to_what_undoes_it(cast: Cast, desk: Client) -> None:
    risk, many = make_pay(cast), Role.objects.get(name="many")
    said = act(desk, risk, "narrow", role=[str(many.pk)])
    assert "Undo it for" not in said  # not for who may not see the audit trail
    assert "Undo it for" not in page_of(desk, risk)
    User.objects.filter(email="desk@example.com").update(is_superuser=True)
    [event] = AuditEvent.objects.filter(action="revoke")
    undo = reverse("admin:core_role_undo", args=[event.pk])
    assert f'href="{undo}">Undo it for many</a>' in page_of(desk, risk)
    desk.post(undo, {"confirmed": "1"})
    assert many.document_access.exists()
    assert OversharingRisk.objects.get(pk=risk.pk).state == "narrowed"
    assert "Undo it for" not in page_of(desk, risk)  # the grant is back


def test_an_error_is_said_and_nothing_given_is_lost(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    assert "Choose at least one role to take away." in act(desk, wifi, "narrow")
    other = Role.objects.create(name="elsewhere")
    page = act(desk, wifi, "narrow", role=[str(other.pk), str(cast.staff.pk)])
    assert "The roles have changed since: look at them again." in page
    assert f'value="{cast.staff.pk}" checked' in page
    assert "Say why it is right that so many may read it" in act(desk, wifi, "accept", reason=" ")
    place = SensitivePlace.objects.get(document=wifi.document_id)
    page = act(desk, wifi, "show", reason="Guests need it")
    assert "Choose the passwords or keys that are meant to be read." in page
    assert 'value="Guests need it"' in page
    page = act(desk, wifi, "show", reason=" ", place=[str(place.pk)])
    assert "Say why these are meant to be read." in page
    assert re.search(rf'value="{place.pk}"[^>]* checked', page)
    SensitivePlace.objects.update(document_version=7)
    assert "The document has changed since" in act(desk, wifi, "show", reason="x", place=[str(place.pk)])
    OversharingRisk.objects.update(state="gone")
    assert "This risk is gone by now" in act(desk, wifi, "accept", reason="Late")
    address = reverse("admin:core_oversharingrisk_act", args=[wifi.pk])
    assert desk.post(address, {"act": "shred"}).status_code == 404
    assert desk.get(address).status_code == 405
    assert desk.post(reverse("admin:core_oversharingrisk_act", args=[other.pk]), {"act": "accept"}).status_code == 404
    assert Client(enforce_csrf_checks=True, headers={"cookie": ""}).post(address, {"act": "accept"}).status_code == 403


def test_what_is_right_so_has_its_reason_and_is_opened_again(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    page = act(desk, wifi, "accept", reason="It is <for> visitors")
    assert "Noted that this is right so." in page
    assert "It is &lt;for&gt; visitors" in page
    assert ">Network</a>" not in shown(desk)
    assert ">Network</a>" in shown(desk, state="accepted")
    assert "Opened again." in act(desk, wifi, "reopen")
    assert ">Network</a>" in shown(desk)


def test_secrets_are_shown_by_their_readers_and_masked_again(
    cast: Cast, desk: Client, wifi: OversharingRisk, staff: Callable[..., Client]
) -> None:
    assert "None. Where a document holds a password" in desk.get(reverse(SECRETS)).content.decode()
    place = SensitivePlace.objects.get(document=wifi.document_id)
    page = act(desk, wifi, "show", reason="Guests need it", place=[str(place.pk)])
    assert "1 password or key is shown from now on" in page
    assert f"<mark>{HIDDEN}</mark>" in page
    said = words_of(page)
    assert "Its passwords and keys are meant to be read: Guests need it (said by Desk on" in said
    assert f'href="{reverse(SECRETS)}">All that are meant to be read' in page
    assert [words for words in ("are others now", "show dots", "masked in answers") if words in said] == []
    listed = desk.get(reverse(SECRETS)).content.decode()
    assert [words for words in ("Guests need it", "Desk", "password", "Network") if words not in listed] == []
    assert HIDDEN not in listed
    [secret] = ShownSecret.objects.all()
    for said in ("It is masked again", "It is masked already"):
        response = desk.post(reverse(SECRETS), {"secret": secret.pk}, follow=True)
        assert said in response.content.decode()
    page = page_of(desk, wifi)
    assert f"<mark>{DOTS}</mark>" in page
    assert "Answers show dots in their place." in page
    assert "Guests need it" not in page
    assert HIDDEN not in page


def test_who_may_not_read_the_document_shows_none_of_its_secrets(
    cast: Cast, staff: Callable[..., Client], wifi: OversharingRisk
) -> None:
    browser = staff(*DECIDES)
    place = SensitivePlace.objects.get(document=wifi.document_id)
    page = page_of(browser, wifi)
    assert "1 place: password (1). Their words are shown only to people" in words_of(page)
    assert 'name="place"' not in page
    said = act(browser, wifi, "show", reason="Guests need it", place=[str(place.pk)])
    assert "Only somebody who may read the document can say" in said
    assert not ShownSecret.objects.exists()


def test_the_page_of_more_readers_says_what_grew(cast: Cast, desk: Client) -> None:
    documents = make_shelf("Reports", 3, read_by=cast.staff)
    note_reach(timezone.localdate() - dt.timedelta(days=6))
    crowd = make_people("crowd", 20)
    give(crowd, *documents[:2])
    [risk] = [risk for (kind, _), risk in look().items() if kind == "widened"]
    since = timezone.localdate() - dt.timedelta(days=6)
    assert f"23 people may read Reports, 3 on {since:%-d %B}." in shown(desk)
    page = page_of(desk, risk)
    assert f"What grew since {since:%-d %B %Y}" in words_of(page)
    assert "crowd 0 20 0 2" in words_of(re.sub("</t[dh]>", " ", page))
    assert "23 people now, then 3" in page
    said = act(desk, risk, "narrow", role=[str(crowd.pk)])
    assert "2 grants taken away from crowd" in said
    assert "As it was: 23 people may read Reports" in said


def test_the_page_of_an_odd_usergroup_ends_its_mapping(cast: Cast, desk: Client) -> None:
    board = make_people("board", 2)
    make_shelf("Minutes", 2, read_by=board)
    crowd = make_people("crowd", 20)
    mapping = UsergroupRole.objects.create(team_id="T1", usergroup_id="S1", handle="all", role=board)
    for user in crowd.users.all():
        UserRole.objects.create(user=user, role=board, usergroup=mapping)
    [risk] = [risk for (kind, _), risk in look().items() if kind == "odd_group"]
    assert "The usergroup @all brings 20 of the 22 people of the role board, who read 2 documents by nothing" in shown(
        desk
    )
    page = page_of(desk, risk)
    assert "22 people now, then 2" in page
    assert "20 people lose it who hold it by that alone" in page
    assert "does not give the role board any more: 20 people" in act(desk, risk, "narrow", role=[str(board.pk)])
    assert not UsergroupRole.objects.exists()
    assert "A usergroup as board" in page_of(desk, risk)
    assert "To undo it, map the usergroup to the role again." in page_of(desk, risk)


def test_what_cannot_be_narrowed_here_says_where_it_can(cast: Cast, desk: Client, wifi: OversharingRisk) -> None:
    source = DataSource.objects.create(
        name="Handbook", kind="folder", collection=Document.objects.get(pk=wifi.document_id).collection, settings={}
    )
    DataSource.objects.filter(pk=source.pk).update(takes_readers=True)
    Document.objects.filter(pk=wifi.document_id).update(data_source=source)
    page = page_of(desk, wifi)
    assert "The source Handbook says who reads its documents" in page
    assert 'name="role"' not in page
    address = reverse("admin:core_datasource_change", args=[source.pk])
    assert address not in page
    User.objects.filter(email="desk@example.com").update(is_superuser=True)
    assert address in page_of(desk, wifi)
    said = act(desk, wifi, "narrow", role=[str(cast.staff.pk)])
    assert said.count("The source Handbook says who reads its documents") >= 2  # as the error, and in its place


def test_restricted_sections_go_by_their_document(cast: Cast, desk: Client) -> None:
    """Their own name, which says what they are called, and their words are for their readers."""
    whole = make_document("Handbook", "The porters open the gate at six.", roles=[cast.staff, cast.owners])
    part = make_document("Handbook: Gatehouse", WIFI, section="Gatehouse", part_of=whole)
    rule = SectionRule.objects.create(document=whole, kind="heading", pattern="Gatehouse")
    rule.roles.add(cast.owners)
    SectionPart.objects.create(part=part, names=["Gatehouse"]).rules.add(rule)
    risk = look()["secret", part.pk]
    page = page_of(desk, risk)
    assert "Handbook (restricted sections)" in page
    assert [word for word in ("Gatehouse", str(part.pk)) if word in page + shown(desk)] == []
    assert "change their readers on the page of the document" in page
    assert reverse("admin:core_sectionrule_document", args=[whole.pk]) in page
    join(cast.owners)
    page = page_of(desk, risk)
    assert "Gatehouse" in page
    [address] = re.findall(rf'href="({reverse("document", args=[part.pk])}\?at=[^"]+)"', page)
    assert DOTS in desk.get(address, follow=True).content.decode()


def test_the_page_of_a_document_names_its_open_risks_to_who_may_see_them(
    cast: Cast, desk: Client, wifi: OversharingRisk, staff: Callable[..., Client]
) -> None:
    address = reverse("admin:core_document_change", args=[wifi.document_id])
    page = desk.get(address).content.decode()
    assert "Oversharing risk" in page
    assert reverse("admin:core_oversharingrisk_change", args=[wifi.pk]) in page
    assert "High: holds passwords or keys" in page
    act(desk, wifi, "accept", reason="Visitors")
    assert "none is open" in desk.get(address).content.decode()
    person = User.objects.get(email="desk@example.com")
    person.user_permissions.remove(*person.user_permissions.filter(codename="view_oversharing"))
    assert "Oversharing risk" not in desk.get(address).content.decode()


def test_a_document_with_dots_says_that_its_file_has_the_words(
    cast: Cast, desk: Client, wifi: OversharingRisk, settings: Settings
) -> None:
    settings.SECURE_SSL_REDIRECT = False
    said = "Passwords and keys are shown as dots here. The file itself has them as they are."
    listed = make_document("Rota", "\u2022 Porters open the gate.\n\u2022 Cooks shut it.", roles=[cast.staff])
    addresses = {
        name: [reverse(page, args=[pk]) for page in ("document", "document-text")]
        for name, pk in (("wifi", wifi.document_id), ("rota", listed.pk))
    }
    assert said not in desk.get(addresses["wifi"][0]).content.decode()  # there is no file
    Document.objects.update(
        original_hash="ab" * 32, original_name="plan.txt", original_size=9, original_type="text/plain"
    )
    for name, is_said in (("wifi", True), ("rota", False)):
        for address in addresses[name]:
            page = desk.get(address).content.decode()
            assert "Download plan.txt" in page
            assert (said in page) == is_said, address
    Document.objects.update(original_type="application/pdf")
    pages, text = (desk.get(address).content.decode() for address in addresses["wifi"])
    assert said not in pages  # the pages of the file are shown, with all their words
    assert said in text


def test_a_quote_with_dots_says_that_its_file_has_the_words(
    cast: Cast, desk: Client, wifi: OversharingRisk, settings: Settings
) -> None:
    settings.SECURE_SSL_REDIRECT = False
    Document.objects.update(
        original_hash="ab" * 32, original_name="plan.pdf", original_size=9, original_type="application/pdf"
    )
    person = User.objects.get(email="desk@example.com")
    ask("What is the password of the guests' network?", asker=asker_for(person), audience=audience_of([person.pk]))
    citation = Citation.objects.get()
    page = desk.get(reverse("citation", args=[citation.pk])).content.decode()
    assert DOTS in page
    assert "The file itself has them as they are." in page


def test_the_matrix_says_what_each_step_means(desk: Client) -> None:
    said = words_of(shown(desk))
    assert "Sensitivity: 1 = harmless: no risk is rated so, 2 = nothing found in it" in said
    assert "Reach: 1 = up to three people of many" in said
    assert "\u2013" not in said.partition("Open risks by sensitivity")[2].partition("State")[0]


def test_the_pages_are_found_by_their_names(desk: Client, cast: Cast) -> None:
    found = desk.get(reverse("admin:search"), {"s": "oversharing"}).content.decode()
    assert reverse(LIST) in found
    assert reverse(SECRETS) in desk.get(reverse("admin:search"), {"s": "masked"}).content.decode()
