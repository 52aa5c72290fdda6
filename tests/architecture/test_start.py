"""Test the start: production settings pass every check, and no model library is loaded before it is needed."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.db import connection

from core.management.base import SETTINGS_TAG, FootnoteCommand
from tests.architecture.test_docs import commands

ROOT = Path(__file__).resolve().parents[2]
HEAVY = [
    "babel",
    "litellm",
    "mcp",
    "nltk",
    "opentelemetry",
    "pypdfium2",
    "sentence_transformers",
    "smolagents",
    "torch",
    "trafilatura",
    "transformers",
]
BOT = "bot.__main__, bot.app"
MODELS = {"litellm", "sentence_transformers", "smolagents", "torch", "transformers"}
PRODUCTION = {
    "ALLOWED_HOSTS": "footnote.example.com",
    "SECRET_KEY": "c4ZmV8sQnB2xT7kLw9RjY3hGd6PfU1eAoI5vNbMzXqKtWyHsDg",
    "RECEIPT_SIGNING_KEYS": "d4sOyu4hAHcCmzrzSmGFMYVKgmQnOyYqT0WQSmmNTUg",
    "SLACK_BOT_TOKEN": "xoxb-1",
    "SLACK_SIGNING_SECRET": "secret",
}


@pytest.fixture(autouse=True)
def _database(django_db_setup: None) -> None:
    """The tests' own, whose tables are there and empty: the one beside it may be a trial's, which no start wants."""


def _run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run this interpreter with these settings alone, on the tests' server."""
    common = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": f"{settings.DATABASE_URL.rpartition('/')[0]}/{connection.settings_dict['NAME']}",
        "DJANGO_SETTINGS_MODULE": "adminsite.settings",
        "FOOTNOTE_HOME": str(settings.FOOTNOTE_HOME),
    }
    return subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        cwd=ROOT,
        env=common | env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_settings_pass_every_check() -> None:
    """Django's deployment checks and ours, warnings included; all that is said is what shuts parsers in."""
    done = _run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert "identified 1 issue (1 silenced)" in done.stderr
    assert "footnote.I001" in done.stderr


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set."),
        pytest.param({"SECRET_KEY": "short"}, "SECRET_KEY is shorter than 50 characters", marks=pytest.mark.slow),
        pytest.param({"LOCAL_PAGE": "1"}, "LOCAL_PAGE is on without DEBUG", marks=pytest.mark.slow),
        pytest.param({"SLACK_SIGNING_SECRET": ""}, "no way for events to come in", marks=pytest.mark.slow),
    ],
)
def test_the_web_process_does_not_start_on_unsafe_settings(change: dict[str, str], expected: str) -> None:
    """It says what is wrong."""
    refused = _run("-c", "import adminsite.wsgi", **(PRODUCTION | change))
    assert refused.returncode == 1
    assert expected in refused.stderr


def test_the_web_process_starts_on_safe_settings() -> None:
    """Those of which each refused start has one changed."""
    assert _run("-c", "import adminsite.wsgi", **PRODUCTION).returncode == 0


@cache
def _find_loaded(modules: str) -> frozenset[str]:
    """Return the names of all modules that a process has loaded which has imported these."""
    script = f"import json, sys, django\ndjango.setup()\nimport {modules}\nprint(json.dumps(sorted(sys.modules)))\n"
    done = _run("-c", script, DEBUG="1")
    assert done.returncode == 0, done.stderr
    return frozenset(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("modules", ["adminsite.wsgi", BOT, "core.api, core.infrastructure.queue"])
def test_no_process_loads_a_model_library_at_its_start(modules: str) -> None:
    """They take seconds and hundreds of megabytes, and most processes and commands never need them."""
    loaded = {name.partition(".")[0] for name in _find_loaded(modules)}
    assert loaded & {*HEAVY, "trulens"} == set()


def test_no_process_that_shows_no_page_loads_the_admin() -> None:
    """It takes as long as all else that a command needs to be set up."""
    loaded = _find_loaded(BOT)
    assert "bot.app" in loaded
    assert "adminsite.admin" not in loaded


def test_the_checks_of_the_admin_look_at_its_pages() -> None:
    """Whichever check comes first: with these alone no addresses were loaded."""
    script = (
        "import django; django.setup()\n"
        "from django.core.checks import run_checks\n"
        "from django.contrib.admin import ModelAdmin, site\n"
        "ModelAdmin.checks_class.check = lambda self, page, **_: [type(page).__name__]\n"
        "print(len(run_checks(tags=['admin'])), len(site._registry))\n"
    )
    done = _run("-c", script, DEBUG="1")
    assert done.returncode == 0, done.stderr
    checked, registered = map(int, done.stdout.split())
    assert checked >= registered > 20


@pytest.mark.parametrize("name", sorted(commands()))
def test_no_command_checks_more_than_the_settings(name: str) -> None:
    """Django's own checks would load every page of the web side first."""
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, FootnoteCommand)
    assert command.requires_system_checks in ([], [SETTINGS_TAG])


def test_a_command_says_what_is_wrong_with_a_setting() -> None:
    """It begins with nothing."""
    done = _run("manage.py", "verify_audit", DEBUG="1", SESSION_IDLE_MINUTES="0")
    assert done.returncode == 1
    assert "SESSION_IDLE_MINUTES is less than 1." in done.stderr


@pytest.mark.django_db
def test_the_web_process_loads_no_model_for_what_is_not_an_answer() -> None:
    """Nor does handing in a file: hundreds of megabytes for each web process. Only who asks it brings them along."""
    script = (
        "import json, sys, django\n"
        "django.setup()\n"
        "from django.db import transaction\n"
        "from django.test import Client\n"
        "from core.models import User\n"
        "with transaction.atomic():\n"
        "    person = User.objects.create_superuser('dana@example.com', 'a-password-of-tests')\n"
        "    client = Client(raise_request_exception=False)\n"
        "    client.force_login(person)\n"
        "    pages = ['/livez', '/readyz', '/admin/', '/admin/core/document/', '/admin/core/ingestionjob/add/',\n"
        "             '/admin/core/role/matrix/', '/admin/core/querylog/reports/', '/api/v1/schema']\n"
        "    codes = {page: client.get(page).status_code for page in pages}\n"
        "    transaction.set_rollback(True)\n"
        "print(json.dumps([codes, sorted({name.partition('.')[0] for name in sys.modules})]))\n"
    )
    done = _run("-c", script, DEBUG="1", ALLOWED_HOSTS="testserver")
    assert done.returncode == 0, done.stderr
    codes, loaded = json.loads(done.stdout.splitlines()[-1])
    assert set(codes.values()) == {200}, codes
    assert set(loaded) & MODELS == set()
