"""Install lists of requirements with uv, which takes a fifth of pip's time, as pip is configured: `install.py FILE...`.

A file that ends in .lock is held to its hashes, and nothing but what it lists is installed. Whatever uv cannot do, or
cannot be told, pip does: where uv cannot be fetched, where pip is configured in a way that uv has no option for, and
where uv failed, so that it is pip that says what is missing. Exit code: that of pip, or 0.

The standard library is enough, for nothing is installed yet. Decision 0107 says why.
"""

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", "--quiet"]
# pip takes the best version of all indexes; uv by itself that of the first index which has the package.
UV = ["pip", "install", "--python", sys.executable, "--index-strategy", "unsafe-best-match"]

# Each of pip's settings in uv's words; a value of several lines or words is given once for each.
OPTIONS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
    "constraint": "--constraint",
}
VARIABLES = {
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "timeout": "UV_HTTP_TIMEOUT",
    "retries": "UV_HTTP_RETRIES",
    "proxy": "ALL_PROXY",
}
SWITCHES = {"no-index": "--no-index", "no-cache-dir": "--no-cache"}
WITHOUT_EFFECT = {
    *("cache-dir", "config-file", "prefer-binary", "require-virtualenv", "root-user-action"),
    *("no-color", "no-input", "progress-bar", "quiet", "verbose"),
    *("disable-pip-version-check", "no-python-version-warning", "no-warn-script-location"),
}
NO = {"n", "no", "f", "false", "off", "0"}


class NoOptionError(Exception):
    """uv has no option for what pip is configured to do."""


def main(files: list[str]) -> int:
    """Install the files one after the other. The first exit code that is not 0, of pip."""
    with tempfile.TemporaryDirectory(prefix="footnote-uv-") as folder:
        command, environment = prepare(Path(folder))
        for file in files:
            if command and not run(name_file(file, command), environment):
                continue
            code = run(name_file(file, [*PIP, "install"]), {})
            if code:
                return code
    return 0


def prepare(folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return uv's command for pip's configuration, and variables for it; an empty command where pip is to install.

    folder: where uv may be put, if the environment has none.
    """
    try:
        options, environment = translate(read_settings())
    except NoOptionError:
        return [], {}
    program = Path(sys.executable).with_name("uv")
    if not program.exists():
        fetch = [*PIP, "install", "--target", str(folder)]
        if run(name_file(str(HERE.parent / "requirements-uv.lock"), fetch), {}, is_shown=False):
            return [], {}
        program = folder / "bin" / "uv"
    shown = [] if sys.stderr.isatty() else ["--quiet", "--quiet"]
    return [str(program), *UV, *shown, *options], environment


def name_file(file: str, command: list[str]) -> list[str]:
    """Return the command for a list of requirements, which is held to its hashes if it is a lock."""
    if not file.endswith(".lock"):
        return [*command, "-r", file]
    # The lock names every version, and a file of constraints has no hashes.
    pairs = zip(["", *command], command, strict=False)
    unbound = [word for before, word in pairs if "--constraint" not in (before, word)]
    return [*unbound, "--no-deps", "--require-hashes", "-r", file]


def read_settings() -> dict[str, str]:
    """Return pip's settings for `pip install`, of its files and the environment's variables, by name."""
    listed = subprocess.run([*PIP[:3], "config", "list"], capture_output=True, text=True, check=False).stdout
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listed.splitlines():
        name, is_setting, value = line.partition("=")
        section, _, name = name.rpartition(".")
        if is_setting and section in found:
            found[section][name] = str(ast.literal_eval(value))
    return found["global"] | found["install"] | found[":env:"]


def translate(settings: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return uv's options and environment variables for pip's settings. NoOptionError where there is none for one."""
    options: list[str] = []
    environment: dict[str, str] = {}
    # To pip "no-compile = no" says that nothing is compiled: the option's own effect, which is False.
    if settings.pop("no-compile", "yes").lower() not in NO:
        options.append("--compile-bytecode")
    for name, value in settings.items():
        if name in OPTIONS:
            options += [word for each in value.split() for word in (OPTIONS[name], each)]
        elif name in VARIABLES:
            environment[VARIABLES[name]] = value
        elif name in SWITCHES:
            options += [] if value.lower() in NO else [SWITCHES[name]]
        elif name not in WITHOUT_EFFECT:
            raise NoOptionError(name)
    return options, environment


def run(command: list[str], environment: dict[str, str], *, is_shown: bool = True) -> int:
    """Run a command, and return its exit code."""
    errors = None if is_shown else subprocess.DEVNULL
    return subprocess.run(command, env=os.environ | environment, check=False, stderr=errors).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
