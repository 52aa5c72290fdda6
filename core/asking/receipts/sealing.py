"""Seal an answer as it is recorded, in its transaction: its event of the audit trail holds the digest of all its parts.

From then on a change of any word, name or hash shows, also to who has nothing but the audit trail.
"""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db.models import Exists, OuterRef
from django.db.models.functions import Coalesce

from core.asking.receipts.parts import list_parts, name_edition
from core.asking.receipts.verify_receipt import disclose, hash_disclosure, seal_digests
from core.infrastructure.version import VERSION, find_commit
from core.models import Answer, AnswerSeal, Citation, CitationWords, Document, Query, Role, RoleDocumentAccess
from core.types import Audience, Edition

_SALT_BYTES = 32
_MOST_NAMES = 500  # of roles in one part; of more a seal keeps their number, so that no row has megabytes


def seal_answer(
    query: Query, answer: Answer, quotes: Sequence[tuple[Citation, CitationWords]], *, origin: str, audience: Audience
) -> AnswerSeal:
    """Write the seal of an answer that is being recorded. quotes: what it cites. audience: whom it was given to."""
    facts = collect_facts(query, answer, [citation for citation, _ in quotes], origin=origin, audience=audience)
    return write_seal(query, answer, quotes, facts)


def write_seal(
    query: Query,
    answer: Answer,
    quotes: Iterable[tuple[Citation, CitationWords]],
    facts: dict[str, Any],
    *,
    is_late: bool = False,
) -> AnswerSeal:
    """Write a seal with these facts. is_late: the answer was recorded without one."""
    salt = make_salt()
    parts = list_parts(query, answer, quotes, facts)
    sealed = seal_digests(map(hash_disclosure, disclose(parts, salt).values()))
    return AnswerSeal.objects.create(answer=answer, salt=salt, facts=facts, sealed=sealed, is_late=is_late)


def make_salt() -> str:
    """Return what salts are made of, as `disclose` takes it: random, as hexadecimal."""
    return secrets.token_hex(_SALT_BYTES)


def collect_facts(
    query: Query, answer: Answer, citations: Iterable[Citation], *, origin: str, audience: Audience | None
) -> dict[str, Any]:
    """Return what a receipt says that no row keeps. audience: None where it is not known any more.

    The readers of an edition are the roles with a grant of it; those of the audience, the roles that each of its
    readers held at least.
    """
    facts: dict[str, Any] = {"footnote": " ".join(filter(None, [VERSION, find_commit()])), "origin": origin}
    if query.user_id:
        facts["asked_by"] = str(query.user_id)
    if answer.verified_at:
        by = str(answer.verified_by_id) if answer.verified_by_id else None
        facts["verified"] = {"by": by, "at": answer.verified_at.isoformat(), "outdated": answer.outdated or None}
    editions = {citation.edition for citation in citations if citation.edition}
    facts["files"], facts["split"] = _hash_files(editions)
    if audience is not None:
        facts["readers"] = _list_readers(editions)
        facts["audience"] = _name_roles(audience)
    return facts


def _hash_files(editions: Collection[Edition]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the hash of the source of each edition that its document still is in, and which have restricted sections.

    A part's is that of its document.
    """
    if not editions:
        return {}, []
    parts = Document.objects.filter(part_of=OuterRef("whole"), chunk_count__gt=0)
    rows = (
        Document.objects.filter(pk__in=[edition.document_id for edition in editions])
        .annotate(whole=Coalesce("part_of", "pk"), is_split=Exists(parts))
        .values_list(
            "pk",
            "version",
            Coalesce("part_of__content_hash", "content_hash"),
            Coalesce("part_of__original_name", "original_name"),
            "is_split",
        )
    )
    files, split = {}, []
    for pk, version, sha256, name, is_split in rows:
        if Edition(pk, version) in editions:
            edition = name_edition(Edition(pk, version))
            files[edition] = {"sha256": sha256, "name": name}
            split += [edition] if is_split else []
    return files, split


def _list_readers(editions: Collection[Edition]) -> dict[str, Any]:
    if not editions:
        return {}
    grants = RoleDocumentAccess.objects.in_force().filter(document__in=[edition.document_id for edition in editions])
    since: defaultdict[Any, list[tuple[int, str]]] = defaultdict(list)
    for document_id, version, role in grants.values_list("document_id", "since_version", "role__name"):
        since[document_id].append((version, role))
    return {
        name_edition(edition): _limit(
            sorted(role for first, role in since[edition.document_id] if first <= edition.version)
        )
        for edition in editions
    }


def _limit(roles: list[str]) -> Any:
    """Return the names of roles, or how many there are."""
    return roles if len(roles) <= _MOST_NAMES else {"roles": len(roles)}


def _name_roles(audience: Audience) -> Any:
    """Name the roles of each kind of reader, or say how many kinds there are."""
    if sum(map(len, audience.role_sets)) > _MOST_NAMES:
        return {"kinds_of_readers": len(audience.role_sets)}
    ids = {role for roles in audience.role_sets for role in roles}
    names = dict(Role.objects.filter(pk__in=ids).values_list("pk", "name")) if ids else {}
    return [sorted(names[role] for role in roles if role in names) for roles in audience.role_sets]
