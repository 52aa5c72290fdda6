"""Who reads a file in SharePoint, as far as Microsoft Graph tells it for certain, when it is listed and looked at."""

from typing import Any

import pytest

from core.errors import ChangedMeanwhileError, IngestionError, SourceError, SourceRefusedError
from core.library.sync.connector import Listed, TellsReaders
from tests.integration.sync.served import Answer, listing
from tests.integration.sync.servers.graph import (
    ANNA,
    BOARD,
    BOARD_ID,
    DRIVE,
    HIDDEN,
    OTHER,
    SITE,
    STAFF,
    STAFF_ID,
    Permissions,
    Tenant,
    claim,
    group,
    link,
    site_group,
    user,
)

KEY = f"file:{DRIVE}/f1"
BOB = "bob@contoso.com"
EVERYONE = "c:0-.f|rolemanager|spo-grid-all-users/dddddddd-0000-0000-0000-000000000004"


def readers(tenant: Tenant, permissions: Permissions | None, **settings: Any) -> tuple[str, ...] | None:
    """Return the readers of a file with some permissions, which are the same looked at alone and among others."""
    tenant.put("f0", "other.md")
    tenant.put("f1", "plan.md", permissions=permissions)
    connector = tenant.connect(**settings)
    documents, _, error = listing(connector)
    assert error is None
    now = connector.look_again(documents[KEY])
    assert now == documents[KEY]
    return now.groups


@pytest.mark.parametrize(
    ("permissions", "names"),
    [
        ([user(BOB), group("Staff", STAFF_ID)], (STAFF, BOB)),
        ([user("Bob@Contoso.com", roles=["owner"])], (BOB,)),
        ([user(BOB, roles=["sp.full control"]), user(ANNA, roles=["write"])], (ANNA, BOB)),
        ([claim(f"i:0#.f|membership|{BOB}")], (BOB,)),
        ([claim(f"c:0t.c|tenant|{STAFF_ID}", "Staff")], (STAFF,)),
        ([claim(f"c:0o.c|federateddirectoryclaimprovider|{STAFF_ID}", "Staff")], (STAFF,)),
        ([claim(EVERYONE)], ("everyone except external users",)),
        ([claim("c:0(.s|true")], ("everyone signed in",)),
        ([link("users", user(BOB), group("Board", BOARD_ID))], (BOARD, BOB)),
        ([link("users", user(BOB), kind="edit")], (BOB,)),
        ([user(BOB, expirationDateTime="2999-01-01T00:00:00Z")], (BOB,)),
        ([user(BOB, inheritedFrom={"id": "root"})], (BOB,)),
        ([{"roles": ["read"], "grantedToV2": {"user": {"id": STAFF_ID}}}], (f"user:{STAFF_ID}",)),
    ],
)
def test_who_is_named_for_certain_reads(tenant: Tenant, permissions: Permissions, names: tuple[str, ...]) -> None:
    """By a right of one's own, a group, a claim of the site, or a link for named people."""
    assert readers(tenant, permissions) == names


