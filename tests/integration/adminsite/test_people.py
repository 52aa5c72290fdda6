"""People, roles and tokens in the admin: what changes, who may change it, and what the audit trail says."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from core.models import AuditEvent, AuthToken, ChannelSetting, Collection, CollectionRole, Query, Role, User, UserRole
from core.testing import Cast
from tests.integration.adminsite.conftest import VAULT_QUESTION, World

PEOPLE = "/admin/core/user/"


def roles_formset(*, initial: int = 0, prefix: str = "user_roles", **rows: Any) -> dict[str, Any]:
    """The inline's form data: its management form and the given fields, as `0-role`."""
    total = len({key.split("-")[0] for key in rows}) or initial
    form = {f"{prefix}-TOTAL_FORMS": total, f"{prefix}-INITIAL_FORMS": initial}
    return form | {f"{prefix}-{key}": value for key, value in rows.items()}


def person_form(user: User, **changes: Any) -> dict[str, Any]:
    """Return the form of a person's page, with changes."""
    form = {"email": user.email, "display_name": user.display_name, "is_active": "on" if user.is_active else ""}
    return form | changes


def audited(action: str, object_type: str) -> list[AuditEvent]:
    """The audit rows of one kind."""
    return list(AuditEvent.objects.filter(action=action, object_type=object_type))


def test_the_page_that_deletes_a_person_says_what_goes_in_plain_words(root: Client, cast: Cast) -> None:
    """Roles by their names, escaped, and no row that only links two others."""
    cast.alice.groups.add(Group.objects.create(name="Helpers"))
    Role.objects.filter(pk=cast.staff.pk).update(name="<b>staff")
    answer = root.get(reverse("admin:core_user_delete", args=[cast.alice.pk]))
    assert dict(answer.context["model_count"]) == {"people": 1, "roles held": 2}
    shown = answer.content.decode()
    assert "Role held: Alice is &lt;b&gt;staff" in shown
    assert "relationship" not in shown
    assert "User_groups object" not in shown


def test_a_person_is_made_by_e_mail_address(root: Client, cast: Cast, administrator: User) -> None:
    """The address is case-folded, a password is not needed, and the creation is recorded."""
    form = {"email": "Dora@Example.COM", "display_name": "Dora", "usable_password": "false"} | roles_formset()
    assert root.post(f"{PEOPLE}add/", form).status_code == 302
    dora = User.objects.get(email="dora@example.com")
    assert (dora.is_staff, dora.is_superuser, dora.has_usable_password()) == (False, False, False)
    assert [(event.actor, event.object_id) for event in audited("create", "user")] == [(administrator, str(dora.pk))]


def test_the_same_address_in_other_case_is_the_same_person(root: Client, cast: Cast) -> None:
    """A second account for the address is refused by the form, not by an error of the database."""
    form = {"email": "ALICE@example.com", "usable_password": "false"} | roles_formset()
    response = root.post(f"{PEOPLE}add/", form)
    assert response.status_code == 200
    assert "email" in response.context["adminform"].form.errors
    assert User.objects.filter(email__iexact="alice@example.com").count() == 1


def test_giving_and_taking_a_role_is_recorded(root: Client, cast: Cast) -> None:
    """The page of a person gives and takes roles, and each change leaves which ones."""
    page = f"{PEOPLE}{cast.charlie.pk}/change/"
    given = roles_formset(**{"0-role": cast.staff.pk, "0-user": cast.charlie.pk})
    assert root.post(page, person_form(cast.charlie) | given).status_code == 302
    row = UserRole.objects.get(user=cast.charlie)
    assert row.role == cast.staff
    taken = roles_formset(
        initial=1, **{"0-id": row.pk, "0-user": cast.charlie.pk, "0-role": cast.staff.pk, "0-DELETE": "on"}
    )
    assert root.post(page, person_form(cast.charlie) | taken).status_code == 302
    assert not UserRole.objects.filter(user=cast.charlie).exists()
    assert {(*e.details["given"], "/", *e.details["taken"]) for e in audited("change_roles", "user")} == {
        (str(cast.staff.pk), "/"),
        ("/", str(cast.staff.pk)),
    }


def test_members_of_a_role_are_recorded(root: Client, cast: Cast) -> None:
    """The page of a role takes members in."""
    page = f"/admin/core/role/{cast.owners.pk}/change/"
    existing = UserRole.objects.get(role=cast.owners)
    form = {"name": "owners", "description": "", "review_days": "0"} | roles_formset(
        initial=1,
        **{
            "0-id": existing.pk,
            "0-role": cast.owners.pk,
            "1-role": cast.owners.pk,
            "1-user": cast.bob.pk,
        },
    )
    assert root.post(page, form).status_code == 302
    assert set(cast.owners.users.all()) == {cast.alice, cast.bob}
    assert [event.details["given"] for event in audited("change_members", "role")] == [[str(cast.bob.pk)]]


