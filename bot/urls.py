"""Where Slack reaches us over HTTP, and, where it is switched on, the local page that stands in for Slack."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from bot.endpoint import slack_events

urlpatterns: list[URLPattern | URLResolver] = [path("slack/events", slack_events, name="slack-events")]
if settings.LOCAL_PAGE:
    urlpatterns.append(path("local/", include("bot.local.urls")))
