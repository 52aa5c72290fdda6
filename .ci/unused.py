"""List code of the product that nothing of the product uses: .ci/unused.py, with vulture's help.

A name counts as used where a template, a table or a text of the code has it as a word too: Django, Slack and Prometheus
are told names. What tests alone use is listed. What frameworks call by a name of their own is in the lists below.
"""

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("core", "bot", "adminsite", "slack_emulator")
USERS = (*PRODUCT, "manage.py", "readers", "benchmarks", "evaluation", ".ci")  # tests are no users
KINDS = {"class", "function", "method", "property", "import"}
CALLED_BY_NAME = (
    *("Meta", "Media", "*Config", "Command", "handle", "add_arguments", "has_*_permission", "clean_*", "get_*"),
    *("validate_*", "do_GET", "do_POST", "log_message", "forward", "process_*", "label_from_instance", "lookups"),
    *("field_choices", "authenticate_header", "is_open_for_signup", "send_notification_mail", "pre_login"),
    *("pre_social_login", "on_authentication_error", "can_delete_authenticator", "revoke_token", "consume", "patch"),
    *("on_starting", "post_worker_init", "on_exit", "acompletion", "as_sql", "db_for_read", "provide_final_answer"),
    *("write_memory_to_messages", "proxy_manager_for", "_new_conn", "_check_endpoint", "_save", "TokenScheme"),
    *("_get_session_auth_hash", "*Admin", "to_field_allowed", "prepare_value", "response_add", "filter_renderers"),
    *("migration_progress_callback", "validateLink", "from_db_value"),
)
REGISTERED = (
    "@register*",
    "@receiver*",
    "@app.*",
    "@admin.*",
    "@*.task*",
    "@*.periodic*",
    "@queue.*",
    "@*_task*",
    "@model_validator*",
)
# An interface that two classes say they implement, and a door for tests (core/testing.py).
KEPT = {"CandidateSource", "fetch_chunks"}
_WORD = re.compile(r"\w+")
_TEXTS = ("*.html", "*.js", "*.toml", "*.yaml", "*.json", "*.txt", "Procfile")


def list_words() -> Iterator[str]:
    """The words of templates and other files beside the code, and of the texts in the code but for its docstrings."""
    for folder in PRODUCT:
        for pattern in _TEXTS:
            for file in (ROOT / folder).rglob(pattern):
                yield from _WORD.findall(file.read_text(encoding="utf-8", errors="replace"))
        for file in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                    yield from _WORD.findall(node.value)


def main() -> int:
    """Print what has no user. Returns the exit code."""
    finder = Vulture(ignore_names=CALLED_BY_NAME, ignore_decorators=REGISTERED)
    finder.scavenge([str(ROOT / name) for name in USERS], exclude=["*/migrations/*"])
    words = set(list_words()) | KEPT
    unused = [
        item
        for item in finder.get_unused_code(min_confidence=60)
        if item.typ in KINDS
        and Path(item.filename).relative_to(ROOT).parts[0] in PRODUCT
        and item.name not in words
        and not any(fnmatch(item.name, pattern) for pattern in CALLED_BY_NAME)
    ]
    for item in unused:
        place = f"{Path(item.filename).relative_to(ROOT)}:{item.first_lineno}"
        sys.stdout.write(f"{place}: {item.typ} {item.name} has no user\n")
    return 1 if unused else 0


if __name__ == "__main__":
    sys.exit(main())
