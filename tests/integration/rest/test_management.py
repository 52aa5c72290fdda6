"""Looking after the library over REST: by the rights of the admin, and only with a token that is for it."""

import datetime as dt
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from core.access.audiences import audience_of
from core.models import AuditEvent, Document, IngestionJob, Role, RoleDocumentAccess, User, UserRole
from core.testing import Cast
from tests.integration.rest.conftest import Caller, Library, assert_no_canary

DECIDE = ("view_role", "add_role", "change_role", "view_document", "view_user", "decide_who_reads")
LIBRARIAN = ("view_collection", "view_document", "delete_document", "view_ingestionjob", "add_ingestionjob")
Make = Callable[..., Caller]


@pytest.fixture
def desk(cast: Cast) -> Make:
    """Makes somebody with these rights and a token with these scopes, who may read nothing."""

    def make(*rights: str, scopes: tuple[str, ...] = ("grant", "ingest")) -> Caller:
        user = User.objects.create_user("desk@example.com", display_name="Desk")
        user.user_permissions.set(Permission.objects.filter(codename__in=rights))
        return Caller(user, *scopes)

    return make


def reads(person: User, document: Document) -> bool:
    """Return True if a person may read a document, by the rule."""
    return Document.objects.visible_to(audience_of([person.pk])).filter(pk=document.pk).exists()


def test_roles_are_listed_made_and_given(desk: Make, cast: Cast, library: Library) -> None:
    """With counts; a name that is taken and an address that nobody has are refused in words."""
    caller = desk(*DECIDE)
    listed = {row["name"]: (row["members"], row["documents"]) for row in caller.get("roles").json()["results"]}
    assert listed == {"owners": (1, 1), "staff": (2, 1)}
    made = caller.post("roles", name="divers", description="Who dives.")
    assert (made.status_code, made.json()["members"]) == (201, 0)
    assert caller.post("roles", name="divers").json()["fields"] == {"name": ["There is a role of this name already."]}
    members = f"roles/{made.json()['id']}/members"
    assert caller.post(members, give=["BOB@example.com", cast.charlie.email]).json() == {"given": 2, "taken": 0}
    assert caller.post(members, take=[cast.bob.email]).json() == {"given": 0, "taken": 1}
    assert UserRole.objects.get(role__name="divers").user == cast.charlie
    unknown = caller.post(members, give=["nobody@example.com", cast.bob.email])
    assert unknown.json()["fields"] == {"give": ["Nobody has the address nobody@example.com."]}
    assert not UserRole.objects.filter(role__name="divers", user=cast.bob).exists()
    assert caller.post(f"roles/{uuid4()}/members").status_code == 404


def test_a_grant_is_tried_out_and_then_made(desk: Make, cast: Cast, library: Library) -> None:
    """The dry run says who would gain what and changes nothing; the grant may have an end, and is taken away again."""
    caller = desk(*DECIDE)
    body = {"action": "grant", "roles": ["staff"], "collections": ["Zanzibar shelf"], "until": "2999-12-31"}
    tried = caller.post("grants", **body, dry_run=True).json()
    assert tried == {
        "done": False,
        "check": None,
        "grants": 1,
        "documents": 1,
        "people": 1,
        "affected": [{"email": cast.bob.email, "documents": 1}],
        "channels": [],
    }
    assert not reads(cast.bob, library.vault)
    assert caller.post("grants", **body).json() == tried | {"done": True}
    assert reads(cast.bob, library.vault)
    [row] = caller.get("grants", role="staff", document=str(library.vault.pk)).json()["results"]
    assert row["expires_at"].startswith("3000-01-01")
    assert AuditEvent.objects.get(action="grant", actor=caller.user).details["until"].startswith("3000")
    taken = caller.post("grants", action="revoke", roles=["staff"], documents=[str(library.vault.pk)])
    assert taken.json()["people"] == 1
    assert not reads(cast.bob, library.vault)


def test_grants_that_have_ended_are_not_listed(desk: Make, library: Library) -> None:
    """As they are no grants."""
    RoleDocumentAccess.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))
    assert desk(*DECIDE).get("grants").json()["results"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"roles": ["nobodies"], "collections": ["Zanzibar shelf"]}, "roles"),
        ({"roles": ["staff"], "collections": ["No shelf"]}, "collections"),
        ({"roles": ["staff"], "documents": ["0b8f3a52-5a8f-4b55-9e59-0123456789ab"]}, "documents"),
        ({"roles": ["staff"]}, "non_field_errors"),
        ({"roles": [], "collections": ["Zanzibar shelf"]}, "roles"),
        ({"roles": ["staff"], "documents": ["x"]}, "documents"),
        ({"roles": ["staff"], "collections": ["Zanzibar shelf"], "role": "x"}, "role"),
    ],
)
def test_what_does_not_exist_is_named_and_nothing_is_done(
    desk: Make, library: Library, body: dict[str, object], field: str
) -> None:
    """Each with its field."""
    before = RoleDocumentAccess.objects.count()
    refused = desk(*DECIDE).post("grants", action="grant", **body)
    assert refused.status_code == 400
    assert field in refused.json()["fields"]
    assert RoleDocumentAccess.objects.count() == before


