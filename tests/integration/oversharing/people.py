"""Make people, roles and documents whose readers are more, or others, than anybody expects."""

from uuid import UUID

from core.access.grants import grant
from core.models import Document, OversharingRisk, Role, User, UserRole
from core.quality.oversharing.looking import look_soon
from core.quality.oversharing.refreshing import refresh_all
from core.testing import make_document

WIFI = "The password of the guests' network is Heron-Lake-88 and the office closes at six."
HIDDEN = "Heron-Lake-88"


def make_people(name: str, count: int) -> Role:
    """Make a role of so many people of its own."""
    role = Role.objects.create(name=name)
    users = [User.objects.create(email=f"{name}-{number}@example.com", is_active=True) for number in range(count)]
    UserRole.objects.bulk_create(UserRole(role=role, user=user) for user in users)
    return role


def make_shelf(name: str, documents: int, *, read_by: Role) -> list[Document]:
    """Make a collection of so many documents that a role reads."""
    return [
        make_document(f"{name} {number}", f"Leaf {number} of {name} is about herons.", roles=[read_by], collection=name)
        for number in range(documents)
    ]


def look() -> dict[tuple[str, UUID | None], OversharingRisk]:
    """Look through everything, bring risks up to date, and return those there are by kind and document."""
    look_soon()
    refresh_all()
    return {(risk.kind, risk.document_id): risk for risk in OversharingRisk.objects.all()}


def give(role: Role, *documents: Document) -> None:
    """Let a role read documents."""
    grant(role, documents, by=None)
