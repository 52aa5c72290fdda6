"""Check Footnote's settings by Django's system checks: errors that name the setting and say what to do."""

import base64
import difflib
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Tags, Warning, register, run_checks  # noqa: A004 - Django's name
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections

from adminsite import pgvector
from adminsite.launcher.environment import LOOPBACK
from core.asking.reading import CARD, NONE
from core.language.i18n.translation import LANGUAGES
from core.library.ingestion.sandbox.layers import Report
from core.library.ingestion.sandbox.probe import probe
from core.management.base import DATABASE_TAG, SETTINGS_TAG
from core.models import EmbeddingModel
from core.operations.safe_database import dangers

INGESTION_TAG = "ingestion"  # not asked at the start of the web process, which reads no files
FENCE_MODES = ("required", "best-effort")
MIN_SECRET_KEY_LENGTH = 50  # characters; what Django's own check asks for
_OWN_PREFIXES = (
    "ALERT_",
    "CONVERSATION_",
    "EMBEDDING_",
    "EVALUATION_",
    "FOOTNOTE_",
    "FOOTNOTES_",
    "INGEST_",
    "LLM_",
    "ORIGINALS_",
    "READER_",
    "RERANKER_",
    "RETENTION_",
    "VERIFIER_",
    "VERIFY_",
    "AGENT_",
    "SLACK_",
)
_KEY_HINT = "Make a key with: python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'"
# The keys of which a provider needs one, by what its models' names begin with; LiteLLM, which knows all, loads slowly.
_KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "azure": ("AZURE_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
}
_FOR_TESTS = {"FOOTNOTE_NO_SKIPS"}


@register(SETTINGS_TAG, deploy=True)
def secret_key(**_: Any) -> list[CheckMessage]:
    """A real installation has a strong secret key of its own."""
    hint = (
        "Set SECRET_KEY to a random value, the same on every machine, for example from: python -c 'import secrets; "
        "print(secrets.token_urlsafe(50))'"
    )
    given = os.environ.get("SECRET_KEY", "")
    if not settings.DEBUG and not given:
        return [Error("SECRET_KEY is not set.", hint=hint, id="footnote.E001")]
    if not settings.DEBUG and (len(given) < MIN_SECRET_KEY_LENGTH or len(set(given)) < 10):
        return [
            Error(
                f"SECRET_KEY is shorter than {MIN_SECRET_KEY_LENGTH} characters or has too few different ones.",
                hint=hint,
                id="footnote.E002",
            )
        ]
    return []


@register(SETTINGS_TAG)
def port(**_: Any) -> list[CheckMessage]:
    """The web's port is one that there is."""
    return _out_of_bounds("PORT", least=1, most=65_535, hint="Set one from 1024 to 65535.", code="footnote.E025")


@register(SETTINGS_TAG)
def local_page(**_: Any) -> list[CheckMessage]:
    """Check that the page in Slack's place, whose visitor may be anybody, is only on for trials on one machine."""
    if settings.LOCAL_PAGE and not (settings.DEBUG and "slack_emulator" in settings.INSTALLED_APPS):
        hint = "Remove LOCAL_PAGE, or set DEBUG=1 to try Footnote on this machine only, in a checkout."
        return [Error("LOCAL_PAGE is on without DEBUG, or in an image without it.", hint=hint, id="footnote.E003")]
    return []


@register(SETTINGS_TAG)
def debug_host(**_: Any) -> list[CheckMessage]:
    """Check that DEBUG, which shows internals, is only on for this machine."""
    if settings.DEBUG and os.environ.get("WEB_HOST", "") not in LOOPBACK:
        hint = "Remove DEBUG, or remove WEB_HOST, which lets other machines reach the web process."
        return [Error("DEBUG is on, and WEB_HOST is not limited to this machine.", hint=hint, id="footnote.E032")]
    return []


