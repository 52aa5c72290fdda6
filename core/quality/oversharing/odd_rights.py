"""Find rights that come from one odd role or usergroup: one that does not belong to what else is read there."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from uuid import UUID

from django.db.models import Count

from core.models import Document, RoleDocumentAccess, UsergroupRole, UserRole
from core.quality.oversharing.reach import Readership, find_roles
from core.quality.oversharing.risks import Found, find_sensitivity, order_subjects
from core.values.oversharing import RiskKind

FEWEST_DOCUMENTS = 5  # of a collection in which something can be odd
MOST_SHARE, MOST_ODD = 0.1, 3  # of its documents that an odd role reads
USUAL_SHARE = 0.8  # of its documents that another role reads, whose collection it is
LEAST_PEOPLE = 3  # whom an odd role brings, and who are at least as many as read without it
_GROUP_LEAST, _GROUP_TIMES = 5, 3  # whom an odd usergroup brings, and times as many as have its role without it

Sensitive = Mapping[UUID, set[str]]


def find_odd_roles(readership: Readership, sensitive: Sensitive) -> Iterator[Found]:
    """Find grants of single documents to a role that reads almost nothing else in a collection that is another role's.

    sensitive: the subjects that were found in documents.
    """
    sizes = dict(
        Document.objects.whole().filter(withdrawn_at=None).order_by().values_list("collection").annotate(n=Count("pk"))
    )
    grants = RoleDocumentAccess.objects.in_force().decided().filter(document__withdrawn_at=None).order_by()
    counts: defaultdict[UUID, dict[UUID, int]] = defaultdict(dict)
    for collection, role, n in grants.values_list("document__collection", "role").annotate(n=Count("pk")):
        if sizes.get(collection, 0) >= FEWEST_DOCUMENTS:
            counts[collection][role] = n
    odd = {
        (collection, role)
        for collection, by_role in counts.items()
        for role, n in by_role.items()
        if n <= min(MOST_ODD, max(1, int(sizes[collection] * MOST_SHARE)))
        and any(other != role and m >= USUAL_SHARE * sizes[collection] for other, m in by_role.items())
    }
    if not odd:
        return
    rows = grants.filter(document__collection__in={one for one, _ in odd}, role__in={role for _, role in odd})
    chosen = [
        (document, version, role)
        for document, version, collection, role in rows.values_list(
            "document", "document__version", "document__collection", "role"
        )
        if (collection, role) in odd
    ]
    roles = find_roles([document for document, _, _ in chosen])
    for document, version, role in chosen:
        everyone = roles.get(document, frozenset())
        with_it, without = readership.count(everyone), readership.count(everyone - {role})
        if with_it - without < max(LEAST_PEOPLE, without):
            continue
        subjects = sensitive.get(document, set())
        yield Found(
            kind=RiskKind.ODD_ROLE,
            sensitivity=find_sensitivity(subjects),
            reach=readership.measure(everyone),
            people=with_it,
            people_before=without,
            subjects=order_subjects(subjects),
            document_id=document,
            document_version=version,
            role_id=role,
        )


def find_odd_groups(readership: Readership, sensitive: Sensitive) -> Iterator[Found]:
    """Find usergroups that bring most of the people of a role, who read by it what they read by nothing else.

    A role that is held through usergroups alone is theirs: at least two people hold an odd one's role otherwise.
    """
    mappings = list(UsergroupRole.objects.all())
    if not mappings:
        return
    members: defaultdict[UUID, dict[UUID | None, set[UUID]]] = defaultdict(lambda: defaultdict(set))
    held = UserRole.objects.filter(role__in={one.role_id for one in mappings}, user__is_active=True)
    for role, usergroup, user in held.values_list("role_id", "usergroup_id", "user_id"):
        members[role][usergroup].add(user)
    for mapping in mappings:
        of_role = members[mapping.role_id]
        without = set().union(*(people for usergroup, people in of_role.items() if usergroup != mapping.pk))
        brought = of_role.get(mapping.pk, set()) - without
        if len(without) < 2 or len(brought) < max(_GROUP_LEAST, _GROUP_TIMES * len(without)):
            continue
        gained = _list_gained(mapping.role_id, brought, readership)
        if not gained:
            continue
        subjects = set[str]().union(*(sensitive.get(document, set()) for document in gained))
        yield Found(
            kind=RiskKind.ODD_GROUP,
            sensitivity=find_sensitivity(subjects),
            reach=readership.measure([mapping.role_id]),
            people=len(without | brought),
            people_before=len(without),
            documents=len(gained),
            subjects=order_subjects(subjects),
            usergroup_id=mapping.pk,
            role_id=mapping.role_id,
        )


def _list_gained(role: UUID, people: set[UUID], readership: Readership) -> set[UUID]:
    """Return the documents that at least half of some people read by this role alone."""
    others = Counter(
        other for other, holders in readership.people_of.items() if other != role for _ in holders & people
    )
    usual = {other for other, n in others.items() if n * 2 > len(people)}
    grants = RoleDocumentAccess.objects.in_force().decided().filter(document__withdrawn_at=None)
    read = set(grants.filter(role=role).values_list("document_id", flat=True))
    return read - set(grants.filter(role__in=usual, document__in=read).values_list("document_id", flat=True))
