"""auth.test, the users.* and the usergroups.* methods: who there is."""

from django.conf import settings
from django.urls import reverse

from bot.slack.workspace import LOCAL_BOT_ID, LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.values.addresses import fold_address
from slack_emulator.accounts import BOT_NAME, find_person, find_slack_id, list_people
from slack_emulator.models import LocalUsergroup
from slack_emulator.shapes import Json, shape_bot, shape_person
from slack_emulator.webapi.calls import Call, RefusedCallError, cut_page


def auth_test(_call: Call) -> Json:
    """Describe the owner of the token."""
    return {
        "url": f"http://127.0.0.1:{settings.PORT}{reverse('local-page')}",
        "team": "Local page",
        "user": BOT_NAME.lower(),
        "team_id": LOCAL_TEAM_ID,
        "user_id": LOCAL_BOT_USER_ID,
        "bot_id": LOCAL_BOT_ID,
        "is_enterprise_install": False,
    }


def users_info(call: Call) -> Json:
    """Return one account."""
    user_id = call.read_required("user")
    if user_id == LOCAL_BOT_USER_ID:
        return {"user": shape_bot()}
    person = find_person(user_id)
    if person is None:
        raise RefusedCallError("user_not_found")
    return {"user": shape_person(person)}


def users_list(call: Call) -> Json:
    """Return all accounts, Footnote's among them, page by page."""
    shapes = [shape_bot(), *map(shape_person, list_people())]
    page, cursor = cut_page(shapes, call)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def users_lookup_by_email(call: Call) -> Json:
    """Return the account with an e-mail address."""
    person = list_people().filter(email=fold_address(call.read_required("email"))).first()
    if person is None:
        raise RefusedCallError("users_not_found")
    return {"user": shape_person(person)}


def usergroups_list(call: Call) -> Json:
    """Return all usergroups, with their members when the call asks for them. None here is ever disabled."""
    with_users = call.read_flag("include_users")
    groups = LocalUsergroup.objects.prefetch_related("members")
    return {"usergroups": [_shape_usergroup(group, with_users=with_users) for group in groups]}


def usergroups_users_list(call: Call) -> Json:
    """Return the accounts in one usergroup."""
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
