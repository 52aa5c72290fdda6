"""Test who may know the tables of questions, answers and documents; import contracts see modules, and these are one."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FRONT_ENDS = ("bot", "adminsite", "slack_emulator", "core/mcp", "core/management")
TABLES = {
    "AgentStep",
    "Answer",
    "Chunk",
    "Citation",
    "Conversation",
    "Document",
    "EvaluationResult",
    "Feedback",
    "Query",
    "QueryLog",
    "RetrievedChunk",
    "RoleDocumentAccess",
}
# Where they are looked after, counted, or listed row by row under the rule of access; and the bot's foreign keys.
MAY_KNOW = (
    "adminsite/admin/",
    "adminsite/api/filters.py",
    "adminsite/api/grants.py",
    "adminsite/api/ingestion.py",
    "adminsite/api/library.py",
    "adminsite/api/records.py",
    "adminsite/api/serializers.py",
    "adminsite/dashboard/",
    "adminsite/metrics.py",
    "bot/models/",
    "core/management/commands/explain_access.py",
    "core/management/commands/ingest.py",
    "core/management/granting.py",
    "core/management/library.py",
)


def knowing() -> Iterator[str]:
    """The files of the front ends that import one of the tables."""
    for file in (file for folder in FRONT_ENDS for file in sorted((ROOT / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(file.read_text())):
            is_of_models = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("core.models")
            if is_of_models and TABLES & {alias.name for alias in node.names}:
                yield file.relative_to(ROOT).as_posix()


def test_front_ends_ask_core_api_and_not_the_tables() -> None:
    """Results and access come from core.api; nobody is exempt without need."""
    files = set(knowing())
    assert {file for file in files if not file.startswith(MAY_KNOW)} == set()
    assert {place for place in MAY_KNOW if not any(file.startswith(place) for file in files)} == set()
