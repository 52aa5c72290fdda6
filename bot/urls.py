"""Where Slack reaches us over HTTP, and, where it is switched on, the local page that stands in for Slack."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from bot.endpoint import install, oauth_redirect, slack_events

urlpatterns: list[URLPattern | URLResolver] = [
    path("slack/events", slack_events, name="slack-events"),
    path("slack/install", install, name="slack-install"),
    path("slack/oauth_redirect", oauth_redirect, name="slack-oauth-redirect"),
]
if settings.LOCAL_PAGE:
    urlpatterns.append(path("local/", include("bot.local.urls")))
