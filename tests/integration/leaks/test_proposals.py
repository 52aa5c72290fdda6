"""Test that proposed changes, and the steps of making one, reveal nothing of what their viewer may not read."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from core.access.grants import revoke
from core.library.sync.proposing import ChangeWay
from core.models import Document, ProposedChange, SectionPart, SectionRule, User, UserRole
from core.quality.proposals.sending import send
from core.testing import Cast, make_document
from tests.integration.contradictions.pairs import keep_price_lists
from tests.integration.leaks.addresses import Request, differences, marks_in, say
from tests.integration.leaks.hidden import FILE_NAMES, NAMES, SECRETS, WORDS, Hidden, Secret, reword, stock, with_hidden
from tests.integration.proposals import (
    ASKED,
    FILE,
    HANDBOOK,
    URL,
    Taken,
    let_propose,
    make_file,
    make_gap,
    make_source,
    propose,
    register_source,
)

pytestmark = pytest.mark.usefixtures("fast")
MARKS = (HANDBOOK, "leave.md", URL, "ask the office", "Annual leave")
RIGHTS = ("view_contradictions", "manage_contradictions", "view_document", "view_chunk", "view_collection")
FORM = {"title": "A title", "question": "A question", "text": "A text", "version": "1", "way": "merge_request"}


@pytest.fixture(autouse=True)
def source(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Taken:
    """The source that takes changes, and a test client that speaks plain http."""
    settings.SECURE_SSL_REDIRECT = False
    return register_source(monkeypatch)


def browser_of(person: User) -> Client:
    """Return the browser of somebody who may do everything about gaps and contradictions, by rights alone."""
    browser = Client()
    browser.force_login(let_propose(person, *RIGHTS))
    return browser


def list_pages(gap: UUID, proposal: UUID) -> Iterator[str]:
    """Yield the pages that could name a document or a proposal of it."""
    where = reverse("admin:core_proposedchange_where", kwargs={"gap": gap})
    listed = reverse("admin:core_proposedchange_changelist")
    yield from (where, f"{where}?q=leave", f"{where}?q=handbook", reverse("admin:core_contentgap_change", args=[gap]))
    yield from (listed, *(f"{listed}?state={state}" for state in ("waiting", "sent", "failed")))
    yield reverse("admin:core_proposedchange_change", args=[proposal])
    yield reverse("admin:core_proposedchange_history", args=[proposal])


def read_all(browser: Client, gap: UUID, proposal: UUID) -> str:
    """Return what all these pages say, whatever their status."""
    return "".join(browser.get(address).content.decode() for address in list_pages(gap, proposal))


def test_who_may_not_read_a_document_learns_nothing_of_it(cast: Cast) -> None:
    """Neither its name, path and link, nor its text, nor that a change of it was proposed, by any page or act."""
    handbook = make_file(roles=[cast.owners])
    gap = make_gap(ASKED, cast.alice, cast.charlie)
    alice = browser_of(cast.alice)
    proposal = UUID(propose(let_propose(cast.alice), gap=gap, document=handbook))
    send(proposal, is_last_try=True)
    bob = browser_of(cast.bob)
    assert set(MARKS) <= {
        mark for mark in MARKS if mark in read_all(alice, gap.pk, proposal) + _form(alice, gap.pk, handbook)
    }

    told = read_all(bob, gap.pk, proposal)
    assert [mark for mark in MARKS if mark in told] == []
    assert "Proposed (0)" in told
    assert str(proposal) not in told.replace(f"{proposal}/history", "")
    for pk in (proposal, uuid4()):
        assert bob.get(reverse("admin:core_proposedchange_change", args=[pk])).status_code == 404
        assert bob.get(reverse("admin:core_proposedchange_again", args=[pk])).status_code == 404
        for act in ("withdraw", "merged", "declined", "again"):
            assert bob.post(reverse("admin:core_proposedchange_act", args=[pk]), {"act": act}).status_code == 404
    for pk in (handbook.pk, uuid4()):
        address = reverse("admin:core_proposedchange_write", kwargs={"gap": gap.pk, "document_id": pk})
        assert bob.get(address).status_code == 404
        for act in ("look", "send", "change"):
            assert bob.post(address, {**FORM, "act": act}).status_code == 404
    assert ProposedChange.objects.get().state == "sent"


def _form(browser: Client, gap: UUID, document: Document) -> str:
    address = reverse("admin:core_proposedchange_write", kwargs={"gap": gap, "document_id": document.pk})
    return browser.get(address).content.decode()


def test_a_right_that_is_taken_away_takes_proposals_and_what_was_written_along(cast: Cast, source: Taken) -> None:
    """Also of its author."""
    handbook = make_file(roles=[cast.staff])
    gap = make_gap(ASKED, cast.alice)
    bob = browser_of(cast.bob)
    proposal = UUID(propose(let_propose(cast.bob), gap=gap, document=handbook))
    ProposedChange.objects.update(state="failed", url=URL)
    written = reverse("admin:core_proposedchange_again", args=[proposal])
    assert bob.get(written).status_code == 302
    assert HANDBOOK in read_all(bob, gap.pk, proposal)
    revoke(cast.staff, [handbook], by=None)
    told = read_all(bob, gap.pk, proposal)
    assert [mark for mark in MARKS if mark in told] == []
    assert bob.get(written).status_code == 404


def test_what_somebody_wrote_is_shown_to_nobody_else(cast: Cast) -> None:
    """Show neither title nor text to another who sees the proposal and may decide about it."""
    handbook = make_file(roles=[cast.staff])
    gap = make_gap(ASKED, cast.alice)
    alice, bob = browser_of(cast.alice), browser_of(cast.bob)
    proposal = UUID(
        propose(let_propose(cast.alice), gap=gap, document=handbook, text=f"{FILE}\nWords of the basilisk.\n")
    )
    ProposedChange.objects.update(state="failed")
    address = reverse("admin:core_proposedchange_write", kwargs={"gap": gap.pk, "document_id": handbook.pk})
    own = alice.get(f"{address}?again={proposal}")
    assert "basilisk" in own.content.decode()
    assert str(proposal) in read_all(bob, gap.pk, proposal)
    told = read_all(bob, gap.pk, proposal) + _form(bob, gap.pk, handbook)
    assert "basilisk" not in told
    assert "Answer: parental leave" not in told
    assert bob.get(f"{address}?again={proposal}").status_code == 404
    assert bob.get(reverse("admin:core_proposedchange_again", args=[proposal])).status_code == 404
    assert bob.post(reverse("admin:core_proposedchange_act", args=[proposal]), {"act": "again"}).status_code == 404


def restrict(document: Document, cast: Cast, text: str) -> None:
    """Put a text into a section of a document that owners alone may read."""
    part = make_document(f"{document.title}: Board", text, section="Board", part_of=document)
    rule = SectionRule.objects.create(document=document, kind="heading", pattern="Board", created_by=cast.alice)
    rule.roles.add(cast.owners)
    SectionPart.objects.create(part=part, names=["Board"]).rules.add(rule)


def test_who_may_not_read_a_section_gets_no_text_of_the_file(cast: Cast) -> None:
    """Nor a proposal of it. The first step says the same of a file that is not kept: nothing tells of the section."""
    text = f"{FILE}\n# Board\n\nThe board gets the basilisk.\n"
    handbook = make_file(text=text, roles=[cast.staff, cast.owners])
    gap = make_gap(ASKED, cast.alice)
    Document.objects.filter(pk=handbook.pk).update(chunk_count=2)
    bob = browser_of(cast.bob)
    assert "basilisk" in _form(bob, gap.pk, handbook)
    restrict(handbook, cast, "The board gets the basilisk.")
    alice = browser_of(cast.alice)
    assert "basilisk" in _form(alice, gap.pk, handbook)
    proposal = UUID(
        propose(let_propose(cast.alice), gap=gap, document=handbook, text=f"{text}\nMore of the basilisk.\n")
    )
    address = reverse("admin:core_proposedchange_write", kwargs={"gap": gap.pk, "document_id": handbook.pk})
    where = reverse("admin:core_proposedchange_where", kwargs={"gap": gap.pk})
    for act in ("look", "send", "change"):
        page = bob.post(address, {**FORM, "act": act})
        assert page.status_code == 200
        assert "basilisk" not in page.content.decode()
    assert bob.get(address).status_code == 302
    assert "basilisk" not in read_all(bob, gap.pk, proposal)
    assert bob.get(reverse("admin:core_proposedchange_change", args=[proposal])).status_code == 404
    assert ProposedChange.objects.count() == 1

    there = say(bob, Request(path=where))
    assert "Its file is not kept, or you may not read all of it." in there.body
    Document.objects.filter(part_of=handbook).delete()
    ProposedChange.objects.all().delete()
    Document.objects.filter(pk=handbook.pk).update(original_hash="")
    absent = say(bob, Request(path=where))
    assert (there.status, there.body) == (absent.status, absent.body)


def test_who_adds_to_a_document_without_a_section_sees_their_own_proposal(cast: Cast) -> None:
    """Its page has no text, and what they add is theirs; nobody else who lacks the section sees it."""
    wiki = make_source("Wiki", way=ChangeWay.DRAFT_PAGE)
    document = make_file(roles=[cast.staff], source=wiki, key="page:7")
    gap = make_gap(ASKED, cast.alice)
    restrict(document, cast, "The board gets the basilisk.")
    UserRole.objects.create(user=cast.charlie, role=cast.staff)
    bob, charlie = browser_of(cast.bob), browser_of(cast.charlie)
    assert "basilisk" not in _form(bob, gap.pk, document)
    proposal = UUID(propose(let_propose(cast.bob), gap=gap, document=document, text="More."))
    address = reverse("admin:core_proposedchange_change", args=[proposal])
    assert bob.get(address).status_code == 200
    assert charlie.get(address).status_code == 404
    assert str(proposal) not in charlie.get(reverse("admin:core_proposedchange_changelist")).content.decode()


def test_a_pair_of_which_one_side_is_hidden_is_not_there(cast: Cast) -> None:
    """Neither its steps, nor its page, nor that a change was proposed for it."""
    pair = keep_price_lists([cast.staff], [cast.owners])
    bob = browser_of(cast.bob)
    proposal = ProposedChange.objects.create(
        contradiction=pair, way="branch", document=pair.older, state="sent", proposed_by=cast.alice
    )
    for pk in (pair.pk, uuid4()):
        where = reverse("admin:core_proposedchange_where", kwargs={"contradiction": pk})
        assert bob.get(where).status_code == 404
        assert bob.get(f"{where}document/{pair.older_id}/").status_code == 404
        assert bob.post(f"{where}document/{pair.older_id}/", {**FORM, "act": "send"}).status_code == 404
    page = bob.get(reverse("admin:core_proposedchange_change", args=[proposal.pk])).content.decode()
    assert "Price list" in page
    assert "A contradiction" not in page
    assert str(pair.pk) not in page
    assert "Harbour notice" not in page
    alice = browser_of(cast.alice)
    page = alice.get(reverse("admin:core_sourcecontradiction_change", args=[pair.pk])).content.decode()
    assert str(proposal.pk) in page


def ask_everything(hidden: Hidden) -> Iterator[Request]:
    """Yield each address of proposals, with what names the hidden document, its gap and its pair."""
    base, document = "/admin/core/proposedchange/", hidden.document.pk
    whole = hidden.document.part_of_id or document
    for pk in hidden.rows["core.proposedchange"]:
        yield from (Request(path=f"{base}{pk}/{name}/") for name in ("change", "history", "again", "act"))
        yield Request(path=f"{base}{pk}/act/", method="POST")
    yield from (Request(path=base, query={"state": state}) for state in ("", "failed", "sent"))
    [gap], [pair] = hidden.rows["core.contentgap"], hidden.rows["core.sourcecontradiction"]
    yield Request(path=f"/admin/core/contentgap/{gap}/change/")
    for start in (f"{base}gap/{gap}/", f"{base}contradiction/{pair}/"):
        yield from (Request(path=start, query={"q": word}) for word in ("", "zanzibar", "rules"))
        for end in (f"document/{document}/", f"document/{whole}/", f"source/{hidden.first('core.datasource')}/"):
            yield from (Request(path=start + end, method=method) for method in ("GET", "POST"))


@pytest.mark.parametrize("secret", SECRETS, ids=str)
def test_no_page_of_proposals_tells_who_may_not_read_what_it_says(cast: Cast, secret: Secret) -> None:
    """With every right about gaps and contradictions: however it is called and whatever it says, all is the same."""
    ContentType.objects.get_for_models(*apps.get_models())  # a process keeps what it has read of these
    stock(cast)
    person = User.objects.create_user("desk@example.com", is_staff=True)
    UserRole.objects.create(user=person, role=cast.staff)
    rights = ("propose_changes", "view_gaps", "manage_gaps", "view_contradictions", "manage_contradictions")
    person.user_permissions.set(Permission.objects.filter(codename__in=rights))
    desk = Client()
    desk.force_login(person)
    with with_hidden(cast, secret) as hidden:
        asked = list(ask_everything(hidden))
        there = {str(request): say(desk, request) for request in asked}
        assert 200 in {one.status for one in there.values()}
        words = WORDS | NAMES | FILE_NAMES
        assert marks_in(there, [word for word in words if word.casefold() != "zanzibar"]) == []
        reword(words)
        assert differences(there, {str(request): say(desk, request) for request in asked}) == []
