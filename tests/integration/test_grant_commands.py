"""The commands `grant`, `revoke` and `explain_access`."""

import json
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from core.models import AuditEvent, Document, Role, RoleDocumentAccess, User, UserRole
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def minutes(cast: Cast) -> Document:
    """Granted to nobody."""
    document = make_document("Minutes of May", "The board met.", collection="Board")
    Document.objects.filter(pk=document.pk).update(source="https://board.example/may", arxiv_id="2401.00001")
    document.refresh_from_db()
    return document


@pytest.fixture
def guide(cast: Cast) -> Document:
    """Granted to the staff."""
    return make_document("Guide", "The gate closes at six.", roles=[cast.staff], collection="Handbook")


def run(*arguments: str) -> dict[str, Any]:
    """The JSON that a command prints."""
    out = StringIO()
    call_command(*arguments, "--json", stdout=out)
    result: dict[str, Any] = json.loads(out.getvalue())
    return result


def failure(*arguments: str) -> CommandError:
    """The error that a command ends with."""
    with pytest.raises(CommandError) as caught:
        call_command(*arguments, stdout=StringIO())
    return caught.value


def readable_by(user: User, cast: Cast) -> set[str]:
    """The titles of all documents that a person may read."""
    return set(Document.objects.visible_to(cast.audience(user)).values_list("title", flat=True))


def test_granted_documents_can_be_read_by_the_role_and_nobody_else(
    cast: Cast, guide: Document, minutes: Document
) -> None:
    """Alice and Bob are staff; Charlie is not."""
    assert run("grant", "staff", str(minutes.pk)) == {
        "role": "staff",
        "granted": 1,
        "documents": [str(minutes.pk)],
        "users": 0,
    }
    assert readable_by(cast.bob, cast) == {"Guide", "Minutes of May"}
    assert readable_by(cast.charlie, cast) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ("https://board.example/may",),
        ("2401.00001",),
        ("arxiv:2401.00001v2",),
        ("Minutes of May",),
        ("collection:Board",),
        ("--document", "Minutes of May"),
        ("--collection", "Board"),
        ("--source-prefix", "https://board.example/"),
        ("--source-prefix", "https://library.example/minutes"),
    ],
)
def test_a_document_can_be_named_in_many_ways(
    cast: Cast, guide: Document, minutes: Document, arguments: tuple[str, ...]
) -> None:
    """Each names the minutes, and only the minutes."""
    result = run("grant", "owners", *arguments)
    assert result["documents"] == [str(minutes.pk)]
    assert set(cast.owners.documents.all()) == {minutes}


def test_what_is_named_twice_is_granted_once(cast: Cast, guide: Document, minutes: Document) -> None:
    """And what was granted before is not new."""
    result = run("grant", "staff", "Minutes of May", str(minutes.pk), "Guide", "--collection", "Board", "Handbook")
    assert result["granted"] == 1
    assert set(result["documents"]) == {str(minutes.pk), str(guide.pk)}
    assert run("grant", "staff", "Minutes of May")["granted"] == 0


def test_revoked_documents_are_gone_at_once(cast: Cast, guide: Document, minutes: Document) -> None:
    """Only what was granted counts as taken; other roles keep theirs."""
    run("grant", "owners", "Guide")
    result = run("revoke", "staff", "Guide", "Minutes of May")
    assert (result["role"], result["revoked"], result["users"]) == ("staff", 1, 0)
    assert readable_by(cast.bob, cast) == set()
    assert readable_by(cast.alice, cast) == {"Guide"}


def test_each_change_leaves_an_audit_row_that_says_who_made_it(cast: Cast, guide: Document) -> None:
    """Without --as nobody is named; a change that changes nothing leaves none."""
    run("revoke", "staff", "Guide", "--as", "Alice@example.com")
    run("revoke", "staff", "Guide")
    run("grant", "staff", "Guide")
    events = AuditEvent.objects.filter(object_type="role").order_by("created_at")
    assert [(event.action, event.actor) for event in events] == [
        ("grant", None),  # of the fixture
        ("revoke", cast.alice),
        ("grant", None),
    ]
    assert events[1].details == {"documents": [str(guide.pk)]}


def test_people_get_and_lose_a_role(cast: Cast, guide: Document) -> None:
    """Through the same commands, with an audit row of their own."""
    assert run("grant", "staff", "--user", "Charlie@Example.com", "bob@example.com", "--as", "alice@example.com") == {
        "role": "staff",
        "granted": 0,
        "documents": [],
        "users": 1,
    }
    assert readable_by(cast.charlie, cast) == {"Guide"}
    assert run("revoke", "staff", "--user", "charlie@example.com")["users"] == 1
    assert run("revoke", "staff", "--user", "charlie@example.com")["users"] == 0
    assert readable_by(cast.charlie, cast) == set()
    assert not UserRole.objects.filter(user=cast.charlie).exists()
    events = AuditEvent.objects.filter(object_type="user").order_by("created_at")
    role = str(cast.staff.pk)
    assert [(event.action, event.object_id, event.actor, event.details) for event in events] == [
        ("change_roles", str(cast.charlie.pk), cast.alice, {"given": [role], "taken": []}),
        ("change_roles", str(cast.charlie.pk), None, {"given": [], "taken": [role]}),
    ]


