"""Test the deployed files: each passes its linter, and all of them agree with the Procfile and the settings."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

from core.infrastructure.version import VERSION
from tests.architecture.test_docs import SETTINGS_PAGE, commands

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
UNITS = sorted((ROOT / "deploy/systemd").iterdir())
CHART = ROOT / "deploy/helm"
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PROCESSES = {
    name: command.removeprefix("exec ")
    for name, command in (line.split(": ") for line in (ROOT / "Procfile").read_text().splitlines())
}
# Read by others than Footnote's settings: Python, the shell, PostgreSQL's image. Then what these files tell each other.
OF_OTHERS = {"HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "POSTGRES_PASSWORD"}
BETWEEN_THEM = {"OWNER_DATABASE_URL", "OWNER_PASSWORD", "APP_PASSWORD", "PUBLIC_HOST"}
ACCOUNT = 10001

needs_helm = pytest.mark.skipif(not (BIN / "helm").exists(), reason="helm is not installed: make helm")
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")


def _run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False, **options)


def _known_settings() -> set[str]:
    """Return the settings in docs/settings.md, the keys of providers included."""
    return set(re.findall(r"`([A-Z][A-Z_0-9]+)`", SETTINGS_PAGE))


def _example(file: str) -> dict[str, str]:
    """Return the settings in an example of an environment file, commented lines included."""
    return dict(re.findall(r"^#?([A-Z][A-Z_0-9]*)=(.*)$", (ROOT / file).read_text(), re.MULTILINE))


def _interpolated(text: str, values: dict[str, str]) -> str:
    """compose.yaml as an engine reads it: ${NAME:?message} and ${NAME:-default} filled in, KeyError without a value."""

    def value(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        return values[name] if default is None else values.get(name, default)

    return re.sub(r"\$\{(\w+)(?::\?[^}]*|:-([^}]*))?\}", value, text)


@cache
def _compose() -> dict[str, Any]:
    """compose.yaml with the variables of its example and nothing else."""
    values = dict.fromkeys(_example("deploy/compose.env.example"), "filled")
    loaded: dict[str, Any] = yaml.safe_load(_interpolated((ROOT / "compose.yaml").read_text(), values))
    return loaded


@cache
def _rendered() -> list[dict[str, Any]]:
    """Render the chart with its example values."""
    done = _run(BIN / "helm", "template", "footnote", CHART, "--values", CHART / "example-values.yaml")
    assert done.returncode == 0, done.stderr
    return [part for part in yaml.safe_load_all(done.stdout) if part]


def _pods() -> dict[str, dict[str, Any]]:
    """The pods' specifications by component."""
    return {
        part["metadata"]["labels"]["app.kubernetes.io/component"]: part["spec"]["template"]["spec"]
        for part in _rendered()
        if part["kind"] in ("Deployment", "Job")
    }


def _unit(name: str) -> list[tuple[str, str]]:
    lines = (ROOT / f"deploy/systemd/footnote-{name}.service").read_text().splitlines()
    return [(key, value) for key, _, value in (line.partition("=") for line in lines if "=" in line and line[0] != "#")]


# --- Each file passes the linter of its kind


def test_the_dockerfile_passes_hadolint() -> None:
    """Without a warning."""
    done = _run(BIN / "hadolint", "Dockerfile")
    assert (done.returncode, done.stdout) == (0, "")


def test_compose_follows_the_specification() -> None:
    """The file passes unchanged, and not with a misspelt key."""
    compose = _compose()
    own = {key: value for key, value in compose.items() if not key.startswith("x-")}
    PyCompose.from_json(json.dumps(own))
    wrong = own | {"services": own["services"] | {"web": own["services"]["web"] | {"reed_only": True}}}
    with pytest.raises(ValueError, match="reed_only"):
        PyCompose.from_json(json.dumps(wrong))


@needs_systemd
def test_the_units_pass_systemds_own_check() -> None:
    """All that it says is that Footnote is not installed here."""
    done = _run("systemd-analyze", "verify", "--man=no", *UNITS)
    said = {line for line in done.stderr.splitlines() if "footnote" in line}
    assert {line for line in said if "is not executable: No such file or directory" not in line} == set()


@needs_systemd
def test_the_units_are_shut_in() -> None:
    """By systemd's own measure, from 0 (safe) to 10."""
    for unit in UNITS:
        if unit.suffix == ".service":
            done = _run("systemd-analyze", "security", "--offline=true", "--threshold=40", unit)
            assert done.returncode == 0, done.stdout[-300:]


@needs_helm
def test_the_chart_passes_helm_and_the_schemas_of_kubernetes(tmp_path: Path) -> None:
    """Strictly: an unknown field is an error."""
    lint = _run(BIN / "helm", "lint", "--strict", CHART, "--values", CHART / "example-values.yaml")
    assert lint.returncode == 0, lint.stdout
    manifests = tmp_path / "manifests.yaml"
    manifests.write_text(yaml.safe_dump_all(_rendered()))
    checked = _run(BIN / "kubernetes-validate", "--strict", "--kubernetes-version", "1.33", manifests)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@needs_helm