@register(SETTINGS_TAG)
def single_sign_on(**_: Any) -> list[CheckMessage]:
    """Single sign-on has a provider that nobody on the way can play, and an application there."""
    found: list[CheckMessage] = []
    issuer, client, secret = settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET
    if len({bool(value) for value in (issuer, client, secret)}) == 2:
        hint = "Set all three to the provider's values, or none."
        message = "OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together."
        found.append(Error(message, hint=hint, id="footnote.E033"))
    if issuer and not issuer.startswith("https://") and not settings.DEBUG:
        hint = "Set the provider's https address. http is only for trials with DEBUG."
        found.append(Error("OIDC_ISSUER is not an https address.", hint=hint, id="footnote.E034"))
    return found


@register(SETTINGS_TAG)
def session_time(**_: Any) -> list[CheckMessage]:
    """A session lasts, and not for ever."""
    found: list[CheckMessage] = []
    if settings.SESSION_COOKIE_AGE <= 0:
        hint = "Set a number of minutes, at least 1."
        found.append(Error("SESSION_IDLE_MINUTES is less than 1.", hint=hint, id="footnote.E035"))
    if settings.SESSION_MAX_AGE_S <= 0:
        hint = "Set a number of hours, at least 1, after which everybody signs in again."
        found.append(Error("SESSION_MAX_HOURS is less than 1.", hint=hint, id="footnote.E080"))
    return found


@register(SETTINGS_TAG)
def slack_tokens(**_: Any) -> list[CheckMessage]:
    """Slack's tokens come together, each in its own setting."""
    bot, app = settings.SLACK_BOT_TOKEN, settings.SLACK_APP_TOKEN
    signing = settings.SLACK_SIGNING_SECRET
    installs = bool(settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET)
    found: list[CheckMessage] = []
    if (app or signing) and not bot and not installs:
        hint = "Set it to the Bot User OAuth Token (xoxb-...) from the app's page OAuth & Permissions."
        found.append(Error("SLACK_BOT_TOKEN is not set, but other Slack settings are.", hint=hint, id="footnote.E004"))
    if (bot or installs) and not app and not signing:
        hint = (
            "For Socket Mode, set SLACK_APP_TOKEN (xapp-..., with connections:write). For events over HTTP, set "
            "SLACK_SIGNING_SECRET."
        )
        found.append(
            Error("Slack is set up, but there is no way for events to come in.", hint=hint, id="footnote.E005")
        )
    if bot.startswith("xapp-") or app.startswith("xoxb-"):
        hint = "SLACK_BOT_TOKEN starts with xoxb-, SLACK_APP_TOKEN with xapp-."
        found.append(Error("SLACK_BOT_TOKEN and SLACK_APP_TOKEN are swapped.", hint=hint, id="footnote.E006"))
    return found


@register(SETTINGS_TAG)
def quotas(**_: Any) -> list[CheckMessage]:
    """Quotas are a number in a period."""
    found: list[CheckMessage] = []
    for name in ("SLACK_PERSON_QUOTA", "SLACK_CHANNEL_QUOTA"):
        value = getattr(settings, name)
        if value and not re.fullmatch(r"\d+/(minute|hour|day)", value):
            hint = "Write it like 60/hour, with minute, hour or day. Leave it empty for no limit."
            found.append(Error(f"{name} is {value!r}.", hint=hint, id="footnote.E016"))
    return found


@register(SETTINGS_TAG)
def retention(**_: Any) -> list[CheckMessage]:
    """A retention period is a number of days."""
    hint = "Set a number of days. 0 keeps the text of questions forever."
    return _out_of_bounds("RETENTION_DAYS", least=0, hint=hint, code="footnote.E026")


@register(SETTINGS_TAG)
def budget_time_zone(**_: Any) -> list[CheckMessage]:
    """The months of budgets begin in a time zone that there is."""
    if settings.BUDGET_TIME_ZONE in available_timezones():
        return []
    hint = "Set the name of a time zone, such as Europe/Berlin or UTC."
    return [Error(f"BUDGET_TIME_ZONE is {settings.BUDGET_TIME_ZONE!r}.", hint=hint, id="footnote.E064")]


