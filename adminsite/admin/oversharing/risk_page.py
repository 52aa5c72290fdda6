"""The page of one risk: its facts, who reads it and how, the places that tell, and what can be decided."""

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from adminsite.admin.access.readership import count_people
from adminsite.admin.access.why import may_see_why
from adminsite.admin.base import viewer, viewer_audience
from adminsite.admin.conversation.links import read_id
from adminsite.admin.narrowing import write_query
from adminsite.admin.oversharing.forms import ReasonForm
from adminsite.admin.oversharing.undoing import link_back, link_revocations, link_usergroups
from adminsite.admin.oversharing.words import (
    LEVEL_LABELS,
    STATE_LABELS,
    count_shares,
    describe_places,
    describe_score,
    describe_why,
    join_words,
    people_of,
    write_figures,
)
from adminsite.admin.sections.planning import address_of, may_see_sections
from adminsite.figures import count_of
from core.access import reasons
from core.models import AuditEvent, OversharingRisk, Role, User
from core.quality.oversharing.deciding import RiskDecisionError, may_decide
from core.quality.oversharing.listing import ShownPlace, count_places, list_meant, list_places, name_subject
from core.quality.oversharing.narrowing import Narrowing, narrow, plan_narrowing
from core.quality.oversharing.reach import find_roles
from core.quality.oversharing.widening import list_growth, list_readers
from core.values.oversharing import SUBJECTS_IN_WORDS, RiskKind, RiskState, find_level

