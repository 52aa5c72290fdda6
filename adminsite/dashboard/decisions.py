"""What waits for an administrator's decision, on the pages that remind of it."""

from typing import Any

from django.http import HttpRequest

from core.access.audiences import may_decide_who_reads
from core.models import Role, SlackWorkspace, User
from core.verified_answers.editing import may_manage
from core.verified_answers.staleness import list_to_review


def undecided(request: HttpRequest) -> dict[str, Any]:
    """What the template needs to ask for a decision, for viewers who may take it."""
    found: dict[str, Any] = {}
    if isinstance(request.user, User) and may_manage(request.user):
        found["answers_to_review"] = len(list_to_review(owner=request.user))
    if not may_decide_who_reads(request.user):
        return found
    if request.user.has_perm("core.change_slackworkspace"):
        found["undecided_workspaces"] = SlackWorkspace.objects.undecided()
    if request.user.has_perm("core.view_role"):
        found["roles_to_review"] = Role.objects.due_for_review().count()
    return found