@register(SETTINGS_TAG)
def kept_replies(**_: Any) -> list[CheckMessage]:
    """Check that the numbers of hours and of replies to keep are possible."""
    hint = "Set a number. 0 keeps none."
    return _out_of_bounds("MODEL_CACHE_HOURS", "MODEL_CACHE_MOST", least=0, hint=hint, code="footnote.E065")


@register(SETTINGS_TAG)
def ingestion_share(**_: Any) -> list[CheckMessage]:
    """Ingestion goes on while people ask, if slowly."""
    if 0 < settings.INGEST_SHARE <= 1:
        return []
    hint = "Set a number above 0, at most 1. With 1 ingestion does not give way to questions."
    return [Error(f"INGEST_SHARE is {settings.INGEST_SHARE}.", hint=hint, id="footnote.E073")]


@register(SETTINGS_TAG)
def slack_language(**_: Any) -> list[CheckMessage]:
    """Replies are in a language that there is."""
    if settings.SLACK_LANGUAGE in LANGUAGES:
        return []
    hint = f"Set one of {', '.join(f'{code} ({name})' for code, name in LANGUAGES.items())}."
    return [Error(f"SLACK_LANGUAGE is {settings.SLACK_LANGUAGE!r}.", hint=hint, id="footnote.E024")]


@register(SETTINGS_TAG)
def footnotes(**_: Any) -> list[CheckMessage]:
    """Check that the limits of notices about changed sources are numbers, or 0."""
    names = ("FOOTNOTES_DAYS", "FOOTNOTES_PER_HOUR", "FOOTNOTES_PER_CHANNEL_AND_DAY")
    hint = "Set a number. With 0 nobody is told of changed sources."
    return _out_of_bounds(*names, least=0, hint=hint, code="footnote.E057")


@register(SETTINGS_TAG)
def slack_ask_emoji(**_: Any) -> list[CheckMessage]:
    """An emoji is named as Slack names it in its events."""
    if not settings.SLACK_ASK_EMOJI or re.fullmatch(r"[^\s:A-Z]{1,100}", settings.SLACK_ASK_EMOJI):
        return []
    hint = "Write the name of one emoji in small letters and without colons, like eyes."
    return [Error(f"SLACK_ASK_EMOJI is {settings.SLACK_ASK_EMOJI!r}.", hint=hint, id="footnote.E042")]


@register(SETTINGS_TAG)
def slack_installations(**_: Any) -> list[CheckMessage]:
    """Installing by OAuth needs both halves of the app's credentials, and keys under which tokens are stored."""
    found: list[CheckMessage] = []
    client, secret = settings.SLACK_CLIENT_ID, settings.SLACK_CLIENT_SECRET
    if bool(client) != bool(secret):
        hint = "Both are on the app's page Basic Information. Without OAuth, set neither."
        found.append(
            Error("SLACK_CLIENT_ID and SLACK_CLIENT_SECRET must be set together.", hint=hint, id="footnote.E020")
        )
    if client and secret and settings.SLACK_BOT_TOKEN:
        hint = (
            "Remove SLACK_BOT_TOKEN to let workspaces install the app, or remove the other two to use only this "
            "workspace."
        )
        message = "SLACK_BOT_TOKEN and SLACK_CLIENT_ID are both set. One is for a single workspace, the other for many."
        found.append(Error(message, hint=hint, id="footnote.E021"))
    if client and secret and not settings.SLACK_TOKEN_KEYS and not settings.DEBUG:
        found.append(Error("SLACK_TOKEN_KEYS is not set.", hint=_KEY_HINT, id="footnote.E022"))
    if not all(map(_is_fernet_key, settings.SLACK_TOKEN_KEYS)):
        found.append(
            Error("SLACK_TOKEN_KEYS contains something that is not a key.", hint=_KEY_HINT, id="footnote.E023")
        )
    return found