def test_a_grant_cannot_end_before_it_begins(desk: Make, library: Library) -> None:
    """A last day that is over is refused, and a revocation has none."""
    caller = desk(*DECIDE)
    body = {"roles": ["staff"], "collections": ["Zanzibar shelf"]}
    assert caller.post("grants", action="grant", until="2020-01-01", **body).status_code == 400
    assert caller.post("grants", action="revoke", until="2999-01-01", **body).status_code == 400


def test_documents_are_handed_in_by_file_and_address(desk: Make, library: Library) -> None:
    """As one job, whose address says how far it is."""
    caller = desk(*LIBRARIAN)
    file = SimpleUploadedFile("tides.md", b"# Tides\n\nHigh water is at noon.")
    sent = caller.client.post(
        "/api/v1/ingestion", {"collection": "Zanzibar shelf", "files": [file], "addresses": ["arxiv:2212.11772"]}
    )
    assert sent.status_code == 202, sent.content
    job = IngestionJob.objects.get()
    assert {row["name"] for row in sent.json()["files"]} == {"tides.md", "arxiv:2212.11772"}
    assert job.created_by == caller.user
    shown = caller.get(f"ingestion/{job.pk}").json()
    assert (shown["state"], shown["collection"]) == ("queued", "Zanzibar shelf")
    assert [row["id"] for row in caller.get("ingestion").json()["results"]] == [str(job.pk)]
    by_json = caller.post("ingestion", collection="Zanzibar shelf", addresses=["arxiv:2212.11773"])
    assert by_json.status_code == 202


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"collection": "No shelf", "addresses": ["arxiv:2212.11772"]}, "There is no collection of this name."),
        ({"collection": "Zanzibar shelf"}, "Send at least one file or address."),
        ({"collection": "Zanzibar shelf", "addresses": ["ftp://x"]}, "address"),
        ({"collection": "Zanzibar shelf", "addresses": ["arxiv:2212.11772"], "roles": ["x"]}, "There is no role x."),
    ],
)
def test_what_cannot_be_handed_in_is_refused(desk: Make, library: Library, body: dict[str, object], says: str) -> None:
    """In words, and no job is made."""
    refused = desk(*LIBRARIAN, "decide_who_reads").post("ingestion", **body)
    assert refused.status_code == 400
    assert says in refused.content.decode()
    assert not IngestionJob.objects.exists()


def test_who_does_not_decide_names_no_readers(desk: Make, library: Library) -> None:
    """A file handed in is read by the collection's own roles."""
    body = {"collection": "Zanzibar shelf", "addresses": ["arxiv:2212.11772"], "roles": ["staff"]}
    assert desk(*LIBRARIAN).post("ingestion", **body).status_code == 403
    assert not IngestionJob.objects.exists()


def test_a_document_is_deleted_and_on_record(desk: Make, library: Library) -> None:
    """By who may delete it in the admin."""
    caller = desk(*LIBRARIAN)
    address = f"/api/v1/documents/{library.vault.pk}"
    assert caller.client.delete(address).status_code == 204
    assert not Document.objects.filter(pk=library.vault.pk).exists()
    assert AuditEvent.objects.get(action="delete").actor == caller.user
    assert caller.client.delete(address).status_code == 404


ENTRANCES = [
    ("get", "roles", "grant", ("view_role",)),
    ("post", "roles", "grant", ("add_role", "decide_who_reads")),
    ("post", "roles/{role}/members", "grant", ("change_role", "view_user", "decide_who_reads")),
    ("get", "grants", "grant", ("view_role", "view_document")),
    ("post", "grants", "grant", ("view_role", "view_document", "decide_who_reads")),
    ("get", "collections", "ingest", ("view_collection",)),
    ("get", "ingestion", "ingest", ("view_ingestionjob",)),
    ("post", "ingestion", "ingest", ("add_ingestionjob",)),
    ("delete", "documents/{document}", "ingest", ("view_document", "delete_document")),
]


@pytest.mark.parametrize(("method", "path", "scope", "rights"), ENTRANCES)
def test_each_entrance_needs_its_scope_and_every_right(
    desk: Make, cast: Cast, library: Library, method: str, path: str, scope: str, rights: tuple[str, ...]
) -> None:
    """With all of them it opens; without the scope, or any one right, it reveals nothing and changes nothing."""
    caller = desk(*rights, scopes=(scope,))
    address = f"/api/v1/{path.format(role=cast.owners.pk, document=library.vault.pk)}"

    def knock() -> int:
        answer = getattr(caller.client, method)(address, {} if method == "get" else None, format="json")
        if answer.status_code == 403:
            assert_no_canary(answer)
        return int(answer.status_code)

    before = Document.objects.count(), Role.objects.count(), RoleDocumentAccess.objects.count()
    for right in rights:
        held = Permission.objects.get(codename=right)
        caller.user.user_permissions.remove(held)
        assert knock() == 403, right
        caller.user.user_permissions.add(held)
    caller.row.scopes = ["ask", "reports", "ingest" if scope == "grant" else "grant"]
    caller.row.save()
    assert knock() == 403
    assert (Document.objects.count(), Role.objects.count(), RoleDocumentAccess.objects.count()) == before
    caller.row.scopes = [scope]
    caller.row.save()
    assert knock() != 403
