"""A change to the code: where it is made, and by which operator; and what has to fail then."""

import ast
import builtins
import symtable
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.mutations.operators import AmbiguityError, Operator


class NoMutantError(ValueError):
    """A change leaves the code as it is, or uses a name that nothing binds any more."""


@dataclass(frozen=True, slots=True)
class Change:
    """One place of the code that is changed."""

    where: str  # module:qualified.name of a function, a method or a constant
    operator: Operator
    imports: str = ""  # an import statement that the changed code needs

    @property
    def path(self) -> str:
        """The module's file, from the root of the project."""
        return self.where.partition(":")[0].replace(".", "/") + ".py"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One way to break a protection."""

    name: str
    changes: tuple[Change, ...]
    tests: tuple[str, ...]  # what pytest is given, each of which has to fail


def mutate_files(changes: Iterable[Change], root: Path) -> dict[str, str]:
    """The source of the changed files by their paths, with all changes made. Nothing is written.

    AmbiguityError when a change has no place, or more than one. NoMutantError when one changes nothing, or when the
    changed code would fail for want of a name and so prove nothing.
    """
    sources: dict[str, str] = {}
    for change in changes:
        source = sources.get(change.path) or (root / change.path).read_text(encoding="utf-8")
        sources[change.path] = mutate_source(change, source)
    for path, source in sources.items():
        if unbound := _find_unbound(source) - _find_unbound((root / path).read_text(encoding="utf-8")):
            raise NoMutantError(f"{path}: nothing binds {', '.join(sorted(unbound))}")
    return sources


def mutate_source(change: Change, source: str) -> str:
    """The source of a module with one change made, without its comments."""
    tree = ast.parse(source)
    before = ast.dump(tree)
    change.operator(_find_definition(tree, change.where.partition(":")[2]))
    if ast.dump(tree) == before:
        raise NoMutantError(f"{change.where} stays as it is")
    first = 1 if ast.get_docstring(tree) else 0
    tree.body[first:first] = ast.parse(change.imports).body
    return ast.unparse(ast.fix_missing_locations(tree))


def _find_definition(tree: ast.AST, qualified_name: str) -> ast.AST:
    for name in qualified_name.split("."):
        found = [node for node in ast.iter_child_nodes(tree) if _defines(node, name)]
        if len(found) != 1:
            raise AmbiguityError(f"{qualified_name}: {len(found)} of them, not one")
        tree = found[0]
    return tree


def _defines(node: ast.AST, name: str) -> bool:
    match node:
        case ast.FunctionDef(name=defined) | ast.ClassDef(name=defined) | ast.Assign(targets=[ast.Name(id=defined)]):
            return bool(defined == name)
    return False


def _find_unbound(source: str) -> set[str]:
    """The names that a module's functions and classes take from the module, and that nothing binds."""
    module = symtable.symtable(source, "", "exec")
    bound = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    tables, used = [module], set()
    while tables:
        table = tables.pop()
        used |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
        tables += table.get_children()
    return used - bound - set(dir(builtins))
