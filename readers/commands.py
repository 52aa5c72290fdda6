"""Run the commands: from what was asked on the command line to files and tables."""

import json
import math
import os
import re
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from safetensors.torch import load_file
from torch import Tensor

from core.asking.reading import CARD, SCANNER_CARD
from core.errors import ReaderError
from readers import judging, making, rows, squad, tables
from readers.activations import MEASURED, measure_activations
from readers.aligning import align, find_alignment
from readers.batches import Example, encode
from readers.description import NOT_STATED, describe, find_licence
from readers.exporting import ACTIVATIONS, DESCRIPTION, attach_scanner, export, replace_activations
from readers.material import CHECK, FIT, NEAR, Material, RowsError, join, read_pair
from readers.starting import Start, load_start
from readers.training import Fit, FitError, Plan, choose_device
from readers.training import Progress as Came

CHECKPOINT = "checkpoint.pt"
_TOKENS = {"cuda": 49_152, "cpu": 6_144}  # in a batch
_NAME = re.compile(r"[\w.-]{1,60}")  # as a reader's card has it
_WIDTH = 120  # of a table in a file
_BETWEEN_LINES_S = 20.0  # of progress where no terminal shows a bar


def make_rows(chosen: Namespace) -> None:
    """Read the material, make rows of it and write them, with a table of what they are."""
    if not chosen.rows.parent.is_dir():
        raise RowsError(f"{chosen.rows.parent} is no folder.")
    material = join(_read_material(chosen))
    if chosen.sets:
        questions = tuple(question for question in material.questions if question.set in chosen.sets)
        material = replace(material, questions=questions)
    made = making.make_rows(
        material,
        making.Wishes(
            seed=chosen.seed,
            check=chosen.check,
            held_out=frozenset(chosen.hold_out),
            near=chosen.near,
            nearest=chosen.nearest,
            misspelt=chosen.misspelt,
            untitled=chosen.untitled,
            most=chosen.most,
        ),
    )
    rows.write(chosen.rows, made.rows)
    _print(tables.tabulate_rows(made.rows))
    _report_left_out(made.left_out)


def _read_material(chosen: Namespace) -> Iterator[Material]:
    if not (chosen.pair or chosen.squad or chosen.dataset or chosen.quoted):
        raise RowsError("There is nothing to make rows of. Give --pair, --squad, --dataset or --quoted.")
    if bool(chosen.dataset) != bool(chosen.documents):
        raise RowsError("A dataset needs the documents that it is about: give --dataset and --documents.")
    for questions, passages in chosen.pair:
        yield read_pair(questions, passages, statements=frozenset(chosen.statements))
    for file in chosen.squad:
        yield squad.read_squad(file)
    if chosen.dataset:
        _set_up_django()
        from readers import own

        for file in chosen.dataset:
            yield own.read_dataset(file, chosen.documents, library=chosen.library)
    if chosen.quoted:
        _set_up_django()
        from readers import quoted

        for folder in chosen.quoted:
            yield quoted.read_quoted(folder)