@register(SETTINGS_TAG)
def source_keys(**_: Any) -> list[CheckMessage]:
    """The keys for credentials of data sources are keys. Without one, sources that need no credentials work."""
    if all(map(_is_fernet_key, settings.SOURCE_SECRET_KEYS)):
        return []
    message = "SOURCE_SECRET_KEYS contains something that is not a key."
    return [Error(message, hint=_KEY_HINT, id="footnote.E058")]


def _is_fernet_key(key: str) -> bool:
    try:
        return len(base64.urlsafe_b64decode(key)) == 32
    except ValueError:
        return False


@register(SETTINGS_TAG)
def reranker(**_: Any) -> list[CheckMessage]:
    """A re-ranker's folder exists, and its numbers can be counted with. Without the folder Footnote still answers."""
    found: list[CheckMessage] = []
    model = settings.RERANKER_MODEL
    if model.startswith(("/", "./", "../", "~")) and not Path(model).is_dir():
        hint = "Give the full path of the model's folder, or its name on a hub. Until then, results are not re-ranked."
        found.append(Warning("The folder that RERANKER_MODEL names does not exist.", hint=hint, id="footnote.W002"))
    hint = "To turn re-ranking off, leave RERANKER_MODEL empty."
    names = ("RERANKER_BATCH_SIZE", "RERANKER_CANDIDATES")
    return found + _out_of_bounds(*names, least=1, hint=hint, code="footnote.E009")


@register(SETTINGS_TAG)
def reader(**_: Any) -> list[CheckMessage]:
    """Warn where the folder that READER names holds no reader. Footnote then still answers, and less well."""
    hint, code = "To turn reading off, set READER=none.", "footnote.E075"
    found = _out_of_bounds("READER_BUDGET_MS", least=1, hint=hint, code=code)
    if settings.READER not in ("", NONE) and not (Path(settings.READER) / CARD).is_file():
        hint = "Give the full path of a reader's folder, or leave READER empty for the packaged one."
        found.append(Warning("There is no reader in the folder that READER names.", hint=hint, id="footnote.W007"))
    return found


_LEAST_CANDIDATES = 50  # as many passages as a search may be asked for


@register(SETTINGS_TAG)
def searching(**_: Any) -> list[CheckMessage]:
    """A search asks for enough candidates to answer from, and the index is walked as pgvector allows."""
    hint = f"A search may give {_LEAST_CANDIDATES} passages. Leave it at 400, which was measured to do."
    found = _out_of_bounds("RETRIEVAL_CANDIDATES", least=_LEAST_CANDIDATES, hint=hint, code="footnote.E070")
    hint = "pgvector takes 1 to 1000."
    found += _out_of_bounds("HNSW_EF_SEARCH", least=1, most=1000, hint=hint, code="footnote.E071")
    if settings.VECTOR_INDEX not in ("auto", "manual"):
        hint = "Leave it at auto, or set it to manual, and build the index with manage.py vector_index."
        found.append(Error(f"VECTOR_INDEX is {settings.VECTOR_INDEX!r}.", hint=hint, id="footnote.E072"))
    return found


@register(SETTINGS_TAG)
def vector_engine(**_: Any) -> list[CheckMessage]:
    """The engine's address is one, its collections can be called so, and its numbers can be counted with."""
    found: list[CheckMessage] = []
    url = settings.VECTOR_ENGINE_URL
    if url and not url.startswith(("http://", "https://")):
        hint = "Give the address of Qdrant's REST interface, such as http://10.0.0.7:6333, or leave it empty."
        found.append(Error("VECTOR_ENGINE_URL is not an address.", hint=hint, id="footnote.E066"))
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", settings.VECTOR_ENGINE_NAME):
        hint = "Give up to 40 letters from A to Z, digits, - and _. Collections are called so, with a number behind."
        found.append(Error(f"VECTOR_ENGINE_NAME is {settings.VECTOR_ENGINE_NAME!r}.", hint=hint, id="footnote.E074"))
    hint = "One is a collection on one machine, without a second copy."
    found += _out_of_bounds("VECTOR_ENGINE_SHARDS", "VECTOR_ENGINE_REPLICAS", least=1, hint=hint, code="footnote.E067")
    hint = "Give the seconds after which a search goes on without the engine."
    return found + _out_of_bounds("VECTOR_ENGINE_TIMEOUT_S", above=0, hint=hint, code="footnote.E068")


