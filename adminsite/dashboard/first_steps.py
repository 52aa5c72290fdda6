"""The checklist on the front page, from the installation to the first answer: done is what the data says is done."""

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import Exists, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from core.access.audiences import may_decide_who_reads
from core.models import Answer, Document, RoleDocumentAccess, SlackWorkspace, User

DISMISSED = "footnote_first_steps"  # a cookie: each administrator decides for themselves, in their browser
_KEPT_S = 365 * 24 * 3600


@dataclass(frozen=True, kw_only=True, slots=True)
class FirstStep:
    """One step, with where it is done; without a link for viewers who may not do it."""

    title: str
    note: str
    link: str
    is_done: bool


def list_first_steps(request: HttpRequest) -> list[FirstStep]:
    """Return the steps; nothing once all are done, for who dismissed them, and for who may do none. One query."""
    if request.COOKIES.get(DISMISSED) or not isinstance(request.user, User):
        return []
    done = _find_done(request.user)
    steps = [_connect_slack(done["slack"]), *_list_library(request, done), *_list_people(request, done)]
    if all(step.is_done for step in steps) or not any(step.link for step in steps[1:]):
        return []
    return steps


@require_POST
def dismiss(request: HttpRequest) -> HttpResponse:
    """Leave the checklist out from now on, in this browser."""
    response = HttpResponseRedirect(reverse("admin:index"))
    is_safe = settings.SESSION_COOKIE_SECURE
    response.set_cookie(DISMISSED, "1", max_age=_KEPT_S, path="/admin/", secure=is_safe, httponly=True, samesite="Lax")
    return response


def _find_done(user: User) -> dict[str, bool]:
    installed = apps.get_model("bot", "Installation").objects.all()
    others = User.objects.filter(is_active=True, user_roles__isnull=False).exclude(pk=user.pk)
    found = {
        "slack": Exists(installed) | Exists(SlackWorkspace.objects.all()),
        "documents": Exists(Document.objects.all()),
        "readers": Exists(RoleDocumentAccess.objects.all()),
        "people": Exists(others),
        "answer": Exists(Answer.objects.filter(~Q(answer_text=None), refusal_reason="")),
    }
    row: dict[str, Any] = dict(User.objects.filter(pk=user.pk).order_by().values(**found).get())
    row["slack"] = row["slack"] or bool(settings.SLACK_BOT_TOKEN) or row["answer"]
    return row


def _connect_slack(is_done: bool) -> FirstStep:
    note = "Create the app and set its tokens, as docs/slack.md describes; whoever sets up the server does it."
    if settings.LOCAL_PAGE:
        note += " Or go on with the local page, where Slack is tried without Slack."
    return FirstStep(
        title="Connect Slack, or go on with the page" if settings.LOCAL_PAGE else "Connect Slack",
        note=note,
        link="/local/" if settings.LOCAL_PAGE else "",
        is_done=is_done,
    )


def _list_library(request: HttpRequest, done: dict[str, bool]) -> list[FirstStep]:
    may = request.user.has_perm
    sees_matrix = all(may(f"core.view_{model}") for model in ("role", "document", "collection"))
    return [
        FirstStep(
            title="Add documents",
            note="Upload files, or add a source from which they come by themselves.",
            link=reverse("admin:core_ingestionjob_add") if may("core.add_ingestionjob") else "",
            is_done=done["documents"],
        ),
        FirstStep(
            title="Say who reads them",
            note="Nobody reads a document, and nobody is told anything from it, before a role is granted it.",
            link=reverse("admin:core_role_matrix") if sees_matrix and may_decide_who_reads(request.user) else "",
            is_done=done["readers"],
        ),
    ]


def _list_people(request: HttpRequest, done: dict[str, bool]) -> list[FirstStep]:
    may = request.user.has_perm
    asks = all(may(f"core.view_{model}") for model in ("user", "role", "document", "collection"))
    return [
        FirstStep(
            title="Add people",
            note="Paste their addresses and choose their roles. Nobody gets an e-mail.",
            link=reverse("admin:core_user_several") if may("core.add_user") and may("core.change_user") else "",
            is_done=done["people"],
        ),
        FirstStep(
            title="Ask",
            note="In Slack, or on the local page. The page Ask shows beforehand what somebody would be told, and why.",
            link="/local/" if settings.LOCAL_PAGE else reverse("admin:core_role_preview") if asks else "",
            is_done=done["answer"],
        ),
    ]
