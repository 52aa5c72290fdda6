"""A pytest plugin: where several workers share the tests, the long files come first.

Whole files are handed out in this order, so that at the end there are only short ones and no worker waits for another.
"""

from pathlib import Path

import pytest

# Those that take ten seconds and more, from the longest on. What takes less is handed out by folder.
LONGEST = (
    "acceptance/test_local_page.py",
    "integration/core/test_rehearsal.py",
    "acceptance/test_local_models.py",
    "acceptance/test_admin_pages.py",
    "acceptance/slack/test_local_slack.py",
    "integration/test_embedded.py",
    "integration/leaks/test_addresses.py",
    "unit/ingestion/test_hostile_files.py",
    "acceptance/test_accessibility.py",
    "acceptance/test_proposals.py",
    "integration/answers/test_bad_servers.py",
    "integration/test_start.py",
    "integration/leaks/test_sources.py",
    "architecture/test_patterns.py",
    "integration/leaks/test_sections.py",
    "integration/mcp/test_web_process.py",
    "acceptance/test_one_look.py",
    "integration/answers/test_injection.py",
    "integration/mcp/test_http.py",
    "integration/vector_engine/test_engine.py",
    "integration/ingestion/test_hostile_batch.py",
    "integration/sync/test_runs.py",
    "architecture/test_start.py",
    "integration/adminsite/test_who_decides.py",
    "integration/adminsite/test_pages.py",
    "integration/bot/test_kills.py",
    "integration/retrieval/test_index_benchmark.py",
    "integration/mcp/test_stdio.py",
    "integration/bot/test_footnotes.py",
    "integration/bot/test_researches.py",
    "acceptance/test_policy.py",
    "integration/leaks/test_proposals.py",
    "acceptance/test_researches.py",
    "integration/bot/test_watchdog.py",
    "integration/sync/test_file_kinds.py",
    "integration/leaks/test_editions.py",
    "integration/sync/test_look_again.py",
    "unit/ingestion/test_recognition.py",
    "integration/retrieval/test_strategies.py",
    "integration/sync/test_answers_end.py",
    "integration/test_raw_requests.py",
    "unit/ingestion/test_bad_files.py",
    "unit/ingestion/test_sandbox_process.py",
    "integration/leaks/test_understanding.py",
    "integration/embedding/test_reembed.py",
    "integration/programs/test_bad_requests.py",
    "integration/answering/test_contradictions.py",
    "upgrade/test_upgrade.py",
    "integration/answering/test_abstention_benchmark.py",
    "integration/answers/test_malicious.py",
    "integration/ingestion/test_command.py",
    "acceptance/test_examinations.py",
    "unit/ingestion/test_pdf_garbled.py",
)
_PLACES = {Path("tests") / file: place for place, file in enumerate(LONGEST)}
_FOLDERS = ("upgrade", "integration", "architecture")  # the rest takes seconds


def pytest_configure(config: pytest.Config) -> None:
    """Have xdist keep the order: by itself it hands out first the files with the most tests, and those are short."""
    if config.pluginmanager.hasplugin("xdist"):
        config.option.loadscopereorder = False


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort by file and folder; within one the order stays as it is."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _rank(item.path.relative_to(config.rootpath)))


def _rank(file: Path) -> int:
    by_folder = (rank for rank, folder in enumerate(_FOLDERS) if folder in file.parts)
    return _PLACES.get(file, len(_PLACES) + next(by_folder, len(_FOLDERS)))