@register(SETTINGS_TAG)
def verification(**_: Any) -> list[CheckMessage]:
    """The mode of the agent and who judges are what there is, and the threshold of the verifier is a probability."""
    found: list[CheckMessage] = []
    if settings.AGENT_MODE not in ("auto", "tool_calling", "plain_text", "quoted"):
        hint = "Leave it at auto, or set tool_calling (formerly steered), plain_text (formerly written) or quoted."
        found.append(Error(f"AGENT_MODE is {settings.AGENT_MODE!r}.", hint=hint, id="footnote.E014"))
    if settings.VERIFY_WITH_MODEL not in ("auto", "always", "never"):
        hint = "Leave it at auto, or set it to always or never."
        found.append(Error(f"VERIFY_WITH_MODEL is {settings.VERIFY_WITH_MODEL!r}.", hint=hint, id="footnote.E018"))
    hint = "It is a probability: above 0 and at most 1."
    return found + _out_of_bounds("VERIFIER_THRESHOLD", above=0, most=1, hint=hint, code="footnote.E015")


@register(SETTINGS_TAG)
def outcomes(**_: Any) -> list[CheckMessage]:
    """Check that the estimates of answers and closest passages are probabilities in their order."""
    hint = "It is a share of answers, such as 0.85; 0 leaves it to ANSWER_FROM. No threshold makes nearly all right."
    found = _out_of_bounds("ANSWERS_RIGHT", least=0, most=0.99, hint=hint, code="footnote.E019")
    if 0 <= settings.CLOSEST_FROM <= settings.ANSWER_FROM <= 1:
        return found
    hint = "Both are probabilities from 0 to 1. CLOSEST_FROM must be at most ANSWER_FROM."
    return [*found, Error("ANSWER_FROM and CLOSEST_FROM do not fit together.", hint=hint, id="footnote.E017")]


@register(SETTINGS_TAG)
def model_keys(**_: Any) -> list[CheckMessage]:
    """A model of a provider comes with the provider's key: better said at the start than by the first question."""
    models = {
        "LLM_MODEL": settings.LLM_MODEL,
        "EVALUATION_MODEL": settings.EVALUATION_MODEL,
        "EMBEDDING_MODEL": settings.EMBEDDING_MODEL.removeprefix("litellm:"),
    }
    found: list[CheckMessage] = []
    for name, model in models.items():
        keys = _KEYS.get(model.partition("/")[0], ())
        if keys and not any(os.environ.get(key) for key in keys):
            hint = "Set it in the environment of web and worker, or choose another model. docs/models.md lists them."
            found.append(Warning(f"{name} is {model!r}, and {keys[0]} is not set.", hint=hint, id="footnote.W006"))
    return found


@register(SETTINGS_TAG)
def ingestion_fence_setting(**_: Any) -> list[CheckMessage]:
    """Check that INGEST_FENCE is one of its two words."""
    if settings.INGEST_FENCE in FENCE_MODES:
        return []
    hint = f"Set it to {' or '.join(FENCE_MODES)}."
    return [Error(f"INGEST_FENCE is {settings.INGEST_FENCE!r}.", hint=hint, id="footnote.E040")]


@register(INGESTION_TAG, deploy=True)
def ingestion_fence(**_: Any) -> list[CheckMessage]:
    """Check the sandbox of a process that reads files, on this machine and for this account."""
    return fence_messages(probe(), settings.INGEST_FENCE)


def fence_messages(report: Report, mode: str) -> list[CheckMessage]:
    """Describe such a sandbox as messages of a check. mode: the setting INGEST_FENCE."""
    if report.holds:
        return [Info(f"Files are read in a sandbox: {report.words}.", id="footnote.I001")]
    message = f"A process that reads files can reach {' and '.join(report.still_open)}; its sandbox: {report.words}."
    hint = "Run the worker where seccomp or Landlock is available. docs/sandbox.md says what a container needs."
    if mode == "best-effort":
        return [Warning(message, hint=hint, id="footnote.W040")]
    return [Error(f"{message} Nothing will be ingested.", hint=hint, id="footnote.E041")]


