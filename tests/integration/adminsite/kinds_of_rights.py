"""One right of each kind: how it is given, how it is taken away, and whether somebody has it."""

import datetime as dt
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib.auth import authenticate
from django.contrib.auth.models import Group, Permission
from django.contrib.sessions.models import Session
from django.db.models import Model
from django.utils import timezone

from core.access.audiences import audience_of
from core.access.grants import change_members, grant, revoke
from core.access.withdrawal import withdraw
from core.models import (
    AuthToken,
    Collection,
    CollectionRole,
    Document,
    Role,
    RoleDocumentAccess,
    User,
    UsergroupRole,
    UserRole,
    WithdrawnGrant,
)
from core.testing import make_document

Right = tuple[Callable[[], Any], Callable[[], bool]]  # what takes it away, and whether it is held
Kind = Callable[[], Right]  # gives a right

KINDS: dict[str, Kind] = {}
# Taken away at each restore, whether they were meanwhile or not.
ALWAYS_TAKEN = {
    "session",
    "confirmation_of_an_address",
    "token_of_single_sign_on",
    "kind_of_a_channel",
    "response_address",
}


def kind(give: Kind) -> Kind:
    """Add a kind of right, under the name of what gives it."""
    KINDS[give.__name__.strip("_")] = give
    return give


def make_person(**fields: Any) -> User:
    """Make a person whom nobody else is."""
    return User.objects.create_user(f"{uuid4().hex}@example.com", **fields)


def make_role() -> Role:
    """Make a role that nobody holds."""
    return Role.objects.create(name=f"role {uuid4().hex[:8]}")


def make_reader() -> tuple[User, Role]:
    """Make a person with a role of their own."""
    person, role = make_person(), make_role()
    change_members(role, [person], give=True, by=None)
    return person, role


def reads(person: User, rows: type[Model], pk: Any) -> bool:
    """Return whether the person is shown a row."""
    found: Any = rows._default_manager
    return bool(found.visible_to(audience_of([person.pk])).filter(pk=pk).exists())


def give_row(row: Model, **columns: Any) -> Right:
    """Give a right that is a row, and goes with it; or, where columns are named, with these as they become."""
    rows = type(row)._default_manager.filter(pk=row.pk)
    before = {name: getattr(row, name) for name in columns}
    if not columns:
        return rows.delete, rows.exists
    return lambda: rows.update(**columns), rows.filter(**before).exists


def make_read_document() -> tuple[User, Role, Document]:
    """Make a document that one person reads."""
    person, role = make_reader()
    return person, role, make_document(uuid4().hex, "Words of the griffin.", roles=[role])


@kind
def _grant() -> Right:
    person, role, document = make_read_document()
    return lambda: revoke(role, [document], by=None), lambda: reads(person, Document, document.pk)


@kind
def _grant_without_an_event() -> Right:
    person, role, document = make_read_document()
    rows = RoleDocumentAccess.objects.filter(role=role)
    return rows.delete, lambda: reads(person, Document, document.pk)


@kind
def _grant_of_an_earlier_edition() -> Right:
    """It was taken away and given anew, from the next edition on: in the one that comes back nobody reads by it."""
    person, role, document = make_read_document()
    rows = RoleDocumentAccess.objects.filter(role=role)

    def take() -> None:
        rows.delete()
        Document.objects.filter(pk=document.pk).update(version=2)
        grant(role, [document], by=None)

    def holds() -> bool:
        return rows.filter(since_version=1).exists() and reads(person, Document, document.pk)

    return take, holds


@kind
def _grant_without_an_end() -> Right:
    role = make_read_document()[1]
    rows = RoleDocumentAccess.objects.filter(role=role)
    end = timezone.now() + dt.timedelta(days=1)
    return lambda: rows.update(expires_at=end), rows.filter(expires_at=None).exists


@kind
def _grant_put_aside() -> Right:
    _, role, document = make_read_document()
    withdraw([document.pk])
    rows = WithdrawnGrant.objects.filter(role=role)
    return rows.delete, rows.exists


@kind
def _document_not_withdrawn() -> Right:
    person, _, document = make_read_document()
    return lambda: withdraw([document.pk]), lambda: reads(person, Document, document.pk)


@kind
def _document_not_deleted() -> Right:
    person, _, document = make_read_document()
    return Document.objects.get(pk=document.pk).delete, lambda: reads(person, Document, document.pk)


@kind
def _document_in_its_collection() -> Right:
    document, shelf = make_read_document()[2], Collection.objects.create(name=uuid4().hex)
    return give_row(document, collection=shelf)


@kind
def _default_role() -> Right:
    collection = Collection.objects.create(name=uuid4().hex)
    return give_row(CollectionRole.objects.create(collection=collection, role=make_role()))


