"""Do the commands that come over the socket, in the web process.

Whoever can open the socket owns the files of this Footnote, and so could run the command by themselves: they may ask
as anybody, as a command may.
"""

import json
import os
import socket
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any, NoReturn
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.core.management import load_command_class
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections, connections

from adminsite.environment import names_read
from adminsite.running.address import find_socket
from adminsite.running.client import COMMANDS, digest_environment
from core.errors import FootnoteError
from core.infrastructure.database_errors import translate_database_errors
from core.infrastructure.version import VERSION
from core.management.base import LOGS_SHOWN
from core.values.sizes import MEGABYTE

LARGEST = MEGABYTE  # bytes of an order
# Options that are for the process that runs the command: it does the command itself.
_OF_PROCESSES = ("batch", "settings", "pythonpath", "traceback", "force_color")


class LeftToTheCommand(Exception):  # noqa: N818 - not an error: the command is done where it was called
    """The command is to be done by the process that was called."""


def with_commands(application: WSGIApplication) -> WSGIApplication:
    """Answer commands that come over their socket, and let everything else through to the application."""
    own = find_socket(os.environ)

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if own is None or not _came_over(environ.get("gunicorn.socket"), str(own)):
            return application(environ, start_response)
        close_old_connections()
        try:
            said = json.dumps(do_command(_read_order(environ))).encode()
        except LeftToTheCommand:
            start_response("409 Conflict", [("Content-Length", "0")])
            return []
        finally:
            connections.close_all()
        start_response("200 OK", [("Content-Length", str(len(said)))])
        return [said]

    return answer


def do_command(order: Mapping[str, Any]) -> dict[str, Any]:
    """Do a command and return what it prints and its exit code. LeftToTheCommand where another process should.

    A web process that was not started anew after an upgrade leaves it to the new code.
    """
    name, arguments = order.get("command"), order.get("arguments")
    is_of_same = order.get("version") == VERSION and not _has_other_settings(order.get("environment"))
    if name not in COMMANDS or not isinstance(arguments, list) or not is_of_same:
        raise LeftToTheCommand
    command = load_command_class("core", str(name))
    options = _parse_options(command, str(name), [str(each) for each in arguments])
    out, err = StringIO(), StringIO()
    code = _execute_command(command, options, out, err)
    return {"stdout": out.getvalue(), "stderr": err.getvalue(), "exit_code": code}


def _execute_command(command: BaseCommand, options: dict[str, Any], out: StringIO, err: StringIO) -> int:
    """Run the command and return its exit code; errors are worded as manage.py words them."""
    try:
        with translate_database_errors():
            command.execute(**options, stdout=out, stderr=err, skip_checks=True)
    except CommandError as error:
        err.write(f"CommandError: {error}\n")
        return error.returncode
    except FootnoteError as error:
        err.write(f"{error.message}\n")
        return 1
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0


def _parse_options(command: BaseCommand, name: str, arguments: list[str]) -> dict[str, Any]:
    """Return the options. Wrong usage is explained by the process that was called."""
    parser: CommandParser = command.create_parser("manage.py", name)
    parser.exit = _leave_command  # type: ignore[method-assign]  # it would end the web process's thread, and print there
    parser.print_help = _leave_command  # type: ignore[method-assign]
    try:
        options = vars(parser.parse_args(arguments))
    except CommandError as error:
        raise LeftToTheCommand from error
    if options["verbosity"] >= LOGS_SHOWN or any(options.get(each) for each in _OF_PROCESSES):
        raise LeftToTheCommand
    options.pop("skip_checks", None)
    return options


def _leave_command(*_args: Any, **_options: Any) -> NoReturn:
    raise LeftToTheCommand


def _has_other_settings(theirs: object) -> bool:
    """Return True if a setting that the command was given has another value here, or none."""
    if not isinstance(theirs, dict):
        return True
    ours = digest_environment(os.environ)
    return any(
        ours.get(name) != digest
        for name, digest in theirs.items()
        if name != "FOOTNOTE_HOME" and (name in names_read or name.endswith("_API_KEY"))
    )


def _came_over(connection: Any, path: str) -> bool:
    """Return True if the connection came over the socket at that path. Another socket may be a proxy's."""
    return getattr(connection, "family", None) == socket.AF_UNIX and connection.getsockname() == path


def _read_order(environ: WSGIEnvironment) -> dict[str, Any]:
    try:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        order = json.loads(environ["wsgi.input"].read(length)) if 0 < length <= LARGEST else None
    except (ValueError, RecursionError) as error:
        raise LeftToTheCommand from error
    if not isinstance(order, dict):
        raise LeftToTheCommand
    return order
