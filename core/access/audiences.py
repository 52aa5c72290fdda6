"""Build the audiences that the rule, `visible_to` in core.models.querysets, is asked for."""

from collections.abc import Iterable
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from core.models import Document, RoleDocumentAccess, User, UserRole, VerifiedAnswer
from core.types import Asker, Audience, Edition

# The one permission behind every right that amounts to granting: to give a role a document, a person or a channel a
# role, or a person another address, by which Slack knows them. It is needed besides the right to the page.
DECIDE_WHO_READS = "core.decide_who_reads"
# What shows who reads what, with the titles of documents that the viewer may not read themselves.
SEE_WHO_READS = ("core.view_role", "core.view_document", "core.view_collection")


def may_decide_who_reads(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Return True if a user may change anybody's access to documents, by whatever path."""
    return isinstance(user, User) and user.has_perm(DECIDE_WHO_READS)


def audience_of(user_ids: Iterable[UUID | None], *, guest_roles: Iterable[UUID] = ()) -> Audience:
    """Return the audience of these readers, from their roles as they are now.

    user_ids: one per reader; None is a person that Footnote does not know. Inactive people hold no role.
    guest_roles: what a None reader holds (the setting GUEST_ROLE, resolved by the caller); nothing by default.
    Without any reader the audience is nobody's.
    """
    readers = list(user_ids)
    if not readers:
        return Audience.nobody()
    held: dict[UUID, set[UUID]] = {reader: set() for reader in readers if reader is not None}
    rows = UserRole.objects.filter(user_id__in=held, user__is_active=True).values_list("user_id", "role_id")
    for user_id, role_id in rows:
        held[user_id].add(role_id)
    guests = frozenset(guest_roles)
    return Audience.of(guests if reader is None else held[reader] for reader in readers)


def audience_of_roles(role_ids: Iterable[UUID]) -> Audience:
    """Return the audience of a channel to which an administrator gave roles of its own; nobody when there are none."""
    return Audience.of([frozenset(role_ids)])


def readable_among(document_ids: Iterable[UUID | None], audience: Audience) -> set[UUID]:
    """Return those of the documents that the audience may read now. None, for no document, is left out."""
    asked = {pk for pk in document_ids if pk is not None}
    return set(Document.objects.visible_to(audience).filter(pk__in=asked).values_list("pk", flat=True))


def readable_editions(editions: Iterable[Edition | None], audience: Audience) -> set[Edition]:
    """Return those of the editions that the audience may read now. None, for no document, is left out.

    It may read an edition under a grant that is in force and was given while it, or an earlier one, was current.
    """
    asked = {edition for edition in editions if edition is not None}
    first = RoleDocumentAccess.objects.find_first_versions({one.document_id for one in asked}, audience)
    return {one for one in asked if one.document_id in first and first[one.document_id] <= one.version}


def may_read_all(editions: Iterable[Edition | None], audience: Audience) -> bool:
    """Return True if the audience may read every one of some editions now. None is left out."""
    asked = {edition for edition in editions if edition is not None}
    return readable_editions(asked, audience) == asked


def is_within_roles(verified_answer: UUID | None, audience: Audience) -> bool:
    """Return True if the audience may have an answer from this verified answer, as far as roles narrow it.

    The answer's citations are checked besides. None means no verified answer, which nothing narrows.
    """
    return verified_answer is None or bool(within_roles_among([verified_answer], audience))


def within_roles_among(verified_answers: Iterable[UUID | None], audience: Audience) -> set[UUID]:
    """Return those of some verified answers that are not narrowed to roles that somebody of the audience lacks."""
    asked = {pk for pk in verified_answers if pk is not None}
    if not asked:
        return set()
    return set(VerifiedAnswer.objects.narrowed_to(audience).filter(pk__in=asked).values_list("pk", flat=True))


def asker_for(user: User) -> Asker:
    """Return the asker that a signed-in person is."""
    return Asker(user_id=user.pk, display_name=str(user))
