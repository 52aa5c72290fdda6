"""Proposed changes in the form of a source: tried with their own token by the test, and before it is saved."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.test import Client
from pytest_django.fixtures import Settings

from core.library.sync import credentials
from core.models import Collection, DataSource, IntranetHost
from core.testing import Cast
from tests.integration.adminsite.test_sources import NO_RUNS, SOURCES, filled
from tests.integration.sync.proposed import Place, open_place
from tests.integration.sync.servers.merge_requests import TOKEN

pytestmark = pytest.mark.usefixtures("fast")
SAID = "Changes can be proposed: merge request."


@pytest.fixture
def place(tmp_path: Path, settings: Settings, cast: Cast) -> Iterator[Place]:
    """A repository with a document on a server like GitLab, which an administrator allows to be asked."""
    settings.SOURCE_SECRET_KEYS = [Fernet.generate_key().decode()]
    IntranetHost.objects.create(name="127.0.0.1")
    with open_place("gitlab", tmp_path) as opened:
        opened.put("tides.md", b"# Tides\n\nThe tide is high at noon.\n")
        yield opened


def given(place: Place, **changes: object) -> dict[str, object]:
    """Build an administrator's entries: with the right tokens, unless they say otherwise."""
    shelf, _ = Collection.objects.get_or_create(name="Shelf")
    entered = {f"setting_{name}": value for name, value in place.served.settings.items()}
    entered |= {"secret_password": place.served.secrets["password"], "secret_change_token": TOKEN, "save_untested": ""}
    return filled(shelf, **entered | changes)


def test_the_test_says_how_changes_are_proposed(root: Client, place: Place) -> None:
    """Of a form, and of what is stored; not where the settings allow none."""
    shown = root.post(f"{SOURCES}test/?kind=git", given(place)).content.decode()
    assert "tides.md" in shown
    assert SAID in shown
    assert root.post(f"{SOURCES}add/?kind=git", given(place)).status_code == 302
    page = f"{SOURCES}{DataSource.objects.get().pk}/test/?first"
    assert SAID in root.post(page).content.decode()
    shown = root.post(f"{SOURCES}test/?kind=git", given(place, setting_changes="none")).content.decode()
    assert "tides.md" in shown
    assert "proposed" not in shown


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("", "There is no token for proposed changes. Enter one."),
        ("wrong-letters", "The server does not accept the user name with the token for proposed changes. Renew it."),
        ("may-read", "The server does not let the token for proposed changes write to the repository."),
    ],
)
def test_a_source_whose_changes_are_refused_is_not_saved(root: Client, place: Place, token: str, reason: str) -> None:
    """The test and the form say why, and nothing of the token; untested it is saved, and its page says so then."""
    wrong = given(place, secret_change_token=token)
    shown = root.post(f"{SOURCES}test/?kind=git", wrong).content.decode()
    assert "The source takes no proposed changes." in shown
    assert f"The source was tried. Changes cannot be proposed. {reason}" in shown
    assert "cannot be read" not in shown
    response = root.post(f"{SOURCES}add/?kind=git", wrong)
    [error] = response.context["adminform"].form.non_field_errors()
    assert error.startswith(f"The source was tried. Changes cannot be proposed. {reason}")
    assert not token or token not in shown + response.content.decode()
    assert not DataSource.objects.exists()
    assert root.post(f"{SOURCES}add/?kind=git", wrong | {"save_untested": "on"}).status_code == 302
    shown = root.post(f"{SOURCES}{DataSource.objects.get().pk}/test/?first").content.decode()
    assert "The source takes no proposed changes." in shown
    assert f"Changes cannot be proposed. {reason}" in shown


def test_a_source_takes_changes_once_its_token_is_right(root: Client, place: Place) -> None:
    """Changed later, a wrong token is refused in the same way, and what was stored stays."""
    plain = given(place, setting_changes="none", secret_change_token="")
    assert root.post(f"{SOURCES}add/?kind=git", plain).status_code == 302
    source = DataSource.objects.get()
    page = f"{SOURCES}{source.pk}/change/"
    stays = NO_RUNS | {"secret_password": "", "collection": str(source.collection_id)}
    refused = root.post(page, given(place, secret_change_token="may-read") | stays)
    [error] = refused.context["adminform"].form.non_field_errors()
    assert "does not let the token for proposed changes write" in error
    source.refresh_from_db()
    assert (source.settings["changes"], set(credentials.read(source))) == ("none", {"password"})
    assert root.post(page, given(place) | stays).status_code == 302
    source.refresh_from_db()
    assert (source.settings["changes"], credentials.read(source)["change_token"]) == ("gitlab", TOKEN)


def test_a_source_that_cannot_be_read_says_so_first(root: Client, place: Place) -> None:
    """Also where its changes would be refused."""
    wrong = given(place, secret_password="wrong", secret_change_token="wrong-letters")
    shown = root.post(f"{SOURCES}test/?kind=git", wrong).content.decode()
    assert "The source cannot be read." in shown
    assert "does not accept the user name and password" in shown
    assert "proposed changes" not in shown
