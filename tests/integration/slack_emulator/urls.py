"""The bot's addresses with the local page switched on, as the web process mounts them in development."""

from django.urls import include, path

from bot.endpoint import slack_events

urlpatterns = [path("slack/events", slack_events), path("local/", include("slack_emulator.urls"))]
