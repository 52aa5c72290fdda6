"""auth.test and the users.* methods: who there is."""

from django.conf import settings
from django.urls import reverse

from bot.slack.workspace import LOCAL_BOT_ID, LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.values.addresses import fold_address
from slack_emulator.accounts import BOT_NAME, find_person, list_people
from slack_emulator.shapes import Json, shape_bot, shape_person
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.paging import cut_page


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
    """One account."""
    user_id = call.read_required("user")
    if user_id == LOCAL_BOT_USER_ID:
        return {"user": shape_bot()}
    person = find_person(user_id)
    if person is None:
        raise RefusedCallError("user_not_found")
    return {"user": shape_person(person)}


def users_list(call: Call) -> Json:
    """All accounts, Footnote's among them, page by page."""
    shapes = [shape_bot(), *map(shape_person, list_people())]
    page, cursor = cut_page(shapes, call)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def users_lookup_by_email(call: Call) -> Json:
    """The account with an e-mail address."""
    person = list_people().filter(email=fold_address(call.read_required("email"))).first()
    if person is None:
        raise RefusedCallError("users_not_found")
    return {"user": shape_person(person)}
