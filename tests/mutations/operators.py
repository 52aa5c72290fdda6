"""Small ways to break a piece of code, in terms of its structure: its layout and comments do not matter.

An operator gets the tree of a function, a method or a constant and changes one place of it. AmbiguityError when no
place fits, or several do.

mentions: words that all occur in the place that is meant, separated by spaces. They are names, attributes, and the
constants True, False and None. call: the name of a function or method, without what it is called on. becomes: Python.
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Operator = Callable[[ast.AST], None]
_Fields = set[tuple[type[ast.AST], str]]

_VALUES: _Fields = {(ast.Assign, "value"), (ast.AnnAssign, "value"), (ast.Return, "value"), (ast.For, "iter")}
_CONDITIONS: _Fields = {(ast.If, "test"), (ast.IfExp, "test"), (ast.comprehension, "ifs")}
_OPERANDS: _Fields = {(ast.BoolOp, "values")}


class AmbiguityError(ValueError):
    """Raised when the place to change does not exist exactly once."""


def replace_value(mentions: str, becomes: str) -> Operator:
    """Assign, return or loop over something else than the value that mentions these words."""
    return lambda tree: _find_mention(tree, _VALUES, mentions).put(_parse(becomes))


def replace_condition(mentions: str, becomes: str) -> Operator:
    """Put something in the place of the condition, of an `if` or in a comprehension, that mentions these words."""
    return lambda tree: _find_mention(tree, _CONDITIONS, mentions).put(_parse(becomes))


def drop_operand(mentions: str) -> Operator:
    """Leave the operand that mentions these words out of an `and` or an `or`."""
    return lambda tree: _find_mention(tree, _OPERANDS, mentions).drop()


def replace_call(call: str, becomes: str) -> Operator:
    """Put something in the place of a call; of a method's call together with what it is called on."""
    return lambda tree: _find(tree, f"call of {call}", lambda place: _is_call(place.node, call)).put(_parse(becomes))


def replace_argument(call: str, argument: int | str, becomes: str) -> Operator:
    """Call with another value for an argument, which is a position from 0 or a keyword."""
    value = _parse(becomes)
    node = ast.keyword(arg=argument, value=value) if isinstance(argument, str) else value
    return lambda tree: _find_argument(tree, call, argument).put(node)


def drop_argument(call: str, argument: int | str) -> Operator:
    """Call without an argument, which is a position from 0 or a keyword."""
    return lambda tree: _find_argument(tree, call, argument).drop()


def drop_statement(call: str) -> Operator:
    """Leave out the statement that only calls something."""

    def fits(place: _Place) -> bool:
        return isinstance(place.node, ast.Expr) and _is_call(place.node.value, call)

    return lambda tree: _find(tree, f"statement that calls {call}", fits).put(ast.Pass())


def drop_context(call: str) -> Operator:
    """Leave one of the context managers out of a `with`."""

    def fits(place: _Place) -> bool:
        return isinstance(place.node, ast.withitem) and _is_call(place.node.context_expr, call)

    return lambda tree: _find(tree, f"context manager {call}", fits).drop()


def replace_default_case(becomes: str) -> Operator:
    """Do something else in the `case _` of a `match`."""

    def fits(place: _Place) -> bool:
        return isinstance(place.node, ast.match_case) and ast.unparse(place.node.pattern) == "_"

    def operate(tree: ast.AST) -> None:
        _find(tree, "default case", fits).node.body = ast.parse(becomes).body

    return operate


def replace_text(pattern: str, becomes: str) -> Operator:
    """Put something in the place of what a regular expression matches in a string, such as SQL."""

    def operate(tree: ast.AST) -> None:
        place = _find(tree, f"string with {pattern}", lambda place: _count_matches(pattern, place.node) == 1)
        place.put(ast.Constant(re.sub(pattern, lambda _: becomes, place.node.value)))

    return operate


@dataclass(frozen=True, slots=True)
class _Place:
    """A node's place in a tree: a field of its owner, with an index where the field is a list."""

    owner: ast.AST
    field: str
    index: int | None
    node: Any

    def put(self, node: ast.AST) -> None:
        """Put another node here."""
        if self.index is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.index] = node

    def drop(self) -> None:
        """Take the node out of its list."""
        del getattr(self.owner, self.field)[self.index]


def _iterate_places(tree: ast.AST) -> Iterator[_Place]:
    for owner in ast.walk(tree):
        for field, value in ast.iter_fields(owner):
            if isinstance(value, list):
                yield from (_Place(owner, field, index, node) for index, node in enumerate(value))
            elif isinstance(value, ast.AST):
                yield _Place(owner, field, None, value)


def _find(tree: ast.AST, what: str, fits: Callable[[_Place], bool]) -> _Place:
    """The place that fits. AmbiguityError when there is not exactly one, which says what was looked for."""
    found = [place for place in _iterate_places(tree) if fits(place)]
    if len(found) != 1:
        raise AmbiguityError(f"{what}: {len(found)} of them, not one")
    return found[0]


def _find_mention(tree: ast.AST, fields: _Fields, mentions: str) -> _Place:
    words = set(mentions.split())

    def fits(place: _Place) -> bool:
        return (type(place.owner), place.field) in fields and words <= _collect_words(place.node)

    return _find(tree, f"place that mentions {mentions}", fits)


def _find_argument(tree: ast.AST, call: str, argument: int | str) -> _Place:
    def fits(place: _Place) -> bool:
        if not _is_call(place.owner, call):
            return False
        return argument == (place.node.arg if place.field == "keywords" else place.index)

    return _find(tree, f"argument {argument} of {call}", fits)


def _is_call(node: Any, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
            return bool(called == name)
    return False


def _count_matches(pattern: str, node: Any) -> int:
    match node:
        case ast.Constant(value=str(text)):
            return len(re.findall(pattern, text))
    return 0


def _collect_words(tree: ast.AST) -> set[str]:
    """The names, the attributes and the constants True, False and None in a tree."""
    words = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word):
                words.add(word)
            case ast.Constant(value=None | True | False as value):
                words.add(str(value))
    return words


def _parse(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body
