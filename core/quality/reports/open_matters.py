"""Open matters: what waits for a decision of one administrator, in numbers, by what they may decide or look at."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from core.access.audiences import may_decide_who_reads
from core.asking.verified_answers.editing import may_manage
from core.asking.verified_answers.staleness import list_to_review
from core.library.sections.restricted import count_undecided
from core.models import (
    Alert,
    ChangeCheck,
    ContentGap,
    IngestionJob,
    OversharingRisk,
    Role,
    SlackWorkspace,
    SyncRun,
    User,
)
from core.quality.reports.grouping import VIEW_REPORTS
from core.values.change_checks import ChangeKind, CheckState
from core.values.oversharing import MEDIUM_FROM, RiskState

_SEES_RIGHTS = ("core.view_role", "core.view_document", "core.view_collection")  # as for who reads what
_FAILED = (IngestionJob.State.FAILED, IngestionJob.State.PARTLY_FAILED)


class Kind(StrEnum):
    """The kinds of open matters, the most pressing first."""

    WORKSPACES = "workspaces"  # of which nobody has said what everyone in them may be shown
    SOURCES = "sources"  # runs that wait for a decision on what is gone there
    CHANGES = "changes"  # that were checked before they are live, and wait for a yes
    RISKS = "risks"  # open ones, high or medium: more people may read something than anybody expects
    SECTIONS = "sections"  # that could not be recognised in a new edition, and are restricted until somebody decides
    ROLES = "roles"  # that are due for a review
    ANSWERS = "answers"  # that this person verified, and that may not hold any more
    ALERTS = "alerts"  # that nobody has acknowledged
    INGESTION = "ingestion"  # jobs of which a file failed
    GAPS = "gaps"  # questions asked in vain, by meaning


@dataclass(frozen=True, kw_only=True, slots=True)
class Matter:
    """Open matters of one kind."""

    kind: Kind
    count: int  # from 1


def list_decisions(user: User) -> tuple[Matter, ...]:
    """Return what waits for this person's decision on who reads and on verified answers; nothing that is not theirs."""
    return _keep_open(_count_decisions(user))


def list_open_matters(user: User) -> tuple[Matter, ...]:
    """Return the decisions, and behind them what has failed or is lacking, as far as this person may look at it."""
    return _keep_open([*_count_decisions(user), *_count_failures(user)])


def _keep_open(counted: Iterable[tuple[Kind, int]]) -> tuple[Matter, ...]:
    return tuple(Matter(kind=kind, count=count) for kind, count in counted if count)


def find_waiting(user: User) -> QuerySet[ChangeCheck]:
    """Return the checked changes that wait for a yes of this person's; none without the rights to see and to decide.

    The right that a change itself needs is asked for as well. The kinds of core.quality.change_checks say which it is
    of one change; here it is a condition on many.
    """
    if not (user.is_active and user.has_perms(("core.view_changecheck", "core.decide_changes"))):
        return ChangeCheck.objects.none()
    decides = may_decide_who_reads(user)
    conditions = (
        (Q(kind=ChangeKind.GRANTS), decides),
        (Q(kind=ChangeKind.EDITIONS, run__isnull=False), decides and user.has_perm("core.change_datasource")),
        (Q(kind=ChangeKind.EDITIONS, job__isnull=False), user.has_perm("core.add_ingestionjob")),
        (Q(kind=ChangeKind.THRESHOLDS), user.has_perm("core.change_answerthresholds")),
        (Q(kind=ChangeKind.MODEL), user.has_perm("core.admit_models")),
    )
    theirs = [condition for condition, may in conditions if may]
    if not theirs:
        return ChangeCheck.objects.none()
    return ChangeCheck.objects.filter(reduce(or_, theirs), state=CheckState.HELD)


def _count_decisions(user: User) -> Iterator[tuple[Kind, int]]:
    if may_decide_who_reads(user):
        if user.has_perm("core.change_slackworkspace"):
            yield Kind.WORKSPACES, SlackWorkspace.objects.undecided().count()
        if user.has_perm("core.change_datasource"):
            yield Kind.SOURCES, SyncRun.objects.filter(state=SyncRun.State.ASKING).count()
        if user.has_perms(_SEES_RIGHTS):
            if user.has_perm("core.view_oversharing"):
                yield Kind.RISKS, OversharingRisk.objects.filter(state=RiskState.OPEN, score__gte=MEDIUM_FROM).count()
            yield Kind.SECTIONS, count_undecided()
        if user.has_perm("core.view_role"):
            yield Kind.ROLES, Role.objects.due_for_review().count()
    yield Kind.CHANGES, find_waiting(user).count()
    if may_manage(user):
        yield Kind.ANSWERS, len(list_to_review(owner=user))


def _count_failures(user: User) -> Iterator[tuple[Kind, int]]:
    if user.has_perm(VIEW_REPORTS):
        if user.has_perm("core.view_alert"):
            yield Kind.ALERTS, Alert.objects.filter(acknowledged_at=None).count()
        if user.has_perm("core.view_ingestionjob"):
            yield Kind.INGESTION, IngestionJob.objects.filter(state__in=_FAILED).count()
    if user.has_perm("core.view_gaps"):
        yield Kind.GAPS, ContentGap.objects.filter(state=ContentGap.State.OPEN).count()