def test_deactivating_locks_out_all_but_oneself(root: Client, cast: Cast, administrator: User) -> None:
    """The bulk action deactivates whom it names, never the one who uses it, and can be undone."""
    chosen = {"action": "deactivate", "_selected_action": [cast.bob.pk, administrator.pk]}
    root.post(PEOPLE, chosen)
    assert set(User.objects.filter(is_active=False)) == {cast.bob}
    assert [event.object_id for event in audited("deactivate", "user")] == [str(cast.bob.pk)]
    root.post(PEOPLE, {"action": "activate", "_selected_action": [cast.bob.pk]})
    assert not User.objects.filter(is_active=False).exists()


PEOPLE_DESK = (
    "core.view_user",
    "core.change_user",
    "core.delete_user",
    "core.add_authtoken",
    "core.view_userrole",
)


def test_only_a_superuser_makes_administrators(staff: Callable[..., Client], cast: Cast) -> None:
    """Somebody who may change people cannot give anyone, themselves included, the admin's powers."""
    desk = staff(*PEOPLE_DESK)
    for user in (cast.bob, User.objects.get(email="desk@example.com")):
        form = person_form(user, display_name="New", is_staff="on", is_superuser="on") | roles_formset()
        assert desk.post(f"{PEOPLE}{user.pk}/change/", form).status_code == 302
        user.refresh_from_db()
        assert (user.display_name, user.is_superuser) == ("New", False)
    cast.bob.refresh_from_db()
    assert not cast.bob.is_staff


@pytest.mark.parametrize("page", ["change", "password", "delete", "create_token"])
def test_a_superusers_account_is_a_superusers_matter(
    page: str, staff: Callable[..., Client], administrator: User
) -> None:
    """Its fields, password and tokens would hand over its powers."""
    desk = staff(*PEOPLE_DESK)
    form = person_form(administrator, password1="another-long-one", password2="another-long-one", post="yes")
    form |= roles_formset()
    response = desk.post(f"{PEOPLE}{administrator.pk}/{page}/", form)
    assert response.status_code in {302, 403}
    before = administrator.password
    administrator.refresh_from_db()
    assert administrator.password == before
    assert not AuthToken.objects.exists()
    desk.post(PEOPLE, {"action": "deactivate", "_selected_action": [administrator.pk]})
    administrator.refresh_from_db()
    assert administrator.is_active


def test_deleting_a_role_records_how_many_grants_went(root: Client, cast: Cast) -> None:
    """The audit row of a deleted role says what it took along."""
    root.post(f"/admin/core/role/{cast.owners.pk}/delete/", {"post": "yes"})
    assert not Role.objects.filter(name="owners").exists()
    assert [event.details for event in audited("delete", "role")] == [{"documents": 0, "members": 1}]


def test_a_token_is_shown_once_and_works(root: Client, cast: Cast) -> None:
    """Looking at the page makes none; confirming makes one, which is stored as a digest only."""
    page = f"{PEOPLE}{cast.bob.pk}/create_token/"
    assert root.get(page).status_code == 200
    assert not AuthToken.objects.exists()
    assert root.post(page, {"name": "Wiki"}).context_data["token"] is None
    chosen = {"name": "Wiki", "scopes": ["ask"], "networks": "127.0.0.1\n192.0.2.0/24", "days": "30"}
    for wrong in ({"scopes": ["everything"]}, {"networks": "192.0.2.7/24"}, {"days": "0"}, {"days": "99999"}):
        assert root.post(page, chosen | wrong).context_data["token"] is None
    assert not AuthToken.objects.exists()
    response = root.post(page, chosen)
    token = response.context_data["token"]
    assert token in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    assert token not in root.get(page).content.decode()
    assert APIClient().get("/api/v1/documents", HTTP_AUTHORIZATION=f"Token {token}").status_code == 200
    event = audited("create", "authtoken")[0]
    assert event.details == {"user": str(cast.bob.pk), "scopes": ["ask"], "networks": 2, "days": 30}
    assert token not in event.object_id


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ({"for_people": "alice@example.com\nCHARLIE@example.com"}, "alice@example.com"),
        ({"for_channel": "T0TEST/C0GENERAL"}, "T0TEST/C0GENERAL"),
        ({}, "its person alone"),
    ],
)
def test_a_token_is_made_on_behalf_of_others(root: Client, cast: Cast, typed: dict[str, str], shown: str) -> None:
    """The list says of whom; what can be no such token makes none, and the form says why."""
    page = f"{PEOPLE}{cast.bob.pk}/create_token/"
    chosen = {"name": "Assistant", "scopes": ["ask"], "networks": "", "days": "30"}
    for wrong in (
        {"for_people": "nobody@example.com"},
        {"for_channel": "general"},
        {"for_people": "alice@example.com", "for_channel": "T0TEST/C0GENERAL"},
        {"for_channel": "T0TEST/C0GENERAL", "scopes": ["ask", "reports"]},
    ):
        refused = root.post(page, chosen | wrong)
        assert refused.context_data["token"] is None
        assert refused.context_data["form"].non_field_errors()
    assert not AuthToken.objects.exists()
    made = root.post(page, chosen | typed)
    assert ("on whose behalf it asks" in made.content.decode()) == bool(typed)
    row = AuthToken.objects.get()
    assert bool(row.asks_for) == bool(typed)
    for address in ("", f"{row.pk}/change/"):
        assert shown in root.get(f"/admin/core/authtoken/{address}").content.decode()
    details = audited("create", "authtoken")[0].details
    assert bool(details.keys() & {"for_people", "for_channel"}) == bool(typed)


