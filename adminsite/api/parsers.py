"""Parse the body of a request."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser as RestJSONParser


class JSONParser(RestJSONParser):
    """JSON. Values nested deeper than Python can follow are the sender's fault, not ours."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """The body's value. ParseError when it is none."""
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
