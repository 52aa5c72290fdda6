"""Taking from a restored database whatever gives a right that a later statement does not know any more.

Where it cannot be said whether a right is still the same one, it is taken: somebody can give it again. What was given
after the backup does not come back either.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction

from core.access.grants import revoke
from core.access.withdrawal import withdraw
from core.asking.history.retention import erase_texts_of
from core.models import AuditEvent, ChannelSetting, Collection, Document, Role, VerifiedAnswer, VerifiedSource
from core.models.row_security import bypass_row_security
from core.operations.backup.rights import RIGHTS, Right, Way, list_undecided
from core.operations.backup.statement import Row, Statement, iterate_rows, tell_value

_GRANTS = ("core.RoleDocumentAccess", "core.WithdrawnGrant")
_AT_ONCE = 1000  # rows that an audit event names


@dataclass(frozen=True, kw_only=True, slots=True)
class Reduced:
    """Counts of rights that were taken away again and of those left to people, by their name in the table of rights."""

    taken: Counter[str] = field(default_factory=Counter)
    by_hand: Counter[str] = field(default_factory=Counter)

    def take(self, right: Right, keys: Sequence[Any], count: int | None = None) -> None:
        """Count rights of these rows, and leave audit events. count: how many, where a row gave several."""
        if not keys:
            return
        self.taken[right.gives] += len(keys) if count is None else count
        AuditEvent.objects.bulk_create(
            AuditEvent(
                action=AuditEvent.Action.REVOKE,
                object_type=str(right.of._meta.model_name),
                details={"rows": [str(key) for key in keys[at : at + _AT_ONCE]], "restored": True},
            )
            for at in range(0, len(keys), _AT_ONCE)
        )

    def leave(self, right: Right, count: int) -> None:
        """Count what is left to people."""
        if count:
            self.by_hand[right.by_hand] += count


@transaction.atomic
def reduce(statement: Statement) -> Reduced:
    """Take away every right that the statement does not know, model by model, and count what is left to people."""
    found = Reduced()
    with bypass_row_security():
        for right in RIGHTS:
            if right.way is Way.ALL:
                rows = right.of._base_manager.all()
                keys = list(rows.values_list("pk", flat=True))
                rows.delete()
                # Their keys may be what opens them.
                found.take(right, ["all"] if keys else [], len(keys))
            elif statement.of(right) is None:
                found.by_hand[f"{right.gives}: the export does not tell of them"] += 1
            else:
                _WAYS[right.way](right, statement, found)
        for label in list_undecided():
            found.by_hand[f"{label}: nobody has said whether it gives a right"] += 1
    return found


def _read_now(right: Right, statement: Statement) -> Mapping[str, Row]:
    return statement.of(right) or {}


def _is_as_now(right: Right, column: str, row: Row, now: Row | None) -> bool:
    return now is not None and column in now and tell_value(right, column, row[column]) == now[column]


def _is_gone(right: Right, row: Row, now: Row | None) -> bool:
    lost = now is None and right.deletes
    return lost or any(not _is_as_now(right, column, row, now) for column in right.same)


def _reduce_rows(right: Right, statement: Statement, found: Reduced) -> None:
    told = _read_now(right, statement)
    gone, changed, count, held = [], [], 0, 0
    for row in list(iterate_rows(right)):
        now = told.get(str(row["pk"]))
        if _is_gone(right, row, now):
            gone.append(row["pk"])
            continue
        is_held = any(not _is_as_now(right, column, row, now) for column in right.held)
        changes = _narrow_row(right, row, now) | (_find_changes(right.stops, row) if is_held or now is None else {})
        held += is_held and now is not None
        if changes:
            right.of._base_manager.filter(pk=row["pk"]).update(**changes)
            changed.append(row["pk"])
            count += len(changes)
    right.of._base_manager.filter(pk__in=gone).delete()
    found.take(right, [*gone, *changed], len(gone) + count)
    found.leave(right, held)


def _narrow_row(right: Right, row: Row, now: Row | None) -> dict[str, Any]:
    """Find what columns of a row become, so that it gives no more than it does now."""
    differing = {name: value for name, value in right.off.items() if not _is_as_now(right, name, row, now)}
    changes = _find_changes(differing, row)
    for column in right.common:
        left = (now or {}).get(column) or []
        kept = [each for each in row[column] or () if tell_value(right, column, each) in left]
        if len(kept) < len(row[column] or ()):
            changes[column] = kept
    if now is None:
        return changes
    for column in right.adopted:
        if not _is_as_now(right, column, row, now):
            changes[column] = _value_of(right, column, now)
    for column in right.least:
        if _is_more(tell_value(right, column, row[column]), now[column]):
            changes[column] = _value_of(right, column, now)
    return changes


def _is_more(restored: Any, now: Any) -> bool:
    """Return True if a limit in the backup is wider than the current one. None is no limit."""
    return now is not None and (restored is None or restored > now)


def _value_of(right: Right, column: str, now: Row) -> Any:
    return right.of._meta.get_field(column).to_python(now[column])  # type: ignore[union-attr]  # a column


def _find_changes(wanted: Mapping[str, Any], row: Row) -> dict[str, Any]:
    """Find which columns change when they get these values, or what a function makes of theirs."""
    become = {name: value(row[name]) if callable(value) else value for name, value in wanted.items()}
    return {name: value for name, value in become.items() if value != row[name]}


def _reduce_grants(right: Right, statement: Statement, found: Reduced) -> None:
    """Revoke grants that the role has no more, or anew from a later edition; let the others end as they do now.

    A grant in force and one that is put aside are the same one: a withdrawal moves it.
    """
    told = [row for label in _GRANTS for row in statement.rows.get(label, {}).values()]
    now = {(row["role_id"], row["document_id"]): row for row in told}
    lost: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for row in list(iterate_rows(right)):
        left = now.get((str(row["role_id"]), str(row["document_id"])))
        if left is None or left["since_version"] > row["since_version"]:
            lost[row["role_id"]].append(row["document_id"])
        elif _is_more(tell_value(right, "expires_at", row["expires_at"]), left["expires_at"]):
            end = _value_of(right, "expires_at", left)
            right.of._base_manager.filter(pk=row["pk"]).update(expires_at=end)
            found.take(right, [row["pk"]])
    for role in Role.objects.filter(pk__in=lost):
        found.taken[right.gives] += revoke(role, Document.objects.filter(pk__in=lost[role.pk]), by=None)


def _reduce_documents(right: Right, statement: Statement, found: Reduced) -> None:
    """Withdraw what is deleted or withdrawn now, and put what was moved to where it is; withdraw it if it cannot be."""
    told = _read_now(right, statement)
    taken: list[UUID] = []
    moved: list[UUID] = []
    deleted = 0
    for row in list(iterate_rows(right)):
        now = told.get(str(row["pk"]))
        deleted += now is None
        if row["withdrawn_at"] is None and (now is None or now["withdrawn_at"] is not None):
            taken.append(row["pk"])
        elif now is not None and now["collection_id"] != str(row["collection_id"]):
            (moved if _move_document(row["pk"], now["collection_id"]) else taken).append(row["pk"])
    withdraw(taken, are_gone=False)
    found.take(right, [*taken, *moved])
    found.leave(right, deleted)


def _move_document(document_id: UUID, collection_id: str) -> bool:
    """Put a document into a collection. Returns False where there is none, or it has a document of that source."""
    collection = Collection.objects.filter(pk=collection_id).first()
    source = Document.objects.filter(pk=document_id).values("source")
    if collection is None or Document.objects.filter(collection=collection, source__in=source).exists():
        return False
    return bool(Document.objects.filter(pk=document_id).update(collection=collection))


def _reduce_channels(right: Right, statement: Statement, found: Reduced) -> None:
    """Narrow settings and collections; switch off a channel of which the collections, or all, are set since.

    Without collections a channel is answered from everything: the last one is never taken away.
    """
    told = _read_now(right, statement)
    off = []
    for setting in ChannelSetting.objects.filter(pk__in=told):
        left = set(told[str(setting.pk)]["collections"])
        held = {str(pk) for pk in setting.collections.values_list("pk", flat=True)}
        if not left or (held and held <= left):
            continue
        if held & left:
            setting.collections.set(Collection.objects.filter(pk__in=held & left))
            found.take(right, [setting.pk])
        else:
            off.append(setting.pk)
    found.take(right, off)
    ChannelSetting.objects.filter(pk__in=off).update(enabled=False)
    _reduce_rows(right, statement, found)
    new = 0
    for row in told.values():
        place = {"team_id": row["team_id"], "channel_id": row["channel_id"]}
        new += ChannelSetting.objects.get_or_create(**place, defaults={"enabled": False})[1]
    found.leave(right, len(off) + new)


def _reduce_answers(right: Right, statement: Statement, found: Reduced) -> None:
    """Retire what is not active any more. What was deleted, or has fewer readers, quotes nothing: nobody sees it."""
    told = _read_now(right, statement)
    closed, retired = [], []
    for row in list(iterate_rows(right)):
        now = told.get(str(row["pk"]))
        if now is None or _reaches_further({str(role) for role in row["roles"]}, set(now["roles"])):
            closed.append(row["pk"])
        if row["state"] == "active" and (now is None or row["pk"] in closed or now["state"] != "active"):
            retired.append(row["pk"])
    VerifiedSource.objects.filter(verified_answer__in=closed).delete()
    VerifiedAnswer.objects.filter(pk__in=retired).update(state=VerifiedAnswer.State.RETIRED)
    found.take(right, sorted({*closed, *retired}))


def _reaches_further(restored: set[str], now: set[str]) -> bool:
    """Return whether an answer narrowed to these roles has readers whom it has not now. No role: it is not narrowed."""
    return bool(now) and (not restored or not restored <= now)


def _end_installations(right: Right, statement: Statement, found: Reduced) -> None:
    gone = _list_gone(right, statement)
    right.of._default_manager.filter(pk__in=gone).end()  # type: ignore[attr-defined]  # of bot's own manager
    found.take(right, gone)


def _erase_questions(right: Right, statement: Statement, found: Reduced) -> None:
    gone = _list_gone(right, statement)
    erase_texts_of(gone)
    found.take(right, gone)


def _erase_events(right: Right, statement: Statement, found: Reduced) -> None:
    """Erase the texts of events, and end the events that would be asked again."""
    gone = _list_gone(right, statement)
    rows = right.of._base_manager.filter(pk__in=gone)
    rows.filter(state="received").update(state="failed")
    found.take(right, list(rows.exclude(text="", selected_text="", filters={}).values_list("pk", flat=True)))
    rows.update(text="", selected_text="", filters={}, action_token="")


def _list_gone(right: Right, statement: Statement) -> list[Any]:
    told = _read_now(right, statement)
    return [row["pk"] for row in iterate_rows(right) if str(row["pk"]) not in told]


def _count_difference(right: Right, statement: Statement, found: Reduced) -> None:
    told = _read_now(right, statement)
    rows = {str(row["pk"]): row for row in iterate_rows(right)}
    differing = sum(
        any(not _is_as_now(right, column, row, told.get(key)) for column in right.columns) for key, row in rows.items()
    )
    found.leave(right, differing + (len(told.keys() - rows.keys()) if right.new_hold_back else 0))


_WAYS: dict[Way, Callable[[Right, Statement, Reduced], None]] = {
    Way.ROWS: _reduce_rows,
    Way.GRANTS: _reduce_grants,
    Way.DOCUMENTS: _reduce_documents,
    Way.CHANNELS: _reduce_channels,
    Way.ANSWERS: _reduce_answers,
    Way.INSTALLATIONS: _end_installations,
    Way.QUESTIONS: _erase_questions,
    Way.EVENTS: _erase_events,
    Way.COUNTED: _count_difference,
}
