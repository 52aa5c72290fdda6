"""A database that is not safe to start on: with people of the demo, or with a user that no row security holds."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from core.errors import UnsafeDatabaseError
from core.management.library import make_people
from core.models import AuditEvent, User
from core.operations.safe_database import SAMPLE_LIBRARY, dangers, refuse_unsafe_database
from slack_emulator.seeding import give_passwords, read_demo

ROOT = Path(__file__).parents[3]
DEMO = read_demo(ROOT / SAMPLE_LIBRARY)
PASSWORD = "a-password-of-this-library"
STRONG = "c4ZmV8sQnB2xT7kLw9RjY3hGd6PfU1eAoI5vNbMzXqKtWyHsDg"


@pytest.fixture
def demo(db: None) -> None:
    """The demo's people, as a trial makes them."""
    make_people(DEMO.library, password=None)
    give_passwords(DEMO, PASSWORD)


def test_only_the_demos_administrator_has_a_password_and_it_is_the_librarys_own(demo: None) -> None:
    """Also where a library of an earlier version gave everybody the same."""
    User.objects.get(email="bob@example.com").set_password("footnote-demo")
    for person in User.objects.all():
        person.set_password("footnote-demo")
        person.save()
    give_passwords(DEMO, PASSWORD)
    administrators = {person["email"] for person in DEMO.library.people if person.get("staff")}
    assert administrators
    assert {person.email for person in User.objects.all() if person.has_usable_password()} == administrators
    assert all(User.objects.get(email=email).check_password(PASSWORD) for email in administrators)


def test_nothing_starts_on_the_database_of_a_trial(demo: None, settings: Settings) -> None:
    """It says how to remove the demo's people; afterwards it starts, and everybody else is there still."""
    User.objects.create_user("dana@example.org", "her own")
    settings.DEBUG = True
    assert dangers() == []
    settings.DEBUG = False
    assert [danger.id for danger in dangers()] == ["footnote.E031"]
    with pytest.raises(UnsafeDatabaseError, match=r"manage\.py remove_demo"):
        refuse_unsafe_database()
    call_command("remove_demo", stdout=StringIO())
    assert [person.email for person in User.objects.all()] == ["dana@example.org"]
    assert AuditEvent.objects.filter(action="delete", object_type="user").count() == len(DEMO.library.people)
    refuse_unsafe_database()


def test_people_of_the_demo_without_a_password_stop_no_start(db: None) -> None:
    """Whoever took the addresses over, for instance for single sign-on, has closed that door."""
    make_people(DEMO.library, password=None)
    assert dangers() == []


@pytest.fixture
def trial(transactional_db: None) -> str:
    """The address of a database with a person of the demo, for other processes."""
    User.objects.create_superuser("alice@example.com", PASSWORD)
    return f"{settings.DATABASE_URL.rpartition('/')[0]}/{connection.settings_dict['NAME']}"


@pytest.mark.parametrize(
    "command",
    [
        ["-c", "import adminsite.wsgi"],
        ["-m", "bot"],
        ["manage.py", "worker"],
        ["manage.py", "start", "--no-demo"],
        ["manage.py", "check", "--deploy"],
    ],
    ids=["web", "bot", "worker", "start", "check"],
)
def test_every_process_refuses_the_database_of_a_trial(trial: str, command: list[str], tmp_path: Path) -> None:
    """Each says the same and ends."""
    env = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": trial,
        "FOOTNOTE_HOME": str(tmp_path),
        "PORT": "65123",
        "SECRET_KEY": STRONG,
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command], cwd=ROOT, env=env, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert "manage.py remove_demo" in done.stderr
    assert PASSWORD not in done.stderr + done.stdout
