"""Describe checks of changes for their pages: the change in words, its figures, and the limits that it crosses."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from adminsite.admin.base import viewer, viewer_audience
from adminsite.admin.question_texts import UNREADABLE
from adminsite.dashboard.chart_style import ANSWERED, BAR_OPTIONS, bars
from adminsite.figures import count_of
from core.models import AuditEvent, ChangeCheck, IngestionJob, Role
from core.quality.change_checks.deciding import VIEW
from core.quality.change_checks.listing import LineView, Viewer, find_titles, list_lines, list_people
from core.values.change_checks import (
    LIMITS_IN_WORDS,
    OUTCOMES_IN_WORDS,
    STATES_IN_WORDS,
    AskedFor,
    ChangeKind,
    CheckState,
    Limit,
    Outcome,
)

REFRESH_SECONDS = 3
_NAMED_FILES = 2  # of an upload
MOST_DOCUMENTS = 20  # that are named of a change
MOST_LINES = 200  # questions that a page shows
STATE_LABELS = {
    CheckState.WAITING: "info",
    CheckState.RUNNING: "info",
    CheckState.TRIED: "default",
    CheckState.HELD: "warning",
    CheckState.MADE: "success",
    CheckState.DECLINED: "default",
    CheckState.STOPPED: "default",
    CheckState.FAILED: "danger",
}
LABELS_IN_WORDS = {STATES_IN_WORDS[state]: label for state, label in STATE_LABELS.items()}
_OUTCOME_LABELS = {
    Outcome.FAILED: "danger",
    Outcome.VANISHED: "danger",
    Outcome.DISPUTED: "danger",
    Outcome.SOURCES: "warning",
    Outcome.WORDING: "info",
    Outcome.ANSWERED: "success",
    Outcome.SAME: "default",
}
_LYING = {
    **BAR_OPTIONS,
    "indexAxis": "y",
    "plugins": {"legend": {"display": False}},
    "scales": {
        "x": {"beginAtZero": True, "ticks": {"precision": 0}},
        "y": {"grid": {"display": False}, "ticks": {"autoSkip": False}},
    },
}
_YES = {
    ChangeKind.GRANTS: "Yes makes the change of grants at once, as far as it is not so already. People read by it "
    "from their next question on.",
    ChangeKind.EDITIONS: "Yes puts the documents into the library, as they were when the questions were asked.",
    ChangeKind.THRESHOLDS: "Yes lets these thresholds decide about answers, in every process within some seconds.",
    ChangeKind.MODEL: "Yes lets the model answer people. What it says is verified as before.",
}
_NO = {
    ChangeKind.GRANTS: "No leaves the grants as they are.",
    ChangeKind.EDITIONS: "No leaves the library as it is. What waits for this change is let go.",
    ChangeKind.THRESHOLDS: "No leaves the thresholds as they are.",
    ChangeKind.MODEL: "No leaves everything as it is. To refuse the model for good, use the page of its examination.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Described:
    """Holds a change in words, with the page of what it is about."""

    words: str
    link: str = ""  # the words of the link
    address: str = ""


def describe_change(request: HttpRequest, check: ChangeCheck, roles: Mapping[str, str] | None = None) -> Described:
    """Say what a change is. roles: names by id, as far as the viewer may see them; without it they are counted."""
    match ChangeKind(check.kind):
        case ChangeKind.GRANTS:
            return Described(words=_describe_grants(check.change, roles))
        case ChangeKind.THRESHOLDS:
            return Described(words=_describe_thresholds(check.change))
        case ChangeKind.MODEL:
            return _describe_model(request, check)
        case ChangeKind.EDITIONS:
            return _describe_editions(request, check)


def _describe_grants(change: Mapping[str, Any], roles: Mapping[str, str] | None) -> str:
    documents = count_of(len({pk for chosen in change["documents"].values() for pk in chosen}), "document")
    chosen = sorted(change["documents"])
    if roles is None:
        named = count_of(len(chosen), "role")
    else:
        named = ", ".join(sorted(roles.get(pk, "a role that has been deleted") for pk in chosen))
    if not change["gives"]:
        return f"Take {documents} away from {named}"
    until = f", until {change['until'][:10]}" if change["until"] else ""
    return f"Grant {documents} to {named}{until}"


def _describe_thresholds(change: Mapping[str, Any]) -> str:
    before = change.get("before")
    if change["answer_from"] is None:
        return "Go by the thresholds of the settings again"

    def tell(name: str) -> str:
        if not before or round(before[name], 2) == round(change[name], 2):
            return f"{change[name]:.2f}"
        return f"{before[name]:.2f} → {change[name]:.2f}"

    return f"Answers from {tell('answer_from')}, closest passages from {tell('closest_from')}"


def _describe_model(request: HttpRequest, check: ChangeCheck) -> Described:
    examination = check.examination
    if examination is None or not request.user.has_perm("core.view_modelexamination"):
        return Described(words="Let an examined model answer")
    address = reverse("admin:core_modelexamination_change", args=[examination.pk])
    return Described(words=f"Let {examination.model} answer", link="Its examination", address=address)


def _describe_editions(request: HttpRequest, check: ChangeCheck) -> Described:
    if check.run is not None:
        if not request.user.has_perm("core.view_syncrun"):
            return Described(words="Documents of a source")
        address = reverse("admin:core_syncrun_change", args=[check.run.pk])
        return Described(words=f"Documents of the source {check.run.source}", link="The run", address=address)
    if check.job is not None and request.user.has_perm("core.view_ingestionjob"):
        address = reverse("admin:core_ingestionjob_change", args=[check.job.pk])
        return Described(words=_name_upload(check.job), link="The upload", address=address)
    return Described(words="Documents of an upload")


def _name_upload(job: IngestionJob) -> str:
    """Name an upload by the first of its files, as its own page does."""
    names = list(job.files.order_by("name").values_list("name", flat=True)[:_NAMED_FILES])
    more = job.files.count() - len(names)
    return f"Upload of {', '.join(names)}{f' and {more} more' if more else ''}" if names else "Documents of an upload"


def name_roles(request: HttpRequest, check: ChangeCheck) -> Mapping[str, str] | None:
    """Return the names of the roles of a change of grants by their ids; None for who may not see roles."""
    if check.kind != ChangeKind.GRANTS or not request.user.has_perm("core.view_role"):
        return None
    rows = Role.objects.filter(pk__in=list(check.change["documents"]))
    return {str(pk): name for pk, name in rows.values_list("pk", "name")}


def list_documents(request: HttpRequest, check: ChangeCheck) -> dict[str, Any]:
    """Return titles and addresses of the first documents of a change of grants, as far as the viewer may know them."""
    if check.kind != ChangeKind.GRANTS:
        return {}
    chosen = {UUID(pk) for some in check.change["documents"].values() for pk in some}
    titles = find_titles(chosen, Viewer.of(viewer(request), viewer_audience(request)))
    named = sorted(titles.items(), key=lambda item: (item[1], item[0]))[:MOST_DOCUMENTS]
    shown = [(title, _link_document(request, pk)) for pk, title in named]
    first = "The first " if len(shown) == MOST_DOCUMENTS else ""
    return {"documents": shown, "documents_said": f"{first}{len(shown)} that you may know of"}


def describe_progress(check: ChangeCheck) -> dict[str, Any]:
    """Return what the panel of a check shows that waits or runs."""
    return {
        "check": check,
        "share": round(100 * check.asked / check.total) if check.total else 0,
        "refresh_seconds": REFRESH_SECONDS,
    }


def describe_crossed(check: ChangeCheck) -> list[str]:
    """Say which limits a check crosses, each with the figure and the limit."""
    figures, limits = check.figures, check.limits
    questions = figures.get("questions", 0)
    changed = questions - figures.get("same", 0)
    said = {
        Limit.WORSE: lambda: (
            f"{_tell_share(figures['worse'], questions, limits['most_worse'])} get worse or vanish; "
            f"the limit is {limits['most_worse']} %."
        ),
        Limit.MOVED: lambda: (
            f"{_tell_share(figures['moved'], questions, limits['most_moved'])} come from other documents; "
            f"the limit is {limits['most_moved']} %."
        ),
        Limit.CHANGED: lambda: (
            f"{_tell_share(changed, questions, limits['most_changed'])} change; "
            f"the limit is {limits['most_changed']} %."
        ),
        Limit.PEOPLE: lambda: (
            f"{count_people(figures['people'])} gain or lose documents; the limit is {limits['most_people']:,}."
        ),
        Limit.UNCHECKED: lambda: f"{LIMITS_IN_WORDS[Limit.UNCHECKED].capitalize()}.",
    }
    return [said[Limit(crossed)]() for crossed in check.crossed]


def _tell_share(count: int, questions: int, limit: int) -> str:
    """Tell a count with its share of all answers, to one decimal where a whole figure would not be above the limit."""
    share = 100 * count / questions
    shown = f"{share:.0f}" if round(share) > limit else f"{share:.1f}"
    return f"{count} of {count_of(questions, 'answer')} ({shown} %)"


def count_people(count: int) -> str:
    """Count people: "1 person", "2,000 people"."""
    return f"{count:,} {'person' if count == 1 else 'people'}"


def list_tiles(check: ChangeCheck) -> list[dict[str, Any]]:
    """Return the figures of a check that has ended as cards."""
    figures = check.figures
    of_people = figures["of_people"]
    failed = figures[Outcome.FAILED]
    tiles = [
        _make_tile(
            "Questions",
            figures["questions"],
            f"{of_people} of people, {figures['questions'] - of_people} of the library's own",
            "help",
        ),
        _make_tile("Newly answered", figures[Outcome.ANSWERED], "there is no answer now", "add_comment"),
        _make_tile("From other documents", figures[Outcome.SOURCES], "the answer cites others", "swap_horiz"),
        _make_tile("Other words", figures[Outcome.WORDING], "from the same documents", "edit_note"),
        _make_tile(
            "No longer answered",
            figures[Outcome.VANISHED],
            f"{failed} more fail" if failed else "there is an answer now",
            "speaker_notes_off",
            is_bad=figures[Outcome.VANISHED] > 0,
        ),
        _make_tile(
            "Disputed",
            figures[Outcome.DISPUTED],
            "another document now answers otherwise",
            "balance",
            is_bad=figures[Outcome.DISPUTED] > 0,
        ),
        _make_tile(
            "Worse",
            figures["worse"],
            _tell_whose(figures),
            "trending_down",
            is_bad=figures["worse"] > 0,
        ),
    ]
    if "people" in figures:
        does = "gain documents" if check.change.get("gives", True) else "lose documents"
        tiles.append(_make_tile("People", figures["people"], does, "group"))
    if "new" in figures:
        words = f"new; {figures['replaced']} with another text"
        words += f"; {figures['untried']} not tried" if figures["untried"] else ""
        tiles.append(_make_tile("Documents", figures["new"], words, "description"))
    if figures["gaining"]:
        note = "from documents that the asker cannot read now"
        tiles.append(_make_tile("Answers opened", figures["gaining"], note, "lock_open"))
    return tiles


def _tell_whose(figures: Mapping[str, Any]) -> str:
    """Say whose answers get worse."""
    if not figures["worse"]:
        return "no answer gets worse"
    of_people = figures["worse_of_people"]
    library = figures["worse"] - of_people
    said = [f"{of_people} of {count_people(figures['people_worse'])}"] if of_people else []
    return ", ".join([*said, *([f"{library} of the library's own"] if library else [])])


def _make_tile(title: str, count: int, note: str, icon: str, *, is_bad: bool = False) -> dict[str, Any]:
    return {"title": title, "value": f"{count:,}", "note": note, "icon": icon, "bad": is_bad, "link": ""}


def chart_outcomes(check: ChangeCheck) -> dict[str, Any]:
    """Return the outcomes of a check as a chart, and as the rows of a table."""
    rows = [(OUTCOMES_IN_WORDS[outcome].capitalize(), check.figures[outcome]) for outcome in Outcome]
    chart = {
        "labels": [label.partition(",")[0] for label, _ in rows],  # a telephone has no place for more
        "datasets": [bars("Questions", [count for _, count in rows], ANSWERED)],
    }
    return {"outcomes_chart": json.dumps(chart), "outcomes_options": json.dumps(_LYING), "outcomes": rows}


def list_people_rows(check: ChangeCheck, seen_by: Viewer) -> list[dict[str, Any]]:
    """Return a row for each person whose answers change."""
    return [
        {
            "name": one.name,
            "address": reverse("admin:core_user_change", args=[one.person]),
            "cells": [
                ("Questions", one.questions),
                ("Worse", one.worse),
                *((OUTCOMES_IN_WORDS[outcome].capitalize(), one.outcomes.get(outcome, 0)) for outcome in _DIFFERENT),
                ("From documents they cannot read now", one.gaining),
            ],
        }
        for one in list_people(check, seen_by)
    ]


_DIFFERENT = tuple(outcome for outcome in Outcome if outcome != Outcome.SAME)


@dataclass(frozen=True, kw_only=True, slots=True)
class Questions:
    """Holds the questions of a check whose answers differ, as far as a viewer may see them."""

    rows: list[dict[str, Any]]
    more: int  # that are not named, because there are too many
    hidden: str  # how many there are of which the viewer may know nothing but the outcome, in words
    shows_others: bool  # words of another person are shown


def list_question_rows(request: HttpRequest, check: ChangeCheck, seen_by: Viewer) -> Questions:
    """Return the questions whose answers differ, the worst first."""
    lines = list_lines(check, seen_by)
    known = [line for line in lines if line.question or line.person_name or line.before or line.after]
    shown = known[:MOST_LINES]
    outcomes = Counter(line.outcome for line in lines) - Counter(line.outcome for line in known)
    return Questions(
        rows=[_describe_line(request, line) for line in shown],
        more=len(known) - len(shown),
        hidden=", ".join(f"{count} {OUTCOMES_IN_WORDS[outcome]}" for outcome, count in outcomes.items()),
        shows_others=any(line.query is not None for line in shown),
    )


def _describe_line(request: HttpRequest, line: LineView) -> dict[str, Any]:
    return {
        "line": line,
        "question": line.question or UNREADABLE,
        "outcome": OUTCOMES_IN_WORDS[line.outcome],
        "label": "danger" if line.is_worse else _OUTCOME_LABELS[line.outcome],
        "who": _name_asker(line),
        "gains": f"from {count_of(line.gains, 'document')} that this reader cannot read now" if line.gains else "",
        "answers_after": line.outcome not in (Outcome.FAILED, Outcome.VANISHED),
        "before": _link_all(request, line.before),
        "after": _link_all(request, line.after),
        "address": reverse("admin:core_query_change", args=[line.query]) if line.query else "",
    }


def _name_asker(line: LineView) -> str:
    if line.asked_for == AskedFor.LIBRARY:
        return f"The library's own, for {line.role_name}" if line.role_name else "The library's own"
    return line.person_name or "Somebody"


def _link_all(request: HttpRequest, documents: Iterable[tuple[UUID, str]]) -> list[tuple[str, str]]:
    return [(title, _link_document(request, pk)) for pk, title in documents]


def _link_document(request: HttpRequest, pk: UUID) -> str:
    """Return the page of a document that the viewer may name: that of the admin, or the document itself."""
    if request.user.has_perm("core.view_document"):
        return reverse("admin:core_document_change", args=[pk])
    return reverse("document", args=[pk])


def describe_decision(check: ChangeCheck) -> dict[str, str]:
    """Say what yes and what no do to a change, and of what the decider cannot be sure."""
    kind = ChangeKind(check.kind)
    note = ""
    if check.state == CheckState.TRIED:
        note = "This was a look: nothing waits for it. You can put the change live from here."
    elif check.state in (CheckState.STOPPED, CheckState.FAILED):
        note = "It was not checked to its end: you decide without knowing what it does to answers."
    return {"yes": _YES[kind], "no": _NO[kind], "decision_note": note}


def have_readers_changed(check: ChangeCheck) -> bool:
    """Return True if somebody changed who reads what since the questions of a check were asked."""
    if check.started_at is None:
        return False
    action = AuditEvent.Action
    changes = (action.GRANT, action.REVOKE, action.CHANGE_MEMBERS, action.CHANGE_ROLES)
    since = check.finished_at or check.started_at
    return AuditEvent.objects.filter(action__in=changes, created_at__gt=since).exists()


def link_check(request: HttpRequest, check: ChangeCheck, words: str) -> SafeString | str:
    """Return words that link to the page of a check, for who may see checks; the words alone for others."""
    if not request.user.has_perm(VIEW):
        return words
    address = reverse("admin:core_changecheck_change", args=[check.pk])
    return format_html('<a class="text-link" href="{}">{}</a>', address, words)


def find_check_line(request: HttpRequest, checks: Any) -> dict[str, Any]:
    """Return the last check of a run or an upload for the line on its page; {} where there is none to see.

    checks: those of the run or the upload.
    """
    if not request.user.has_perm(VIEW):
        return {}
    last = checks.order_by("-created_at").first()
    if last is None:
        return {}
    return {
        "check_line": {
            "state": last.get_state_display(),
            "label": STATE_LABELS[CheckState(last.state)],
            "address": reverse("admin:core_changecheck_change", args=[last.pk]),
        }
    }
