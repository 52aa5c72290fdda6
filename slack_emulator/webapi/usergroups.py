"""The usergroups.* methods."""

from bot.slack.workspace import LOCAL_TEAM_ID
from slack_emulator.accounts import slack_id
from slack_emulator.models import LocalUsergroup
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import Call, RefusedCallError


def usergroups_list(call: Call) -> Json:
    """All usergroups, with their members when the call asks for them. None here is ever disabled."""
    with_users = call.flag("include_users")
    groups = LocalUsergroup.objects.prefetch_related("members")
    return {"usergroups": [_shape(group, with_users=with_users) for group in groups]}


def usergroups_users_list(call: Call) -> Json:
    """The accounts in one usergroup."""
    group = LocalUsergroup.objects.filter(usergroup_id=call.required("usergroup")).first()
    if group is None:
        raise RefusedCallError("no_such_subteam")
    return {"users": _members(group)}


def _shape(group: LocalUsergroup, *, with_users: bool) -> Json:
    shape: Json = {
        "id": group.usergroup_id,
        "team_id": LOCAL_TEAM_ID,
        "is_usergroup": True,
        "is_external": False,
        "name": group.name,
        "handle": group.handle,
        "description": "",
        "date_create": int(group.created_at.timestamp()),
        "date_delete": 0,
        "user_count": len(_members(group)),
    }
    return shape | ({"users": _members(group)} if with_users else {})


def _members(group: LocalUsergroup) -> list[str]:
    return [slack_id(user) for user in group.members.all() if user.is_active]