_SHOWN_PLACES, _SHOWN_SECRETS = 10, 60
_UNDER_WAY = (RiskState.OPEN, RiskState.ACCEPTED)
_PLACE_READERS = {
    "channel": "everybody in the channel {}",
    "workspace": "everybody in the workspace {}",
    "guests": "guests: {}",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """Holds what was typed and ticked on the page of a risk."""

    act: str = ""
    reason: str = ""
    roles: tuple[UUID, ...] = ()
    places: tuple[UUID, ...] = ()
    takes_last: bool = False  # the last readers, too
    error: str = ""  # why it could not be done

    def with_error(self, error: str) -> "Given":
        """Return the same, with why it could not be done."""
        return replace(self, error=error)


def read_given(form: QueryDict) -> Given:
    """Read what was typed and ticked; what is no id is left out."""
    ids = {name: [read_id(one) for one in form.getlist(name)] for name in ("role", "place")}
    return Given(
        act=form.get("act", ""),
        reason=form.get("reason", "").replace("\0", ""),
        roles=tuple(one for one in ids["role"] if one),
        places=tuple(one for one in ids["place"] if one),
        takes_last="takes_last" in form,
    )


def describe_risk(request: HttpRequest, risk: OversharingRisk, given: Given) -> dict[str, Any]:
    """Return what the page of a risk shows to a viewer who may see risks."""
    level, decides = find_level(risk.score), may_decide(viewer(request))
    places = _find_places(risk)
    return {
        "title": name_subject(risk),
        "risk": risk,
        "level": level.value,
        "level_label": LEVEL_LABELS[level],
        "state": risk.get_state_display(),
        "state_label": STATE_LABELS[RiskState(risk.state)],
        "kind": risk.get_kind_display(),
        "why": describe_why(risk, count_shares([risk])),
        "figures": write_figures(risk),
        "score": describe_score(risk),
        "links": list(_list_links(request, risk)),
        "readers": _list_readers(risk),
        "places": [_name_place(place) for place in places],
        "growth": _list_growth(risk),
        "may_decide": decides,
        "is_under_way": risk.state in _UNDER_WAY,
        "is_open": risk.state == RiskState.OPEN,
        "is_accepted": risk.state == RiskState.ACCEPTED,
        "is_narrowed": risk.state == RiskState.NARROWED,
        "undo": link_back(viewer(request), risk) if risk.state == RiskState.NARROWED else "",
        "meant": list_meant(risk) if risk.state == RiskState.GONE else [],
        "given": given,
        "reason_form": ReasonForm(
            "Why is it right so?", "accept", initial={"reason": given.reason if given.act == "accept" else ""}
        ),
        **_describe_telling(request, risk, given, decides=decides),
        **(_describe_narrowing(request, risk, given, places) if decides and risk.state in _UNDER_WAY else {}),
    }


def _list_links(request: HttpRequest, risk: OversharingRisk) -> Any:
    """Yield the names and addresses of what a risk is of, as far as the viewer may open the pages."""
    document = risk.document
    if document is not None:
        whole = document.part_of or document
        yield "Document", whole.title, reverse("admin:core_document_change", args=[whole.pk])
        yield (
            "Collection",
            document.collection.name,
            reverse("admin:core_collection_change", args=[document.collection_id]),
        )
    if risk.usergroup is not None:
        is_open = request.user.has_perm("core.view_usergrouprole")
        address = reverse("admin:core_usergrouprole_change", args=[risk.usergroup.pk])
        yield "Usergroup", str(risk.usergroup), address if is_open else ""
    if risk.role is not None:
        yield "Role", risk.role.name, reverse("admin:core_role_change", args=[risk.role.pk])
    if risk.data_source is not None:
        is_open = request.user.has_perm("core.view_datasource")
        address = reverse("admin:core_datasource_change", args=[risk.data_source.pk])
        yield "Source", risk.data_source.name, address if is_open else ""
    if risk.collection is not None:
        yield "Collection", risk.collection.name, reverse("admin:core_collection_change", args=[risk.collection.pk])
    if document is not None and document.part_of_id is None and may_see_why(request):
        yield "", "Who may read it, person by person", reverse("admin:core_document_list_readers", args=[document.pk])
    collection = document.collection_id if document else risk.collection_id
    if collection is not None:
        title = (document.part_of or document).title if document else ""
        narrowed = write_query({"collection": collection, "q": title})
        yield "", "Who reads what", f"{reverse('admin:core_role_matrix')}?{narrowed}"


def _find_places(risk: OversharingRisk) -> tuple[reasons.Place, ...]:
    return reasons.find_places(risk.document) if risk.document else ()


def _name_place(place: reasons.Place) -> str:
    return f"{_name_readers(place)}, by the {'role' if len(place.roles) == 1 else 'roles'} {join_words(place.roles)}"


def _name_readers(place: reasons.Place) -> str:
    return _PLACE_READERS[place.kind].format(place.name)


def _list_readers(risk: OversharingRisk) -> list[dict[str, Any]]:
    """Return the roles that read what a risk is of, each with its people, the most first."""
    if risk.document_id is not None:
        roles: Collection[UUID] = find_roles([risk.document_id]).get(risk.document_id, frozenset())
    elif risk.kind == RiskKind.WIDENED:
        roles = list_readers(risk)
    else:
        roles = [risk.role_id] if risk.role_id else []
    counted: Any = count_people().filter(pk__in=roles).order_by("-readers", "name")
    return [_describe_role(role.pk, role.name, role.readers) for role in counted]


def _describe_role(pk: UUID, name: str, people: int) -> dict[str, Any]:
    return {"name": name, "people": people_of(people), "address": reverse("admin:core_role_change", args=[pk])}


def _list_growth(risk: OversharingRisk) -> list[dict[str, Any]]:
    """Return the roles by which a source or collection has more readers, then and now."""
    growth = list_growth(risk) if risk.kind == RiskKind.WIDENED else []
    names = dict(Role.objects.filter(pk__in=[one.role_id for one in growth]).values_list("pk", "name"))
    return [{"growth": one, **_describe_role(one.role_id, names[one.role_id], one.people)} for one in growth]


def _describe_telling(request: HttpRequest, risk: OversharingRisk, given: Given, *, decides: bool) -> dict[str, Any]:
    """Return the places that tell: their words for who may read the document, for others only how many there are."""
    if risk.document_id is None or risk.kind not in (RiskKind.CONFIDENTIAL, RiskKind.SECRET):
        return {"has_telling": False}
    counts = count_places(risk)
    most = _SHOWN_SECRETS if risk.kind == RiskKind.SECRET else _SHOWN_PLACES
    shown = [one for one in list_places(risk, viewer_audience(request), most=most) if one.is_readable]
    return {
        "has_telling": True,
        "told": describe_places(counts),
        "telling": [_describe_place(risk, one, given) for one in shown],
        "more_telling": max(sum(counts.values()) - most, 0) if shown else 0,
        "has_masked": any(one.is_secret and not one.is_shown for one in shown),
        "has_shown": any(one.is_shown for one in shown),
        "may_show": decides and any(one.is_secret and not one.is_shown for one in shown),
        "show_form": ReasonForm(
            "Why are they meant to be read?", "show", initial={"reason": given.reason if given.act == "show" else ""}
        ),
    }


def _describe_place(risk: OversharingRisk, place: ShownPlace, given: Given) -> dict[str, Any]:
    start, end = place.marked
    return {
        "place": place,
        "subject": SUBJECTS_IN_WORDS[place.subject],
        "before": place.quote[:start],
        "value": place.quote[start:end],
        "after": place.quote[end:],
        "address": f"{reverse('document', args=[risk.document_id])}?at={place.place}",
        "is_chosen": place.place_id in given.places,
    }


def _describe_narrowing(
    request: HttpRequest, risk: OversharingRisk, given: Given, places: Collection[reasons.Place]
) -> dict[str, Any]:
    """Return what can be taken away, what is chosen, and what follows of it."""
    is_chosen = given.act in ("look", "narrow")
    plan = plan_narrowing(risk, given.roles if is_chosen else None)
    chosen = set(given.roles) if is_chosen else plan.suggested
    stays = _list_staying(plan, chosen, places)
    return {
        "plan": plan,
        "options": [
            {
                "option": option,
                "people": people_of(option.people),
                "documents": count_of(option.documents, "document"),
                "is_chosen": option.role_id in chosen,
                "address": reverse("admin:core_role_change", args=[option.role_id]),
                "places": [_name_readers(place) for place in places if option.name in place.roles],
            }
            for option in plan.options
        ],
        "is_usergroup": risk.kind == RiskKind.ODD_GROUP,
        "brought": people_of(risk.people - (risk.people_before or 0)),
        "then": f"{people_of(plan.people)} now, then {plan.people_after:,}",
        "leaves_nobody": _leaves_nobody(plan, chosen, places),
        "takes_last": given.takes_last,
        "stays": [_name_place(place) for place in stays] if chosen else [],
        "nothing_suggested": not is_chosen and not plan.suggested,
        "is_nothing_chosen": not chosen,
        "may_take_all": risk.document_id is not None,  # else roles that are not listed read it as well
        "elsewhere": _link_elsewhere(request, risk) if plan.reason else ("", ""),
    }


def _list_staying(plan: Narrowing, chosen: Collection[UUID], places: Collection[reasons.Place]) -> list[reasons.Place]:
    """Return the channels, workspaces and guests that read it by another role than those that are chosen."""
    taken = {option.name for option in plan.options if option.role_id in chosen}
    return [place for place in places if set(place.roles) - taken]


def _leaves_nobody(plan: Narrowing, chosen: Collection[UUID], places: Collection[reasons.Place]) -> bool:
    """Return True if somebody reads it now, and nobody would once the chosen roles are taken away."""
    is_read = bool(plan.people or places)
    return is_read and bool(chosen) and plan.people_after == 0 and not _list_staying(plan, chosen, places)


def _link_elsewhere(request: HttpRequest, risk: OversharingRisk) -> tuple[str, str]:
    """Return the name and address of the page where it can be narrowed, for who may open it."""
    document = risk.document
    if document is not None and document.part_of_id is not None:
        return ("Sections", address_of(document=document.part_of_id)) if may_see_sections(request) else ("", "")
    source = risk.data_source if document is None else document.data_source
    if source is None or not request.user.has_perm("core.view_datasource"):
        return "", ""
    return f"The source {source.name}", reverse("admin:core_datasource_change", args=[source.pk])


def narrow_and_explain(risk: OversharingRisk, by: User, given: Given) -> SafeString:
    """Take the chosen roles away, and say what happened and where it is undone.

    RiskDecisionError where it fails, and where the last readers would lose it though that is not ticked.
    """
    plan, began, group = plan_narrowing(risk, given.roles), timezone.now(), str(risk.usergroup or "")
    is_known = {option.role_id for option in plan.options}.issuperset(given.roles)
    if is_known and not given.takes_last and _leaves_nobody(plan, given.roles, _find_places(risk)):
        raise RiskDecisionError(
            "Nobody would be left who may read it. Leave a role, or tick that the last readers lose it, too."
        )
    taken = narrow(risk, given.roles, by=by)
    names = join_words([option.name for option in plan.options if option.role_id in given.roles])
    if risk.kind == RiskKind.ODD_GROUP:
        said = f"The usergroup {group} does not give the role {names} any more: {people_of(taken)} held it by that."
        return format_html("{} {}", said, link_usergroups(by))
    people = f"{people_of(plan.people)} might read it before, {plan.people_after:,} may now"
    said = f"{count_of(taken, 'grant')} taken away from {names}: {people}."
    return format_html("{} {}", said, _link_undoing(by, began, given.roles))


def _link_undoing(by: User, began: dt.datetime, roles: Collection[UUID]) -> SafeString | str:
    """Link to the page that undoes each revocation since, for who may see the audit trail."""
    if not by.has_perm("core.view_auditevent"):
        return "Whoever may see the audit trail can undo it there."
    events = AuditEvent.objects.filter(
        actor=by,
        action=AuditEvent.Action.REVOKE,
        object_type="role",
        object_id__in=map(str, roles),
        created_at__gte=began,
    )
    return link_revocations(list(events))
