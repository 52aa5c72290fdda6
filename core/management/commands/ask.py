"""`manage.py ask`: a question on the command line."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from core.access.audiences import asker_for, audience_of
from core.api import ask, guidance_beside, open_conversation, parse_filters
from core.asking.verified_answers.wording import describe_verification
from core.language.nlp.layout import is_rule
from core.language.wording import describe_filters, write_disagreement
from core.management.asking import (
    Line,
    add_arguments,
    filters_of,
    json_line,
    person,
    require_field,
    run_batch,
    text_of,
)
from core.management.base import FootnoteCommand
from core.models import User
from core.serialization import ResultJson, as_json, round_up_ms
from core.types import Answer, Citation, Filters, Guidance, Origin, Refusal, RefusalReason

_MOST_SHELVES = 10  # collections that are named to people
# Of refusals that say nothing about the library. That the library has no answer is a result like any other.
EXIT_CODES = {RefusalReason.INVALID_QUESTION: 2, RefusalReason.MODEL_UNAVAILABLE: 1, RefusalReason.OVER_QUOTA: 1}


class Command(FootnoteCommand):
    """Ask a question as a person and print the answer with its citations."""

    help = (
        "Ask a question as a person; the answer uses only what that person may read. Exit code 0: answered, or the "
        "library has no answer; 1: it could not be answered just now; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        add_arguments(parser, what="question")
        parser.add_argument("--max-results", type=int, help="Passages given to the model, 1 to 10 (5).")
        parser.add_argument("--selected-text", help="Answer only from this text.")
        parser.add_argument("--conversation", help="Id of the conversation that the question continues.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer one question, or a batch."""
        if options["batch"]:
            conversations: dict[tuple[str, UUID], UUID] = {}
            run_batch(
                options["batch"], lambda line: self._line(line, options["email"], conversations), self.stdout.write
            )
            return
        if options["question"] is None:
            raise CommandError("Give a question, or --batch FILE.jsonl.", returncode=2)
        filters, user = filters_of(options), person(options["email"])
        result = self._ask(
            options["question"],
            user,
            filters=filters,
            conversation=_uuid(options["conversation"]),
            selected_text=options["selected_text"],
        )
        helps = guidance_beside(result, audience=audience_of([user.pk]))
        said = json_line(as_json(result, guidance=helps)) if options["json"] else _readable(result, helps)
        self.stdout.write(said)
        if options["selected_text"] is not None and filters != Filters(max_results=filters.max_results):
            self.stderr.write("The filters were not used: a question about selected text searches only that text.")
        if isinstance(result, Refusal) and result.reason in EXIT_CODES:
            sys.exit(EXIT_CODES[result.reason])

    def _ask(self, question: str, user: User, **options: Any) -> Answer | Refusal:
        return ask(question, asker=asker_for(user), audience=audience_of([user.pk]), **options)

    def _line(self, line: Line, email: str | None, conversations: dict[tuple[str, UUID], UUID]) -> ResultJson:
        question = require_field(line, "question")
        user = person(text_of(line, "as", email))
        label = line.get("conversation")
        result = self._ask(
            question,
            user,
            filters=parse_filters(line.get("filters")),
            conversation=_conversation(str(label), user, conversations) if label else None,
            selected_text=text_of(line, "selected_text"),
        )
        return as_json(result, guidance=guidance_beside(result, audience=audience_of([user.pk])))


def _conversation(label: str, user: User, known: dict[tuple[str, UUID], UUID]) -> UUID:
    """The conversation of a batch label: an existing one's id, or a name that lines of one person share."""
    try:
        return UUID(label)
    except ValueError:
        pass
    if (label, user.pk) not in known:
        known[label, user.pk] = open_conversation(origin=Origin.COMMAND, asker=asker_for(user))
    return known[label, user.pk]


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise CommandError(f"{text} is not the id of a conversation.", returncode=2) from error


def _readable(result: Answer | Refusal, helps: Guidance | None) -> str:
    narrowed = describe_filters(result.filters)
    searched = [f"Looked only in: {narrowed}"] if narrowed else []
    if isinstance(result, Refusal):
        return "\n".join(
            [result.message, *_format_citations(result.closest, is_whole=True), *searched, *_format_guidance(helps)]
        )
    lines = [result.text, "", *([result.message, ""] if result.message else [])]
    lines += [*write_disagreement(result.contradiction), ""] if result.contradiction else []
    lines += [*_format_citations(result.citations), "", *searched]
    lines += [describe_verification(result.verified)] if result.verified else []
    took_ms = round_up_ms(result.processing_time_ms)
    lines.append(f"Confidence: {result.confidence_level} ({result.confidence:.2f}) · {took_ms} ms")
    return "\n".join(lines)


def _format_guidance(helps: Guidance | None) -> Iterator[str]:
    """Format the collections to look in and the questions to ask instead, as lines."""
    if helps is None:
        return
    if not helps.collections:
        yield "There is no document that this person may read."
        return
    shelves = [f"{shelf.name} ({shelf.documents:,})" for shelf in helps.collections[:_MOST_SHELVES]]
    more = len(helps.collections) - len(shelves)
    yield (
        "What can be searched, by collection and number of documents: "
        f"{', '.join(shelves)}{f' and {more:,} more' if more else ''}"
    )
    if helps.questions:
        yield "You could ask instead:"
        yield from (f"  {question}" for question in helps.questions)


def _format_citations(citations: Sequence[Citation], *, is_whole: bool = False) -> Iterator[str]:
    """Format each citation with its excerpt, or with its whole quote in the lines of the document."""
    for citation in citations:
        apart = f", {citation.distinction}" if citation.distinction else ""
        recognised = " (recognised text)" if citation.is_recognised else ""
        address = citation.opens_at or citation.source_url
        yield f"[{citation.number}] {citation.label}{recognised}{apart} {address}".rstrip()
        lines = citation.quoted_excerpt.splitlines() if is_whole else [citation.excerpt]
        quote = "\n     ".join(line.strip() for line in lines if line.strip() and not is_rule(line))
        yield f'    "{quote}"'