@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("host=", "/host"),
        ("secrets.owner=", "/secrets/owner"),
        ("settings.ORIGINALS_S3_BUCKET=", "Say where originals are kept"),
        ("settings.SECRET_KEY=x", "invalid propertyName 'SECRET_KEY'"),
    ],
)
def test_the_chart_refuses_what_cannot_work(value: str, complaint: str) -> None:
    """It names the value: a host, the owner's secret, a place for originals; and secrets are not settings."""
    done = _run(BIN / "helm", "template", CHART, "--values", CHART / "example-values.yaml", "--set", value)
    assert done.returncode != 0
    assert complaint in done.stderr


# --- They agree with each other and with Footnote


def test_every_variable_that_is_set_is_a_setting() -> None:
    """One that Footnote does not read would be believed to do something."""
    image = set(re.findall(r"^(?:ENV|    ) ?([A-Z_]+)=", DOCKERFILE, re.MULTILINE))
    given = {name for service in _compose()["services"].values() for name in service.get("environment", {})}
    units = {
        pair.partition("=")[0]
        for unit in ("web", "bot", "worker", "migrate")
        for key, value in _unit(unit)
        if key == "Environment"
        for pair in value.split()
    }
    assert {"PORT", "FOOTNOTE_HOME"} <= image
    named = image | given | units | set(_example("deploy/footnote.env.example"))
    assert named - _known_settings() - OF_OTHERS - BETWEEN_THEM == set()


@needs_helm
def test_every_variable_of_the_chart_is_a_setting() -> None:
    """In pods, and among the secrets that its schema keeps out of the values."""
    given = {variable["name"] for pod in _pods().values() for variable in pod["containers"][0]["env"]}
    schema = json.loads((CHART / "values.schema.json").read_text())
    kept_out = set(schema["properties"]["settings"]["propertyNames"]["not"]["enum"])
    assert (given | kept_out) - _known_settings() - BETWEEN_THEM == set()


def test_the_variables_of_compose_are_those_of_its_example() -> None:
    """All of them have a line there, and no line is for nothing. The tag of the image has a default."""
    used = set(re.findall(r"(?<!\$)\$\{(\w+)", (ROOT / "compose.yaml").read_text())) - {"FOOTNOTE_TAG"}
    assert used == set(_example("deploy/compose.env.example"))


def test_each_process_runs_as_the_procfile_says() -> None:
    """In the image, compose.yaml and the units; nobody leaves one out or has one more."""
    assert json.loads(re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[0]) == shlex.split(PROCESSES["web"])
    services = _compose()["services"]
    assert {name: shlex.join(services[name]["command"]) for name in PROCESSES} == PROCESSES
    assert set(services) - set(PROCESSES) == {"database", "migrate", "proxy"}
    for name, command in PROCESSES.items():
        unit = dict(_unit(name))
        nice = f"nice -n {unit['Nice']} " if "Nice" in unit else ""
        assert nice + unit["ExecStart"].replace("/opt/footnote/.venv/bin/", "") == command


@needs_helm
def test_the_chart_runs_the_processes_of_the_procfile() -> None:
    """And the migrations, before them."""
    pods = _pods()
    assert {name: shlex.join(pods[name]["containers"][0]["command"]) for name in PROCESSES} == PROCESSES
    assert set(pods) - set(PROCESSES) == {"migrate"}


