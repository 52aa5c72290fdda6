"""Settings common to all sources of files."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.errors import SourceError, UnsafeUrlError
from core.library.ingestion.sources.addresses import check_url
from core.library.sync.files.patterns import RULES_FILE, read_patterns, read_rules


def _check_patterns(text: str) -> str:
    read_patterns(text)
    return text


def _check_rules(text: str) -> str:
    try:
        read_rules(text, where="The rules")
    except SourceError as error:
        raise ValueError(error.message) from error
    return text


def _check_path(path: str) -> str:
    """Return a path without what leads elsewhere, and without "/" at its ends."""
    parts = [part for part in path.strip().split("/") if part]
    if any(part in {".", ".."} for part in parts) or not path.isprintable():
        raise ValueError('Write a path from the root, such as handbook/2024, without "." and "..".')
    return "/".join(parts)


def _check_address(address: str) -> str:
    """Return an address of http or https in its normal form, without "/" at its end; "" stays."""
    if not address:
        return ""
    try:
        return check_url(address).rstrip("/")
    except UnsafeUrlError as error:
        raise ValueError(error.message) from error


def _check_host(host: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:]+", host):
        raise ValueError("Write the name of the server alone, such as files.example.com.")
    return host.lower()


Patterns = Annotated[str, AfterValidator(_check_patterns)]
RelativePath = Annotated[str, AfterValidator(_check_path)]
HttpAddress = Annotated[str, AfterValidator(_check_address)]
HostName = Annotated[str, AfterValidator(_check_host)]


class FileSettings(BaseModel):
    """Filters for a source's files, and the rules for their readers."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    include: Patterns = Field(
        default="",
        title="Only these files",
        json_schema_extra={"lines": True},
        description="Patterns, one in a line: *.pdf for PDF files in any folder, handbook/ for a folder with all below "
        "it. Empty: every file of a kind that Footnote reads.",
    )
    exclude: Patterns = Field(
        default="",
        title="Without these files",
        json_schema_extra={"lines": True},
        description="Patterns, one in a line, of what is left out: drafts/ or *.csv. They go before those above.",
    )
    readers: Annotated[str, AfterValidator(_check_rules)] = Field(
        default="",
        title="Who reads what",
        json_schema_extra={"lines": True},
        description="Rules, one in a line: a pattern, a colon, and the groups that read what it fits, such as "
        "board/: directors, company secretary. The last line that fits a file decides; what no line fits is read by "
        f"nobody. Empty: the file {RULES_FILE} in the root of the source says so, in the same form, where there is "
        "one.",
    )
