"""Write the questions of readers/organisations as a dataset: `python -m benchmarks.papers FOLDER`.

The folder gets `library.toml`, with a collection, a role and a person for each of the 24 organisations, and
`papers.jsonl`, with 2,860 questions whose line says which organisation they are about (`library`). Then

    manage.py load_library FOLDER/library.toml --root readers/organisations
    manage.py evaluate FOLDER/papers.jsonl --no-scores [--half check] [--library choir]

in an installation that is made for it. The packaged reader was fitted on none of these papers. So that something is
left on which nothing was chosen, the organisations are in two halves: `check` is for measuring alone.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ORGANISATIONS = Path(__file__).parents[1] / "readers" / "organisations"
# The three that no reader may be fitted on (readers/organisations/README.md), and seven by lot.
CHECK = frozenset(
    {"farmshop", "shelter", "warehouse", "choir", "dentist", "housing", "makerspace", "pool", "sailing", "vets"}
)
_CELLS = "|"  # between cells, as organisations' files write tables
_NOTHING = "not-there"  # the kind of a question that nothing answers, as other datasets call it


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="Made if it is not there.")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.parent.name for path in ORGANISATIONS.glob("*/questions.jsonl"))
    (folder / "library.toml").write_text("\n".join(write_library(name) for name in names))
    lines = [line for name in names for line in read_lines(name)]
    (folder / "papers.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    print(f"{len(lines)} questions about the papers of {len(names)} organisations are in {folder / 'papers.jsonl'}.")


def write_library(name: str) -> str:
    """Write the role, the collection and the person of an organisation, as TOML."""
    return "\n".join(
        (
            f'[[roles]]\nname = "{name}"\ndescription = "Reads the papers of {name}."\n',
            f'[[collections]]\nname = "{name.title()}"\ndescription = "Papers of an invented organisation."',
            f'paths = ["{name}/docs/"]\nroles = ["{name}"]\n',
            f'[[people]]\nemail = "{name}@example.com"\ndisplay_name = "{name.title()}"\nroles = ["{name}"]\n',
        )
    )


def read_lines(name: str) -> Iterator[dict[str, Any]]:
    """Yield the questions of an organisation as lines of a dataset, follow-ups in the conversation they belong to."""
    conversations: dict[str, str] = {}
    asked = [json.loads(line) for line in (ORGANISATIONS / name / "questions.jsonl").read_text().splitlines()]
    begun = {question.get("after") for question in asked}
    for question in asked:
        identifier = f"{name}-{question['id']}"
        answers = list(dict.fromkeys(answer["answer"] for answer in question["answers"]))
        line = {
            "id": identifier,
            "kind": question["kind"] if answers else _NOTHING,
            "question": question["question"],
            "as": f"{name}@example.com",
            "expected": _write_expected(answers),
            "library": name,
            "half": "check" if name in CHECK else "build",
        }
        if answers:
            line["first"] = True
        before = question.get("after")
        if before or question["id"] in begun:
            line["conversation"] = conversations[question["id"]] = conversations.get(before, identifier)
        yield line


def _write_expected(answers: list[str]) -> list[str] | dict[str, list[str]] | None:
    """Return the answers, of which one is enough; of the cells of a row, which an answer says apart, all."""
    if answers and all(_CELLS in answer for answer in answers):
        return {"all": [cell.strip() for cell in answers[0].split(_CELLS) if cell.strip()]}
    return answers or None


if __name__ == "__main__":
    main()
