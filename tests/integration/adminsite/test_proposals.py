"""Proposed changes in the admin: from a gap or a contradiction over three steps to what becomes of a change."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from adminsite.admin.proposals.shown import describe_answered
from core.access.audiences import audience_of
from core.errors import SourceError
from core.infrastructure import mail
from core.library.sync.proposing import ChangeWay
from core.models import (
    AuditEvent,
    ContentGap,
    DataSource,
    Document,
    ProposalWords,
    ProposedChange,
    SourceContradiction,
    SyncItem,
    User,
)
from core.models.row_security import bypass_row_security
from core.quality.proposals.listing import list_proposals
from core.quality.proposals.sending import send
from core.testing import Cast, make_document
from core.values.proposals import ListedProposal
from tests.integration.contradictions.pairs import QUESTION, keep_price_lists
from tests.integration.proposals import (
    ANSWER,
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
from tests.integration.rows import multiply

LIST = "admin:core_proposedchange_changelist"
NEW = f"{FILE}\n{ANSWER}\n"


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """The source that takes changes."""
    return register_source(monkeypatch)


@pytest.fixture
def gap(cast: Cast, fast: None, source: Taken) -> ContentGap:
    """A gap of three people's questions."""
    return make_gap(ASKED, cast.alice, cast.bob, cast.charlie)


@pytest.fixture
def handbook(cast: Cast, gap: ContentGap) -> Document:
    """A document that staff may read, of a source that takes changes of it."""
    return make_file(roles=[cast.staff])


@pytest.fixture
def bob(cast: Cast, gap: ContentGap) -> Client:
    """The browser of Bob, who may propose changes for gaps."""
    return browser_of(let_propose(cast.bob))


def browser_of(person: User) -> Client:
    """Return a browser in which somebody is signed in."""
    browser = Client()
    browser.force_login(person)
    return browser


def where(gap: ContentGap) -> str:
    """Return the address of the first step."""
    return reverse("admin:core_proposedchange_where", kwargs={"gap": gap.pk})


def write(gap: ContentGap, target: Document | DataSource) -> str:
    """Return the address of the form."""
    name = "document_id" if isinstance(target, Document) else "source_id"
    return reverse("admin:core_proposedchange_write", kwargs={"gap": gap.pk, name: target.pk})


def page_of(pk: Any) -> str:
    """Return the address of a proposal's page."""
    return reverse("admin:core_proposedchange_change", args=[pk])


def shown(browser: Client, address: str, **query: str) -> str:
    """Return a page that there is."""
    response = browser.get(address, query)
    assert response.status_code == 200
    return response.content.decode()


def form(act: str, **fields: Any) -> dict[str, Any]:
    """Return what the form of a file sends."""
    begun = {"title": "Parental leave", "question": ASKED, "quotes_nearest": "on", "text": NEW}
    return {"act": act, "version": "1", "way": "merge_request", **begun, **fields}


def sent(browser: Client, address: str, act: str, **fields: Any) -> str:
    """Press a button of the form; the page that comes."""
    response = browser.post(address, form(act, **fields))
    assert response.status_code == 200
    return response.content.decode()


def values(page: str) -> dict[str, str]:
    """Return what the fields of the form hold, as a browser sends it, but for the token, the questions and the text."""
    [begun] = re.findall(r"<form[^>]*data-proposing>(.*?)</form>", page, re.DOTALL)
    inputs = re.findall(r"<input\b([^>]*)>", begun)
    attributes = [dict(re.findall(r'(\w+)="([^"]*)"', one)) for one in inputs]
    held = {one["name"]: unescape(one.get("value", "")) for one in attributes if one["type"] != "checkbox"}
    return {name: value for name, value in held.items() if name not in ("csrfmiddlewaretoken", "key")}


