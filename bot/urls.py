"""Where Slack reaches us over HTTP."""

from django.urls import path

from bot.endpoint import install, oauth_redirect, slack_events

urlpatterns = [
    path("slack/events", slack_events, name="slack-events"),
    path("slack/install", install, name="slack-install"),
    path("slack/oauth_redirect", oauth_redirect, name="slack-oauth-redirect"),
]
