"""The patterns of the packages: those that modules keep, and those that functions make of a constant."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
NOT_TO_BE_IMPORTED = ("wsgi", "asgi", "__main__")  # they start something
DEEPEST = 4  # containers within one another
READINGS = {"match", "fullmatch"}  # which begin at one place; every other method begins at all of them
MAKERS = READINGS | {"compile", "search", "sub", "subn", "split", "findall", "finditer"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A pattern, its place, and how it is read with: match, fullmatch or search."""

    name: str
    pattern: re.Pattern[Any]
    how: str


def found_patterns() -> list[Found]:
    """All of them, each once."""
    found: dict[tuple[Any, int, str], Found] = {}
    for module in _modules():
        source = Path(str(module.__file__)).read_text()
        for name, pattern in _kept(module.__name__, vars(module), 0):
            one = Found(name=name, pattern=pattern, how=_how(name, source))
            found.setdefault((pattern.pattern, pattern.flags, one.how), one)
    for path, call in _calls():
        if isinstance(call.args[0], ast.Constant):
            how = _maker(call)
            pattern = re.compile(str(call.args[0].value), _flags(call))
            one = Found(name=f"{path}:{call.lineno}", pattern=pattern, how=how if how in READINGS else "search")
            found.setdefault((pattern.pattern, pattern.flags, one.how), one)
    return list(found.values())


def made_of_words() -> set[tuple[str, str]]:
    """The functions, by file and name, that make a pattern of what is not known before they run."""
    return {
        (path, function) for path, function, call in _calls_in_functions() if not isinstance(call.args[0], ast.Constant)
    }


def _modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            if module.name.rpartition(".")[2] not in NOT_TO_BE_IMPORTED:
                yield importlib.import_module(module.name)


def _kept(name: str, values: Any, depth: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns in a value: itself, in containers, in fields of a dataclass, in attributes of our own classes."""
    if isinstance(values, re.Pattern):
        yield name, values
    elif depth < DEEPEST:
        for part, value in _parts(values):
            yield from _kept(f"{name}.{part}", value, depth + 1)


def _parts(values: Any) -> list[tuple[Any, Any]]:
    if isinstance(values, dict):
        return [*values.items(), *((f"key{place}", key) for place, key in enumerate(values))]
    if isinstance(values, list | tuple | set | frozenset):
        return list(enumerate(values))
    if isinstance(values, type) and values.__module__.partition(".")[0] in PACKAGES:
        return list(vars(values).items())
    if is_dataclass(values) and not isinstance(values, type):
        return [(field.name, getattr(values, field.name)) for field in fields(values)]
    return []


def _how(name: str, source: str) -> str:
    """Return how the module uses a pattern of that name: "search" unless it only ever matches at one place."""
    variable = re.escape(name.rpartition(".")[2])
    methods = set(re.findall(rf"\b{variable}\.(\w+)\(", source))
    others = re.findall(rf"\b{variable}\b(?!\.\w+\()", source)  # its own assignment is one
    return methods.pop() if len(methods) == 1 and methods <= READINGS and len(others) == 1 else "search"


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for path, _, call in _calls_in_functions():
        yield path, call


def _calls_in_functions() -> Iterator[tuple[str, str, ast.Call]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text()
            if "re." not in text:
                continue
            for function in ast.walk(ast.parse(text)):
                if isinstance(function, ast.FunctionDef):
                    for node in ast.walk(function):
                        if isinstance(node, ast.Call) and _maker(node):
                            yield str(path.relative_to(ROOT)), function.name, node


def _maker(call: ast.Call) -> str:
    """The function of `re` that a call calls; empty for any other call."""
    called = call.func
    of_re = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "re"
    return called.attr if of_re and isinstance(called, ast.Attribute) and called.attr in MAKERS else ""


def _flags(call: ast.Call) -> int:
    named = re.findall(r"\bre\.([A-Z]+)\b", ast.unparse(call))
    return sum({int(re.RegexFlag[name]) for name in named})