@pytest.mark.parametrize(
    "permissions",
    [
        HIDDEN,
        [],
        [link("organization", user(BOB))],
        [link("anonymous", user(BOB))],
        [link("existingAccess", user(BOB))],
        [link("", user(BOB))],
        [link("users", user(BOB), kind="createOnly")],
        [link("users", user(BOB), kind="blocksDownload")],
        [link("users", user(BOB), preventsDownload=True)],
        [link("users", user(BOB)) | {"hasPassword": True}],
        [link("users", user(BOB)) | {"grantedToIdentitiesV2": None}],
        [link("users", user(BOB)) | {"link": "users"}],
        [link("organization") | user(BOB)],
        [user(BOB, roles=["sp.limited access"])],
        [user(BOB, roles=[])],
        [user(BOB, roles="read")],
        [user(BOB, roles=[None, {}])],
        [user(BOB, expirationDateTime="2020-01-01T00:00:00Z")],
        [user(BOB, expirationDateTime="soon")],
        [user(BOB, expirationDateTime=7)],
        [{"roles": ["read"], "grantedTo": {"user": {"email": BOB}}}],
        [{"roles": ["read"], "invitation": {"email": BOB}}],
        [{"roles": ["read"], "grantedToV2": {"application": {"id": STAFF_ID, "displayName": "Backup"}}}],
        [{"roles": ["read"], "grantedToV2": {"user": {"displayName": "Bob", "email": "anyone"}}}],
        [{"roles": ["read"], "grantedToV2": {"user": {"email": STAFF}}}],
        [group("Staff", "not an id")],
        [claim(f"c:0o.c|federateddirectoryclaimprovider|{STAFF_ID}_o", "Staff Owners")],
        [{"roles": ["read"], "grantedToV2": group("Staff", STAFF_ID)["grantedToV2"] | user(BOB)["grantedToV2"]}],
        [
            {
                "roles": ["read"],
                "grantedToV2": group("Staff", STAFF_ID)["grantedToV2"]
                | claim(f"c:0o.c|federateddirectoryclaimprovider|{STAFF_ID}_o")["grantedToV2"],
            }
        ],
        [claim("c:0-.t|adfs|staff")],
        [claim("")],
        [site_group("HR Visitors")],
        [{"roles": ["read"], "grantedToV2": site_group("HR Visitors")["grantedToV2"] | user(BOB)["grantedToV2"]}],
    ],
)
def test_nobody_reads_by_what_is_not_certain(tenant: Tenant, permissions: Permissions | None) -> None:
    """Links for whoever has them, other roles, what has expired, accounts that are not known, groups of the site."""
    assert readers(tenant, permissions) == ()


def test_permissions_that_are_no_list_are_nobodys(tenant: Tenant) -> None:
    """Looked at alone and among others."""
    tenant.put("f0", "other.md")
    tenant.put("f1", "plan.md")
    for body in ({}, {"value": None}, {"value": {"a": 1}}, {"value": ["read", 7]}):
        tenant.faults[tenant.path("f1", "/permissions")] = Answer(body=body)
        connector = tenant.connect()
        found = listing(connector)[0]
        assert (found[KEY].groups, found[f"file:{DRIVE}/f0"].groups) == ((), (STAFF,))
        now = connector.look_again(found[KEY])
        assert now is not None
        assert now.groups == ()


@pytest.mark.parametrize("status", [404, 403])
def test_permissions_that_are_refused_are_nobodys(tenant: Tenant, status: int) -> None:
    """Also of a page that comes after the first."""
    tenant.put("f1", "plan.md", permissions=[user(BOB)])
    more = f"{tenant.server.base}/v1.0/drives/{DRIVE}/items/f1/more"
    tenant.faults[tenant.path("f1", "/permissions")] = Answer(body={"value": [user(BOB)], "@odata.nextLink": more})
    tenant.faults[tenant.path("f1", "/more")] = Answer(body={"value": [user(ANNA)]})
    assert listing(tenant.connect())[0][KEY].groups == (ANNA, BOB)
    tenant.faults[tenant.path("f1", "/more")] = Answer(status=status)
    assert listing(tenant.connect())[0][KEY].groups == ()


def test_permissions_that_cannot_be_had_now_end_the_listing(tenant: Tenant) -> None:
    """They are neither nobody's nor those of another file: answers that are missing or come twice are asked again."""
    for number in range(3):
        tenant.put(f"f{number}", f"{number}.md", permissions=[user(f"{number}@contoso.com")])
    answers: list[dict[str, Any]] = [
        {"id": "0", "status": 200, "body": {"value": [user(BOB)]}},
        {"id": "0", "status": 200, "body": {"value": [user(ANNA)]}},
        {"id": "7", "status": 200, "body": {"value": [user(BOB)]}},
        {"id": "2", "status": "200", "body": {"value": [user(BOB)]}},
    ]
    tenant.faults["/$batch"] = Answer(body={"responses": answers})
    documents, _, error = listing(tenant.connect())
    assert error is None
    assert [one.groups for one in documents.values()] == [(f"{number}@contoso.com",) for number in range(3)]
    del tenant.faults["/$batch"]
    tenant.faults[tenant.path("f1", "/permissions")] = Answer(status=500)
    documents, _, error = listing(tenant.connect())
    assert (documents, type(error)) == ({}, SourceError)


