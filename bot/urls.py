"""Route Slack's requests over HTTP."""

from django.urls import path

from bot.endpoint import finish_installation, install, receive_slack_event

urlpatterns = [
    path("slack/events", receive_slack_event, name="slack-events"),
    path("slack/install", install, name="slack-install"),
    path("slack/oauth_redirect", finish_installation, name="slack-oauth-redirect"),
]
