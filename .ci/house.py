"""Print figures of the house: wording of docstrings, comments and commits, and the shape of modules and functions.

    python3 .ci/house.py [FOLDER]

Without a folder they are those of this checkout. One line for each figure. They are for comparing one month with
another; tests/architecture/test_voice.py sets a limit to the first one. The standard library and git are enough.
"""

import ast
import io
import re
import statistics
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.packages import PACKAGES  # noqa: E402 - found by the line above
from tests.voice import list_sources, measure_openers, read_docstrings, walk_statements  # noqa: E402 - as well

COMMITS = 200
LONGEST_SUBJECT = 72
SHORT_MODULE = 30  # lines

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_STANDS = frozenset({"stand", "stands"})
_TOLD = frozenset({"told", "tell", "tells"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read_comments(root: Path) -> Iterator[str]:
    """Yield the comments of every source file of a repository."""
    for file in list_sources(root):
        tokens = tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline)
        yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


def read_subjects(root: Path) -> list[str]:
    """Return the subjects of the last commits, without merges; none outside a git repository."""
    command = ["git", "-C", str(root), "log", f"-{COMMITS}", "--no-merges", "--format=%s"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def read_modules(root: Path) -> dict[str, ast.Module]:
    """Parse the modules of the product, by their dotted names."""
    files = [file for file in list_sources(root) if file.relative_to(root).parts[0] in PACKAGES]
    names = (".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for file in files)
    return dict(zip(names, (ast.parse(file.read_text(encoding="utf-8")) for file in files), strict=True))


def list_imported(module: ast.Module) -> Iterator[str]:
    """Yield the dotted names that a module imports. Relative imports are not used here."""
    for node in walk_statements(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def count_importers(modules: dict[str, ast.Module]) -> dict[str, int]:
    """Count the other modules of the product that import each module."""
    importers = defaultdict[str, set[str]](set)
    for name, module in modules.items():
        for imported in list_imported(module):
            importers[imported].add(name)
    return {name: len(importers[name] - {name}) for name in modules}


def is_private(function: _Function) -> bool:
    """Return True for a name with one underscore in front."""
    return function.name.startswith("_") and not function.name.startswith("__")


def count_names(module: ast.Module) -> Counter[str]:
    """Count how often a module names each function or other thing, definitions apart."""
    names = Counter[str]()
    for node in ast.walk(module):
        if isinstance(node, ast.Name):
            names[node.id] += 1
        elif isinstance(node, ast.Attribute):
            names[node.attr] += 1
    return names


def percent(part: int, whole: int) -> str:
    """Format a share; 0 % of nothing."""
    return f"{part / max(1, whole):.1%}"


def list_figures(root: Path) -> Iterator[tuple[str, str]]:
    """Yield each figure with its name."""
    docstrings = list(read_docstrings(root))
    share, _ = measure_openers(docstrings)
    yield "docstrings that open with a question word", f"{share:.1%}"
    texts = [*(one.text for one in docstrings), *read_comments(root)]
    words = Counter(word.casefold() for text in texts for word in _WORD.findall(text))
    for name, forms in (('"stand" and "stands"', _STANDS), ('"told", "tell" and "tells"', _TOLD)):
        per_thousand = 1000 * sum(words[form] for form in forms) / max(1, words.total())
        yield f"{name} in 1,000 words of docstrings and comments", f"{per_thousand:.2f}"
    subjects = read_subjects(root)
    too_long = sum(len(subject) > LONGEST_SUBJECT for subject in subjects)
    yield (
        f"subjects of the last {len(subjects)} commits over {LONGEST_SUBJECT} characters",
        percent(too_long, len(subjects)),
    )
    modules = read_modules(root)
    functions = {
        name: [one for one in walk_statements(tree) if isinstance(one, _Function)] for name, tree in modules.items()
    }
    private = {name: [one.name for one in some if is_private(one)] for name, some in functions.items()}
    all_functions, all_private = sum(map(len, functions.values())), sum(map(len, private.values()))
    one_word = sum("_" not in each[1:] for some in private.values() for each in some)
    yield "private functions with a name of one word", percent(one_word, all_private)
    called_once = 0
    for name, some in private.items():
        uses = count_names(modules[name])
        called_once += sum(uses[each] == 1 for each in some)
    yield "functions that are private and called once", percent(called_once, all_functions)
    importers = count_importers(modules)
    lines = (module.body[-1].end_lineno or 0 for module in modules.values() if module.body)
    yield "modules", str(len(modules))
    yield f"modules under {SHORT_MODULE} lines", str(sum(count < SHORT_MODULE for count in lines))
    yield "modules with one importer", str(sum(count == 1 for count in importers.values()))
    lengths = [(one.end_lineno or 0) - one.lineno + 1 for some in functions.values() for one in some]
    yield "median length of a function in lines", f"{statistics.median(lengths):g}"


def main() -> None:
    """Print the figures."""
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    for name, figure in list_figures(root):
        sys.stdout.write(f"{name}: {figure}\n")


if __name__ == "__main__":
    main()