def test_a_folder_with_rights_of_its_own_has_other_readers(tenant: Tenant) -> None:
    """What lies in it has its readers, also deeper, unless it has its own."""
    tenant.make_folder("d1", "Board", permissions=[group("Board", BOARD_ID)])
    tenant.make_folder("d2", "Plans", folder="d1")
    tenant.put("f1", "a.md", folder="d2")
    tenant.put("f2", "b.md")
    tenant.put("f3", "c.md", folder="d1", permissions=[user(BOB)])
    found = {key.rpartition("/")[2]: one.groups for key, one in listing(tenant.connect())[0].items()}
    assert found == {"f1": (BOARD,), "f2": (STAFF,), "f3": (BOB,)}


def test_groups_of_one_name_are_two(tenant: Tenant) -> None:
    """Whoever makes a group chooses its name, which is no other group's, user's or word's here."""
    odd = "eeeeeeee-0000-0000-0000-000000000005"
    for name in ("Staff", STAFF, BOB, "everyone signed in", "anyone", ""):
        [found] = readers(tenant, [group(name, odd)]) or ()
        assert found.endswith(f"({odd})")
        assert found not in {STAFF, BOB, "everyone signed in", "anyone"}
    [found] = readers(tenant, [group("x" * 1000, odd)]) or ()
    assert len(found) < 300


def test_groups_of_sites_are_named_if_the_settings_say_so(tenant: Tenant) -> None:
    """With their number and site; without that the run says by which nobody reads."""
    expected = (f"HR Visitors (group 5 of {SITE})",)
    assert readers(tenant, [site_group("HR Visitors")], site_groups=True) == expected
    assert len([asked for asked in tenant.asked("") if asked.path.endswith(f"/{DRIVE.replace('!', '%21')}")]) == 1
    assert readers(tenant, [site_group("HR Visitors", "5)")], site_groups=True) == ()
    assert readers(tenant, [claim(f"c:0t.c|tenant|{BOARD_ID}", "Board")], site_groups=True) == (BOARD,)
    tenant.put("f1", "plan.md", permissions=[site_group("HR Visitors")])
    _, left_out, _ = listing(tenant.connect())
    assert "nobody reads by it" in left_out["Documents: HR Visitors"]
    tenant.faults[f"/drives/{DRIVE}"] = Answer(status=403)
    assert readers(tenant, [site_group("HR Visitors")], site_groups=True) == ()


@pytest.fixture
def held(tenant: Tenant) -> Tenant:
    """A file of the board."""
    tenant.put("f1", "plan.md", b"the pier is sold", permissions=[group("Board", BOARD_ID)])
    return tenant


def look_again(tenant: Tenant, one: Listed, **settings: Any) -> Listed | None:
    """Look at a file again."""
    connector = tenant.connect(**settings)
    assert isinstance(connector, TellsReaders)
    return connector.look_again(one)


def test_a_file_is_told_again(held: Tenant) -> None:
    """As it was listed, with the readers of now."""
    one = listing(held.connect())[0][KEY]
    assert look_again(held, one) == one
    held.drives[DRIVE]["f1"].permissions = [group("Staff", STAFF_ID)]
    now = look_again(held, one)
    assert now is not None
    assert (now.groups, now.fingerprint) == ((STAFF,), one.fingerprint)
    held.put("f1", "plan.md", b"nothing is sold")
    assert look_again(held, one) == listing(held.connect())[0][KEY] != one


