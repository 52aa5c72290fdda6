"""Test the confinement of a parser that was taken over: native code within the sandbox, layer by layer."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import IngestionError, SandboxError
from core.library.ingestion.sandbox import landlock
from core.library.ingestion.sandbox.layers import Exposure, Layer, Report
from core.library.ingestion.sandbox.probe import probe, run_probe
from core.library.ingestion.sandbox.process import Limits, Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers of the sandbox are Linux's")
PARSER = "tests.unit.ingestion.hostile_parser"
KERNEL = [layer for layer in Layer if layer is not Layer.AUDIT_HOOK]
FILES = {
    "read the secret key",
    "read the parent's environment",
    "read the parent's memory",
    "read its own environment",
    "list the folder",
    "write a file",
    "remove a file",
    "rename a file",
    "make a folder",
}
NETWORK = {"connect over TCP", "connect over UDP", "connect to a socket in a folder"}
PROCESSES = {"fork", "signal the parent", "trace the parent"}
# What each of them closes without the others.
CLAIMS = {
    (Layer.LANDLOCK,): FILES | {"trace the parent"},
    (Layer.SECCOMP,): FILES | NETWORK | PROCESSES,
    (Layer.NETWORK_NAMESPACE, Layer.EMPTY_ROOT): FILES | NETWORK,
    (Layer.OWN_ACCOUNT,): (FILES | PROCESSES) - {"read its own environment", "list the folder"},
}


@pytest.fixture
def targets() -> Iterator[dict[str, Any]]:
    """Set up targets: a key, a file, a folder that all may list, and sockets with listeners."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.create_server(("127.0.0.1", 0)) as internet,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        home = Path(folder)
        home.chmod(0o755)
        for name in ("secret_key", "victim"):
            (home / name).touch(mode=0o600)
        unix.bind(str(home / "listening"))
        unix.listen()
        yield {
            "secret": str(home / "secret_key"),
            "victim": str(home / "victim"),
            "folder": folder,
            "unix": str(home / "listening"),
            "port": internet.getsockname()[1],
            "parent": os.getpid(),
        }


def reached_from_the_fence(targets: dict[str, Any], *machine: str) -> set[str]:
    """Return what a sandboxed parser reaches. machine: a command that runs another one, on a poorer machine."""
    limits = Limits(seconds=60, memory_mb=1024, output_mb=16)
    with Sandbox(limits, required=False, program=[*machine, sys.executable, "-m", PARSER]) as sandbox:
        with pytest.raises(IngestionError) as told:
            sandbox.parse(b"a file", json.dumps(targets))
        return set(json.loads(told.value.message))


