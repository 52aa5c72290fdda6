"""List the rights that a restore may bring back: for every model, what it gives, and how it is revoked.

A right is whatever lets a person read or do something. `core.operations.backup.statement` lists the rights of a
database, and `core.operations.backup.reducing` revokes in a restored database those that are not on the list. A model
that is in neither of the two tables is reported by both, and fails a test. Models above core are named by their labels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import chain
from typing import Any

from django.apps import apps
from django.contrib.auth.hashers import is_password_usable, make_password
from django.db.models import Model, Q


class Way(Enum):
    """Ways to take away the rights of a model again."""

    ROWS = auto()  # by their columns, as the rest of a Right says
    ALL = auto()  # every row is deleted: what it held is asked for, or made, anew
    GRANTS = auto()  # revoked where the role has none now, or one that begins later
    DOCUMENTS = auto()  # withdrawn
    CHANNELS = auto()  # by their columns, and switched off where the collections cannot be narrowed
    ANSWERS = auto()  # of verified answers: they are retired, and lose their sources
    INSTALLATIONS = auto()  # ended
    QUESTIONS = auto()  # their texts are erased
    EVENTS = auto()  # of Slack: their texts are erased
    COUNTED = auto()  # left to people


@dataclass(frozen=True, kw_only=True, slots=True)
class Right:
    """A right that a model gives, with the columns by which a restored row gives more than the current one."""

    model: str  # its label
    gives: str  # as the restore counts it
    way: Way = Way.ROWS
    among: Q = field(default_factory=Q)  # the rows that give something
    deletes: bool = True  # a row that is not there now; otherwise all of `off` and `stops` applies to it
    same: tuple[str, ...] = ()  # columns: the row is deleted unless they are as now
    off: Mapping[str, Any] = field(default_factory=dict)  # column: what it becomes unless it is as now
    adopted: tuple[str, ...] = ()  # columns that become what they are now
    least: tuple[str, ...] = ()  # columns of which the smaller value holds; None is without limit
    common: tuple[str, ...] = ()  # lists: what is in both is left
    held: tuple[str, ...] = ()  # columns for people to look at; until then, all of `stops` applies
    stops: Mapping[str, Any] = field(default_factory=dict)  # as `off`
    new_hold_back: bool = False  # rows that were made since keep people from something
    told: tuple[str, ...] = ()  # columns that the way asks for besides; a list of ids where others are related
    hashed: frozenset[str] = frozenset()  # columns of which no more than a hash is written down
    plain: tuple[str, ...] = ()  # columns that give nothing, where some give something
    by_hand: str = ""  # what is left to people

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a statement, the key first."""
        named = chain(
            ("pk",), self.same, self.off, self.adopted, self.least, self.common, self.held, self.stops, self.told
        )
        return tuple(dict.fromkeys(named))

    @property
    def of(self) -> type[Model]:
        """The model."""
        return apps.get_model(self.model)


def _mark_renamed(name: str) -> str:
    return f"{name[:60]} (renamed after the backup)"


def _without_password(encoded: str) -> str:
    return make_password(None) if is_password_usable(encoded) else encoded


_UNFINISHED = Q(state__in=["queued", "held", "running"])
_OF_GRANTS = ("role_id", "document_id", "since_version", "expires_at")

