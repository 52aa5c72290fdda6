"""Say in words what risks are of, why they are risks, and what their score means."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from adminsite.figures import count_of
from core.models import Document, OversharingRisk, RoleDocumentAccess, User
from core.quality.oversharing.listing import name_subject
from core.values.oversharing import SUBJECTS_IN_WORDS, Level, RiskKind, RiskState, Topic, find_level
from core.values.secrets import SecretKind

PAGE = "admin:core_oversharingrisk_"
LEVEL_LABELS = {Level.HIGH: "danger", Level.MEDIUM: "warning", Level.LOW: "default"}
STATE_LABELS = {
    RiskState.OPEN: "warning",
    RiskState.ACCEPTED: "success",
    RiskState.NARROWED: "success",
    RiskState.GONE: "default",
}
# What each step of the two scales means.
SENSITIVITY_IN_WORDS = {
    5: "health or conduct of people, access keys",
    4: "pay, plans, legal or personal matters, passwords",
    3: "says that it is confidential",
    2: "nothing found in it, but its readers are odd or became more",
    1: "harmless: no risk is rated so",
}
REACH_IN_WORDS = {
    1: "up to three people of many",
    2: "less than a tenth, or up to three of a few",
    3: "a tenth or more, or 25 people",
    4: "a quarter or more, or 100 people",
    5: "half or more, 500 people, guests or a whole workspace",
}
_MANY = {
    SecretKind.PASSWORD: "passwords",
    SecretKind.CODE: "PINs or codes",
    SecretKind.TOKEN: "access keys or tokens",
    SecretKind.PRIVATE_KEY: "private keys",
    SecretKind.CONNECTION: "passwords in addresses",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Shares:
    """Holds the figures beside which a risk's own say something."""

    people: int  # all active ones
    shelves: dict[UUID, int] = field(default_factory=dict)  # documents of each collection
    read: dict[tuple[UUID, UUID | None], int] = field(default_factory=dict)  # of a collection, by a role


def count_shares(risks: Iterable[OversharingRisk]) -> Shares:
    """Count all people, and for odd roles the documents of their collections. Three queries at the most."""
    odd = [one for one in risks if one.kind == RiskKind.ODD_ROLE and one.document is not None]
    people = User.objects.filter(is_active=True).count()
    if not odd:
        return Shares(people=people)
    shelves = {one.document.collection_id for one in odd if one.document}
    whole = Document.objects.whole().filter(collection__in=shelves, withdrawn_at=None).order_by()
    grants = RoleDocumentAccess.objects.in_force().decided().order_by()
    grants = grants.filter(
        document__collection__in=shelves, document__withdrawn_at=None, role__in={one.role_id for one in odd}
    )
    read = grants.values_list("document__collection", "role").annotate(n=Count("pk"))
    return Shares(
        people=people,
        shelves=dict(whole.values_list("collection").annotate(n=Count("pk"))),
        read={(collection, role): n for collection, role, n in read},
    )


def people_of(count: int) -> str:
    """So many people: "1 person", "2,000 people"."""
    return f"{count:,} {'person' if count == 1 else 'people'}"