def test_a_role_is_made_only_when_asked_for(cast: Cast, guide: Document) -> None:
    """A misspelt role must not come into being."""
    error = failure("grant", "stuff", "Guide")
    assert (error.returncode, str(error)) == (
        2,
        "There is no role stuff. Roles: owners, staff. To create it, add --create-role.",
    )
    assert not Role.objects.filter(name="stuff").exists()
    call_command("grant", "readers", "Guide", "--create-role", stdout=StringIO(), stderr=StringIO())
    assert set(Role.objects.get(name="readers").documents.all()) == {guide}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("staff",), "Give documents (DOCUMENT..., --collection, --source-prefix) or people (--user)."),
        (("staff", "Gudie"), "There is no document 'Gudie'."),
        (("staff", "Handbook"), "There is no document 'Handbook'. There is a collection with that name"),
        (("staff", "collection:Board room"), "There is no collection Board room. Collections: Board, Handbook."),
        (("staff", "--source-prefix", "ftp:"), "No document's source starts with 'ftp:'."),
        (("staff", "--source-prefix", ""), "No document's source starts with ''."),
        (("staff", str(uuid4())), "There is no document"),
        (("staff", "--user", "dora@example.com"), "Nobody has the e-mail address dora@example.com."),
        (("staff", "Guide", "--as", "dora@example.com"), "Nobody has the e-mail address dora@example.com."),
    ],
)
@pytest.mark.parametrize("command", ["grant", "revoke"])
def test_an_argument_that_names_nothing_is_wrong_usage(
    cast: Cast, guide: Document, minutes: Document, command: str, arguments: tuple[str, ...], message: str
) -> None:
    """The message says what was looked for and what there is."""
    error = failure(command, *arguments)
    assert error.returncode == 2
    assert str(error).startswith(message)


def test_nothing_is_done_when_a_part_cannot_be_done(cast: Cast, guide: Document, minutes: Document) -> None:
    """Neither the documents that were found nor the new role remain."""
    before = set(RoleDocumentAccess.objects.values_list("pk", flat=True))
    failure("grant", "staff", "Minutes of May", "No such thing")
    failure("grant", "readers", "No such thing", "--create-role")
    failure("revoke", "staff", "Guide", "No such thing")
    assert set(RoleDocumentAccess.objects.values_list("pk", flat=True)) == before
    assert not Role.objects.filter(name="readers").exists()


def test_a_title_of_two_documents_is_not_guessed(cast: Cast, guide: Document) -> None:
    """Both are shown, and each can be named by its source key."""
    other = make_document("Guide", "Another gate.", collection="Annex")
    error = failure("grant", "owners", "Guide")
    assert error.returncode == 2
    assert "Several documents have the title 'Guide'" in str(error)
    assert {str(guide.pk), str(other.pk)} <= set(str(error).split())
    assert run("grant", "owners", "Annex/Guide")["documents"] == [str(other.pk)]


def test_the_commands_say_in_words_what_they_did(cast: Cast, guide: Document) -> None:
    """They count the grants, and the new ones among them."""
    out = StringIO()
    call_command("grant", "owners", "Guide", "--user", "alice@example.com", "bob@example.com", stdout=out)
    call_command("revoke", "owners", "Guide", "--user", "bob@example.com", stdout=out)
    call_command("revoke", "owners", "Guide", stdout=out)
    assert out.getvalue().splitlines() == [
        "owners may read 1 of the documents named; 1 of these grants are new.",
        "2 of the people named have the role owners; 1 got it now.",
        "owners was granted 1 of the 1 documents named; it is revoked.",
        "1 of the 1 people named had the role owners and lost it.",
        "owners was granted none of the 1 documents named.",
    ]


def explained(*arguments: str) -> tuple[dict[str, Any], int]:
    """The explanation as JSON, and the exit code."""
    out, code = StringIO(), 0
    try:
        call_command("explain_access", *arguments, "--json", stdout=out)
    except SystemExit as end:
        code = int(end.code or 0)
    return json.loads(out.getvalue()), code


def test_access_is_explained_by_the_roles_that_decide_it(cast: Cast, guide: Document) -> None:
    """Alice holds two roles, of which one is granted the guide."""
    assert explained("ALICE@example.com", "Guide") == (
        {
            "email": "alice@example.com",
            "document_id": str(guide.pk),
            "document": "Guide",
            "readable": True,
            "active": True,
            "roles_held": ["owners", "staff"],
            "roles_granted": ["staff"],
            "deciding": ["staff"],
        },
        0,
    )


def test_missing_access_is_explained_with_exit_code_1(cast: Cast, guide: Document, minutes: Document) -> None:
    """No role, no grant, no match, or an inactive account, whose roles do not count."""
    out = StringIO()
    for email, title in (("charlie", "Guide"), ("bob", "Minutes of May")):
        with pytest.raises(SystemExit, match="1"):
            call_command("explain_access", f"{email}@example.com", title, stdout=out)
    run("grant", "owners", "Minutes of May")
    User.objects.filter(pk=cast.alice.pk).update(is_active=False)
    for email, title in (("bob", "Minutes of May"), ("alice", "Guide")):
        with pytest.raises(SystemExit, match="1"):
            call_command("explain_access", f"{email}@example.com", title, stdout=out)
    assert [line for line in out.getvalue().splitlines() if not line.startswith("Roles ")] == [
        "charlie@example.com may not read 'Guide'.",
        "The person has no role.",
        "bob@example.com may not read 'Minutes of May'.",
        "The document is not granted to any role.",
        "bob@example.com may not read 'Minutes of May'.",
        "The document is not granted to any of the person's roles.",
        "alice@example.com may not read 'Guide'.",
        "The account is inactive, so none of its roles count.",
    ]
    explanation, code = explained("alice@example.com", "Guide")
    assert (explanation["readable"], explanation["deciding"], code) == (False, [], 1)


@pytest.mark.parametrize("arguments", [("dora@example.com", "Guide"), ("alice@example.com", "Gudie")])
def test_an_unknown_person_or_document_has_exit_code_2(cast: Cast, guide: Document, arguments: tuple[str, str]) -> None:
    """A script can distinguish "may not" from "misspelt"."""
    assert failure("explain_access", *arguments).returncode == 2
