"""Make rows for readers of passages, fit a reader, and judge it.

    python -m readers rows rows.jsonl.xz --pair QUESTIONS PASSAGES ...   questions with passages, in two halves
    python -m readers fit rows.jsonl.xz FOLDER --from packaged           a reader's folder, for READER
    python -m readers judge rows.jsonl.xz packaged FOLDER                one reader, or two beside each other
    python -m readers activations rows.jsonl.xz FOLDER                   what it takes to compute it in int8
    python -m readers align rows.jsonl.xz FOLDER                         its logits mean what the packaged reader's do
    python -m readers scanner FOLDER SMALL                               a small reader that spares the large one work

readers/README.md names data and licences, and shows what to expect.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from core.errors import FootnoteError

STATEMENTS = ("fever_nli", "expertqa_claims")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit code: 1 for what cannot be done, said on standard error; 130 when interrupted."""
    chosen = _make_parser().parse_args(arguments)
    from readers import commands

    run = {
        "rows": commands.make_rows,
        "fit": commands.fit_reader,
        "judge": commands.judge_readers,
        "activations": commands.measure_reader,
        "align": commands.align_reader,
        "scanner": commands.give_scanner,
    }[chosen.command]
    try:
        run(chosen)
    except FootnoteError as error:
        print(f"readers {chosen.command}: {error.message}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m readers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, add, summary in (
        ("rows", _add_rows, "Make rows of questions with passages, in two halves without a document in common."),
        ("fit", _add_fit, "Fit a reader and write its folder."),
        ("judge", _add_judge, "Judge one reader by rows, or two beside each other."),
        (
            "activations",
            _add_activations,
            "Measure a reader's largest activations by rows, so that it can be computed in int8. `fit` does so too.",
        ),
        (
            "align",
            _add_align,
            "Give a reader's logits the meaning of another one's, by held-out rows, so that the product's limits hold.",
        ),
        ("scanner", _add_scanner, "Put a small reader into another one's folder, to scan passages before it reads."),
    ):
        add(commands.add_parser(name, help=summary, description=summary))
    return parser