def _set_up_django() -> None:
    """Prepare Django, in whose settings the product's datasets know what a filter may be. No database is asked."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
    import django

    django.setup()


def fit_reader(chosen: Namespace) -> None:
    """Fit a reader, write its folder, and judge what was written by rows that were held out."""
    name = chosen.name or chosen.folder.resolve().name
    if not _NAME.fullmatch(name):
        raise ReaderError(f"{name} is no name for a reader. Give --name of letters, digits, points and hyphens.")
    _check_folder(chosen.folder, resume=chosen.resume)
    read = rows.read(chosen.rows, sets=frozenset(chosen.sets))
    to_fit = [row for row in read if row.half == FIT]
    if not to_fit:
        raise RowsError(f"{chosen.rows} has no rows for fitting.")
    start = load_start(chosen.start)
    spread = rows.spread(to_fit, chosen.most)
    examples = _weigh(_encode(spread, start), chosen.weight, chosen.near_weight)
    if chosen.teacher:
        examples = _teach(examples, spread, chosen)
    to_judge = _encode(rows.spread([row for row in read if row.half == CHECK], chosen.judged), start)
    licences = dict(chosen.set_licence)
    _report_licences(examples, licences)
    plan = _make_plan(chosen)
    came = _fit(chosen.folder, start, examples, plan)
    export(
        chosen.folder,
        start,
        start.network.state_dict(),
        name=name,
        activations=_measure_activations(start, rows.spread(examples, MEASURED)),
    )
    figures = judging.measure(to_judge, _run(load_start(str(chosen.folder)), to_judge, chosen)) if to_judge else {}
    description = describe(
        start,
        plan,
        came,
        examples,
        figures,
        name=name,
        begun_with=chosen.start if chosen.start == start.name else f"{chosen.start} ({start.name})",
        licence=chosen.licence or "as what it was begun with; the data below keep their own",
        licences=licences,
    )
    (chosen.folder / DESCRIPTION).write_text(description, encoding="utf-8")
    (chosen.folder / CHECKPOINT).unlink(missing_ok=True)
    if figures:
        _print(tables.tabulate_figures({name: figures}))
    Console(stderr=True).print(f"Written. To use it: READER={chosen.folder.resolve()}", soft_wrap=True)


def measure_reader(chosen: Namespace) -> None:
    """Measure the largest activations of a reader, or of its scanner, by rows, and write them into its folder."""
    card = SCANNER_CARD if chosen.scanner else CARD
    start = load_start(chosen.reader, card)
    if not start.is_reader:
        raise ReaderError(f"{chosen.reader} is an encoder, which has to be fitted first.")
    examples = _encode(rows.spread(rows.read(chosen.rows), MEASURED), start)
    replace_activations(start.tokenizer.parent, _measure_activations(start, examples), card)


def align_reader(chosen: Namespace) -> None:
    """Put the logits of a reader in its folder on those of another one, by the rows that both read."""
    start, other = load_start(str(chosen.reader)), load_start(chosen.like)
    if not (start.is_reader and other.is_reader):
        raise ReaderError("Only two readers can be aligned; an encoder has to be fitted first.")
    found = [row for row in rows.read(chosen.rows, half=CHECK) if not row.is_statement]
    logits: dict[int, list[float]] = {}
    answers: dict[int, bool] = {}
    for each in (start, other):
        examples = _encode(found, each)
        for example, logit in zip(examples, _run(each, examples, chosen).logits, strict=True):
            logits.setdefault(example.place, []).append(float(logit))
            answers[example.place] = example.answers
    common = [place for place, both in logits.items() if len(both) == 2]
    own, theirs = np.array([logits[place] for place in common]).reshape(-1, 2).T
    line = find_alignment(own, theirs, np.array([answers[place] for place in common]))
    align(start.network, line)
    folder = start.tokenizer.parent
    export(folder, start, start.network.state_dict(), name=start.name, activations=load_file(folder / ACTIVATIONS))
    Console(stderr=True).print(
        f"{folder}: logits times {line.slope:.3f} plus {line.shift:.3f}, by {len(common):,} rows.", soft_wrap=True
    )


def give_scanner(chosen: Namespace) -> None:
    """Put a small reader into another one's folder, as its scanner."""
    attach_scanner(chosen.reader, chosen.scanner)
    Console(stderr=True).print(f"{chosen.reader} scans with {chosen.scanner} now.", soft_wrap=True)


def _measure_activations(start: Start, examples: Sequence[Example]) -> dict[str, Tensor]:
    with _count("Measuring activations", len(examples)) as done:
        return measure_activations(start.network, examples, start.marks.padding, done)


