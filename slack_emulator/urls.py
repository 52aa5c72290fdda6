"""Route the local page, below /local/."""

from django.urls import path

from slack_emulator import openid
from slack_emulator.page import agent, pressing, shown, writing
from slack_emulator.webapi.canvases import show_canvas
from slack_emulator.webapi.conversations import download
from slack_emulator.webapi.methods import answer_call
from slack_emulator.webapi.respond import respond

urlpatterns = [
    path("", shown.show_page, name="local-page"),
    path("state", shown.show_state, name="local-state"),
    path("messages", writing.post, name="local-messages"),
    path("commands", writing.run_command, name="local-commands"),
    path("actions", pressing.press, name="local-actions"),
    path("shortcuts", pressing.use_shortcut, name="local-shortcuts"),
    path("home", agent.open_home, name="local-home"),
    path("messages/open", agent.open_messages, name="local-messages-open"),
    path("chats", agent.begin_chat, name="local-chats"),
    path("details", pressing.open_details, name="local-details"),
    path("context", agent.change_context, name="local-context"),
    path("sessions/stop", agent.stop, name="local-sessions-stop"),
    path("views/submit", pressing.submit_view, name="local-view-submit"),
    path("views/close", pressing.close_view, name="local-view-close"),
    path(".well-known/openid-configuration", openid.describe, name="local-openid"),
    path("openid/connect/authorize", openid.authorize, name="local-openid-authorize"),
    path("openid/connect/keys", openid.show_keys, name="local-openid-keys"),
    path("api/openid.connect.token", openid.exchange_code, name="local-openid-token"),
    path("api/openid.connect.userInfo", openid.show_user_info, name="local-openid-user-info"),
    path("api/<str:method>", answer_call, name="local-api"),
    path("docs/<str:team_id>/<str:canvas_id>", show_canvas, name="local-canvas"),
    path("files/<str:file_id>/<str:name>", download, name="local-file"),
    path("respond/<str:token>", respond, name="local-respond"),
]