RIGHTS = (
    # Documents, and who reads them.
    Right(
        model="core.Document",
        gives="documents",
        way=Way.DOCUMENTS,
        told=("withdrawn_at", "collection_id", "source"),
        hashed=frozenset({"source"}),
        by_hand="documents that were deleted since: nobody reads them; delete them again, with what quotes them",
    ),
    Right(model="core.RoleDocumentAccess", gives="grants", way=Way.GRANTS, told=_OF_GRANTS),
    Right(model="core.WithdrawnGrant", gives="grants put aside", way=Way.GRANTS, told=_OF_GRANTS),
    Right(model="core.CollectionRole", gives="default roles of collections"),
    # Whom a later rule closed sections to holds a grant of the document that begins later: it is revoked above.
    Right(
        model="core.SectionRule",
        gives="rules of sections",
        way=Way.COUNTED,
        told=("kind",),
        new_hold_back=True,
        by_hand="rules for sections of documents that were made or removed since: make them again, or remove them",
    ),
    Right(model="core.SectionRuleRole", gives="roles of rules of sections"),
    # People, and what they may do.
    Right(
        model="core.User",
        gives="rights of people's accounts",
        deletes=False,
        off={"is_active": False, "is_staff": False, "is_superuser": False, "password": _without_password},
        held=("email",),
        stops={"is_active": False},
        hashed=frozenset({"email", "password"}),
        plain=("id", "display_name", "last_login", "gets_risk_digest", "created_at"),
        by_hand="people with another address now: deactivated, until somebody gives them that address",
    ),
    Right(model="core.User_groups", gives="groups of people"),
    Right(model="core.User_user_permissions", gives="permissions of people"),
    Right(model="auth.Group_permissions", gives="permissions of groups"),
    Right(model="core.UserRole", gives="roles of people"),
    # GUEST_ROLE and commands name roles by their names.
    Right(
        model="core.Role",
        gives="names of roles",
        deletes=False,
        off={"name": _mark_renamed},
        hashed=frozenset({"name"}),
        plain=("id", "description", "review_days", "reviewed_at", "reviewed_by"),
    ),
    Right(model="core.UsergroupRole", gives="roles of usergroups"),
    Right(model="core.SlackIdentity", gives="Slack accounts of people", same=("user_id",)),
    # Ways to sign in, and to come without.
    Right(model="sessions.Session", gives="sessions", way=Way.ALL),
    Right(
        model="core.AuthToken",
        gives="REST tokens",
        same=("user_id", "scopes", "networks", "for_people", "for_team", "for_channel"),
        least=("expiry",),
        plain=("id", "token_key", "created", "digest", "name", "last_used_at"),
    ),
    # Refresh tokens of a backup are used up: a program that is back with one asks its person again.
    Right(model="core.ConnectedProgram", gives="connections of programs", way=Way.ALL),
    Right(model="oauth2_provider.Grant", gives="codes of programs", way=Way.ALL),
    Right(model="oauth2_provider.AccessToken", gives="access tokens of programs", way=Way.ALL),
    Right(model="oauth2_provider.RefreshToken", gives="refresh tokens of programs", way=Way.ALL),
    Right(model="oauth2_provider.IDToken", gives="ID tokens of programs", way=Way.ALL),
    Right(model="oauth2_provider.DeviceGrant", gives="codes of devices", way=Way.ALL),
    Right(
        model="mfa.Authenticator",
        gives="second factors",
        way=Way.COUNTED,
        by_hand="second factors that were removed since: take them away with remove_second_factor, or give new ones",
    ),
    Right(
        model="account.EmailAddress",
        gives="confirmed addresses",
        same=("user_id", "email", "verified"),
        hashed=frozenset({"email"}),
    ),
    Right(model="account.EmailConfirmation", gives="confirmations of addresses", way=Way.ALL),
    Right(
        model="socialaccount.SocialAccount",
        gives="accounts of single sign-on",
        same=("user_id", "uid"),
        hashed=frozenset({"uid"}),
    ),
    Right(
        model="socialaccount.SocialApp",
        gives="providers of single sign-on",
        same=("provider_id", "client_id", "settings"),
        hashed=frozenset({"provider_id", "client_id", "settings"}),
    ),
    Right(model="socialaccount.SocialToken", gives="tokens of single sign-on", way=Way.ALL),
    # Slack.
    Right(
        model="bot.Installation", gives="installations", way=Way.INSTALLATIONS, among=Q(is_active=True), deletes=False
    ),
    Right(
        model="bot.OrganisationWorkspace",
        gives="workspaces of organisations' installations",
        same=("installation_id", "team_id"),
        plain=("id", "name"),
    ),
    Right(model="bot.ChannelKind", gives="kinds of channels, as remembered", way=Way.ALL),
    Right(
        model="core.SlackWorkspace",
        gives="searches in a workspace's messages",
        deletes=False,
        off={"searches_messages": False},
        plain=("id", "team_id", "name", "decided_at"),
    ),
    Right(model="core.SlackWorkspace_roles", gives="roles of everyone in a workspace"),
    Right(
        model="core.SlackBot",
        gives="bots that count as no reader",
        off={"is_no_reader": False},
        deletes=False,
        plain=("id", "team_id", "slack_user_id", "name", "first_met_at"),
    ),
    Right(
        model="core.ChannelSetting",
        gives="settings of channels",
        way=Way.CHANNELS,
        off={
            "enabled": False,
            "mention_only": True,
            "answers_unasked": False,
            "tells_of_changes": False,
            "uses_own_roles": False,
            "weekly_digest": False,
            "answering_usergroup": "",
        },
        told=("team_id", "channel_id", "collections"),
        plain=("id", "name", "language"),
        new_hold_back=True,
        by_hand="channels that were set or narrowed since: switched off, until somebody sets them",
    ),
    Right(model="core.ChannelSetting_roles", gives="roles of channels"),
    Right(model="core.ChannelSetting_answering_people", gives="people who are asked in a person's stead"),
    Right(
        model="bot.HandOver",
        gives="questions on their way to people",
        among=Q(state="waiting"),
        deletes=False,
        stops={"state": "failed"},
    ),
    Right(
        model="bot.OwnerQuestion",
        gives="questions on their way to owners of documents",
        among=Q(state="waiting"),
        deletes=False,
        stops={"state": "failed"},
    ),
    # Data sources.
    Right(
        model="core.DataSource",
        gives="data sources",
        deletes=False,
        off={"is_enabled": False},
        adopted=("takes_readers",),
        least=("readers_hours",),
        held=("settings", "secrets", "collection_id"),
        stops={"is_enabled": False, "next_run_at": None},
        hashed=frozenset({"settings", "secrets"}),
        plain=(
            "id",
            "name",
            "kind",
            "document_type",
            "schedule",
            "requests_per_minute",
            "most_withdrawn_percent",
            "erase_days",
            "created_by",
            "created_at",
            "listed_at",
            "next_run_at",
            "readers_minutes",
            "next_readers_at",
            "failures",
        ),
        by_hand="data sources of which address, credentials or collection changed since: not asked until set again",
    ),
    Right(model="core.DataSource_roles", gives="roles of data sources"),
    Right(model="core.SourceGroup", gives="groups of data sources", same=("role_id",)),
    Right(
        model="core.SyncItem",
        gives="readers that a data source told",
        deletes=False,
        common=("applied_roles", "groups"),
        hashed=frozenset({"groups"}),
        plain=(
            "id",
            "source",
            "key",
            "name",
            "listed",
            "fingerprint",
            "listed_fingerprint",
            "validator",
            "seen_in",
            "is_stored",
            "is_pending",
            "is_stale",
            "loaded_hash",
            "loaded_at",
            "is_gone",
            "error",
            "attempts",
            "next_try_at",
        ),
    ),
    Right(
        model="core.IntranetHost", gives="hosts inside that sources may ask", same=("name",), hashed=frozenset({"name"})
    ),
    # What waits, and would grant or post as it was ordered.
    Right(
        model="core.IngestionJob",
        gives="jobs of ingestion",
        among=_UNFINISHED,
        deletes=False,
        stops={"state": "failed"},
    ),
    Right(
        model="core.IngestionFile",
        gives="files that wait for ingestion",
        among=_UNFINISHED,
        deletes=False,
        stops={"state": "failed"},
    ),
    Right(model="core.IngestionJob_roles", gives="roles of jobs of ingestion"),
    Right(
        model="bot.Upload",
        gives="files that are offered for ingestion",
        among=Q(state__in=["received", "offered", "accepted", "ingesting"]),
        deletes=False,
        stops={"state": "declined"},
    ),
    Right(model="bot.Upload_roles", gives="roles of offered files"),
    # What was withdrawn since must not be sent. What was sent is looked at where it is.
    # A change that was declined or made since is not made again: whoever wants it asks once more.
    Right(
        model="core.ChangeCheck",
        gives="changes that wait for a yes",
        among=~Q(state__in=["made", "declined"]),
        same=("state",),
    ),
    Right(
        model="core.ChangeLimit",
        gives="limits of changes",
        adopted=("is_on", "from_documents", "most_worse", "most_moved", "most_changed", "most_people"),
        new_hold_back=True,
        by_hand="limits of changes that were set since: set them again",
    ),
    # What was found right, and which secrets are meant to be read, is asked again where it was taken back since.
    Right(model="core.ShownSecret", gives="passwords and keys that are meant to be read"),
    Right(
        model="core.ProposedChange",
        gives="proposed changes that wait to be sent",
        among=Q(state="waiting"),
        deletes=False,
        stops={"state": "failed"},
    ),
    # Words that were erased, and answers that were withdrawn.
    Right(model="core.VerifiedAnswer", gives="verified answers", way=Way.ANSWERS, told=("state", "roles")),
    Right(model="core.Query", gives="texts of questions", way=Way.QUESTIONS, among=Q(erased_at=None)),
    Right(model="core.Research", gives="topics and plans of pages", among=Q(erased_at=None)),
    Right(
        model="bot.SlackEvent",
        gives="texts of messages",
        way=Way.EVENTS,
        among=~Q(text="") | Q(reply__query__isnull=False, reply__query__erased_at=None),
    ),
    Right(model="bot.QuotedMessage", gives="links to quoted messages"),
    Right(
        model="core.Budget",
        gives="budgets",
        way=Way.COUNTED,
        told=("soft_tokens", "hard_tokens", "soft_cost_usd", "hard_cost_usd", "when_used_up"),
        new_hold_back=True,
        by_hand="budgets that were made or changed since: set them again",
    ),
    # The page on which Slack is tried without Slack.
    Right(model="local.LocalChannel_members", gives="members of channels of the local page"),
    Right(model="local.LocalUsergroup_members", gives="members of usergroups of the local page"),
    Right(model="local.ResponseAddress", gives="addresses for answers of the local page", way=Way.ALL),
)