@kind
def _role_by_hand() -> Right:
    person, role, document = make_read_document()
    take = lambda: change_members(role, [person], give=False, by=None)  # noqa: E731
    return take, lambda: reads(person, Document, document.pk)


@kind
def _role_by_usergroup() -> Right:
    usergroup = UsergroupRole.objects.create(team_id="T9", usergroup_id=uuid4().hex, role=make_role())
    return give_row(UserRole.objects.create(user=make_person(), role=usergroup.role, usergroup=usergroup))


@kind
def _usergroup() -> Right:
    return give_row(UsergroupRole.objects.create(team_id="T9", usergroup_id=uuid4().hex, role=make_role()))


@kind
def _name_of_a_role() -> Right:
    """Whoever Footnote does not know holds the role of this name."""
    return give_row(make_role(), name=f"renamed {uuid4().hex[:8]}")


@kind
def _account() -> Right:
    return give_row(make_person(), is_active=False)


@kind
def _account_not_deleted() -> Right:
    rows = User.objects.filter(pk=make_person().pk)
    return rows.delete, rows.filter(is_active=True).exists


@kind
def _staff() -> Right:
    return give_row(make_person(is_staff=True), is_staff=False)


@kind
def _superuser() -> Right:
    return give_row(make_person(is_superuser=True), is_superuser=False)


@kind
def _password() -> Right:
    person = make_person(password="the griffin's password")
    held = lambda: authenticate(None, username=person.email, password="the griffin's password") is not None  # noqa: E731

    def take() -> None:
        person.set_password("the cockatrice's password")
        person.save()

    return take, held


@kind
def _address() -> Right:
    person = make_person()
    rows = User.objects.filter(pk=person.pk)
    return lambda: rows.update(email=f"{uuid4().hex}@example.org"), rows.filter(
        email=person.email, is_active=True
    ).exists


@kind
def _admin_group() -> Right:
    person, group = make_person(), Group.objects.create(name=uuid4().hex)
    group.permissions.add(Permission.objects.get(codename="preview_texts"))
    person.groups.add(group)
    return lambda: person.groups.clear(), lambda: _may(person)


@kind
def _permission_of_a_group() -> Right:
    person, group = make_person(), Group.objects.create(name=uuid4().hex)
    group.permissions.add(Permission.objects.get(codename="preview_texts"))
    person.groups.add(group)
    return lambda: group.permissions.clear(), lambda: _may(person)


@kind
def _permission() -> Right:
    person = make_person()
    person.user_permissions.add(Permission.objects.get(codename="preview_texts"))
    return lambda: person.user_permissions.clear(), lambda: _may(person)


def _may(person: User) -> bool:
    return User.objects.get(pk=person.pk).has_perm("core.preview_texts")


@kind
def _token() -> Right:
    return give_row(AuthToken.objects.create(make_person())[0])


@kind
def _scope_of_a_token() -> Right:
    return give_row(AuthToken.objects.create(make_person(), scopes=["ask", "grant"])[0], scopes=["ask"])


@kind
def _days_of_a_token() -> Right:
    return give_row(AuthToken.objects.create(make_person())[0], expiry=timezone.now() + dt.timedelta(minutes=1))


@kind
def _networks_of_a_token() -> Right:
    return give_row(AuthToken.objects.create(make_person())[0], networks=["192.0.2.0/24"])


@kind
def _session() -> Right:
    return give_row(Session.objects.create(session_key=uuid4().hex, expire_date=timezone.now() + dt.timedelta(days=1)))


@kind
def _confirmed_address() -> Right:
    return give_row(EmailAddress.objects.create(user=make_person(), email=f"{uuid4().hex}@example.com", verified=True))


@kind
def _single_sign_on() -> Right:
    return give_row(SocialAccount.objects.create(user=make_person(), provider="oidc", uid=uuid4().hex))


@kind
def _verified_address() -> Right:
    row = EmailAddress.objects.create(user=make_person(), email=f"{uuid4().hex}@example.com", verified=True)
    return give_row(row, verified=False)


@kind
def _confirmation_of_an_address() -> Right:
    address = EmailAddress.objects.create(user=make_person(), email=f"{uuid4().hex}@example.com")
    return give_row(EmailConfirmation.objects.create(email_address=address, key=uuid4().hex))


@kind
def _owner_of_single_sign_on() -> Right:
    account = SocialAccount.objects.create(user=make_person(), provider="oidc", uid=uuid4().hex)
    return give_row(account, user=make_person())


@kind
def _provider_of_single_sign_on() -> Right:
    row = SocialApp.objects.create(provider="oidc", provider_id=uuid4().hex, name="IdP", client_id="1")
    return give_row(row, client_id="2")


@kind
def _token_of_single_sign_on() -> Right:
    account = SocialAccount.objects.create(user=make_person(), provider="oidc", uid=uuid4().hex)
    return give_row(SocialToken.objects.create(account=account, token="t"))
