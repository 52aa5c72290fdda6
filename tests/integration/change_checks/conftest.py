"""A library, people who asked, and checks that run in the test's own process."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission

from core import api
from core.access.audiences import asker_for, audience_of
from core.models import ChangeCheck, Document, Query, User
from core.quality.change_checks import running
from core.quality.change_checks.trying import try_change
from core.testing import Cast, make_document
from core.values.change_checks import CheckState

CANTEEN = "The canteen opens at half past eleven and closes at two."
VAULT = "The vault opens at seven with two keys and closes at nine."
CASTLE = "The castle opens at ten and costs twelve dollars."

Deciding = Callable[..., User]


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask in this process: the one of its own is tested in test_child.py."""

    def ask(check: ChangeCheck) -> None:
        asked = 0

        def done(count: int) -> None:
            nonlocal asked
            asked += count

        try_change(check, chosen=lambda total: ChangeCheck.objects.filter(pk=check.pk).update(total=total), done=done)
        ChangeCheck.objects.filter(pk=check.pk).update(asked=asked)

    monkeypatch.setattr(running, "_ask_in_child", ask)


@pytest.fixture
def deciding(cast: Cast) -> Deciding:
    """Give a person rights: what a check of grants needs, and more."""

    def give(person: User, *more: str) -> User:
        names = ("view_changecheck", "decide_changes", "decide_who_reads", *more)
        person.user_permissions.add(*Permission.objects.filter(codename__in=names))
        return User.objects.get(pk=person.pk)

    return give


@pytest.fixture
def library(cast: Cast, fast: None, settings: Any) -> dict[str, Document]:
    """Documents of the two roles, and one that nobody reads."""
    settings.READER = "none"
    return {
        "canteen": make_document("Canteen", CANTEEN, roles=[cast.staff]),
        "vault": make_document("Vault", VAULT, roles=[]),
        "castle": make_document("Castle", CASTLE, roles=[cast.staff]),
    }


def ask(person: User, question: str) -> Query:
    """Ask as a person does, and return what was stored."""
    result = api.ask(question, asker=asker_for(person), audience=audience_of([person.pk]))
    return Query.objects.get(request_id=result.request_id)


def run(check: ChangeCheck) -> ChangeCheck:
    """Run a check as the worker does, and return it as it ended."""
    running.run_check(check.pk)
    check.refresh_from_db()
    assert check.state != CheckState.FAILED, check.reason
    return check