def reached_alone(targets: dict[str, Any], without: Collection[Layer] = ()) -> set[str]:
    """Return what a parser reaches behind the sandbox."""
    command = [sys.executable, "-m", PARSER, "alone", ",".join(without), json.dumps(targets)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    listed, *executed = done.stdout.splitlines()
    return set(json.loads(listed)) | set(executed)


def poorer(*refused: str) -> tuple[str, ...]:
    """A command for a machine that refuses these system calls."""
    return (sys.executable, "-m", "tests.unit.ingestion.refusing", ",".join(refused))


def test_a_parser_that_was_taken_over_reaches_nothing(targets: dict[str, Any]) -> None:
    """No file, no secret, no network, no process: not by native code either, in the very process that parses."""
    assert reached_from_the_fence(targets) == set()
    assert sorted(each.name for each in Path(targets["folder"]).iterdir()) == ["listening", "secret_key", "victim"]


def test_a_container_that_refuses_namespaces_leaves_nothing_open(targets: dict[str, Any]) -> None:
    """As container runtimes do it, with old kernels that have no Landlock either."""
    assert (
        reached_from_the_fence(targets, *poorer("unshare", "chroot", "setresuid", "landlock_create_ruleset")) == set()
    )


def test_the_attempts_succeed_where_nothing_holds(targets: dict[str, Any]) -> None:
    """Otherwise the tests here would prove nothing. Account and limits still take what they take."""
    reached = reached_alone(targets, without=list(Layer))
    assert reached >= {"read the secret key", "read its own environment", "list the folder", "remove a file"} | NETWORK
    assert "executed" in reached


@pytest.mark.parametrize("missing", KERNEL, ids=lambda layer: layer.name.lower())
def test_each_layer_can_be_missing(missing: Layer, targets: dict[str, Any]) -> None:
    """Whatever one layer closes, another one closes too; on a machine that has them all, everything."""
    left = set(probe().layers) - {missing}
    claimed = set().union(*(claim for layers, claim in CLAIMS.items() if left >= set(layers)))
    assert reached_alone(targets, without=[missing]) & claimed == set()
    assert claimed == FILES | NETWORK | PROCESSES or set(probe().layers) != set(Layer)


@pytest.mark.parametrize("alone", CLAIMS, ids=lambda layers: "_and_".join(layer.name.lower() for layer in layers))
def test_each_layer_holds_what_it_claims(alone: tuple[Layer, ...], targets: dict[str, Any]) -> None:
    """Without any of the others."""
    missing = set(alone) - set(probe().layers)
    if missing:
        pytest.skip(f"this machine has no {', '.join(sorted(missing))}")
    reached = reached_alone(targets, without=set(Layer) - set(alone))
    assert reached & CLAIMS[alone] == set()
    assert "executed" not in reached or alone == (Layer.OWN_ACCOUNT,)


def test_the_probe_tells_what_is_missing() -> None:
    """Layers that are held by name, and what native code reaches without them."""
    assert run_probe(without=list(Layer)) == Report(layers=(), still_open=tuple(Exposure))
    assert Layer.SECCOMP in probe().layers
    assert probe().still_open == ()
    assert probe().holds
    by_python_alone = run_probe(without=KERNEL)
    assert by_python_alone.layers == (Layer.AUDIT_HOOK,)
    assert {Exposure.FILES, Exposure.NETWORK} <= set(by_python_alone.still_open)
    assert not by_python_alone.holds


def test_nothing_is_read_where_the_fence_does_not_hold() -> None:
    """It says what is open and what to do; as best effort the file is read all the same."""
    with Sandbox(without=KERNEL) as sandbox:
        for name in ("a.txt", "b.txt"):
            with pytest.raises(SandboxError, match=r"could reach files and the network\..*INGEST_FENCE=best-effort"):
                sandbox.parse(b"text", name)
    with Sandbox(required=False, without=KERNEL) as sandbox:
        assert sandbox.parse(b"text", "a.txt").documents[0].title == "A"


def test_a_machine_that_refuses_every_layer_is_refused() -> None:
    """The process that parses is asked itself: what another one was given does not count."""
    code = (
        "from core.library.ingestion.sandbox.process import Sandbox\n"
        "with Sandbox() as sandbox: sandbox.parse(b'text', 'a.txt')"
    )
    refused = poorer("unshare", "chroot", "setresuid", "landlock_create_ruleset", "seccomp")
    done = subprocess.run(
        [*refused, sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert "SandboxError: Nothing was read" in done.stderr


@pytest.mark.parametrize(("known", "size"), [(1, 8), (3, 8), (4, 16), (6, 24), (9, 24)])
def test_landlock_is_asked_for_no_more_than_a_kernel_knows(known: int, size: int) -> None:
    """Older versions refuse what they do not know, and then nothing would hold."""
    ruleset, told = landlock._make_ruleset(known)
    assert told == size
    assert bool(ruleset.network) == (known >= 4)
    assert bool(ruleset.scoped) == (known >= 6)


def test_the_filter_is_chosen_without_opening_or_starting_anything() -> None:
    """It is chosen behind the audit hook, where a late import would end the process before it says what holds it."""
    script = (
        "import sys\n"
        "from core.library.ingestion.sandbox.system_calls import architecture\n"
        "def refuse(event, arguments):\n"
        "    if event in ('import', 'open', 'subprocess.Popen'):\n"
        "        raise SystemExit(f'{event}: {arguments}')\n"
        "sys.addaudithook(refuse)\n"
        "architecture()\n"
    )
    # -S: nothing of this environment that imports more than a bare Python does.
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
