"""Every model is decided about: it gives a right, and a restore takes it away again; or it gives none, and why."""

from collections import Counter

import pytest
from django.apps import apps

from core.operations.backup.reducing import _WAYS
from core.operations.backup.rights import RIGHTS, WITHOUT_RIGHTS, Right, Way, list_undecided

_LABELS = {model._meta.label for model in apps.get_models(include_auto_created=True)}
_BY_COLUMNS = [right for right in RIGHTS if right.plain]


def test_every_model_is_in_one_of_the_tables() -> None:
    """A new model fails until somebody says what it gives, and how that is taken away again."""
    assert not list_undecided(), "decide about these models in core/operations/backup/rights.py"
    named = Counter([*(right.model for right in RIGHTS), *WITHOUT_RIGHTS])
    assert set(named) == _LABELS
    assert max(named.values()) == 1
    assert all(WITHOUT_RIGHTS.values())


@pytest.mark.parametrize("right", _BY_COLUMNS, ids=lambda right: right.model)
def test_every_column_of_a_model_with_several_rights_is_decided_about(right: Right) -> None:
    """A new switch on a person, a channel or a data source fails likewise."""
    fields = set(right.of._meta.local_fields)
    decided = {*right.columns, *right.plain}
    undecided = {field.name for field in fields if not {field.name, field.attname} & decided}
    assert undecided == set()
    columns = {name for field in right.of._meta.get_fields() for name in (field.name, getattr(field, "attname", ""))}
    assert decided - {"pk"} <= columns


def test_each_right_can_be_told_and_taken() -> None:
    """The names in the table are those of columns, and each way is one that the restore goes."""
    assert {right.way for right in RIGHTS} - {Way.ALL} == set(_WAYS)
    for right in RIGHTS:
        assert right.gives
        assert bool(right.by_hand) == bool(
            right.held or right.new_hold_back or right.way in {Way.COUNTED, Way.DOCUMENTS}
        )
        assert right.hashed <= set(right.columns)
        for column in set(right.columns) - {"pk"}:
            assert right.of._meta.get_field(column)
