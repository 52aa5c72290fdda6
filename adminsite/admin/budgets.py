"""Budgets for language models, each beside what has been used of it."""

import json
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelect2Widget

from adminsite.admin.base import AuditedDeletion, FootnoteAdmin, record
from adminsite.dashboard.chart_style import ANSWERED, BAR_OPTIONS, CLOSEST, bars
from core.asking.spending.budget_use import Held, hold, share_of
from core.asking.spending.figures import list_history
from core.models import AuditEvent, Budget, SlackChannel
from core.models.budgets import LIMITS, Counted, Scope

_TARGETS = ("user", "role", "team_id", "channel_id")
_WANTED = {
    Scope.PERSON: ("user", "Choose the person whose budget it is."),
    Scope.ROLE: ("role", "Choose the role whose budget it is."),
    Scope.CHANNEL: ("known", "Choose the channel from the list, or give its team and its id below."),
}
_SCALES: Any = BAR_OPTIONS["scales"]
_COST_OPTIONS = {**BAR_OPTIONS, "scales": {"x": _SCALES["x"], "y": {"min": 0}}}


class BudgetForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    """A budget, whose channel is chosen by name."""

    known = forms.ModelChoiceField(
        SlackChannel.objects.all(),
        label="Channel",
        required=False,
        widget=UnfoldAdminSelect2Widget,
        help_text="For the budget of a channel.",
    )

    class Meta:
        model = Budget
        fields = ("scope", *_TARGETS, *LIMITS, "when_used_up")
        help_texts: ClassVar[dict[str, str]] = {
            "user": "For the budget of one person: everything that they ask, wherever they do.",
            "role": "For the budget of a role, which all who hold it share. Who holds several roles counts in each, "
            "and the one that is used up first stops them.",
            "scope": "All together includes what nobody asked for: taking in documents and scoring answers, where "
            "models that cost are set for that.",
        }

    def clean(self) -> dict[str, Any]:
        """Keep the one thing that it is for, and nothing else. ValidationError where that is missing or has one."""
        cleaned = super().clean() or {}
        scope = cleaned.get("scope") or self.instance.scope
        if "user" not in self.fields or not scope:
            return cleaned
        if known := cleaned.get("known"):
            cleaned |= {"team_id": known.team_id, "channel_id": known.channel_id}
        kept = {Scope.PERSON: ("user",), Scope.ROLE: ("role",), Scope.CHANNEL: ("team_id", "channel_id")}.get(scope, ())
        cleaned |= {name: None if name in ("user", "role") else "" for name in _TARGETS if name not in kept}
        if not all(cleaned.get(name) for name in kept):
            field, message = _WANTED[Scope(scope)]
            raise ValidationError({field: message})
        same = Budget.objects.filter(scope=scope, **{name: cleaned[name] for name in kept})
        if same.exclude(pk=self.instance.pk).exists():
            raise ValidationError("There is a budget for this already. Change that one.")
        return cleaned


