"""No page shows what is stored as it is stored: values of several parts are tables and lists, ids are folded away.

The walk through every page, in test_pages, looks for it on each of them.
"""

import re
from uuid import UUID

import pytest
from django.contrib import admin
from django.test import Client

from adminsite.admin.facts import in_words
from core.models import QueryLog
from tests.integration.adminsite.conftest import World
from tests.integration.adminsite.test_pages import page

ID = UUID("6f45a792-e8f1-4f2d-b612-3a79ab8116d6")


def test_the_log_of_a_question_is_a_table(root: Client, world: World) -> None:
    """Steps and their times by name, ids folded away."""
    log = QueryLog.objects.get(query=world.vault_answer.query)
    shown = root.get(page(QueryLog, "change", log.pk), follow=True).content.decode()
    assert re.search(r'<th scope="row">retrieve</th><td>[\d.]+</td>', shown)
    assert re.search(r"<summary>\d ids</summary>", shown)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        ({}, "–"),
        ([], "–"),
        (True, "yes"),
        (0.123456, "0.123"),
        (2.0, "2"),
        (0, "0"),
        (["a", "b"], "a, b"),
        ("2026-01-02T03:04:05+00:00", "2026-01-02 03:04:05"),
        ("2026-13-45T03:04:05+00:00", "2026-13-45T03:04:05+00:00"),
        ({"a_b": 1}, '<table class="fn-facts"><tr><th scope="row">a b</th><td>1</td></tr></table>'),
        ({"<b>": "<i>"}, '<table class="fn-facts"><tr><th scope="row">&lt;b&gt;</th><td>&lt;i&gt;</td></tr></table>'),
        ([ID], f"<details><summary>1 ids</summary><small>{ID}</small></details>"),
    ],
)
def test_a_value_in_words(value: object, words: str) -> None:
    """Each kind; markup is text."""
    assert str(in_words(value)) == words


def test_every_list_has_a_name_and_no_column_of_ids() -> None:
    """A list begins with what a person knows a row by, not with the id of a request."""
    for model, shown in admin.site._registry.items():
        columns = [str(name) for name in shown.list_display]
        assert "request_id" not in columns, model
        assert model._meta.verbose_name_plural, model
