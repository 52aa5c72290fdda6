"""Where the local page answers, below /local/."""

from django.urls import path

from bot.local.webapi.view import web_api

urlpatterns = [
    path("api/<str:method>", web_api, name="local-api"),
]