@admin.register(Budget)
class BudgetAdmin(AuditedDeletion, FootnoteAdmin):
    """Budgets by month. Whose it is stays: another one's is another row, with a history of its own."""

    when_empty = (
        "No budget is set: models are called as often as people ask. What they consume is counted all the same, so "
        "that a budget can be set by what is usual."
    )
    form = BudgetForm
    list_display = ("show_subject", "scope", "show_tokens", "show_cost", "show_state", "when_used_up")
    list_display_links = ("show_subject",)
    list_filter = (("scope", ChoicesDropdownFilter),)
    list_select_related = ("user", "role")
    search_fields = ("user__display_name", "user__email", "role__name", "channel_id")
    autocomplete_fields = ("user", "role")
    change_form_outer_before_template = "adminsite/budget_charts.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Budget]:
        """Return budgets with their people and roles."""
        return super().get_queryset(request).select_related("user", "role")

    def get_fieldsets(self, request: HttpRequest, obj: Budget | None = None) -> Any:
        """Return the fields for a budget's subject, where it is still to be chosen, and for limits beside the use."""
        limits = (
            "Limits by month",
            {
                "fields": (*LIMITS, "when_used_up"),
                "description": "Leave empty what is not to be limited. A month begins in the time zone of "
                "BUDGET_TIME_ZONE. Calls that are under way when a hard limit is reached end as they would have.",
            },
        )
        if obj is not None:
            return ((None, {"fields": ("show_subject", "show_kind", "show_tokens", "show_cost", "show_state")}), limits)
        by_id = {"fields": ("team_id", "channel_id"), "classes": ["collapse"]}
        return ((None, {"fields": ("scope", "user", "role", "known")}), limits, ("Channel by id", by_id))

    def get_readonly_fields(self, request: HttpRequest, obj: Budget | None = None) -> Any:
        """Return the fields of the use; for an existing budget also those of its subject."""
        shown = ("show_subject", "show_kind", "show_tokens", "show_cost", "show_state")
        return (*shown, "scope", *_TARGETS) if obj is not None else shown

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a budget with what was used by month."""
        budget = self.get_object(request, object_id)
        extra = {**(extra_context or {}), **(chart_use(budget.counted) if budget is not None else {})}
        response: HttpResponse = super().change_view(request, object_id, form_url, extra)
        return response

    @display(description="Whose")
    def show_subject(self, budget: Budget) -> str:
        """Return the subject by its name."""
        return budget.subject

    @display(description="For")
    def show_kind(self, budget: Budget) -> str:
        """Return the kind of the subject: a person, a role, a channel, or everything."""
        return budget.get_scope_display()

    @display(description="Tokens this month")
    def show_tokens(self, budget: Budget) -> SafeString:
        """Draw the tokens used of the hard limit, or else of the soft one."""
        held = _hold_budget(budget)
        return _draw_bar(held.tokens, budget.hard_tokens, budget.soft_tokens, "{:,}".format)

    @display(description="Cost this month")
    def show_cost(self, budget: Budget) -> SafeString:
        """Draw the US dollars used of the hard limit, or else of the soft one."""
        held = _hold_budget(budget)
        return _draw_bar(held.cost_usd, budget.hard_cost_usd, budget.soft_cost_usd, _format_dollars)

    @display(description="State", label={"used up": "danger", "nearly used up": "warning", "within": "success"})
    def show_state(self, budget: Budget) -> str:
        """Say which limit is reached."""
        held = _hold_budget(budget)
        if held.is_used_up:
            return "used up"
        return "nearly used up" if held.is_nearly_used_up else "within"

    def save_model(self, request: HttpRequest, obj: Budget, form: Any, change: bool) -> None:
        """Save the budget and say so in the audit trail, with its limits of before."""
        before = {name: form.initial.get(name) for name in form.changed_data if name in (*LIMITS, "when_used_up")}
        super().save_model(request, obj, form, change)
        action = AuditEvent.Action.CHANGE if change else AuditEvent.Action.CREATE
        was: dict[str, Any] = {"before": {name: _make_plain(value) for name, value in before.items()}} if change else {}
        record(request, action, obj, **self.deletion_details(obj), **was)

    def deletion_details(self, row: Budget) -> dict[str, Any]:
        """Return the id of the budget's subject, and the limits."""
        scope, key = row.counted
        limits = {name: _make_plain(getattr(row, name)) for name in LIMITS if getattr(row, name) is not None}
        return {"scope": scope.value, "of": key, **limits, "when_used_up": row.when_used_up}


def _hold_budget(budget: Budget) -> Held:
    return hold([budget])[0]


def _format_dollars(amount: Decimal) -> str:
    """Format an amount, with four decimals where cents would hide that anything was used."""
    return f"${amount:,.4f}" if 0 < amount < 1 else f"${amount:,.2f}"


def _make_plain(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value


def _draw_bar(used: Any, hard: Any, soft: Any, write: Any) -> SafeString:
    """Draw the used part of a limit as a bar with its figures; the figure alone where there is no limit."""
    limit = hard if hard is not None else soft
    if limit is None:
        return format_html("{}", write(used))
    share = share_of(used, limit)
    is_bad = share >= 1 or (soft is not None and share_of(used, soft) >= 1)
    return format_html(
        '<span class="fn-score"><span class="fn-score-track fn-wide"><span class="fn-score-fill{}" style="width:{}%">'
        "</span></span>{} of {} ({}%)</span>",
        " fn-bad" if is_bad else "",
        min(100, round(share * 100)),
        write(used),
        write(limit),
        round(share * 100),
    )


def chart_use(counted: Counted) -> dict[str, Any]:
    """Build the chart of tokens and cost by month; {} where there are none."""
    months = list_history(counted)
    if not months:
        return {}
    labels = [f"{one.month:%b %Y}" for one in months]
    priced = [one.tokens - one.unpriced_tokens for one in months]
    stacks = [bars("Tokens", priced, ANSWERED)]
    if any(one.unpriced_tokens for one in months):
        stacks.append(bars("Tokens of models without a price", [one.unpriced_tokens for one in months], CLOSEST))
    cost = {**bars("US dollars", [], ANSWERED), "data": [round(float(one.cost_usd), 4) for one in months]}
    return {
        "tokens_chart": json.dumps({"labels": labels, "datasets": stacks}),
        "cost_chart": json.dumps({"labels": labels, "datasets": [cost]}),
        "tokens_options": json.dumps(BAR_OPTIONS),
        "cost_options": json.dumps(_COST_OPTIONS),
        "now": months[-1],
        "calls": sum(one.calls for one in months),
        "reused": sum(one.reused for one in months),
    }
