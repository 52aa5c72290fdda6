"""People, their roles, and who they are in Slack."""

import datetime as dt
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Collate, Lower, Now
from django.utils.crypto import salted_hmac

from core.language.i18n.translation import LANGUAGES
from core.models.base import UuidModel
from core.values.addresses import fold_address

REVIEW_DAYS = ((0, "never"), (30, "month"), (91, "three months"), (182, "six months"), (365, "year"))


class Roles(models.QuerySet["Role"]):
    """Groups of people who may read the same documents."""

    def due_for_review(self) -> "Roles":
        """Those that somebody should look at: never reviewed, or longer ago than was said. By the database's clock."""
        day = models.Value(dt.timedelta(days=1), output_field=models.DurationField())
        next_due = models.ExpressionWrapper(
            models.F("reviewed_at") + models.F("review_days") * day, output_field=models.DateTimeField()
        )
        is_late = models.Q(reviewed_at=None) | models.Q(next_due__lte=Now())
        return self.annotate(next_due=next_due).filter(is_late, review_days__gt=0)


class Role(UuidModel):
    """A group of people who may read the same documents. Grants are given to roles, never to persons."""

    name = models.CharField(max_length=100, unique=True)
    description = models.CharField(max_length=300, blank=True)
    review_days = models.PositiveSmallIntegerField(
        "reviewed every",
        choices=REVIEW_DAYS,
        default=0,
        help_text="How often somebody looks at who is in the role and what it may read, and says that it is still "
        "right. When it is due, the dashboard and the list of roles say so.",
    )
    reviewed_at = models.DateTimeField("last reviewed", null=True, blank=True, editable=False)
    reviewed_by = models.ForeignKey(
        "User", on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )

    objects = Roles.as_manager()

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class UserManager(BaseUserManager["User"]):
    """Creates people by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a person. Without a password they cannot sign in with one. ValueError without an e-mail address."""
        if not email:
            raise ValueError("a person needs an e-mail address")
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create an administrator with every permission."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        """Find a person by e-mail address, whatever its case. User.DoesNotExist when there is none."""
        return self.get(email=fold_address(username or ""))


class User(UuidModel, AbstractBaseUser, PermissionsMixin):
    """A person. What they may read follows from their roles alone; is_staff and is_superuser grant no document."""

    email = models.EmailField(unique=True)
    display_name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField("may use the admin", default=False)
    gets_risk_digest = models.BooleanField(
        "gets the weekly digest of risks",
        default=True,
        db_default=True,
        help_text="In Slack, or else by mail, for who may see the page Oversharing.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    roles: "models.ManyToManyField[Role, UserRole]" = models.ManyToManyField(
        Role, through="UserRole", related_name="users"
    )

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = "person"
        verbose_name_plural = "people"
        ordering: ClassVar = ["email"]
        constraints: ClassVar = [
            # In the collation "C" PostgreSQL's lower() is that of the letters A to Z, as `folded` is.
            models.CheckConstraint(
                condition=models.Q(email=Lower(Collate("email", "C"))), name="user_email_in_lower_case"
            )
        ]

    def __str__(self) -> str:
        return self.display_name or self.email

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Return what a session is bound to, at each request: it ends when any of this changes.

        Besides the password, as in django.contrib.auth, the address, for which single sign-on vouched, and the right to
        use the admin, without which nobody would have been signed in.
        """
        bound = f"{self.password}\0{self.email}\0{self.is_staff}"
        return salted_hmac("footnote.session", bound, secret=secret, algorithm="sha256").hexdigest()

    def get_full_name(self) -> str:
        """Return the display name, which the admin's menu asks for by this name, or an empty string."""
        return self.display_name

    @property
    def name_without_address(self) -> str:
        """Return a name that everybody may see: the display name, or the part of the address before the @."""
        return self.display_name or self.email.partition("@")[0]

    def clean(self) -> None:
        """Fold the e-mail address's case: directories and Slack disagree about it."""
        super().clean()
        self.email = fold_address(self.email)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save with the e-mail address in lower case, whichever way the row is made."""
        self.email = fold_address(self.email)
        super().save(*args, **kwargs)


class UsergroupRole(UuidModel):
    """The members of a usergroup of Slack's hold a role. Which usergroup gives which role is not changed later."""

    team_id = models.CharField("Slack team", max_length=32, help_text="Such as T0123ABCD.")
    usergroup_id = models.CharField("usergroup", max_length=32, help_text="Its id in Slack, such as S0123ABCD.")
    handle = models.CharField(
        max_length=100, blank=True, help_text="Its name after the @, as of the last synchronisation with Slack."
    )
    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="usergroups")
    synchronised_at = models.DateTimeField("last synchronised", null=True, blank=True)
    error_code = models.CharField(
        "last error", max_length=60, blank=True, help_text="Why the last attempt changed nothing, as a code."
    )

    class Meta:
        ordering: ClassVar = ["team_id", "handle", "usergroup_id"]
        verbose_name = "usergroup"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "usergroup_id", "role"], name="one_row_per_usergroup_and_role")
        ]

    def __str__(self) -> str:
        return f"@{self.handle or self.usergroup_id}"