def text_of(page: str) -> str:
    """Return what the field of the text holds: a browser leaves out a line break at its beginning."""
    [found] = re.findall(r'<textarea name="text"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    return unescape(found.removeprefix("\n"))


def act(browser: Client, pk: Any, name: str) -> int:
    """Press a button of a proposal's page; the status of the answer."""
    return browser.post(reverse("admin:core_proposedchange_act", args=[pk]), {"act": name}).status_code


def test_the_button_is_for_who_may_propose(cast: Cast, gap: ContentGap, bob: Client) -> None:
    """Also for one who may only look at gaps besides; nobody else has it, or a page of it."""
    address = reverse("admin:core_contentgap_change", args=[gap.pk])
    assert where(gap) in shown(bob, address)
    cast.bob.user_permissions.remove(Permission.objects.get(codename="manage_gaps"))
    page = shown(bob, address)
    assert where(gap) in page
    assert "Invite to write" not in page
    cast.bob.user_permissions.remove(Permission.objects.get(codename="propose_changes"))
    assert where(gap) not in shown(bob, address)
    for closed in (where(gap), reverse(LIST), page_of(uuid4()), write(gap, make_source())):
        assert bob.get(closed).status_code == 403


def test_without_the_right_to_see_gaps_there_is_none(cast: Cast, gap: ContentGap, handbook: Document) -> None:
    """A gap that one may not see reads like one that there is not."""
    browser = browser_of(let_propose(cast.bob))
    cast.bob.user_permissions.remove(*Permission.objects.filter(codename__in=["view_gaps", "manage_gaps"]))
    for address in (where(gap), write(gap, handbook)):
        assert browser.get(address).status_code == 404
        assert browser.get(address.replace(str(gap.pk), str(uuid4()))).status_code == 404
        assert browser.post(address, form("send")).status_code == 404
    assert not ProposedChange.objects.exists()


def test_the_first_step_lists_what_can_be_changed(cast: Cast, gap: ContentGap, handbook: Document, bob: Client) -> None:
    """Near documents, those whose titles have the words, and new ones; of what cannot be changed the reason."""
    make_document("Leave of absence", "Nothing of that kind.", roles=[cast.staff])
    make_document("Leave of the board", "Nothing of that kind.", roles=[cast.owners])
    page = shown(bob, where(gap))
    assert f"Change {HANDBOOK}" in page
    assert "Merge request at Handbook" in page
    assert "New document in Handbook" in page
    assert "Leave of absence" not in page
    page = shown(bob, where(gap), q="leave \0absence")
    assert "Leave of absence" in page
    assert "Its source takes no changes. And it has no owner to whom a mail could go." in page
    assert "Change Leave of absence" not in page
    assert "Leave of the board" not in shown(bob, where(gap), q="leave of the")


def test_it_is_said_what_helps_where_nothing_can_be_changed(gap: ContentGap, bob: Client) -> None:
    """An administrator can allow it."""
    assert "An administrator can allow proposed changes" in shown(bob, where(gap))


def test_a_page_and_a_mail_begin_empty(
    cast: Cast, gap: ContentGap, bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each says in which way it goes, and who will read the question."""
    wiki = make_source("Wiki", way=ChangeWay.DRAFT_PAGE)
    wiki_page = make_file("Leave page", roles=[cast.staff], source=wiki, key="page:7")
    note = make_document("Leave note", FILE, roles=[cast.staff])
    Document.objects.filter(pk=note.pk).update(owner=cast.alice)
    monkeypatch.setattr(mail, "is_configured", lambda: True)
    page = shown(bob, where(gap), q="leave")
    assert "Draft page in Wiki" in page
    assert "Mail to Alice" in page
    for document, label, reader in (
        (wiki_page, "What is to be added", "Everybody who may edit the page"),
        (note, "What is to be changed", "Whoever gets the mail"),
    ):
        page = shown(bob, write(gap, document))
        assert label in page
        assert f"{reader} reads it." in page
        assert text_of(page) == ""
    new = shown(bob, write(gap, wiki))
    assert "Key of the space" in new
    response = bob.post(write(gap, wiki), form("send", way="draft_page", place="DOCS", version="0"))
    assert ProposedChange.objects.get(place="DOCS").way == "draft_page"
    assert response.status_code == 302


def test_from_the_form_over_the_preview_to_a_proposal(
    cast: Cast, gap: ContentGap, handbook: Document, bob: Client, source: Taken
) -> None:
    """Take a text with a browser's ends of lines, and store it with those of the file."""
    page = shown(bob, write(gap, handbook))
    assert text_of(page) == FILE
    assert values(page) == {"title": f"Add an answer to: {ASKED}", "version": "1", "way": "merge_request"}
    assert "ask the office" in page
    windows = NEW.replace("\n", "\r\n")
    preview = sent(bob, write(gap, handbook), "look", text=windows)
    assert f"<ins><span>+</span>{ANSWER}</ins>" in preview
    assert "<del>" not in preview
    assert f"3 people asked: {ASKED}" in preview
    assert "&gt; For parental leave" in preview
    assert form("send", **values(preview)) == form("send", place="")
    assert "&gt; For parental leave" not in sent(bob, write(gap, handbook), "look", quotes_nearest="")

    response = bob.post(write(gap, handbook), form("send", text=windows))
    row = ProposedChange.objects.get()
    assert response.headers["Location"] == page_of(row.pk)
    assert (row.gap, row.document, row.people, row.proposed_by) == (gap, handbook, 3, cast.bob)
    with bypass_row_security():
        assert ProposalWords.objects.get().text == NEW
    assert "Waiting to be sent" in shown(bob, page_of(row.pk))
    send(row.pk, is_last_try=True)
    [change] = source.changes
    assert change.text == NEW
    page = shown(bob, page_of(row.pk))
    for said in ("Proposed", HANDBOOK, f'href="{URL}" rel="noopener"', "by Bob", "3 people had asked"):
        assert said in page
    for address in (where(gap), reverse("admin:core_contentgap_change", args=[gap.pk]), reverse(LIST)):
        page = shown(bob, address)
        assert page_of(row.pk) in page
        assert f'href="{URL}" rel="noopener"' in page


def test_a_file_may_begin_and_end_with_empty_lines(cast: Cast, gap: ContentGap, bob: Client) -> None:
    """They come back as they are."""
    document = make_file(text=f"\n\n{FILE}\n\n", roles=[cast.staff])
    assert text_of(shown(bob, write(gap, document))) == f"\n\n{FILE}\n\n"
    page = sent(bob, write(gap, document), "look", text=f"\r\n\r\n{FILE}\r\n\r\nMore.\r\n")
    assert values(page)["text"] == f"\n\n{FILE}\n\nMore.\n"
    assert "<del>" not in page


def test_each_step_that_shows_a_question_of_others_is_recorded(
    gap: ContentGap, handbook: Document, bob: Client
) -> None:
    """As the page of the gap is."""
    shown(bob, where(gap))
    shown(bob, write(gap, handbook))
    sent(bob, write(gap, handbook), "look")
    events = AuditEvent.objects.filter(action="read_text", object_type="contentgap", object_id=str(gap.pk))
    assert events.count() == 3


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"title": ""}, "Write a title of one line"),
        ({"title": "x" * 121}, "at most 120 characters"),
        ({"question": "x" * 501}, "Write the question in at most 500 characters."),
        ({"text": " "}, "Write what is to be in the document."),
        ({"text": FILE}, "Nothing is changed yet."),
        ({"text": "a\0b"}, "Paste it as plain text."),
        ({"way": "mail"}, "It goes another way now: Merge request at Handbook."),
    ],
)
def test_what_is_refused_comes_back_as_it_was_written(
    gap: ContentGap, handbook: Document, bob: Client, fields: dict[str, str], said: str
) -> None:
    """With what is wrong with it, by either button."""
    for button in ("look", "send"):
        page = sent(bob, write(gap, handbook), button, **fields)
        assert said in page
        written = form(button, **fields)
        assert text_of(page) == written["text"]
        assert values(page) == {"title": written["title"], "version": "1", "way": "merge_request"}
        assert written["question"] in page
    assert not ProposedChange.objects.exists()


