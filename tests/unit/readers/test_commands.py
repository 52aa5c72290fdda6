"""The commands, from files to a reader that the product loads; and what is said where something is amiss."""

import json
import math
import re
import tomllib
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.asking.reading import CARD, SCANNER_CARD
from core.asking.reading.weights import load
from readers import rows
from readers.__main__ import main
from readers.batches import collate, encode
from readers.commands import CHECKPOINT, _run, _teach
from readers.description import find_licence
from readers.starting import load_start
from tests.unit.readers.made import write_lines, write_pair

ROOT = Path(__file__).parents[3]
WEIGHTS = "weights-1.safetensors"
QUICK = ("--passes", "2", "--rate", "1e-3", "--batch-tokens", "512", "--device", "cpu", "--precision", "float32")


@pytest.fixture
def made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A file of rows that the command made."""
    questions, passages = write_pair(tmp_path)
    path = tmp_path / "rows.jsonl.xz"
    assert main(["rows", str(path), "--pair", str(questions), str(passages), "--check", ".3"]) == 0
    assert re.search(r"houses .*said .*all ", capsys.readouterr().out, re.DOTALL)
    return path


def fit(made: Path, start: Path, target: Path, *more: str) -> int:
    """Run the command that fits."""
    return main(["fit", str(made), str(target), "--from", str(start), *QUICK, *more])


def test_from_questions_to_a_judged_reader(
    made: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command takes what the one before made."""
    target = tmp_path / "mine"
    assert fit(made, folder, target, "--weight", "houses=2.5", "--set-licence", "houses=CC0") == 0
    assert load(target).name == "mine"
    assert {path.name for path in target.iterdir()} == {
        "reader.json",
        "README.md",
        "tokenizer.json",
        "weights-1.safetensors",
        "activations.safetensors",
    }
    description = (target / "README.md").read_text()
    assert re.search(r"\| houses \| \d+ \| \d+ \| 2\.5 \| CC0 \|", description)
    assert re.search(r"\| said \| \d+ \| 0 \| 1 \| not stated \|", description)
    assert "| **all questions** |" in description
    said = capsys.readouterr()
    assert "The licence of said is not known" in said.err
    assert f"READER={target}" in said.err
    figures = tmp_path / "figures.json"
    assert main(["judge", str(made), str(folder), str(target), "--json", str(figures), *QUICK[-6:]]) == 0
    written = json.loads(figures.read_text())
    assert list(written["readers"]) == [str(folder), str(target)]
    assert set(written["readers"][str(target)]) == {"houses", "said", "all questions", "all statements"}
    assert set(written["difference"]) == {"auroc", "low", "high"}
    assert "AUROC of " in capsys.readouterr().out


def test_a_reader_without_activations_gets_them(made: Path, folder: Path) -> None:
    """Write them, and leave its weights and the rest of its card as they are."""
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps(card | {"activations": None}))
    assert main(["activations", str(made), str(folder)]) == 0
    largest = load(folder).activations
    assert largest is not None
    assert all(each.min() > 0 for each in largest.values())
    changed = json.loads((folder / CARD).read_text())
    assert {**changed, "sha256": {}} == {**card, "sha256": {}}
    assert {key: value for key, value in changed["sha256"].items() if key != "activations.safetensors"} == {
        key: value for key, value in card["sha256"].items() if key != "activations.safetensors"
    }


def test_a_small_reader_learns_from_a_large_one_and_scans_for_it(made: Path, folder: Path, tmp_path: Path) -> None:
    """A scanner is fitted with a teacher, put beside it, and loaded by the product; its activations as well."""
    taught, alone = tmp_path / "taught", tmp_path / "alone"
    assert fit(made, folder, taught, "--teacher", str(folder)) == 0
    assert fit(made, folder, alone) == 0
    assert (taught / WEIGHTS).read_bytes() != (alone / WEIGHTS).read_bytes()
    before = (folder / CARD).read_text()
    assert main(["scanner", str(folder), str(taught)]) == 0
    scanner = load(folder, SCANNER_CARD)
    assert scanner.name == "taught"
    assert torch.equal(scanner.network.judge.weight, load(taught).network.judge.weight)
    assert (folder / CARD).read_text() == before
    assert load(folder).name != "taught"
    card = json.loads((folder / SCANNER_CARD).read_text())
    (folder / SCANNER_CARD).write_text(json.dumps(card | {"activations": None}))
    assert main(["activations", str(made), str(folder), "--scanner"]) == 0
    assert json.loads((folder / SCANNER_CARD).read_text())["activations"] == card["activations"]
    assert load(folder, SCANNER_CARD).activations is not None
    assert (folder / CARD).read_text() == before


