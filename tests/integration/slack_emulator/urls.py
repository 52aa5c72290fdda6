"""The bot's addresses with the local page switched on, as the web process mounts them in development."""

from django.urls import include, path

from bot.endpoint import receive_slack_event

urlpatterns = [path("slack/events", receive_slack_event), path("local/", include("slack_emulator.urls"))]
