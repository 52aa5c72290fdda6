"""The operators of tests.mutations, and what a change refuses to do."""

import ast
from pathlib import Path

import pytest

from tests.mutations.changes import Change, NoMutantError, mutate_files, mutate_source
from tests.mutations.operators import (
    AmbiguityError,
    Operator,
    drop_argument,
    drop_context,
    drop_operand,
    drop_statement,
    replace_argument,
    replace_call,
    replace_condition,
    replace_default_case,
    replace_text,
    replace_value,
)

CLASS = """
class Reader:
    def read(self, row):
        return row  # as it is

    def skip(self, row):
        return row
"""


def _operate(operator: Operator, source: str) -> str:
    tree = ast.parse(source)
    operator(tree)
    return ast.unparse(ast.fix_missing_locations(tree))


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        (replace_value("load", "[]"), "rows = load(1)", "rows = []"),
        (replace_value("load", "[]"), "rows: list = load(1)", "rows: list = []"),
        (replace_value("True", "None"), "def f():\n    return True", "def f():\n    return None"),
        (replace_value("rows", "[]"), "for row in rows:\n    pass", "for row in []:\n    pass"),
        (
            replace_condition("a b", "False"),
            "if a:\n    f()\nif a == x.b:\n    g()",
            "if a:\n    f()\nif False:\n    g()",
        ),
        (replace_condition("a", "True"), "x = 1 if a else 2", "x = 1 if True else 2"),
        (replace_condition("a", "True"), "x = [y for y in z if a(y)]", "x = [y for y in z if True]"),
        (drop_operand("b"), "x = a and b(c)", "x = a"),
        (drop_operand("a"), "x = a or b or c", "x = b or c"),
        (replace_call("kept", "rows"), "x = rows.of(1).kept(2).first()", "x = rows.first()"),
        (replace_call("f", "g()"), "x = f(1)", "x = g()"),
        (replace_argument("f", 1, "0"), "f(a, b, c=b)", "f(a, 0, c=b)"),
        (replace_argument("f", "c", "0"), "x.f(a, b, c=b)", "x.f(a, b, c=0)"),
        (drop_argument("f", 0), "f(a, b)", "f(b)"),
        (drop_argument("f", "b"), "f(a=1)\nf(b=2)", "f(a=1)\nf()"),
        (drop_statement("f"), "before = f(1)\nf(2)", "before = f(1)\npass"),
        (drop_context("f"), "with f(1), g(2):\n    pass", "with g(2):\n    pass"),
        (
            replace_default_case("f()\ng()"),
            "match a:\n    case 1:\n        x = 1\n    case _:\n        x = 2",
            "match a:\n    case 1:\n        x = 1\n    case _:\n        f()\n        g()",
        ),
        (replace_text("a+", "b"), "x = 'caat'\ny = aa", "x = 'cbt'\ny = aa"),
    ],
)
def test_an_operator_changes_one_place(operator: Operator, source: str, expected: str) -> None:
    """The code around it stays as it is."""
    assert _operate(operator, source) == expected


@pytest.mark.parametrize(
    ("operator", "source"),
    [
        (replace_value("load", "[]"), "rows = read(1)"),
        (replace_condition("a", "False"), "while a:\n    pass"),
        (replace_condition("a", "False"), "if a:\n    pass\nif a:\n    pass"),
        (drop_operand("b"), "x = a + b"),
        (replace_call("f", "g()"), "f(f(1))"),
        (replace_argument("f", 2, "0"), "f(a, b)"),
        (drop_argument("f", "c"), "f(a, b, **c)"),
        (drop_statement("f"), "x = f()"),
        (drop_context("f"), "f()"),
        (replace_default_case("pass"), "match a:\n    case 1:\n        x = 1"),
        (replace_text("a", "b"), "x = 'ana'"),
        (replace_text("a", "b"), "x = 'a', 'a'"),
    ],
)
def test_no_place_or_several_are_an_error(operator: Operator, source: str) -> None:
    """Rather than a mutant that breaks something else, or nothing."""
    with pytest.raises(AmbiguityError):
        _operate(operator, source)


def test_a_change_is_made_in_the_named_definition_alone() -> None:
    """Comments are lost, and an import comes behind the docstring."""
    change = Change("some:Reader.skip", replace_value("row", "gone"), imports="from other import gone")
    assert mutate_source(change, f'"""Rows."""\n{CLASS}').split("\n") == [
        '"""Rows."""',
        "from other import gone",
        "",
        "class Reader:",
        "",
        "    def read(self, row):",
        "        return row",
        "",
        "    def skip(self, row):",
        "        return gone",
    ]


def test_a_constant_is_found_by_its_name() -> None:
    """Text elsewhere does not count."""
    assert (
        mutate_source(Change("some:SQL", replace_text("a", "b")), "SQL = 'a'\nNO_SQL = 'a'")
        == "SQL = 'b'\nNO_SQL = 'a'"
    )


@pytest.mark.parametrize("where", ["some:Writer", "some:Reader.write", "some:read"])
def test_what_is_not_defined_cannot_be_changed(where: str) -> None:
    """A function that was renamed or moved is noticed."""
    with pytest.raises(AmbiguityError):
        mutate_source(Change(where, replace_value("row", "None")), CLASS)


def test_a_change_that_changes_nothing_is_an_error() -> None:
    """A mutant that equals the code would survive every test."""
    with pytest.raises(NoMutantError):
        mutate_source(Change("some:Reader.read", replace_value("row", "row")), CLASS)


def test_changed_code_may_not_use_a_name_that_nothing_binds(tmp_path: Path) -> None:
    """It would fail every test for want of the name. Builtins and arguments are bound."""
    (tmp_path / "some.py").write_text(CLASS)
    with pytest.raises(NoMutantError, match="line"):
        mutate_files([Change("some:Reader.read", replace_value("row", "line"))], tmp_path)
    assert mutate_files([Change("some:Reader.read", replace_value("row", "len(row)"))], tmp_path).keys() == {"some.py"}


def test_changes_of_one_file_add_up(tmp_path: Path) -> None:
    """The file itself stays as it is."""
    (tmp_path / "some.py").write_text(CLASS)
    changes = [Change(f"some:Reader.{name}", replace_value("row", "None")) for name in ("read", "skip")]
    assert mutate_files(changes, tmp_path)["some.py"].count("return None") == 2
    assert (tmp_path / "some.py").read_text() == CLASS