def judge_readers(chosen: Namespace) -> None:
    """Judge one reader, or two beside each other."""
    if len(chosen.readers) > 2:
        raise ReaderError("Two readers at most are judged beside each other.")
    if len(set(chosen.readers)) < len(chosen.readers):
        raise ReaderError("That is the same reader twice.")
    starts = {name: load_start(name) for name in chosen.readers}
    for name, start in starts.items():
        if not start.is_reader:
            raise ReaderError(f"{name} is an encoder, which has to be fitted before it can be judged.")
    half = "" if chosen.half == "all" else chosen.half
    read = rows.spread(rows.read(chosen.rows, half=half, sets=frozenset(chosen.sets)), chosen.most)
    encoded = {name: _encode(read, start) for name, start in starts.items()}
    common = set.intersection(*({example.place for example in examples} for examples in encoded.values()))
    if not common:
        raise RowsError(f"No row of {chosen.rows} fits into what the readers take.")
    encoded = {name: [each for each in examples if each.place in common] for name, examples in encoded.items()}
    outputs = {name: _run(starts[name], examples, chosen) for name, examples in encoded.items()}
    figures = {name: judging.measure(encoded[name], each) for name, each in outputs.items()}
    difference = judging.compare(encoded[chosen.readers[0]], *outputs.values()) if len(outputs) == 2 else None
    if chosen.json:
        _write_json(chosen, figures, difference)
    if str(chosen.json) != "-":
        _print(tables.tabulate_figures(figures))
        if difference:
            print(tables.tell_difference(difference, *chosen.readers))


def _write_json(
    chosen: Namespace, figures: Mapping[str, Mapping[str, judging.Figures]], difference: judging.Difference | None
) -> None:
    written: dict[str, Any] = {
        "rows": str(chosen.rows),
        "half": chosen.half,
        "readers": {name: judging.write_down(each) for name, each in figures.items()},
    }
    if difference:
        written["difference"] = {key: round(value, 4) for key, value in asdict(difference).items()}
    text = json.dumps(written, indent=1) + "\n"
    if str(chosen.json) == "-":
        print(text, end="")
        return
    try:
        chosen.json.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RowsError(f"{chosen.json} cannot be written ({error.strerror}).") from None


def _check_folder(folder: Path, *, resume: bool) -> None:
    """Raise ReaderError where a fit cannot be written to the folder, or cannot go on there."""
    has_checkpoint = (folder / CHECKPOINT).exists()
    if resume and not has_checkpoint:
        raise ReaderError(f"No fit was left in {folder}. Begin one without --resume.")
    if not resume and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        left = "; a fit was left there, with which --resume goes on" if has_checkpoint else ""
        raise ReaderError(f"{folder} is not empty{left}. Give another folder.")
    if resume and (folder / CARD).exists():
        raise ReaderError(f"The reader in {folder} is fitted. Give another folder, and --from this one to go further.")


def _weigh(examples: Sequence[Example], given: Sequence[tuple[str, str]], near: float) -> list[Example]:
    """Return the examples with what they count."""
    weights: dict[str, float] = {}
    for name, value in given:
        try:
            weights[name] = float(value)
        except ValueError:
            raise FitError(f"The weight of {name} must be a number, and is {value}.") from None
        if not 0 <= weights[name] < float("inf"):
            raise FitError(f"The weight of {name} must not be below 0.")
    if unknown := set(weights) - {example.set for example in examples}:
        raise FitError(f"No row for fitting is of the set {min(unknown)}, for which a weight is given.")
    return [
        replace(example, weight=weights.get(example.set, 1.0) * (near if example.negative == NEAR else 1.0))
        for example in examples
    ]


def _teach(examples: Sequence[Example], found: Sequence[rows.Row], chosen: Namespace) -> list[Example]:
    """Return the examples with what is aimed at: the mean of what is known and of a teacher's probability.

    The teacher reads the rows as its own tokenizer writes them; what is too long for it keeps what is known.
    """
    teacher = load_start(chosen.teacher)
    if not teacher.is_reader:
        raise ReaderError(f"{chosen.teacher} is an encoder, which has to be fitted before it can teach.")
    read = _encode(found, teacher)
    logits = _run(teacher, read, chosen).logits
    judged = {example.place: 1 / (1 + math.exp(-float(logit))) for example, logit in zip(read, logits, strict=True)}
    return [
        replace(example, taught=(example.answers + judged[example.place]) / 2) if example.place in judged else example
        for example in examples
    ]