def join_words(words: Sequence[str]) -> str:
    """Join words as a sentence does: "pay, health and plans"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def describe_why(risk: OversharingRisk, shares: Shares) -> str:
    """Say in a sentence or two why a risk is one; of one that is over, why it was."""
    found = describe_found(risk.subjects, is_one=risk.document_id is not None, is_masked=risk.state != RiskState.GONE)
    why = "; ".join(filter(None, (_describe_readers(risk, shares), found)))
    return f"As it was: {why}." if risk.state in (RiskState.NARROWED, RiskState.GONE) else f"{why}."


def _describe_readers(risk: OversharingRisk, shares: Shares) -> str:
    before = risk.people_before or 0
    if risk.kind in (RiskKind.CONFIDENTIAL, RiskKind.SECRET):
        return f"{risk.people:,} of {people_of(shares.people)} may read it"
    if risk.kind == RiskKind.ODD_ROLE and risk.document is not None:
        shelf = risk.document.collection_id
        read, there = shares.read.get((shelf, risk.role_id), 1), shares.shelves.get(shelf, 1)
        return (
            f"The role {risk.role} reads {read:,} of {count_of(there, 'document')} of {risk.document.collection}, and"
            f" brings {risk.people - before:,} of {risk.people:,} readers"
        )
    if risk.kind == RiskKind.ODD_GROUP:
        return (
            f"{_name_group(risk)} brings {risk.people - before:,} of the {people_of(risk.people)} of the role"
            f" {risk.role}, who read {count_of(risk.documents, 'document')} by nothing else"
        )
    since = f"on {risk.since:%-d %B}" if risk.since else "before"
    return f"{people_of(risk.people)} may read {name_subject(risk)}, {before:,} {since}"


def _name_group(risk: OversharingRisk) -> str:
    return f"The usergroup {risk.usergroup}" if risk.usergroup else "A usergroup"


def describe_found(subjects: Iterable[str], *, is_one: bool, is_masked: bool) -> str:
    """Say what was found: what words look like, and which secrets there are; "" for nothing.

    is_one: in one document; else in some of several. is_masked: say that secrets are masked in answers; those of a
    risk that is gone may be meant to be read.
    """
    found = list(subjects)
    secrets = [_MANY[SecretKind(one)] for one in found if one in set(SecretKind)]
    topics = [SUBJECTS_IN_WORDS[one] for one in found if one in set(Topic) - {Topic.MARKED}]
    masked = ", masked in answers" if is_masked else ""
    said = (
        f"{'its words' if is_one else 'words in there'} look like {join_words(topics)}" if topics else "",
        f"{'it' if is_one else 'some of it'} says that it is confidential" if Topic.MARKED in found else "",
        f"{'it holds' if is_one else 'some of it holds'} {join_words(secrets)}{masked}" if secrets else "",
    )
    return "; ".join(filter(None, said))


def describe_places(counts: dict[str, int]) -> str:
    """Count the places of each subject: "3 places: pay of particular people (2), personal data (1)"."""
    each = ", ".join(f"{SUBJECTS_IN_WORDS[subject]} ({n:,})" for subject, n in counts.items())
    return f"{count_of(sum(counts.values()), 'place')}: {each}" if counts else ""


def describe_score(risk: OversharingRisk) -> str:
    """Say what a risk's score is made of."""
    return (
        f"Sensitivity {risk.sensitivity} of 5 ({SENSITIVITY_IN_WORDS[risk.sensitivity]}), times reach {risk.reach} of 5"
        f" ({REACH_IN_WORDS[risk.reach]}). From 15 it is high, from 8 medium."
    )


def write_figures(risk: OversharingRisk) -> str:
    """Write a risk's score as it is made: 4 times 5 = 20."""
    return f"{risk.sensitivity} \N{MULTIPLICATION SIGN} {risk.reach} = {risk.score}".replace(" ", "\N{NO-BREAK SPACE}")


def list_line(document: Document) -> SafeString | str:
    """Return the line of a document's page: its open risks, each with its level and a link to its page."""
    risks = OversharingRisk.objects.filter(document=document, state=RiskState.OPEN)
    return (
        format_html_join(
            "; ",
            '<a href="{}" class="text-link">{}: {}</a>',
            (
                (reverse(f"{PAGE}change", args=[one.pk]), find_level(one.score).capitalize(), one.get_kind_display())
                for one in risks
            ),
        )
        or "none is open"
    )


def count_cells(risks: Iterable[tuple[int, int, int]]) -> list[dict[str, object]]:
    """Return the rows of the matrix of risks, the most sensitive first. risks: sensitivity, reach, how many."""
    counts: Counter[tuple[int, int]] = Counter()
    for sensitivity, reach, n in risks:
        counts[sensitivity, reach] += n
    return [
        {
            "sensitivity": sensitivity,
            "words": SENSITIVITY_IN_WORDS[sensitivity],
            "cells": [
                {"reach": reach, "count": counts[sensitivity, reach], "level": find_level(sensitivity * reach).value}
                for reach in range(1, 6)
            ],
        }
        for sensitivity in range(5, 0, -1)
    ]