def test_the_chart_is_of_the_version_that_it_installs() -> None:
    """The images that it takes by default are tagged with it."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert chart["appVersion"] == VERSION


def test_every_command_that_is_named_exists() -> None:
    """Footnote's own, and Django's two."""
    texts = [DOCKERFILE, (ROOT / "compose.yaml").read_text(), *(unit.read_text() for unit in UNITS)]
    texts += [(CHART / "templates/migrate.yaml").read_text(), (ROOT / "deploy/rehearse.sh").read_text()]
    named = {name for text in texts for name in re.findall(r"manage\.py (\w+)", text)}
    assert {"check", "migrate", "prepare_evaluation", "worker"} <= named
    assert named - commands() == {"check", "migrate", "collectstatic", "createsuperuser"}


def test_the_image_takes_its_requirements_from_the_lock() -> None:
    """By the target that holds every file to its hash, with what that target reads, and by no other way."""
    assert "RUN make setup" in DOCKERFILE
    assert "pip install" not in DOCKERFILE
    copied = set(re.findall(r"^COPY (.*) \./$", DOCKERFILE, re.MULTILINE)[0].split())
    assert {"Makefile", "requirements.txt", "requirements.lock", "requirements-uv.lock"} <= copied
    assert "COPY .ci/install.py .ci/\n" in DOCKERFILE
    copied.add(".ci/install.py")
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied <= let_in
    assert {name for name in let_in if not (ROOT / name).exists()} == set()
    assert let_in & {".env", "footnote.env", "var", ".git", ".venv"} == set()


def test_the_image_runs_without_the_emulator(tmp_path: Path) -> None:
    """A process without it starts, and refuses to show its page."""
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert "slack_emulator" not in let_in
    for name in let_in:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    program = (
        "import django; django.setup()\n"
        "from django.core.checks import ERROR, run_checks\n"
        "from django.urls import Resolver404, resolve\n"
        "resolve('/livez')\n"
        "try: resolve('/local/')\n"
        "except Resolver404: print('no local page')\n"
        "print([found.id for found in run_checks() if found.level >= ERROR])"
    )
    own = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": "postgres://unused",
        "DJANGO_SETTINGS_MODULE": "adminsite.settings",
    }
    for settings, errors in (({}, []), ({"LOCAL_PAGE": "1"}, ["footnote.E003"])):
        env = {**own, "DEBUG": "1", "FOOTNOTE_HOME": str(tmp_path), **settings}
        run = subprocess.run(
            [sys.executable, "-c", program], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert run.stdout.split("\n")[:2] == ["no local page", str(errors)]


def test_nothing_runs_as_root_or_writes_beside_its_folders() -> None:
    """The image's account is a number; compose.yaml and the units take every right that they can."""
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == [f"{ACCOUNT}:{ACCOUNT}"]
    services = _compose()["services"]
    for name in (*PROCESSES, "migrate", "proxy"):
        assert services[name]["read_only"] is True, name
        assert services[name]["cap_drop"] == ["ALL"], name
        assert services[name]["security_opt"] == ["no-new-privileges:true"], name
    for name in (*PROCESSES, "migrate"):
        unit = _unit(name)
        assert {("User", "footnote"), ("ProtectSystem", "strict"), ("NoNewPrivileges", "yes")} <= set(unit), name
        # These would take layers from the sandbox, or stop torch.
        assert {"RestrictNamespaces", "SystemCallFilter", "MemoryDenyWriteExecute"} & {key for key, _ in unit} == set()


@needs_helm
def test_no_pod_runs_as_root_or_writes_to_its_image() -> None:
    """Not the migrations either."""
    for name, pod in _pods().items():
        inner = pod["containers"][0]["securityContext"]
        assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, ACCOUNT), name
        assert inner["readOnlyRootFilesystem"] is True, name
        assert inner["capabilities"] == {"drop": ["ALL"]}, name
        assert {mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]} == {
            "/tmp",  # noqa: S108 - a mount
            "/srv/footnote/originals",
        }, name


def test_only_the_migrations_see_the_owner() -> None:
    """The owner of the tables can switch row-level security off; web, bot and worker must not be able to."""
    services = _compose()["services"]
    with_owner = {name for name, service in services.items() if "OWNER" in json.dumps(service.get("environment", {}))}
    assert with_owner == {"database", "migrate"}
    assert [name for name in (*PROCESSES, "migrate") if "owner.env" in str(_unit(name))] == ["migrate"]


@needs_helm
def test_only_the_migrations_of_the_chart_see_the_owner() -> None:
    """Its secret is one of its own."""
    assert {name for name, pod in _pods().items() if "footnote-owner" in json.dumps(pod)} == {"migrate"}


@needs_helm
def test_ports_and_probes_are_those_of_the_web_process() -> None:
    """The image, the proxy, the service and the probes mean one port, and paths that there are."""
    container = _pods()["web"]["containers"][0]
    port = container["ports"][0]["containerPort"]
    assert re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE) == [str(port)]
    assert f" PORT={port}\n" in DOCKERFILE
    assert f"reverse_proxy {{$WEB:web:{port}}}" in (ROOT / "deploy/Caddyfile").read_text()
    urls = (ROOT / "adminsite/urls.py").read_text()
    paths = {container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")}
    assert paths == {"/livez", "/readyz"}
    assert {path for path in paths if f'path("{path[1:]}"' not in urls} == set()


def test_the_database_is_prepared_as_the_guide_says() -> None:
    """Statement by statement: the script for a new server, and what docs/postgresql.md has people type."""
    script = (ROOT / "deploy/postgres/10-footnote.sh").read_text().partition("<<'SQL'")[2]
    guide = (ROOT / "docs/postgresql.md").read_text()
    wanted = _statements("\n".join(re.findall(r"^    (.*)$", guide, re.MULTILINE)))
    assert len(wanted) > 12
    assert wanted <= _statements(script)


def _statements(sql: str) -> set[str]:
    """The statements that create, change or grant, with one space between words and any password."""
    flat = re.sub(r"PASSWORD (?:'\.\.\.'|:'\w+')", "PASSWORD", " ".join(sql.split()))
    return {found.strip() for found in re.findall(r"(?:CREATE|ALTER|GRANT|REVOKE) [^;]*;", flat)}


def test_the_rehearsal_is_a_script_that_bash_can_read() -> None:
    """And so is what prepares PostgreSQL."""
    for script in ("deploy/rehearse.sh", "deploy/postgres/10-footnote.sh"):
        done = _run("bash", "-n", script)
        assert (done.returncode, done.stderr) == (0, ""), script