def _make_plan(chosen: Namespace) -> Plan:
    device, precision = choose_device(chosen.device, chosen.precision)
    return Plan(
        passes=chosen.passes,
        minutes=chosen.minutes,
        rate=chosen.rate,
        batch_tokens=chosen.batch_tokens or _choose_tokens(device),
        dropout=chosen.dropout,
        exchanged=chosen.exchanged,
        layers=chosen.layers,
        seed=chosen.seed,
        device=device,
        precision=precision,
        checkpoint_minutes=chosen.checkpoint_minutes,
    )


def _choose_tokens(device: str) -> int:
    return _TOKENS[torch.device(device).type]


def _fit(folder: Path, start: Start, examples: Sequence[Example], plan: Plan) -> Came:
    """Fit in the folder, where checkpoints are kept."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReaderError(f"{folder} cannot be made ({error.strerror}).") from None
    fit = Fit(start.network, examples, plan, start.marks.padding, folder / CHECKPOINT)
    try:
        with _show_progress("Fitting", fit.steps) as show:
            return fit.run(lambda came: show(came.step, tables.tell_losses(came)))
    except KeyboardInterrupt:
        Console(stderr=True).print(f"Left in {folder}; --resume with the same settings goes on.", soft_wrap=True)
        raise
    except torch.OutOfMemoryError:
        raise FitError(
            f"There is too little memory for batches of {plan.batch_tokens} tokens: --batch-tokens."
        ) from None


def _run(start: Start, examples: Sequence[Example], chosen: Namespace) -> judging.Outputs:
    device, precision = choose_device(chosen.device, chosen.precision)
    with _count(f"Judging {start.name}", len(examples)) as done:
        return judging.run(
            start.network,
            examples,
            start.marks.padding,
            batch_tokens=chosen.batch_tokens or _choose_tokens(device),
            device=device,
            precision=precision,
            done=done,
        )


def _encode(found: Sequence[rows.Row], start: Start) -> list[Example]:
    examples, left_out = encode(found, start.encoder)
    _report_left_out(left_out)
    return examples


def _print(table: Table) -> None:
    """Print a table, as wide as it needs to be where no terminal limits it."""
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH
    console.print(table)


def _report_left_out(left_out: Counter[str]) -> None:
    for reason, count in left_out.most_common():
        if count:
            Console(stderr=True).print(f"Left out: {count:,} {reason}.", soft_wrap=True, highlight=False)


def _report_licences(examples: Sequence[Example], licences: Mapping[str, str]) -> None:
    unknown = [name for name in {example.set for example in examples} if find_licence(name, licences) == NOT_STATED]
    for name in sorted(unknown):
        Console(stderr=True).print(
            f"The licence of {name} is not known; --set-licence {name}=... puts it into the reader's card.",
            soft_wrap=True,
            highlight=False,
        )


@contextmanager
def _count(description: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show progress, and yield what is to be called with how many more are done."""
    counted = 0
    with _show_progress(description, total) as show:

        def done(more: int) -> None:
            nonlocal counted
            counted += more
            show(counted, "")

        yield done


@contextmanager
def _show_progress(description: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """Show a bar on standard error, or a line now and then where that is no terminal.

    Yields what is to be called with how far it is, and words beside it.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        shown = time.monotonic()

        def print_line(done: int, words: str) -> None:
            nonlocal shown
            if time.monotonic() - shown >= _BETWEEN_LINES_S:
                shown = time.monotonic()
                console.print(f"{description}: {done:,} of {total:,} {words}", soft_wrap=True, highlight=False)

        yield print_line
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.fields[words]}"), console=console, transient=True) as bar:
        task = bar.add_task(description, total=total, words="")
        yield lambda done, words: bar.update(task, completed=done, words=words)
