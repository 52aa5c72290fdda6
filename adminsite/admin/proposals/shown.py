"""Describe proposed changes for the templates of their pages. Pure but for the lists, which core makes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse

from adminsite.admin.base import viewer, viewer_audience
from core.quality.proposals.listing import list_proposals
from core.quality.proposals.rights import may_propose
from core.values.proposals import (
    STATES_IN_WORDS,
    WAYS_IN_WORDS,
    ChangeTarget,
    ChangeWay,
    Found,
    ListedProposal,
    ProposalState,
)

STATE_LABELS = {
    ProposalState.WAITING: "info",
    ProposalState.SENT: "info",
    ProposalState.MERGED: "warning",
    ProposalState.DONE: "success",
    ProposalState.DECLINED: "default",
    ProposalState.FAILED: "danger",
    ProposalState.WITHDRAWN: "default",
}
TOLD_BY_PEOPLE = (ChangeWay.BRANCH, ChangeWay.MAIL)  # no source says what became of these
_MOST_LISTED = 20  # proposals on the page of a gap or a pair
_ANSWERED, _PERHAPS = 0.75, 0.4  # probabilities from which a question would be answered, or perhaps
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffLine:
    """Holds a line of a diff."""

    sign: str  # "+" added, "-" taken out, " " as it was, "@" a heading that says where the next lines are
    text: str


def list_lines(diff: Iterable[str]) -> Iterator[DiffLine]:
    """Yield the lines of a unified diff."""
    for line in diff:
        if place := _HUNK.match(line):
            yield DiffLine(sign="@", text=f"From line {place[1]}")
        else:
            yield DiffLine(sign=line[:1], text=line[1:])


def list_findings(found: Iterable[Found]) -> list[dict[str, str]]:
    """Return the questions of which it is known how probably they are answered, each with that in words."""
    return [_describe_finding(one.question, one.probability) for one in found if one.probability is not None]


def _describe_finding(question: str, probability: float) -> dict[str, str]:
    words, label = "not yet", "warning"
    if probability >= _ANSWERED:
        words, label = "would be answered", "success"
    elif probability >= _PERHAPS:
        words, label = "perhaps", "info"
    return {"question": question, "words": words, "label": label}


def describe_way(target: ChangeTarget) -> str:
    """Say in words how a target is changed; empty where it cannot be changed."""
    if target.way is None:
        return ""
    if target.way == ChangeWay.MAIL:
        return f"Mail to {target.recipient}"
    where = "in" if target.way == ChangeWay.DRAFT_PAGE else "at"
    return f"{WAYS_IN_WORDS[target.way].capitalize()} {where} {target.source_name}"


def list_for(request: HttpRequest, *, gap: UUID | None = None, contradiction: UUID | None = None) -> dict[str, Any]:
    """Return, for the page of a gap or a pair, which changes were proposed for it, of those that the viewer may see."""
    if not may_propose(viewer(request)):
        return {"may_propose": False}
    found = list_proposals(
        viewer(request), viewer_audience(request), gap=gap, contradiction=contradiction, limit=_MOST_LISTED
    )
    return {"may_propose": True, "proposals": [describe_proposal(row) for row in found.rows]}


def describe_proposal(row: ListedProposal) -> dict[str, Any]:
    """Return what the templates show of a proposal."""
    return {
        "row": row,
        "name": row.document_name or row.place or "A new document",
        "is_new": row.document_id is None,
        "state": STATES_IN_WORDS[row.state].capitalize(),
        "state_label": STATE_LABELS[row.state],
        "way": WAYS_IN_WORDS[row.way].capitalize(),
        "asked": describe_answered(row),
        "url": row.url if row.url.startswith(("https://", "http://")) else "",
        "address": reverse("admin:core_proposedchange_change", args=[row.proposal_id]),
    }


def describe_answered(row: ListedProposal) -> str:
    """Say how many had asked, and once the change is in the library how many of them have an answer and were told."""
    parts = [f"{row.people} {'person' if row.people == 1 else 'people'} had asked"] if row.people else []
    if row.state == ProposalState.DONE and (row.people or row.answered):
        of_them = "of them" if row.people else "who had asked"
        parts.append(f"{row.answered} {of_them} {'has' if row.answered == 1 else 'have'} an answer now")
        parts.append(f"{row.told} {'was' if row.told == 1 else 'were'} told")
    if row.others:
        parts.append(f"{row.others} other question{'s have' if row.others != 1 else ' has'} an answer by it too")
    return ", ".join(parts)


def list_acts(row: ListedProposal) -> dict[str, bool]:
    """Return which buttons the page of a proposal has for its viewer."""
    is_sent = row.state == ProposalState.SENT
    return {
        "may_withdraw": row.may_decide
        and row.state in (ProposalState.WAITING, ProposalState.SENT, ProposalState.FAILED),
        "may_say_merged": row.may_decide and is_sent,
        "may_say_declined": row.may_decide and (is_sent or row.state == ProposalState.MERGED),
        "may_send_again": row.may_decide and row.may_write_again and row.state == ProposalState.FAILED,
        "is_told_by_people": row.way in TOLD_BY_PEOPLE,
    }