_FIGURES = "figures and ids, which nobody reads or does anything by"
_THROUGH = "what it gives stands in the tables that relate it to people, roles and documents"
_WORDS = "shown by the grants of its document, for the edition that it names"
_OF_QUESTION = "shown with its question, by the same rule, and erased with it"
_RECORD = "a record of what was done"
_OF_SLACK = "what Slack told, which is asked again before anybody is answered"
_STAND_IN = "stands for what Slack keeps, and a restore brings back no Slack"
_CHECKED = "what it sends is checked again when it is sent"

# Models by which nobody reads or does anything, and why.
WITHOUT_RIGHTS = {
    "admin.LogEntry": _RECORD,
    "auth.Group": _THROUGH,
    "auth.Permission": "names what may be done, and gives it to nobody",
    "contenttypes.ContentType": "names a model",
    "procrastinate.ProcrastinateEvent": _RECORD,
    "procrastinate.ProcrastinateJob": "orders work that looks at the rights of that moment",
    "procrastinate.ProcrastinatePeriodicDefer": _RECORD,
    "procrastinate.ProcrastinateWorker": "a process that worked; emptied by the restore",
    "oauth2_provider.Application": "says who a program is; its connections decide",
    "core.AccessClass": "made of the grants by the database, and nobody reads by it without one",
    "core.AgentStep": _FIGURES,
    "core.Alert": _FIGURES,
    "core.Answer": _OF_QUESTION,
    "core.AnswerSeal": _OF_QUESTION,
    "core.AuditEvent": _RECORD,
    "core.BenchmarkResult": _FIGURES,
    "core.BudgetTold": _FIGURES,
    "core.BudgetUse": _FIGURES,
    "core.ChannelSetting_collections": "narrows, so that taking one away could widen: decided with the channel",
    "core.Chunk": _WORDS,
    "core.AnswerThresholds": "say from where on an answer is given, of which every statement is verified",
    "core.ChangeCheckLine": _FIGURES,
    "core.ChangeCheckSource": _WORDS,
    "core.ChangeCheckWords": _WORDS,
    "core.Citation": _WORDS,
    "core.CitationWords": _WORDS,
    "core.Collection": _THROUGH,
    "core.ContentGap": _OF_QUESTION,
    "core.ContradictionLook": _FIGURES,
    "core.ContradictionWords": _WORDS,
    "core.Conversation": _OF_QUESTION,
    "core.DocumentClass": "made of the grants by the database, and nobody reads by it without one",
    "core.EmbeddingModel": _FIGURES,
    "core.EngineChange": _FIGURES,
    "core.EngineCollection": _FIGURES,
    "core.EvaluationResult": _FIGURES,
    "core.EvaluationRun": _FIGURES,
    "core.EvaluationRunLine": _FIGURES,
    "core.ExaminationLine": _FIGURES,
    "core.ExaminationSource": _WORDS,
    "core.ExaminationWords": _WORDS,
    "core.Feedback": _OF_QUESTION,
    "core.FootnoteChange": _CHECKED,
    "core.GapCheck": _FIGURES,
    "core.GapUpdate": _FIGURES,
    "core.GapQuestion": _OF_QUESTION,
    "core.LateAnswer": _CHECKED,
    "core.OversharingRisk": _FIGURES,
    "core.ReachSnapshot": _FIGURES,
    "core.SensitivePlace": _FIGURES,
    "core.SensitivityLook": _FIGURES,
    "core.LibraryVersion": _FIGURES,
    "core.ModelExamination": "lets a model answer, of which every statement is verified, and nobody read anything",
    "core.ModelReply": "kept for one state of the library, which a restore leaves",
    "core.ModelSetup": "says what was fetched; a model answers by its examination, and lets nobody read anything",
    "core.ProposalWords": _WORDS,
    "core.QueryLog": _FIGURES,
    "core.RequestCount": "holds people back",
    "core.ResearchLine": "goes with its research",
    "core.RetrievedChunk": _OF_QUESTION,
    "core.SectionPart": "made by rules; its grants are those of a document",
    "core.SectionPart_rules": "narrows, so that taking one away could widen: decided with the grants of the part",
    "core.SignInAttempt": "holds people back",
    "core.SlackChannel": _OF_SLACK,
    "core.SlackUsergroup": _OF_SLACK,
    "core.SourceChange": _RECORD,
    "core.SourceContradiction": _WORDS,
    "core.SyncChange": _RECORD,
    "core.SyncRun": "loads by the readers of that moment; its permission to withdraw gives nobody anything",
    "core.VerifiedAnswer_roles": "narrows, so that taking one away could widen: decided with the verified answer",
    "core.VerifiedPhrasing": "leads to a verified answer, which decides",
    "core.VerifiedSource": _WORDS,
    "core.VerifiedSourceWords": _WORDS,
    "bot.AppContext": "narrows a question, and says where its asker looked",
    "bot.Digest": _CHECKED,
    "bot.FootnoteNotice": _CHECKED,
    "bot.LateAnswerNotice": _CHECKED,
    "bot.RiskDigest": _CHECKED,
    "bot.Opening": "says who was greeted",
    "bot.OwnerQuestionAsker": _CHECKED,
    "bot.Reply": _CHECKED,
    "bot.ResearchMessage": _CHECKED,
    "bot.SocketHeartbeat": _FIGURES,
    "bot.Unfurl": _CHECKED,
    "bot.WatchedThread": _OF_SLACK,
    "local.LocalAssistantThread": _STAND_IN,
    "local.LocalCanvas": _STAND_IN,
    "local.LocalCanvas_shared_with": _STAND_IN,
    "local.LocalChannel": _STAND_IN,
    "local.LocalDetails": _STAND_IN,
    "local.LocalFile": _STAND_IN,
    "local.LocalHome": _STAND_IN,
    "local.LocalMessage": _STAND_IN,
    "local.LocalUnfurl": _STAND_IN,
    "local.LocalUsergroup": _STAND_IN,
    "local.LocalView": _STAND_IN,
}


def list_undecided() -> list[str]:
    """Return the labels of models that no table names: nobody has said whether they give a right."""
    known = {right.model for right in RIGHTS} | set(WITHOUT_RIGHTS)
    return sorted({model._meta.label for model in apps.get_models(include_auto_created=True)} - known)
