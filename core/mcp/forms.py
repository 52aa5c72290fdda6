"""Define what a tool is: the form of its arguments, the schema of what it gives, and one call of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin, is_typeddict

from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from core.errors import InvalidArgumentsError
from core.models import AuthToken
from core.programs.asking import Program
from core.serialization import CitationJson, Day, Id, Moment, list_fields, split_nullable
from core.types import Listener

Json = dict[str, Any]
Given = Mapping[str, Any]  # a JSON form, as a tool gives it

NOT_FILTERS = ("query", "question", "topic", "k", "conversation_id", "selected_text")


class Arguments(BaseModel):
    """Arguments of which none is unknown: a misspelt filter would be ignored in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FilteredArguments(Arguments):
    """The filters of a tool's arguments."""

    source: StrictStr | None = Field(None, description="Part of the document's title or address, or its arXiv id.")
    document_type: StrictStr | None = Field(
        None, description="paper, book, manual, statement, minutes, page, note, report or other."
    )
    collection: StrictStr | None = Field(None, description="The name of a collection of documents.")
    chapter: StrictStr | None = Field(None, description="Part of the chapter's heading.")
    section: StrictStr | None = Field(None, description="Part of the section's heading.")
    date_from: StrictStr | None = Field(None, description="Documents of this date or later, YYYY-MM-DD.")
    date_to: StrictStr | None = Field(None, description="Documents of this date or earlier, YYYY-MM-DD.")

    def filters(self) -> dict[str, Any]:
        """Return the filters among the arguments, as core.api.parse_filters takes them."""
        return self.model_dump(exclude_none=True, exclude=set(NOT_FILTERS))


def check_arguments(form: type[BaseModel], given: Mapping[str, Any]) -> Any:
    """Return the arguments in their form. InvalidArgumentsError that names each part which cannot be used."""
    try:
        return form.model_validate(given)
    except ValidationError as error:
        wrong = [
            f"{'.'.join(str(part) for part in detail['loc']) or 'arguments'}: {detail['msg']}"
            for detail in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise InvalidArgumentsError("These arguments cannot be used. " + "; ".join(wrong) + ".") from error


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call of a tool: its program, a listener for the steps, and a check for the end."""

    program: Program
    on_step: Listener = lambda step: None  # nobody wants to know of it
    is_stopped: Callable[[], bool] = lambda: False  # the client still waits


@dataclass(frozen=True, kw_only=True, slots=True)
class FootnoteTool:
    """One tool."""

    name: str
    title: str
    description: str  # for a model
    arguments: type[BaseModel]
    gives: Json  # the JSON Schema of what it gives, by property
    scope: AuthToken.Scope  # that a token needs for it
    run: Callable[[Call, Any], Given]  # who calls, and the arguments in their form
    writes: bool = False  # a question is kept with its answer; reading leaves nothing
    is_idempotent: bool = True  # calling it again with the same arguments changes nothing more


# What JSON Schema calls the types of a form's fields.
_NAMES: dict[Any, str] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    Id: "string",
    Day: "string",
    Moment: "string",
}


def describe_object(**properties: Json) -> Json:
    """Return the JSON Schema of an object with these properties, all of them required."""
    return {"type": "object", "properties": properties, "required": sorted(properties)}


def describe_form(form: type[Mapping[str, Any]], *names: str, **described: Json) -> Json:
    """Return the JSON Schema of a form: of all its fields, or of those named; some may be described otherwise."""
    fields = list_fields(form)
    return describe_object(**{name: described.get(name) or _describe_type(fields[name]) for name in names or fields})


def _describe_type(kind: Any) -> Json:
    """Return the JSON Schema of a field's type."""
    part, is_nullable = split_nullable(kind)
    if get_origin(part) is list:
        return {"type": "array", "items": _describe_type(get_args(part)[0])}
    if get_origin(part) is dict:
        return {"type": "object"}
    if is_typeddict(part):
        described = describe_form(part)
        return {**described, "type": ["object", "null"]} if is_nullable else described
    return {"type": [_NAMES[part], "null"] if is_nullable else _NAMES[part]}


CITATIONS: Json = {
    "type": "array",
    "items": describe_form(
        CitationJson,
        "number",
        "document_name",
        "document_date",
        "page_number",
        "chapter",
        "section",
        "source_reference",
        "chunk_id",
        "quoted_excerpt",
        "source_url",
        "is_recognised",
        "display_name",
        "authors",
        "full_citation",
        "opens_at",
        "statements",
    ),
}
