"""Keep the monthly limits of language models and their use. Figures and ids, no text."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection, models
from django.db.models import Q
from django.utils import timezone

from core.models.base import UuidModel
from core.models.people import Role, User
from core.models.slack_directory import SlackChannel

LIMITS = ("soft_tokens", "hard_tokens", "soft_cost_usd", "hard_cost_usd")
_PAIRS = (("soft_tokens", "hard_tokens"), ("soft_cost_usd", "hard_cost_usd"))


class Scope(models.TextChoices):
    """The subjects by which calls are counted together."""

    INSTALLATION = "installation", "Everything together"
    PERSON = "person", "One person"
    ROLE = "role", "All people of a role together"
    CHANNEL = "channel", "One Slack channel"


Counted = tuple[Scope, str]  # a scope and who it is within it: an id, or a channel as TEAM/CHANNEL


def this_month() -> dt.date:
    """The first day of the calendar month, in the time zone of the setting BUDGET_TIME_ZONE."""
    return timezone.localdate(timezone=ZoneInfo(settings.BUDGET_TIME_ZONE)).replace(day=1)


def next_month(month: dt.date) -> dt.date:
    """The first day of the month after."""
    return (month + dt.timedelta(days=31)).replace(day=1)


class Budgets(models.QuerySet["Budget"]):
    """Budgets."""

    def of(self, counted: Sequence[Counted]) -> "Budgets":
        """Those that calls count towards which are made for these."""
        fits = Q(pk__in=[])
        for scope, key in counted:
            match scope:
                case Scope.INSTALLATION:
                    fits |= Q(scope=scope)
                case Scope.PERSON:
                    fits |= Q(scope=scope, user_id=key)
                case Scope.ROLE:
                    fits |= Q(scope=scope, role_id=key)
                case Scope.CHANNEL:
                    team, _, channel = key.partition("/")
                    fits |= Q(scope=scope, team_id=team, channel_id=channel)
        return self.filter(fits)


class Budget(UuidModel):
    """A monthly limit of language models' use for a person, a role, a channel, or all together.

    Beyond a soft limit people are notified, and an alert is raised. Beyond a hard one no model is called that costs.
    """

    class UsedUp(models.TextChoices):
        """The treatment of questions beyond a hard limit."""

        QUOTE = "quote", "Answer without a language model, in the documents' own words"
        REFUSE = "refuse", "Refuse, and say from when on questions are answered again"

    scope = models.CharField("for", max_length=12, choices=Scope.choices)
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, blank=True, related_name="budgets", verbose_name="person"
    )
    role = models.ForeignKey(Role, on_delete=models.CASCADE, null=True, blank=True, related_name="budgets")
    team_id = models.CharField("Slack team", max_length=32, blank=True, help_text="Such as T0123ABCD.")
    channel_id = models.CharField("Slack channel", max_length=32, blank=True, help_text="Its id, such as C0123ABCD.")
    soft_tokens = models.PositiveBigIntegerField(
        "tokens, soft",
        null=True,
        blank=True,
        help_text="Tokens a month, sent and written, beyond which people are told and an alert is raised.",
    )
    hard_tokens = models.PositiveBigIntegerField(
        "tokens, hard", null=True, blank=True, help_text="Tokens a month beyond which no model is called."
    )
    soft_cost_usd = models.DecimalField(
        "cost, soft",
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="US dollars a month, by LiteLLM's list of prices. A model without a price there costs nothing here: "
        "limit its tokens.",
    )
    hard_cost_usd = models.DecimalField(
        "cost, hard",
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        help_text="US dollars a month beyond which no model is called.",
    )
    when_used_up = models.CharField(
        "beyond a hard limit",
        max_length=10,
        choices=UsedUp.choices,
        default=UsedUp.QUOTE,
        help_text="Where several budgets are used up, one that refuses decides. Without a language model nothing is "
        "translated, and nothing is put into other words.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Budgets.as_manager()

    class Meta:
        ordering: ClassVar = ["scope", "created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(scope="installation", user=None, role=None, team_id="", channel_id="")
                | (Q(scope="person", role=None, team_id="", channel_id="") & Q(user__isnull=False))
                | (Q(scope="role", user=None, team_id="", channel_id="") & Q(role__isnull=False))
                | (Q(scope="channel", user=None, role=None) & ~Q(team_id="") & ~Q(channel_id="")),
                name="budget_for_one_thing",
            ),
            models.UniqueConstraint(
                fields=["scope"], condition=Q(scope="installation"), name="one_budget_of_the_installation"
            ),
            models.UniqueConstraint(fields=["user"], name="one_budget_per_person"),
            models.UniqueConstraint(fields=["role"], name="one_budget_per_role"),
            models.UniqueConstraint(
                fields=["team_id", "channel_id"], condition=Q(scope="channel"), name="one_budget_per_channel"
            ),
            models.CheckConstraint(
                condition=Q(soft_tokens__isnull=False)
                | Q(hard_tokens__isnull=False)
                | Q(soft_cost_usd__isnull=False)
                | Q(hard_cost_usd__isnull=False),
                name="budget_with_a_limit",
            ),
        ]

    def __str__(self) -> str:
        return self.subject

    @property
    def subject(self) -> str:
        """The name of the person, role or channel whose budget this is."""
        match self.scope:
            case Scope.PERSON:
                return str(self.user)
            case Scope.ROLE:
                return str(self.role)
            case Scope.CHANNEL:
                return name_channel(self.team_id, self.channel_id)
        return "Everything together"

    @property
    def counted(self) -> Counted:
        """The scope and key under which its use is counted."""
        match self.scope:
            case Scope.PERSON:
                return Scope.PERSON, str(self.user_id)
            case Scope.ROLE:
                return Scope.ROLE, str(self.role_id)
            case Scope.CHANNEL:
                return Scope.CHANNEL, f"{self.team_id}/{self.channel_id}"
        return Scope.INSTALLATION, ""

    def clean(self) -> None:
        """ValidationError for a budget that limits nothing, or whose limits contradict each other."""
        super().clean()
        if all(getattr(self, name) is None for name in LIMITS):
            raise ValidationError("Give at least one limit: tokens or cost, soft or hard.")
        wrong = {
            soft: "The soft limit is above the hard one, so that nobody would be told in time."
            for soft, hard in _PAIRS
            if None not in (getattr(self, soft), getattr(self, hard)) and getattr(self, soft) > getattr(self, hard)
        }
        wrong |= {name: "Give an amount of 0 or more." for name in LIMITS if (getattr(self, name) or 0) < 0}
        if wrong:
            raise ValidationError(wrong)


def name_channel(team_id: str, channel_id: str) -> str:
    """Name a channel, as far as Slack has given its name."""
    name = SlackChannel.objects.filter(team_id=team_id, channel_id=channel_id).values_list("name", flat=True).first()
    return f"#{name}" if name else f"{team_id}/{channel_id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """The amounts added to a month's use."""

    calls: int = 0
    tokens: int = 0
    unpriced_tokens: int = 0  # of them, by models without a price
    cost_usd: Decimal = Decimal(0)
    reused: int = 0  # calls that were spared
    missed: int = 0  # calls that could have been spared, and were not
    saved_tokens: int = 0
    saved_cost_usd: Decimal = Decimal(0)


