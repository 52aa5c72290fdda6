"""Whatever Footnote says in Slack is said in every language, and the catalogues hold nothing else."""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from core.language.i18n.translation import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
TRANSLATED = sorted(LANGUAGES.keys() - {"en"})
MARKS = {"say", "translatable"}
# Errors that reach nobody in Slack: they are translated, logged or shown as another sentence.
UNTOLD = {
    "FaultError",
    "NoRoomError",
    "NoTokenKeyError",
    "SlackRefusedError",
    "SlackUnavailableError",
    "UnknownTeamError",
    "UnreadableTokenError",
    "UnusableFileError",
}
# Errors of core whose sentence somebody who asks or presses may be told.
TOLD = {"InactiveAccountError", "NotFoundError"}


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    for package in ("bot", "core"):
        for file in sorted((ROOT / package).rglob("*.py")):
            yield file, ast.parse(file.read_text(encoding="utf-8"))


def _said(tree: ast.Module) -> Iterator[str]:
    """The sentences that are written where they are said or marked."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            yield from (
                each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )


def _of_errors(file: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the messages of errors that people are shown: their docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
            is_bots = ROOT / "bot" in file.parents
            if node.name in TOLD or (is_bots and node.name not in UNTOLD):
                yield ast.get_docstring(node, clean=False) or ""


def needed() -> set[str]:
    """Every sentence that needs a translation."""
    return {sentence for file, tree in _trees() for sentence in [*_said(tree), *_of_errors(file, tree)]}


def names_in(sentence: str) -> set[str]:
    """The names that values are put in for."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def catalogue(code: str) -> Catalog:
    """The translations into a language, as they are written."""
    with (ROOT / "core" / "language" / "i18n" / "locale" / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code, abort_invalid=True)


def test_there_is_a_catalogue_for_each_language() -> None:
    """And none for a language that cannot be chosen."""
    assert sorted(file.stem for file in (ROOT / "core" / "language" / "i18n" / "locale").iterdir()) == TRANSLATED


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_sentence_is_translated_and_none_is_left_over(code: str) -> None:
    """Whole sets are compared: one that was added, changed or taken out shows here."""
    translated = {str(message.id): message.string for message in catalogue(code) if message.id}
    assert translated.keys() == needed()
    assert [sentence for sentence, words in translated.items() if not str(words).strip()] == []
    assert not any(message.fuzzy for message in catalogue(code) if message.id)


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_translation_keeps_what_is_put_in(code: str) -> None:
    """The same names in braces, the same code, and the same leading and closing spaces."""
    for message in catalogue(code):
        said, meant = str(message.string), str(message.id)
        if not meant:
            continue
        assert names_in(said) == names_in(meant), meant
        assert said.count("`") == meant.count("`"), meant
        assert said.count("\n") == meant.count("\n"), meant
        assert (said[:1].isspace(), said[-1:].isspace()) == (meant[:1].isspace(), meant[-1:].isspace()), meant


def test_every_sentence_is_found_by_what_is_scanned() -> None:
    """A sentence that is put together where it is said could not be looked up in a catalogue."""
    composed = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file, tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS
        if not node.args or isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
    ]
    assert composed == []
