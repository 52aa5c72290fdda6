"""Define the arguments of the tools: their descriptions for a model, and the accepted values."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from core.api import MOST_SEARCH_RESULTS
from core.errors import InvalidArgumentsError

NOT_FILTERS = ("query", "question", "k", "conversation_id", "selected_text")


class _Arguments(BaseModel):
    """Arguments of which none is unknown: a misspelt filter would be ignored in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Filtered(_Arguments):
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
        """The filters among the arguments, as core.api.parse_filters takes them."""
        return self.model_dump(exclude_none=True, exclude=set(NOT_FILTERS))


class SearchArguments(_Filtered):
    """Of `search`."""

    query: StrictStr = Field(description="What to look for, in 3 to 1,000 characters.")
    k: StrictInt = Field(5, ge=1, le=MOST_SEARCH_RESULTS, description="Largest number of passages.")


class AskArguments(_Filtered):
    """Of `ask`."""

    question: StrictStr = Field(description="One question, in 3 to 1,000 characters.")
    conversation_id: UUID | None = Field(
        None, description="The conversation_id of an earlier result, to ask a follow-up question."
    )
    selected_text: StrictStr | None = Field(
        None, description="Answer only from this text; nothing else is searched then."
    )
    max_results: StrictInt | None = Field(
        None, description="How many passages the answer is first written from, 1 to 10. Default: 5."
    )


class PassageArguments(_Arguments):
    """Of `read_passage`."""

    chunk_id: UUID = Field(description="The chunk_id of a search result, a citation or a neighbouring passage.")


class EndArguments(_Arguments):
    """Of `end_conversation`."""

    conversation_id: UUID = Field(description="The conversation_id of an earlier result of ask.")


def check_arguments(form: type[BaseModel], given: Mapping[str, Any]) -> Any:
    """The arguments in their form. InvalidArgumentsError that names each part which cannot be used."""
    try:
        return form.model_validate(given)
    except ValidationError as error:
        wrong = [
            f"{'.'.join(str(part) for part in detail['loc']) or 'arguments'}: {detail['msg']}"
            for detail in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise InvalidArgumentsError("These arguments cannot be used. " + "; ".join(wrong) + ".") from error