_FIELDS = tuple(Spent.__slots__)
# One statement, and no value read before it: calls that end at the same moment, in whichever process, are all counted.
# The rows are locked in the order of the arrays, which is the same everywhere, so that no two wait for each other.
_ADD = f"""
INSERT INTO core_budgetuse AS held (month, scope, key, {", ".join(_FIELDS)})
SELECT %(month)s, scope, key, {", ".join(f"%({name})s" for name in _FIELDS)}
FROM unnest(%(scopes)s::text[], %(keys)s::text[]) WITH ORDINALITY AS counted (scope, key, place) ORDER BY place
ON CONFLICT (month, scope, key) DO UPDATE SET
    {", ".join(f"{name} = held.{name} + excluded.{name}" for name in _FIELDS)}
"""  # noqa: S608 - the names of our own fields


class BudgetUses(models.Manager["BudgetUse"]):
    """Adds up and reads what models consume."""

    def add(self, counted: Sequence[Counted], spent: Spent) -> None:
        """Add to this month's use of each of these. Call it outside a transaction, or others wait for its end."""
        ordered = sorted(set(counted))
        values: dict[str, Any] = {name: getattr(spent, name) for name in _FIELDS}
        with connection.cursor() as cursor:
            cursor.execute(
                _ADD,
                {
                    "month": this_month(),
                    "scopes": [scope.value for scope, _ in ordered],
                    "keys": [key for _, key in ordered],
                    **values,
                },
            )

    def of(self, counted: Sequence[Counted], month: dt.date) -> dict[Counted, "BudgetUse"]:
        """The use of these in a month, of those that have any."""
        rows = self.filter(month=month, key__in=[key for _, key in counted])
        found = {(Scope(row.scope), row.key): row for row in rows}
        return {one: found[one] for one in counted if one in found}


class BudgetUse(models.Model):
    """One month's use of models by a person, a role, a channel, or all together.

    Every call counts under each scope that it was made for, so the rows of a month must not be added up.
    """

    month = models.DateField(help_text="Its first day.")
    scope = models.CharField(max_length=12, choices=Scope.choices)
    key = models.CharField(max_length=70, blank=True, help_text="An id; of a channel TEAM/CHANNEL; else empty.")
    calls = models.PositiveBigIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0, help_text="Sent and written.")
    unpriced_tokens = models.PositiveBigIntegerField(default=0, help_text="Of them, by models without a price.")
    cost_usd = models.DecimalField(max_digits=18, decimal_places=9, default=0)
    reused = models.PositiveBigIntegerField(default=0, help_text="Calls that were spared.")
    missed = models.PositiveBigIntegerField(default=0, help_text="Calls that could have been spared.")
    saved_tokens = models.PositiveBigIntegerField(default=0)
    saved_cost_usd = models.DecimalField(max_digits=18, decimal_places=9, default=0)

    objects = BudgetUses()

    class Meta:
        ordering: ClassVar = ["-month", "scope", "key"]
        default_permissions: ClassVar = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["month", "scope", "key"], name="one_use_per_month_and_subject")
        ]

    def __str__(self) -> str:
        return f"{self.scope} {self.month:%Y-%m}"


class BudgetTold(models.Model):
    """A notice to a person that a budget is nearly used up this month, given once."""

    budget = models.ForeignKey(Budget, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    month = models.DateField()

    class Meta:
        default_permissions: ClassVar = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["budget", "user", "month"], name="told_once_per_budget_and_month")
        ]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}"