def test_no_page_shows_a_digest(root: Client, cast: Cast) -> None:
    """Neither the list nor the page of a token, nor their addresses."""
    row, _token = AuthToken.objects.create(cast.bob, name="Wiki", networks=["192.0.2.0/24"])
    shown = "".join(root.get(f"/admin/core/authtoken/{page}").content.decode() for page in ("", f"{row.pk}/change/"))
    assert "Wiki" in shown
    assert "192.0.2.0/24" in shown
    assert row.token_key in shown
    assert row.digest[:20] not in shown


def test_a_token_can_be_taken_back(root: Client, cast: Cast) -> None:
    """Deleting it ends it, and says so in the audit trail by its first characters."""
    row, token = AuthToken.objects.create(cast.bob)
    root.post("/admin/core/authtoken/", {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert not AuthToken.objects.exists()
    assert APIClient().get("/api/v1/documents", HTTP_AUTHORIZATION=f"Token {token}").status_code == 401
    assert [event.object_id for event in audited("delete", "authtoken")] == [row.token_key]


def test_the_command_prints_a_token(cast: Cast) -> None:
    """It prints the token and nothing else."""
    out = StringIO()
    call_command("create_token", "Bob@Example.com", "--days", "2", stdout=out)
    token = out.getvalue().strip()
    assert APIClient().get("/api/v1/documents", HTTP_AUTHORIZATION=f"Token {token}").status_code == 200
    row = AuthToken.objects.get(user=cast.bob)
    assert round((row.expiry - row.created).total_seconds() / 86400) == 2
    assert len(audited("create", "authtoken")) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nobody@example.com"], "Nobody has the e-mail address"),
        (["bob@example.com", "--days", "0"], "number from 1"),
        (["charlie@example.com"], "inactive"),
    ],
)
def test_the_command_says_what_is_wrong(cast: Cast, arguments: list[str], told: str) -> None:
    """Unknown people, inactive people and lifetimes of no days get no token."""
    User.objects.filter(pk=cast.charlie.pk).update(is_active=False)
    with pytest.raises(CommandError, match=told) as refused:
        call_command("create_token", *arguments)
    assert refused.value.returncode == 2
    assert not AuthToken.objects.exists()


def test_a_channels_own_roles_are_recorded(root: Client, cast: Cast) -> None:
    """The audit trail has the channel's roles and collections as they are now."""
    form = {
        "team_id": "T1",
        "channel_id": "C9",
        "name": "desk",
        "enabled": "on",
        "language": "de",
        "uses_own_roles": "on",
        "roles": [str(cast.staff.pk)],
    }
    assert root.post("/admin/core/channelsetting/add/", form).status_code == 302
    assert set(ChannelSetting.objects.get().roles.all()) == {cast.staff}
    assert [event.details for event in audited("create", "channelsetting")] == [
        {
            "enabled": True,
            "mention_only": False,
            "answers_unasked": False,
            "tells_of_changes": False,
            "language": "de",
            "uses_own_roles": True,
            "weekly_digest": False,
            "roles": [str(cast.staff.pk)],
            "collections": [],
            "answering_people": [],
            "answering_usergroup": "",
        }
    ]


