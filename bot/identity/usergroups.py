"""Give roles through usergroups of Slack: who is in one holds its role, and who leaves it does not.

A usergroup that Slack does not tell about changes nothing. One that was switched off has no members.
"""

import logging
from collections.abc import Iterable, Iterator
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.identity.own_account import find_own_team_id
from bot.identity.people import Account, find_account, identify_person, list_accounts, list_usergroup_members
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from bot.slack.workspace import UnknownTeamError, find_client
from core.infrastructure import queue
from core.models import AuditEvent, UsergroupRole, UserRole

logger = logging.getLogger(__name__)

NOT_CONNECTED = "not_connected"  # the app is not installed in the team, or not any more
NO_SUCH_USERGROUP = "no_such_usergroup"


def queue_synchronisation(team_id: str, usergroup_id: str = "") -> None:
    """Queue the synchronisation of a team, once, when it has a usergroup (this one, if named) that gives a role."""
    mapped = UsergroupRole.objects.filter(team_id=team_id)
    if usergroup_id:
        mapped = mapped.filter(usergroup_id=usergroup_id)
    if mapped.exists():
        queue.synchronise_usergroups(team_id)


def queue_all() -> None:
    """Queue the synchronisation of every team with usergroups that give roles."""
    for team_id in UsergroupRole.objects.order_by().values_list("team_id", flat=True).distinct():
        queue_synchronisation(team_id)


def synchronise(team_id: str) -> None:
    """Give and take the roles of a team's usergroups, so that they are held by whom Slack names now.

    What Slack refuses is noted with the usergroup. SlackUnavailableError when it cannot be asked now.
    """
    mappings = list(UsergroupRole.objects.filter(team_id=team_id))
    if not mappings:
        return
    try:
        client = find_client(team_id)
    except UnknownTeamError:
        for mapping in mappings:  # nobody can tell any more who is in it
            _hold_role(mapping, set(), code=NOT_CONNECTED)
        return
    try:
        with translate_errors():
            told = client.usergroups_list(include_disabled=True)
    except (SlackRefusedError, SlackUnavailableError) as error:
        _note_error(mappings, error)
        return
    groups = {group["id"]: group for group in told.get("usergroups") or []}
    accounts: dict[str, Account] = {}
    for mapping in mappings:
        group = groups.get(mapping.usergroup_id)
        if group is None:
            _hold_role(mapping, set(), code=NO_SUCH_USERGROUP)
            continue
        mapping.handle = str(group.get("handle") or "")[:100]
        try:
            members = set() if group.get("date_delete") else list_usergroup_members(client, mapping.usergroup_id)
            accounts |= _find_accounts(client, members - accounts.keys())
        except (SlackRefusedError, SlackUnavailableError) as error:
            _note_error([mapping], error)
            continue
        _hold_role(mapping, set(_find_people(client, members, accounts)))


def _find_accounts(client: WebClient, slack_user_ids: set[str]) -> dict[str, Account]:
    """Find the accounts with these ids; those that Slack does not know are left out. Raises what Slack refuses else."""
    found = list_accounts(client, slack_user_ids)
    for slack_user_id in sorted(slack_user_ids - found.keys()):
        try:
            one = find_account(client, slack_user_id)
        except SlackRefusedError as error:
            if error.code != "user_not_found":
                raise
        else:
            found |= {slack_user_id: one} if one else {}
    return found


def _find_people(client: WebClient, members: Iterable[str], accounts: dict[str, Account]) -> Iterator[UUID]:
    for slack_user_id in members:
        person = identify_person(find_own_team_id(client), accounts.get(slack_user_id))
        if person.user_id:
            yield person.user_id


def _hold_role(mapping: UsergroupRole, people: set[UUID], *, code: str = "") -> None:
    """Let exactly these people hold the role through the usergroup, and leave an audit row of what changed."""
    with transaction.atomic():
        if not UsergroupRole.objects.select_for_update().filter(pk=mapping.pk).exists():
            return  # an administrator has just deleted it, and with it all that it gave
        held = set(mapping.user_roles.values_list("user_id", flat=True))
        given, taken = people - held, held - people
        mapping.user_roles.filter(user_id__in=taken).delete()
        UserRole.objects.bulk_create(
            UserRole(user_id=user_id, role_id=mapping.role_id, usergroup=mapping) for user_id in given
        )
        if given or taken:
            AuditEvent.objects.create(
                action=AuditEvent.Action.CHANGE_MEMBERS,
                object_type="role",
                object_id=str(mapping.role_id),
                details={
                    "usergroup": str(mapping.pk),
                    "given": sorted(str(pk) for pk in given),
                    "taken": sorted(str(pk) for pk in taken),
                },
            )
        mapping.synchronised_at, mapping.error_code = timezone.now(), code
        mapping.save(update_fields=["handle", "synchronised_at", "error_code"])
    logger.info(
        "usergroup_synchronised", extra={"usergroup": str(mapping.pk), "given": len(given), "taken": len(taken)}
    )


def _note_error(mappings: Iterable[UsergroupRole], error: SlackRefusedError | SlackUnavailableError) -> None:
    """Note why nothing was changed. Raises the error when a later attempt may succeed."""
    for mapping in mappings:
        mapping.error_code = error.code
        mapping.save(update_fields=["error_code"])
        logger.warning("usergroup_not_synchronised", extra={"usergroup": str(mapping.pk), "code": error.code})
    if isinstance(error, SlackUnavailableError):
        raise error