def _add_rows(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("rows", type=Path, help="The file to write; one that ends in .xz is compressed.")
    add(
        "--pair",
        type=Path,
        nargs=2,
        action="append",
        default=[],
        metavar=("QUESTIONS", "PASSAGES"),
        help="Files of questions and of their passages (readers/README.md); may be given again.",
    )
    add("--squad", type=Path, action="append", default=[], metavar="FILE", help="A file in SQuAD's form; also again.")
    add(
        "--dataset",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="A dataset as of evaluation/, about the documents; also again.",
    )
    add(
        "--documents",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="A file or folder of documents that you trust: they are read outside the sandbox; also again.",
    )
    add(
        "--quoted",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="A folder of docs/ and questions.jsonl whose answers are quoted from them; also again.",
    )
    add("--library", default="", help="Of the datasets only lines about this library.")
    add(
        "--statements",
        nargs="*",
        default=list(STATEMENTS),
        metavar="SET",
        help="Sets of statements, whose passages support them or not (default: %(default)s).",
    )
    _add_making(parser.add_argument_group("what is made of it"))


def _add_making(parser: argparse._ArgumentGroup) -> None:
    add = parser.add_argument
    add("--set", nargs="*", default=[], dest="sets", metavar="SET", help="Only these sets.")
    add(
        "--hold-out",
        nargs="*",
        default=[],
        metavar="SET",
        help="Sets that are only judged, with every row of the same documents.",
    )
    add("--check", type=_share, default=0.05, metavar="SHARE", help="Of the documents that are held out (%(default)s).")
    add(
        "--near",
        type=_share,
        default=0.4,
        metavar="SHARE",
        help="Of a set without unanswerable questions: how many are asked of another passage of the same document "
        "too (%(default)s).",
    )
    add(
        "--nearest",
        type=_share,
        default=0.2,
        metavar="SHARE",
        help="And of the nearest passage of other documents (%(default)s).",
    )
    add("--misspelt", type=_share, default=0.08, metavar="SHARE", help="Of the questions for fitting (%(default)s).")
    add(
        "--untitled",
        type=_share,
        default=0.5,
        metavar="SHARE",
        help="Of the passages for fitting that lose their title (%(default)s).",
    )
    add("--most", type=_count, default=0, metavar="N", help="Questions of each set, by chance (default: all).")
    add("--seed", type=int, default=1)


def _add_fit(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("rows", type=Path, help="A file of rows.")
    add("folder", type=Path, help="The folder to write; it must be new or empty.")
    add(
        "--from",
        dest="start",
        default="packaged",
        metavar="START",
        help='What to begin with: "packaged" (the reader of Footnote), "minilm" (the encoder of the packaged embedding '
        "model: a small reader), the folder of a reader, or that of an MPNet or BERT in Hugging Face's layout.",
    )
    add(
        "--teacher",
        default="",
        metavar="READER",
        help='A reader, such as "packaged", whose judgements of the rows are learnt as much as what is known of them.',
    )
    add("--name", default="", help="The reader's name (default: the folder's).")
    add("--resume", action="store_true", help="Go on with the fit that was left in the folder.")
    _add_choice(parser.add_argument_group("which rows"))
    _add_schedule(parser.add_argument_group("how it is fitted"))
    _add_card(parser.add_argument_group("what its folder says"))
    _add_machine(parser)


def _add_choice(parser: argparse._ArgumentGroup) -> None:
    add = parser.add_argument
    add("--set", nargs="*", default=[], dest="sets", metavar="SET", help="Only these sets.")
    add(
        "--weight",
        action="append",
        type=_pair,
        default=[],
        metavar="SET=NUMBER",
        help="What the rows of a set count, beside 1; again for others.",
    )
    add(
        "--near-weight",
        type=_share,
        default=0.6,
        metavar="NUMBER",
        help="What passages of the same document count that were taken as not answering (%(default)s).",
    )
    add("--most", type=_count, default=0, metavar="N", help="Rows to fit on (default: all).")


def _add_schedule(parser: argparse._ArgumentGroup) -> None:
    add = parser.add_argument
    add("--passes", type=_positive, default=2.7, help="Over the rows (%(default)s).")
    add("--minutes", type=_positive, default=0.0, help="End after so many, if the passes take longer.")
    add("--rate", type=_positive, default=6e-5, help="Of learning, at its highest (%(default)s).")
    add(
        "--batch-tokens",
        type=_count,
        default=0,
        metavar="N",
        help="In a batch (default: 49152 on a graphics card, 6144 on a processor).",
    )
    add("--dropout", type=_share, default=0.1, metavar="SHARE")
    add(
        "--exchanged",
        type=_share,
        default=0.06,
        metavar="SHARE",
        help="Of the questions that get another one's passage (%(default)s).",
    )
    add(
        "--layers",
        type=_count,
        default=0,
        metavar="N",
        help="Fit only the last N layers and the heads: a few thousand rows an hour on a processor (default: all).",
    )
    add("--checkpoint-minutes", type=_positive, default=5.0, metavar="N", help="Between checkpoints (%(default)s).")
    add("--seed", type=int, default=1)


def _add_card(parser: argparse._ArgumentGroup) -> None:
    add = parser.add_argument
    add("--licence", default="", help="Of the reader, for its README (default: as what it began with).")
    add(
        "--set-licence",
        action="append",
        type=_pair,
        default=[],
        metavar="SET=TEXT",
        help="Of a set that readers/sets.toml does not name; again for others.",
    )
    add("--judged", type=_count, default=2000, metavar="N", help="Held-out rows for the figures (%(default)s).")


def _add_judge(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("rows", type=Path, help="A file of rows.")
    add("readers", nargs="+", metavar="READER", help='One folder or two; "packaged" is the reader of Footnote.')
    add("--half", choices=("check", "fit", "all"), default="check", help="(%(default)s)")
    add("--set", nargs="*", default=[], dest="sets", metavar="SET", help="Only these sets.")
    add("--most", type=_count, default=0, metavar="N", help="Rows, spread evenly (default: all).")
    add("--json", type=Path, metavar="FILE", help='Write the figures; "-" prints them instead of the table.')
    add("--batch-tokens", type=_count, default=0, metavar="N", help="(default: as for fit)")
    _add_machine(parser)


def _add_activations(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rows", type=Path, help="A file of rows.")
    parser.add_argument("reader", help='The folder of a reader; "packaged" is the one of Footnote.')
    parser.add_argument("--scanner", action="store_true", help="Of the scanner in that folder.")


def _add_align(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rows", type=Path, help="A file of rows; those that are held out are read.")
    parser.add_argument("reader", type=Path, help="The folder of the reader, whose weights are written anew.")
    parser.add_argument("--like", default="packaged", metavar="READER", help="The other one (%(default)s).")
    parser.add_argument("--batch-tokens", type=_count, default=0, metavar="N", help="(default: as for fit)")
    _add_machine(parser)


def _add_scanner(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reader", type=Path, help="The folder of the reader, as READER names it.")
    parser.add_argument("scanner", type=Path, help="The folder of the small reader, as `fit --from minilm` wrote it.")


def _add_machine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", default="auto", help="cuda, cpu, or auto: a graphics card where there is one.")
    parser.add_argument(
        "--precision",
        choices=("auto", "float32", "bfloat16"),
        default="auto",
        help="auto: bfloat16 where the device multiplies in it.",
    )


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return value


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (name and sign and value.strip()):
        raise argparse.ArgumentTypeError(f"{text} is not SET=VALUE")
    return name, value.strip()


if __name__ == "__main__":
    sys.exit(main())
