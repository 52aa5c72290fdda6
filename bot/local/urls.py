"""Where the local page answers, below /local/."""

from django.urls import path

from bot.local import page
from bot.local.webapi.view import web_api

urlpatterns = [
    path("", page.page, name="local-page"),
    path("state", page.state, name="local-state"),
    path("messages", page.post, name="local-messages"),
    path("actions", page.press, name="local-actions"),
    path("views/close", page.close_view, name="local-view-close"),
    path("api/<str:method>", web_api, name="local-api"),
]