def test_default_roles_of_a_collection_are_recorded(root: Client, cast: Cast) -> None:
    """The roles that receive ingested documents are an access setting."""
    shelf = Collection.objects.create(name="Shelf")
    form = {"name": "Shelf", "description": ""} | roles_formset(
        prefix="collection_roles", **{"0-role": cast.staff.pk, "0-collection": shelf.pk}
    )
    assert root.post(f"/admin/core/collection/{shelf.pk}/change/", form).status_code == 302
    assert [row.role for row in CollectionRole.objects.all()] == [cast.staff]
    assert [event.details["added"] for event in audited("change_default_roles", "collection")] == [[str(cast.staff.pk)]]


class TestErasingTexts:
    """The page on which what somebody asked is erased."""

    def page(self, person: User) -> str:
        return f"{PEOPLE}{person.pk}/erase_texts/"

    def test_it_says_how_much_and_waits(self, root: Client, world: World, cast: Cast) -> None:
        """Looking erases nothing and shows no question."""
        said = root.get(self.page(cast.alice)).content.decode()
        asked = Query.objects.filter(user=cast.alice)
        assert f"{asked.count()} question" in said
        assert "ink_eraser" in said
        assert VAULT_QUESTION not in said
        assert asked.filter(erased_at=None).count() == asked.count() > 0

    def test_nothing_kept_is_nothing_to_erase(self, root: Client, cast: Cast) -> None:
        """A person without questions has no button that would erase nothing."""
        nobody = User.objects.create_user("nobody@example.com")
        said = root.get(self.page(nobody)).content.decode()
        assert "questions is kept" in said
        assert "ink_eraser" not in said

    def test_confirmed_it_erases(self, root: Client, world: World, cast: Cast, administrator: User) -> None:
        """The person's questions and no others; the audit trail says by whom; the pages say that they are erased."""
        others = Query.objects.exclude(user=cast.alice).count()
        assert root.post(self.page(cast.alice)).status_code == 302
        assert set(Query.objects.filter(user=cast.alice).values_list("question_text", flat=True)) == {""}
        assert Query.objects.exclude(user=cast.alice).exclude(question_text="").count() == others
        assert [event.actor for event in AuditEvent.objects.filter(action="erase text")] == [administrator]
        for kind, row in (("answer", world.vault_answer), ("query", world.vault_answer.query)):
            said = root.get(f"/admin/core/{kind}/{row.pk}/change/", follow=True).content.decode()
            assert "Erased: the text is no longer kept." in said
            assert "Withheld" not in said

    def test_it_takes_the_right_to_delete_questions(self, staff: Callable[..., Client], world: World) -> None:
        """A user who may only change people finds no such button and no such page."""
        desk = staff("core.view_user", "core.change_user")
        person = world.vault_answer.query.user
        assert person is not None
        assert "erase_texts" not in desk.get(f"{PEOPLE}{person.pk}/change/").content.decode()
        assert desk.post(self.page(person)).status_code == 403
        assert world.vault_answer.query.question_text == VAULT_QUESTION
        assert Query.objects.filter(erased_at=None).exists()


def test_a_new_person_needs_name_address_and_roles_alone(root: Client, cast: Cast, administrator: User) -> None:
    """The form has no password, and what is given is in the audit trail."""
    fields = root.get(f"{PEOPLE}add/").context["adminform"].form.fields
    assert list(fields) == ["display_name", "email", "given_roles"]
    form = {"display_name": "Dora", "email": "dora@example.com", "given_roles": [str(cast.staff.pk)]}
    response = root.post(f"{PEOPLE}add/", form)
    assert (response.status_code, response["Location"]) == (302, PEOPLE)
    dora = User.objects.get(email="dora@example.com")
    assert (set(dora.roles.all()), dora.has_usable_password()) == ({cast.staff}, False)
    assert [event.details["given"] for event in audited("change_roles", "user")] == [[str(cast.staff.pk)]]


def test_several_people_are_added_at_once(root: Client, cast: Cast, administrator: User) -> None:
    """With their roles; who is there already stays as they are, and what is no address stays to be corrected."""
    lines = "Dora <dora@example.com>\nnobody at all\neve@example.com, BOB@example.com\n"
    page = root.post(f"{PEOPLE}several/", {"people": lines, "roles": [str(cast.owners.pk)]})
    assert [person.email for person in page.context["added"]] == ["dora@example.com", "eve@example.com"]
    assert page.context["present"] == [cast.bob]
    assert [one.text for one in page.context["unread"]] == ["nobody at all"]
    assert page.context["form"].initial["people"] == "nobody at all"
    assert set(cast.owners.users.all()) == {cast.alice, *page.context["added"]}
    assert User.objects.get(email="dora@example.com").display_name == "Dora"
    assert {event.actor for event in audited("create", "user")} == {administrator}
    assert len(audited("create", "user")) == len(audited("change_roles", "user")) == 2
    again = root.post(f"{PEOPLE}several/", {"people": lines, "roles": [str(cast.owners.pk)]})
    assert (again.context["added"], len(again.context["present"])) == ([], 3)


