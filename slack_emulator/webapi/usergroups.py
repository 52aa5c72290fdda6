"""The usergroups.* methods."""

from bot.slack.workspace import LOCAL_TEAM_ID
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalUsergroup
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import Call, RefusedCallError


def usergroups_list(call: Call) -> Json:
    """All usergroups, with their members when the call asks for them. None here is ever disabled."""
    with_users = call.read_flag("include_users")
    groups = LocalUsergroup.objects.prefetch_related("members")
    return {"usergroups": [_shape_usergroup(group, with_users=with_users) for group in groups]}


def usergroups_users_list(call: Call) -> Json:
    """The accounts in one usergroup."""
    group = LocalUsergroup.objects.filter(usergroup_id=call.read_required("usergroup")).first()
    if group is None:
        raise RefusedCallError("no_such_subteam")
    return {"users": _list_members(group)}


def _shape_usergroup(group: LocalUsergroup, *, with_users: bool) -> Json:
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
        "user_count": len(_list_members(group)),
    }
    return shape | ({"users": _list_members(group)} if with_users else {})


def _list_members(group: LocalUsergroup) -> list[str]:
    return [find_slack_id(user) for user in group.members.all() if user.is_active]
