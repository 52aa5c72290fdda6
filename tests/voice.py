"""Find docstrings that open with a question word, for the ratchet in tests/architecture and for `.ci/house.py`.

"Whether the quote still stands in the text" leaves a reader to work out what goes in and what comes out. A function's
docstring opens with a verb instead, and a class's with what one of it is.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("core", "bot", "adminsite", "slack_emulator", "readers", "benchmarks", "evaluation", "tests", ".ci")

_QUESTION_WORD = re.compile(r"(What|Who|Whose|Whom|Whether|How|Where|When|Which|Why)\b")
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, kw_only=True)
class Docstring:
    """A docstring with its place."""

    place: str  # path and line, "core/api.py:12"
    text: str

    @property
    def opens_with_question(self) -> bool:
        """True if its first word is a question word such as what, who or whether."""
        return bool(_QUESTION_WORD.match(self.text))


def list_sources(root: Path) -> list[Path]:
    """Return every Python file of the repository but migrations, which Django writes."""
    files = (file for folder in FOLDERS for file in (root / folder).rglob("*.py"))
    return sorted(file for file in files if file.parent.name != "migrations")


def walk_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and the statements within it. Leaving out expressions makes it several times as fast as ast.walk."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from walk_statements(child)


def list_docstrings(source: str, path: str) -> Iterator[Docstring]:
    """Yield the docstrings of a module, its classes and its functions."""
    for node in walk_statements(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node)):
            yield Docstring(place=f"{path}:{node.body[0].lineno}", text=text)


def measure_openers(docstrings: Iterable[Docstring]) -> tuple[float, list[Docstring]]:
    """Return the share, 0..1, of docstrings that open with a question word, and these docstrings."""
    all_of_them = list(docstrings)
    found = [one for one in all_of_them if one.opens_with_question]
    return len(found) / max(1, len(all_of_them)), found


def read_docstrings(root: Path) -> Iterator[Docstring]:
    """Yield the docstrings of every source file of the repository."""
    for file in list_sources(root):
        yield from list_docstrings(file.read_text(encoding="utf-8"), str(file.relative_to(root)))