def test_what_was_written_stays_where_the_document_cannot_be_changed_any_more(
    gap: ContentGap, handbook: Document, bob: Client
) -> None:
    """As while its source is read: there is no way, and the form keeps it all."""
    SyncItem.objects.update(is_stale=True)
    page = sent(bob, write(gap, handbook), "send", title="Kept title")
    assert "cannot be changed from here. Its source is being read just now." in page
    assert text_of(page) == NEW
    assert values(page) == {"title": "Kept title", "version": "1", "way": "merge_request"}
    response = bob.get(write(gap, handbook))
    assert (response.status_code, response.headers["Location"]) == (302, where(gap))
    SyncItem.objects.update(is_stale=False)
    assert bob.post(write(gap, handbook), form("send")).status_code == 302


def test_a_new_edition_is_shown_beside_what_was_written(gap: ContentGap, handbook: Document, bob: Client) -> None:
    """The next attempt is for it."""
    Document.objects.filter(pk=handbook.pk).update(version=2)
    page = sent(bob, write(gap, handbook), "send")
    assert "The document has a new edition since you began." in page
    assert text_of(page) == NEW
    [edition] = re.findall(r'<pre class="fn-edition"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert unescape(edition) == FILE
    assert values(page)["version"] == "2"
    assert bob.post(write(gap, handbook), form("send", version="2")).status_code == 302


def test_a_new_document_needs_a_place(gap: ContentGap, handbook: Document, bob: Client) -> None:
    """Its path, which comes back as it was written."""
    address = write(gap, DataSource.objects.get())
    page = shown(bob, address)
    assert "Path of the new file" in page
    assert text_of(page) == ""
    for place in ("../leave.md", "leave.pdf", "a\0.md"):
        page = sent(bob, address, "look", place=place, version="0")
        assert "The path begins with" in page or "its name ends with" in page
        assert values(page)["place"] == place
    assert "leave/parental.md" in sent(bob, address, "look", place="leave/parental.md", version="0")
    assert bob.post(address, form("send", place="leave/parental.md", version="0")).status_code == 302
    row = ProposedChange.objects.get()
    assert (row.document, row.place) == (None, "leave/parental.md")
    assert "leave/parental.md" in shown(bob, page_of(row.pk))


def test_what_could_not_be_sent_is_sent_or_written_again(
    cast: Cast, gap: ContentGap, handbook: Document, bob: Client, source: Taken
) -> None:
    """By its author, with all that was written; the form says when the document has changed since."""
    pk = propose(cast.bob, gap=gap, document=handbook)
    source.fails_with = SourceError("The repository is closed.")
    send(UUID(pk), is_last_try=True)
    page = shown(bob, page_of(pk))
    assert "The repository is closed." in page
    assert "Send again" in page
    response = bob.get(reverse("admin:core_proposedchange_again", args=[pk]))
    assert response.headers["Location"] == f"{write(gap, handbook)}?again={pk}"
    page = shown(bob, response.headers["Location"])
    assert text_of(page) == NEW
    assert values(page)["title"] == "Answer: parental leave"
    assert "has changed since" not in page
    Document.objects.filter(pk=handbook.pk).update(version=2)
    page = shown(bob, response.headers["Location"])
    assert text_of(page) == NEW
    assert "The document has changed since this was written." in page
    other = make_gap("When is the canteen open?", cast.alice)
    assert bob.get(f"{write(other, handbook)}?again={pk}").status_code == 404
    assert bob.get(f"{write(gap, handbook)}?again=nothing").status_code == 404

    Document.objects.filter(pk=handbook.pk).update(version=1)
    source.fails_with = None
    assert act(bob, pk, "again") == 302
    send(UUID(pk), is_last_try=True)
    assert ProposedChange.objects.get().state == "sent"
    assert bob.get(reverse("admin:core_proposedchange_again", args=[pk])).status_code == 404
    assert act(bob, pk, "again") == 404


def test_who_decides_says_how_it_ended(cast: Cast, gap: ContentGap, handbook: Document, bob: Client) -> None:
    """The author, or who looks after gaps; where the source tells, the buttons are folded away."""
    pk = propose(cast.bob, gap=gap, document=handbook)
    send(UUID(pk), is_last_try=True)
    page = shown(bob, page_of(pk))
    assert page.index("<details") < page.index("It was merged")
    ProposedChange.objects.update(way="branch")
    assert '<details class="fn-more"' not in shown(bob, page_of(pk))
    assert act(bob, pk, "shred") == 404
    assert act(bob, pk, "merged") == 302
    page = shown(bob, page_of(pk))
    assert "Merged, not read yet" in page
    assert "It was merged" not in page
    assert act(bob, pk, "merged") == 404
    assert act(bob, pk, "declined") == 302
    assert "What can be done" not in shown(bob, page_of(pk))
    assert act(bob, pk, "withdraw") == 404

    pk = propose(cast.bob, gap=gap, document=handbook)
    alice = browser_of(let_propose(cast.alice))
    assert "Withdraw" in shown(alice, page_of(pk))
    cast.alice.user_permissions.remove(Permission.objects.get(codename="manage_gaps"))
    assert "Withdraw" not in shown(alice, page_of(pk))
    assert act(alice, pk, "withdraw") == 404
    assert act(bob, pk, "withdraw") == 302
    assert ProposedChange.objects.get(pk=pk).state == "withdrawn"


def test_acts_are_posted(cast: Cast, gap: ContentGap, handbook: Document, bob: Client) -> None:
    """And with the token of the session: neither a link nor another site does anything."""
    pk = propose(cast.bob, gap=gap, document=handbook)
    assert bob.get(reverse("admin:core_proposedchange_act", args=[pk])).status_code == 405
    assert bob.post(where(gap)).status_code == 405
    assert bob.put(write(gap, handbook)).status_code == 405
    assert bob.post(page_of(pk), {"state": "done"}).status_code == 403
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(cast.bob)
    assert act(strict, pk, "withdraw") == 403
    assert strict.post(write(gap, handbook), form("send")).status_code == 403
    assert ProposedChange.objects.get().state == "waiting"


def test_the_list_is_narrowed_by_state(cast: Cast, gap: ContentGap, handbook: Document, bob: Client) -> None:
    """The last made first, twenty on a page; an empty one says what brings rows there."""
    assert "Open a content gap or a contradiction" in shown(bob, reverse(LIST))
    pk = propose(cast.bob, gap=gap, document=handbook)
    multiply(ProposedChange.objects.get(), 24, created_at="created_at - n * interval '1 day'", state="'sent'")
    page = shown(bob, reverse(LIST))
    assert "All (25)" in page
    assert "Proposed (24)" in page
    assert page.count("fn-proposal") == 20
    assert page.index(pk) == page.index("/proposedchange/", page.index("fn-proposal")) + len("/proposedchange/")
    assert "?page=2" in page
    assert shown(bob, reverse(LIST), page="2").count("fn-proposal") == 5
    assert shown(bob, reverse(LIST), state="waiting").count("fn-proposal") == 1
    assert "None in this state." in shown(bob, reverse(LIST), state="done")
    assert bob.get(reverse(LIST), {"state": "shredded"}).status_code == 404


def test_the_queries_of_the_list_are_bounded(
    cast: Cast,
    gap: ContentGap,
    handbook: Document,
    bob: Client,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    """However many proposals there are."""
    propose(cast.bob, gap=gap, document=handbook)
    multiply(ProposedChange.objects.get(), 200)
    with django_assert_max_num_queries(25):
        shown(bob, reverse(LIST))


def test_a_change_is_proposed_for_a_contradiction(cast: Cast, fast: None, source: Taken) -> None:
    """From its card, and its page shows what was proposed; what is gone has no button."""
    pair = keep_price_lists([cast.staff], [cast.staff])
    browser = browser_of(let_propose(cast.bob, "view_contradictions"))
    address = reverse("admin:core_proposedchange_where", kwargs={"contradiction": pair.pk})
    assert address in shown(browser, reverse("admin:core_sourcecontradiction_changelist"))
    Document.objects.filter(pk=pair.older_id).update(data_source=make_source("Prices", way=None))
    page = shown(browser, address)
    assert QUESTION in page
    assert "Price list" in page
    assert "Harbour notice" in page
    wiki = make_source("Wiki")
    cast.bob.user_permissions.add(Permission.objects.get(codename="view_datasource"))
    written = reverse("admin:core_proposedchange_write", kwargs={"contradiction": pair.pk, "source_id": wiki.pk})
    assert browser.post(written, form("send", place="prices.md", version="0")).status_code == 302
    row = ProposedChange.objects.get()
    assert row.contradiction == pair
    assert page_of(row.pk) in shown(browser, reverse("admin:core_sourcecontradiction_change", args=[pair.pk]))
    SourceContradiction.objects.update(state="gone")
    listed = shown(browser, reverse("admin:core_sourcecontradiction_changelist"), state="gone")
    assert f"pair-{pair.pk}" in listed
    assert address not in listed
    assert browser.get(address).status_code == 404


def test_who_has_an_answer_is_counted_once_it_is_in_the_library(
    cast: Cast, gap: ContentGap, handbook: Document, list_of: Callable[[], ListedProposal]
) -> None:
    """Before, nobody can have one."""
    propose(let_propose(cast.bob), gap=gap, document=handbook)
    assert describe_answered(list_of()) == "3 people had asked"
    ProposedChange.objects.update(state="done")
    query = gap.questions.first().query  # type: ignore[union-attr]
    ProposedChange.objects.get().late_answers.create(query=query, asked_again=query, state="told")
    assert describe_answered(list_of()) == "3 people had asked, 1 of them has an answer now, 1 was told"
    ProposedChange.objects.update(people=0)
    assert describe_answered(list_of()) == "1 who had asked has an answer now, 1 was told"


@pytest.fixture
def list_of(cast: Cast) -> Callable[[], ListedProposal]:
    """Lists the only proposal, as Bob sees it."""

    def read() -> ListedProposal:
        bob = let_propose(cast.bob)
        [row] = list_proposals(bob, audience_of([bob.pk])).rows
        return row

    return read