def test_the_form_of_several_shows_how_an_address_is_written(root: Client, cast: Cast) -> None:
    """In words, not as an element of the page, which would swallow it."""
    said = root.get(f"{PEOPLE}several/").content.decode()
    assert "Name &lt;address&gt;" in said
    assert "<address>" not in said


def test_the_menu_names_who_is_signed_in(root: Client, administrator: User) -> None:
    """By the display name, with the address below it."""
    User.objects.filter(pk=administrator.pk).update(display_name="Ada Administrator")
    said = root.get("/admin/").content.decode()
    assert "Ada Administrator" in said
    assert administrator.email in said
    assert "View site" not in said


def test_who_adds_people_gives_no_roles_without_deciding_who_reads(staff: Callable[..., Client], cast: Cast) -> None:
    """Neither by the form nor by the list, whatever is posted; and the list needs the right to add."""
    desk = staff("core.add_user", "core.change_user", "core.view_user")
    one = {"display_name": "Dora", "email": "dora@example.com", "given_roles": [str(cast.owners.pk)]}
    assert desk.post(f"{PEOPLE}add/", one).status_code == 302
    assert (
        desk.post(f"{PEOPLE}several/", {"people": "eve@example.com", "roles": [str(cast.owners.pk)]}).status_code == 200
    )
    assert User.objects.filter(email__in=["dora@example.com", "eve@example.com"]).count() == 2
    assert set(cast.owners.users.all()) == {cast.alice}
    User.objects.filter(email="desk@example.com").delete()
    assert staff("core.view_user").get(f"{PEOPLE}several/").status_code == 403


DJANGOS = ("staff account", "LDAP", "Hold down", "Designates", "Raw passwords", "be able to edit more user options")


def test_no_page_of_people_speaks_as_django_does(root: Client, staff: Callable[..., Client], cast: Cast) -> None:
    """On the pages to add and to change, of people and of admin groups, and for viewers who may not change."""
    desk = Group.objects.create(name="Desk")
    group = f"/admin/auth/group/{desk.pk}/change/"
    person = f"{PEOPLE}{cast.bob.pk}/"
    for address in (f"{PEOPLE}add/", f"{person}change/", f"{person}password/", f"{PEOPLE}several/", group):
        shown = root.get(address).content.decode()
        assert [words for words in DJANGOS if words in shown] == [], address
    wrong = Client().post("/admin/login/", {"username": "nobody@example.com", "password": "a guess"})
    assert [words for words in DJANGOS if words in wrong.content.decode()] == []
    looks = staff("core.view_user").get(f"{person}change/").content.decode()
    assert [words for words in DJANGOS if words in looks] == []


def test_who_is_no_administrator_has_no_red_cross(root: Client, staff: Callable[..., Client], cast: Cast) -> None:
    """In the list and on the page there are words, or nothing."""
    for browser in (root, staff("core.view_user")):
        for address in (PEOPLE, f"{PEOPLE}{cast.bob.pk}/change/"):
            shown = browser.get(address).content.decode()
            assert "icon-no" not in shown
            assert "bg-red-100 text-red-700" not in shown
    assert "superuser" in root.get(PEOPLE).content.decode()


def test_roles_stand_first_on_a_persons_page(root: Client, cast: Cast) -> None:
    """Before name and address, and the admin's rights come last."""
    shown = root.get(f"{PEOPLE}{cast.bob.pk}/change/").content.decode()
    places = [shown.index(f'name="{name}"') for name in ("user_roles-TOTAL_FORMS", "email", "is_superuser")]
    assert places == sorted(places)


def test_a_persons_page_and_that_of_a_new_one_are_headed(root: Client, cast: Cast) -> None:
    """By the name, and by what is added: the way at the top has no place for them."""
    shown = root.get(f"/admin/core/user/{cast.bob.pk}/change/").content.decode()
    assert f"{cast.bob}</h2>" in shown
    assert "Add person</h2>" in root.get("/admin/core/user/add/").content.decode()