@register(SETTINGS_TAG)
def unknown_settings(**_: Any) -> list[CheckMessage]:
    """A misspelt setting would be ignored in silence."""
    known = [name for name in dir(settings) if name.isupper()]
    names = (name for name in os.environ if name.startswith(_OWN_PREFIXES))
    return [
        Warning(f"{name} is not a Footnote setting.", hint=_suggest_name(name, known), id="footnote.W001")
        for name in sorted(names)
        if name not in known and name not in _FOR_TESTS
    ]


@register(Tags.database)
def database(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """The database answers, and its pgvector is new enough."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        try:
            problem = pgvector.problem(connections[alias])
        except DatabaseError:
            hint = "Check DATABASE_URL, and that the server is running and accepts connections from this machine."
            found.append(Error("The database cannot be reached.", hint=hint, id="footnote.E007"))
            continue
        if problem:
            hint = "Install a newer pgvector on the server, then run in the database: ALTER EXTENSION vector UPDATE"
            found.append(Error(problem, hint=hint, id="footnote.E008"))
    return found


@register(Tags.database)
def embedding_model(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """The library has the embedding model that the setting names; a warning, since it goes on with the one it has."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        try:
            stored = EmbeddingModel.objects.using(alias).first()
        except DatabaseError:
            continue  # away, which another check reports, or before the first migration
        if stored and stored.setting != settings.EMBEDDING_MODEL:
            message = f"EMBEDDING_MODEL is {settings.EMBEDDING_MODEL}, and the library is embedded by {stored.name}."
            hint = (
                "To change the library's model, run: manage.py reembed. To keep it, set "
                f"EMBEDDING_MODEL={stored.setting}"
            )
            found.append(Warning(message, hint=hint, id="footnote.W005"))
    return found


@register(Tags.database)
def row_security(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """The database can use the full-text index under row-level security."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        try:
            slow = _searches_without_index(alias)
        except DatabaseError:
            continue  # away, which another check reports
        if slow:
            hint = (
                "As a superuser, run this once in the database: ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, "
                "tsquery) LEAKPROOF"
            )
            message = "Full text is searched without its index, which is slow in a large library."
            found.append(Warning(message, hint=hint, id="footnote.W004"))
    return found


def _searches_without_index(alias: str) -> bool:
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT NOT proleakproof FROM pg_proc WHERE proname = 'ts_match_vq'")
        (slow,) = cursor.fetchone()
    return bool(slow)


@register(DATABASE_TAG, deploy=True)
def safe_database(**_: Any) -> list[CheckMessage]:
    """The database is none of a trial, and holds Footnote's user to row-level security."""
    return [Error(danger.message, hint=danger.hint, id=danger.id) for danger in dangers()]


def _out_of_bounds(
    *names: str, hint: str, code: str, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> list[CheckMessage]:
    """Return an error for each of these settings that is not a number within the bounds, which it names."""
    bounds = (("at least", least), ("above", above), ("at most", most))
    told = " and ".join(f"{words} {bound}" for words, bound in bounds if math.isfinite(bound))
    values = {name: getattr(settings, name) for name in names}
    return [
        Error(f"{name} is {value}. It must be {told}.", hint=hint, id=code)
        for name, value in values.items()
        if not (least <= value <= most and value > above)
    ]


def refuse_unsafe_start() -> None:
    """Raise ImproperlyConfigured, with every hint, when these settings must not serve anybody."""
    messages = run_checks(tags=[SETTINGS_TAG], include_deployment_checks=True)
    serious = [f"{message.msg} {message.hint}" for message in messages if message.is_serious()]
    if serious:
        raise ImproperlyConfigured("Footnote does not start with these settings. " + " ".join(serious))


def _suggest_name(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {close[0]}?" if close else "docs/settings.md lists the settings."