def test_logits_are_put_on_those_of_another_reader(
    made: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last layer takes it in; what is said of statements and of spans stays, and the folder is a reader's."""
    mine = tmp_path / "mine"
    assert fit(made, folder, mine) == 0
    before = load(mine).network
    capsys.readouterr()
    assert main(["align", str(made), str(mine), "--like", str(folder), *QUICK[-6:]]) == 0
    found = re.search(r"times ([\d.]+) plus (-?[\d.]+), by \d+ rows", capsys.readouterr().err)
    assert found
    after = load(mine).network
    assert torch.allclose(after.judge.weight[0], before.judge.weight[0] * float(found[1]), rtol=0.01, atol=1e-4)
    assert torch.equal(before.judge.weight[1], after.judge.weight[1])
    assert torch.equal(before.span.weight, after.span.weight)


def test_a_teacher_is_believed_as_much_as_the_labels(made: Path, folder: Path) -> None:
    """Aim at the mean of the label and of its probability; a row that it cannot take keeps its label."""
    found = [row for row in rows.read(made) if row.half == "fit"][:20]
    start = load_start(str(folder))
    examples = encode(found, start.encoder)[0]
    chosen = Namespace(teacher=str(folder), device="cpu", precision="float32", batch_tokens=512)
    logits = _run(start, examples, chosen).logits
    longer = replace(found[0], text=found[0].text + " and so on" * 400, span=None, answers=True)
    taught = _teach(examples, [longer, *found[1:]], chosen)
    assert taught[0].taught is None
    assert [each.taught for each in taught[1:]] == pytest.approx(
        [(each.answers + 1 / (1 + math.exp(-logit))) / 2 for each, logit in zip(examples[1:], logits[1:], strict=True)]
    )
    batch = collate(taught[:2], start.marks.padding)
    assert batch.answers.tolist() == pytest.approx([float(taught[0].answers), taught[1].taught])


def test_a_fit_is_gone_on_with(
    made: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After it was interrupted; its folder holds no reader until then, and is not begun in anew."""
    target = tmp_path / "mine"
    with monkeypatch.context() as patched:
        patched.setattr("readers.tables.tell_losses", interrupt)
        assert fit(made, folder, target) == 130
    assert [path.name for path in target.iterdir()] == [CHECKPOINT]
    assert "--resume" in capsys.readouterr().err
    assert fit(made, folder, target) == 1
    assert "a fit was left there, with which --resume goes on" in capsys.readouterr().err
    assert fit(made, folder, target, "--resume") == 0
    assert not (target / CHECKPOINT).exists()
    assert load(target).name == "mine"


def interrupt(*_: object) -> str:
    raise KeyboardInterrupt


def test_figures_can_be_printed_for_programs(made: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And nothing beside them."""
    assert main(["judge", str(made), str(folder), "--json", "-", "--set", "houses", *QUICK[-6:]]) == 0
    assert set(json.loads(capsys.readouterr().out)["readers"][str(folder)]) == {"houses", "all questions"}


def test_rows_of_squad_and_of_datasets_are_made_together(tmp_path: Path) -> None:
    """A dataset's questions get the passages of its documents that hold what is expected, as the product cuts them."""
    paragraph = {
        "context": "The shop sells bread.",
        "qas": [{"id": "1", "question": "What?", "answers": [{"text": "bread", "answer_start": 15}]}],
    }
    (tmp_path / "s.json").write_text(json.dumps({"data": [{"title": "Shop", "paragraphs": [paragraph]}]}))
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "canteen.md").write_text(
        "# Canteen\n\n## Hours\n\nIt opens at noon.\n\n## Prices\n\nSoup costs 4 francs.\n"
    )
    (documents / "noise.bin").write_bytes(b"\x00\x01")
    asked = [
        {"question": "when is lunch", "expected": "at noon", "source": "Canteen", "half": "build"},
        {"question": "when is lunch then", "expected": "at noon", "source": "Another"},
        {"question": "and how much", "expected": "4 francs", "conversation": "a"},
        {"question": "and of bread", "expected": "noon", "conversation": "a"},
        {"question": "is there wine", "expected": None, "kind": "not-there"},
        {"question": "is there a secret", "expected": None, "kind": "not-permitted"},
    ]
    dataset = write_lines(tmp_path / "mine.jsonl", asked)
    path = tmp_path / "rows.jsonl"
    more = ["--dataset", str(dataset), "--documents", str(documents), "--squad", str(tmp_path / "s.json")]
    assert main(["rows", str(path), *more, "--check", "0", "--near", "0", "--nearest", "0", "--misspelt", "0"]) == 0
    found = {(row.id, row.answers, row.text[slice(*row.span)] if row.span else None) for row in rows.read(path)}
    assert found == {
        ("1", True, "bread"),
        ("mine-line-1", True, "at noon"),
        ("mine-line-3", True, "4 francs"),
        ("mine-line-5-0", False, None),
        ("mine-line-5-1", False, None),
    }
    assert {row.heading for row in rows.read(path) if row.set == "own-mine"} <= {
        "",
        "Canteen, Hours",
        "Canteen, Prices",
    }


AMISS: dict[str, tuple[Callable[[Path, Path], Sequence[object]], str]] = {
    "nothing to make rows of": (lambda made, folder: ["rows", made], "nothing to make rows of"),
    "a dataset without documents": (lambda made, folder: ["rows", made, "--dataset", made], "--documents"),
    "documents without a dataset": (
        lambda made, folder: ["rows", made, "--squad", made, "--documents", folder],
        "--dataset",
    ),
    "a dataset that is missing": (
        lambda made, folder: ["rows", made, "--dataset", "none", "--documents", folder],
        "none cannot be read",
    ),
    "documents that are missing": (
        lambda made, folder: ["rows", made, "--dataset", ROOT / "evaluation/everyday.jsonl", "--documents", "none"],
        "none is missing",
    ),
    "a folder that is missing": (lambda made, folder: ["rows", "none/rows", "--squad", made], "none is no folder"),
    "a file that is missing": (lambda made, folder: ["rows", made, "--pair", "none", "none"], "none is missing"),
    "no set of that name": (
        lambda made, folder: [
            "rows", made, "--pair", made.parent / "questions.jsonl", made.parent / "passages.jsonl", "--set", "none",
        ],
        "No question is left",
    ),
    "rows that are missing": (lambda made, folder: ["fit", "none", made.parent / "new"], "none is missing"),
    "a folder that is not empty": (lambda made, folder: ["fit", made, folder], "is not empty"),
    "a file for a folder": (lambda made, folder: ["fit", made, made], "is not empty"),
    "nothing to go on with": (lambda made, folder: ["fit", made, folder, "--resume"], "No fit was left in"),
    "a name that is none": (lambda made, folder: ["fit", made, made.parent / "new", "--name", "a/b"], "is no name"),
    "no reader to begin with": (
        lambda made, folder: ["fit", made, made.parent / "new", "--from", made.parent],
        "holds no reader",
    ),
    "a weight of no set": (
        lambda made, folder: ["fit", made, made.parent / "new", "--from", folder, "--weight", "none=2"],
        "No row for fitting is of the set none",
    ),
    "a weight that is no number": (
        lambda made, folder: ["fit", made, made.parent / "new", "--from", folder, "--weight", "said=much"],
        "must be a number",
    ),
    "three readers": (lambda made, folder: ["judge", made, folder, "b", "c"], "Two readers at most"),
    "one reader twice": (lambda made, folder: ["judge", made, folder, folder], "the same reader twice"),
    "a teacher that is an encoder": (
        lambda made, folder: ["fit", made, made.parent / "new", "--from", folder, "--teacher", "minilm"],
        "before it can teach",
    ),
    "no reader to scan with": (lambda made, folder: ["scanner", folder, made.parent], "There is no reader in"),
    "no scanner to measure": (
        lambda made, folder: ["activations", made, folder, "--scanner"],
        "holds no reader (scanner.json)",
    ),
    "an encoder": (lambda made, folder: ["judge", made, "minilm"], "has to be fitted"),
    "rows of no such set": (lambda made, folder: ["judge", made, folder, "--set", "none"], "has no rows of half check"),
}  # fmt: skip


@pytest.mark.parametrize("amiss", AMISS)
def test_what_is_amiss_is_said_in_one_line(
    made: Path, folder: Path, amiss: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, with the exit code 1; and nothing is left behind."""
    make, said = AMISS[amiss]
    before = made.read_bytes()
    assert main([str(part) for part in make(made, folder)]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("readers ")
    assert made.read_bytes() == before
    assert not (made.parent / "new").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "r", "f", "--passes", "0"],
        ["fit", "r", "f", "--rate", "nan"],
        ["fit", "r", "f", "--weight", "houses"],
        ["fit", "r", "f", "--batch-tokens", "0"],
        ["rows", "r", "--check", "1.5"],
        ["judge", "r", "f", "--half", "other"],
        [],
    ],
)
def test_a_value_that_cannot_be_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is read."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["rows"], ["fit"], ["judge"], ["activations"], ["align"], ["scanner"]])
def test_each_command_explains_itself(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """By --help."""
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    assert len(capsys.readouterr().out.splitlines()) > 10


def test_the_guide_names_each_set_with_its_licence() -> None:
    """As the cards of readers do."""
    guide = (ROOT / "readers/README.md").read_text()
    known = tomllib.loads((ROOT / "readers/sets.toml").read_text())
    listed = dict(re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|", guide, re.MULTILINE))
    assert listed == {name: each["licence"] for name, each in known.items()}
    assert find_licence("aitqa", {}) == listed["aitqa"]
    assert find_licence("aitqa", {"aitqa": "mine"}) == "mine"