def test_what_is_no_document_any_more_is_gone(held: Tenant) -> None:
    """Deleted, in a folder that is left out, or of another kind."""
    one = listing(held.connect())[0][KEY]
    file = held.drives[DRIVE]["f1"]
    for more in ({"name": "plan.svg"}, {"file": None}, {"deleted": {}}, {"id": "f2"}, {"publication": {"level": "x"}}):
        file.more = more
        assert look_again(held, one) is None
    file.more = {}
    held.make_folder("d1", "Old Plans")
    file.folder = "d1"
    assert look_again(held, one, without_folders=["plans"]) == one
    assert look_again(held, one, without_folders=["old plans"]) is None
    file.more = {"parentReference": {"id": "d1"}}
    assert look_again(held, one, without_folders=["plans"]) is None
    del held.drives[DRIVE]["f1"]
    assert look_again(held, one) is None


@pytest.mark.parametrize("turn", range(1, 7))
@pytest.mark.parametrize("is_opened", [True, False])
def test_readers_belong_to_the_content(held: Tenant, turn: int, *, is_opened: bool) -> None:
    """No look finds what was secret with the readers that came after, nor what is secret now with those before."""
    file = held.drives[DRIVE]["f1"]
    secret, opened = [group("Board", BOARD_ID)], [group("Staff", STAFF_ID)]
    file.permissions = secret if is_opened else opened
    connector = held.connect()
    one = listing(connector)[0][KEY]

    def rewrite() -> None:
        file.content, file.version = b"another", file.version + 1
        file.permissions = opened if is_opened else secret

    turns = iter([*[lambda: None] * (turn - 1), rewrite])
    held.before = lambda _: next(turns, lambda: None)()
    assert connector.load(one, "") is not None
    now = connector.look_again(one)
    assert now is not None
    is_secret = (now.fingerprint == one.fingerprint) == is_opened
    assert now.groups == (BOARD,) or not is_secret


def test_a_file_that_never_stays_is_not_described(held: Tenant) -> None:
    """It ends after some looks; a file without a sign of change is not described either."""
    one = listing(held.connect())[0][KEY]

    def change(_: str) -> None:
        held.drives[DRIVE]["f1"].version += 1

    held.before = change
    with pytest.raises(ChangedMeanwhileError):
        look_again(held, one)
    held.before = lambda _: None
    held.drives[DRIVE]["f1"].more = {"eTag": None}
    with pytest.raises(IngestionError, match="not certain"):
        look_again(held, one)


@pytest.mark.parametrize(
    ("what", "answer", "error"),
    [
        ("", Answer(status=500), IngestionError),
        ("", Answer(status=403), IngestionError),
        ("", Answer(body="<html>"), SourceError),
        ("/permissions", Answer(status=500), SourceError),
        ("/permissions", Answer(status=401), SourceRefusedError),
    ],
)
def test_a_look_that_fails_finds_nothing(held: Tenant, what: str, answer: Answer, error: type[Exception]) -> None:
    """It is neither gone nor anybody's."""
    one = listing(held.connect())[0][KEY]
    held.faults[held.path("f1", what)] = answer
    with pytest.raises(error):
        look_again(held, one)


def test_a_file_that_was_moved_has_the_readers_of_its_new_place(held: Tenant) -> None:
    """Within its library; in another library it is another file."""
    held.make_folder("d1", "Board", permissions=[group("Board", BOARD_ID)])
    file = held.put("f1", "plan.md")
    one = listing(held.connect())[0][KEY]
    assert one.groups == (STAFF,)
    file.folder, file.version = "d1", file.version + 1
    now = look_again(held, one)
    assert now is not None
    assert now.groups == (BOARD,)
    held.drives[OTHER]["f1"] = held.drives[DRIVE].pop("f1")
    assert look_again(held, one) is None
    assert set(listing(held.connect())[0]) == {f"file:{OTHER}/f1"}
