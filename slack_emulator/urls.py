"""Route the local page, below /local/."""

from django.urls import path

from slack_emulator.openid import views as openid
from slack_emulator.page import cards, home, modals, pressing, shown, stopping, writing
from slack_emulator.webapi.files import download
from slack_emulator.webapi.respond import respond
from slack_emulator.webapi.view import answer_call

urlpatterns = [
    path("", shown.show_page, name="local-page"),
    path("state", shown.show_state, name="local-state"),
    path("messages", writing.post, name="local-messages"),
    path("commands", writing.run_command, name="local-commands"),
    path("actions", pressing.press, name="local-actions"),
    path("shortcuts", pressing.use_shortcut, name="local-shortcuts"),
    path("home", home.open_home, name="local-home"),
    path("messages/open", home.open_messages, name="local-messages-open"),
    path("chats", home.begin_chat, name="local-chats"),
    path("details", cards.open_details, name="local-details"),
    path("context", cards.change_context, name="local-context"),
    path("sessions/stop", stopping.stop, name="local-sessions-stop"),
    path("views/submit", modals.submit_view, name="local-view-submit"),
    path("views/close", modals.close_view, name="local-view-close"),
    path(".well-known/openid-configuration", openid.describe, name="local-openid"),
    path("openid/connect/authorize", openid.authorize, name="local-openid-authorize"),
    path("openid/connect/keys", openid.show_keys, name="local-openid-keys"),
    path("api/openid.connect.token", openid.exchange_code, name="local-openid-token"),
    path("api/openid.connect.userInfo", openid.show_user_info, name="local-openid-user-info"),
    path("api/<str:method>", answer_call, name="local-api"),
    path("files/<str:file_id>/<str:name>", download, name="local-file"),
    path("respond/<str:token>", respond, name="local-respond"),
]
