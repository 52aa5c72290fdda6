"""Measure the pages that researches make: `python -m benchmarks.research`.

Loads the sample library and evaluation/organisations into a database of its own, makes a page for each topic of
evaluation/research.jsonl by the plan as it is proposed, and prints the table of docs/evaluation.md, by half: sentences;
those of which every quote stands in its passage word for word; those that the reader judges supported by their quotes,
and how many it judges supported by the quotes of other sentences, which it should not; how much is there of what a
careful page has; the share of sentences from documents that are on topic; and seconds a page. Nothing that is forbidden
to its reader may occur. With LLM_MODEL set, that model plans and answers. --pages DIRECTORY writes the pages.
"""

import argparse
import io
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.scratch import scratch_database, set_up

if TYPE_CHECKING:
    from core.types import Citation
    from core.values.research import ProvenSentence, Research

ROOT = Path(__file__).parents[1]
LIBRARIES = (ROOT / "samples" / "library.toml", ROOT / "evaluation" / "organisations" / "library.toml")
LINES = ROOT / "evaluation" / "research.jsonl"
HALVES = ("build", "check")
SUPPORTED = 0.0  # logit of the reader


@dataclass(frozen=True, slots=True)
class Made:
    """Holds the page that was made for one topic."""

    task: dict[str, Any]
    research: "Research | None"  # None: nothing was found
    seconds: float


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.research",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--half", choices=HALVES, help="Measure this one alone.")
    parser.add_argument("--pages", type=Path, metavar="DIRECTORY", help="Write the pages, and what they lack.")
    arguments = parser.parse_args()
    set_up()
    tasks = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    with scratch_database():
        _load()
        made = [_make(task) for task in tasks if arguments.half in {None, task["half"]}]
        print("| half | pages | sentences | verbatim | supported | by others | expected | on topic | seconds |")
        print("|---|---|---|---|---|---|---|---|---|")
        for half in HALVES:
            if of_half := [one for one in made if one.task["half"] == half]:
                print(f"| {half} | {describe(of_half)} |")
        for one in made:
            _print_page(one, arguments.pages)


def _load() -> None:
    from core.management.library import ingest_collections, make_people, read_library

    for path in LIBRARIES:
        library = read_library(path, root=ROOT)
        make_people(library, password=None)
        ingest_collections(library, io.StringIO())


def _make(task: dict[str, Any]) -> Made:
    from core import api
    from core.access.audiences import asker_for, audience_of
    from core.asking.research.running import run_research
    from core.errors import NotFoundError
    from core.models import Research as Row
    from core.models import User
    from core.types import Origin

    person = User.objects.get(email=task["email"])
    audience = audience_of([person.pk])
    started = time.perf_counter()
    try:
        made = api.plan_research(task["topic"], asker=asker_for(person), audience=audience, origin=Origin.COMMAND)
    except NotFoundError:
        return Made(task, None, time.perf_counter() - started)
    Row.objects.filter(pk=made).update(state="waiting")
    run_research(made)
    seconds = time.perf_counter() - started
    return Made(task, api.read_research(made, user_id=person.pk, audience=audience), seconds)


def describe(made: Sequence[Made]) -> str:
    """Return the figures of some pages as cells of a table."""
    said = [(one, sentence) for one in made for sentence in list_sentences(one)]
    quotes = [_list_quotes(one, sentence) for one, sentence in said]
    verbatim = sum(all(map(_stands, cited)) for cited in quotes)
    supported = sum(_is_supported(sentence, cited) for (_, sentence), cited in zip(said, quotes, strict=True))
    turned = quotes[len(quotes) // 2 :] + quotes[: len(quotes) // 2]
    crossed = sum(_is_supported(sentence, cited) for (_, sentence), cited in zip(said, turned, strict=True))
    expected = [(one, quote) for one in made for quote in one.task["expected"]]
    there = sum(not is_missing(one, quote["quote"], *quote.get("values", ())) for one, quote in expected)
    on_topic = sum(_is_on_topic(one, cited) for (one, _), cited in zip(said, quotes, strict=True))
    for one in made:
        for forbidden in one.task.get("forbidden", ()):
            assert is_missing(one, forbidden), f"{one.task['id']} shows what its reader may not read"
    total = max(len(said), 1)
    return (
        f"{sum(one.research is not None for one in made)} of {len(made)} | {len(said)} | {verbatim / total:.3f} | "
        f"{supported / total:.3f} | {crossed / total:.3f} | {there} of {len(expected)} | {on_topic / total:.2f} | "
        f"{sum(one.seconds for one in made) / len(made):.1f}"
    )


def list_sentences(one: Made) -> "Sequence[ProvenSentence]":
    """Return the sentences of a page."""
    return one.research.page.sentences if one.research else ()


def _list_quotes(one: Made, sentence: "ProvenSentence") -> "list[Citation]":
    assert one.research is not None
    return [one.research.page.citations[number - 1] for number in sentence.citations]


def _stands(citation: "Citation") -> bool:
    """Return True if the quote is in the stored passage, at its place, letter by letter."""
    from core.models import Chunk
    from core.models.row_security import bypass_row_security

    with bypass_row_security():
        content = Chunk.objects.for_reading().values_list("content", flat=True).get(pk=citation.chunk_id)
    return content[citation.start : citation.end] == citation.quoted_excerpt


def _is_supported(sentence: "ProvenSentence", cited: "Sequence[Citation]") -> bool:
    from core.asking.reading.reader import supports

    together = " ".join(citation.quoted_excerpt for citation in cited)
    logits = supports(sentence.text, [together, *(citation.quoted_excerpt for citation in cited)], budget_s=60)
    return max((logit for logit in logits if logit is not None), default=-1.0) > SUPPORTED


def is_missing(one: Made, quote: str, *values: str) -> bool:
    """Return True if no sentence of a page, with its quotes, has all words of a quote and of its row's values."""
    from core.language.nlp.text import words_of

    wanted = set(words_of(" ".join((quote, *values))))
    for sentence in list_sentences(one):
        said = [sentence.text, *(citation.quoted_excerpt for citation in _list_quotes(one, sentence))]
        if wanted <= set(words_of(" ".join(said))):
            return False
    return True


def _is_on_topic(one: Made, cited: "Sequence[Citation]") -> bool:
    named = {*(quote["document"] for quote in one.task["expected"]), *one.task.get("may_name", ())}
    return any({citation.document_name, citation.file_name} & named for citation in cited)


def _print_page(one: Made, directory: Path | None) -> None:
    expected = one.task["expected"]
    missing = [each["quote"] for each in expected if is_missing(one, each["quote"], *each.get("values", ()))]
    told = (
        f"{one.task['id']}: {len(list_sentences(one))} sentences, {len(missing)} of {len(one.task['expected'])} missing"
    )
    print(told)
    if directory:
        from core import api

        directory.mkdir(parents=True, exist_ok=True)
        page = api.write_research(one.research, form="markdown").decode() if one.research else "nothing found\n"
        lacking = "".join(f"- {quote}\n" for quote in missing)
        (directory / f"{one.task['id']}.md").write_text(f"{page}\n\nMissing:\n{lacking}", encoding="utf-8")


if __name__ == "__main__":
    main()
