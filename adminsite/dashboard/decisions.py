"""Remind administrators of pending decisions, on the pages concerned."""

from typing import Any

from django.http import HttpRequest

from core.models import SlackWorkspace, User
from core.quality.reports.open_matters import Kind, list_decisions


def undecided(request: HttpRequest) -> dict[str, Any]:
    """Build the template's context for pending decisions, for viewers who may take them."""
    if not isinstance(request.user, User):
        return {}
    waiting = {matter.kind: matter.count for matter in list_decisions(request.user)}
    found: dict[str, Any] = {}
    if Kind.ANSWERS in waiting:
        found["answers_to_review"] = waiting[Kind.ANSWERS]
    if Kind.WORKSPACES in waiting:
        found["undecided_workspaces"] = SlackWorkspace.objects.undecided()
    if Kind.ROLES in waiting:
        found["roles_to_review"] = waiting[Kind.ROLES]
    return found
