"""Define the filters of the list of content gaps."""

import datetime as dt
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import DropdownFilter

from adminsite.dashboard.gap_chart import list_weeks
from core.models import ChannelSetting, ContentGap, GapQuestion, Role


class _QuestionFilter(DropdownFilter):
    """Gaps with a question of which something is true."""

    def narrow(self, value: str) -> dict[str, Any]:
        """Return the filter that the chosen value puts on questions."""
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: QuerySet[ContentGap]) -> QuerySet[ContentGap]:
        """The gaps with such a question; all of them for a value that is not among those offered."""
        offered = {str(value) for value, _ in self.lookup_choices}
        if self.value() not in offered:
            return queryset
        return queryset.filter(pk__in=GapQuestion.objects.filter(**self.narrow(self.value())).values("gap"))


class WeekFilter(_QuestionFilter):
    """By the week in which somebody asked."""

    title = "week"
    parameter_name = "week"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The last weeks, the newest first."""
        return [(str(week), f"from {week:%Y-%m-%d}") for week in reversed(list_weeks())]

    def narrow(self, value: str) -> dict[str, Any]:
        """Asked in that week."""
        first = dt.date.fromisoformat(value)
        return {"asked_at__date__gte": first, "asked_at__date__lt": first + dt.timedelta(weeks=1)}


class RoleFilter(_QuestionFilter):
    """By a role of who asked."""

    title = "role of who asked"
    parameter_name = "role"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """All roles."""
        return [(str(pk), name) for pk, name in Role.objects.order_by("name").values_list("pk", "name")]

    def narrow(self, value: str) -> dict[str, Any]:
        """Asked by somebody with that role."""
        return {"query__user__roles": value}


class ChannelFilter(_QuestionFilter):
    """By the Slack channel in which it was asked."""

    title = "channel"
    parameter_name = "channel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The channels that somebody has asked such questions in, by their names where they are known."""
        rows = GapQuestion.objects.exclude(query__conversation__slack_channel="").order_by()
        asked = rows.values_list("query__conversation__slack_channel", flat=True).distinct()[:500]
        names = dict(ChannelSetting.objects.values_list("channel_id", "name"))
        return sorted(((pk, names.get(pk) or pk) for pk in asked), key=lambda pair: pair[1])

    def narrow(self, value: str) -> dict[str, Any]:
        """Asked there."""
        return {"query__conversation__slack_channel": value}