class UserRole(UuidModel):
    """A person has a role: given by hand, or, with a usergroup, for as long as they are in it.

    The same person may hold the same role in several ways, and loses it with the last of them.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="user_roles")
    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="user_roles")
    usergroup = models.ForeignKey(
        UsergroupRole, on_delete=models.CASCADE, null=True, blank=True, related_name="user_roles"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "role"], condition=models.Q(usergroup=None), name="one_role_per_user_by_hand"
            ),
            models.UniqueConstraint(fields=["usergroup", "user"], name="one_role_per_user_and_usergroup"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role}"


class SlackIdentity(UuidModel):
    """A Slack account that belongs to a person, by Slack's profile at `checked_at`."""

    team_id = models.CharField(max_length=32)
    slack_user_id = models.CharField(max_length=32)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="slack_identities")
    checked_at = models.DateTimeField()

    class Meta:
        verbose_name = "account"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "slack_user_id"], name="one_person_per_slack_account")
        ]

    def __str__(self) -> str:
        return f"{self.team_id}/{self.slack_user_id}"


class SlackBot(UuidModel):
    """Another bot of the own workspace, met in a channel that somebody asked in.

    Until an administrator says that it counts as no reader, it is one without roles.
    """

    team_id = models.CharField("Slack team", max_length=32)
    slack_user_id = models.CharField("Slack user", max_length=32)
    name = models.CharField(max_length=100, blank=True)
    is_no_reader = models.BooleanField(
        "counts as no reader",
        default=False,
        help_text="Answer in channels with this bot as if it were not there. The bot may read what is written in "
        "these channels and pass it on to wherever it was built to.",
    )
    first_met_at = models.DateTimeField("first seen", auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["team_id", "name"]
        verbose_name = "other bot"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "slack_user_id"], name="one_row_per_slack_bot")
        ]

    def __str__(self) -> str:
        return self.name or self.slack_user_id


class ChannelSetting(UuidModel):
    """An administrator's settings for one Slack channel.

    With `uses_own_roles` the channel's audience is the roles set here instead of its members' roles.
    """

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    name = models.CharField(max_length=100, blank=True)
    enabled = models.BooleanField(default=True, help_text="Answer questions in this channel.")
    language = models.CharField(
        "language of replies",
        max_length=8,
        blank=True,
        choices=tuple(LANGUAGES.items()),
        help_text="The language of Footnote's own words. Answers and quotes stay in the words of the documents. If "
        "none is chosen, SLACK_LANGUAGE applies.",
    )
    mention_only = models.BooleanField(
        default=False, help_text="Answer only when mentioned. Otherwise, follow-ups in a thread do not need a mention."
    )
    answers_unasked = models.BooleanField(
        "answers without being asked",
        default=False,
        help_text="Also answer questions that mention nobody, in their thread, when confidence is high. Otherwise "
        "Footnote says nothing at all. Every message at the top of the channel that looks like a question is then "
        "searched for and logged as a question of its author. Cannot be combined with mention only.",
    )
    tells_of_changes = models.BooleanField(
        "tells of changed sources",
        default=True,
        help_text="When the source of an answer given here changes or goes, say so in its thread, with what the source "
        "says now, where everyone here may read it.",
    )
    uses_own_roles = models.BooleanField(
        default=False,
        help_text="Answer from what the roles below may read, whoever is in the channel. Everyone in the channel "
        "will be able to read such answers, and so will everyone who can open or join it: in a public "
        "channel the whole workspace, in a shared channel also people from the other organisations.",
    )
    roles = models.ManyToManyField(Role, blank=True, related_name="channels")
    collections = models.ManyToManyField(
        "core.Collection",
        blank=True,
        related_name="channels",
        help_text=(
            "Answer only from these collections. If none is chosen, answer from everything that the readers may read."
        ),
    )
    answering_people = models.ManyToManyField(
        User, blank=True, related_name="+", help_text='The people who are asked when somebody presses "Ask a person".'
    )
    answering_usergroup = models.CharField(
        max_length=32, blank=True, help_text="Or a Slack usergroup, by its id, such as S0123ABCD."
    )

    weekly_digest = models.BooleanField(
        default=False,
        help_text="Post the figures of the last week here every Monday: questions, outcomes, votes, times, cost and "
        "content gaps, of the whole installation and without the words of any question. Everyone in the channel sees "
        "them.",
    )

    class Meta:
        verbose_name = "channel"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "channel_id"], name="one_setting_per_channel"),
            models.CheckConstraint(
                condition=~models.Q(answers_unasked=True, mention_only=True),
                name="unasked_or_mention_only",
                violation_error_message="A channel cannot both answer only when mentioned and answer without being "
                "asked. Choose one.",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.channel_id
