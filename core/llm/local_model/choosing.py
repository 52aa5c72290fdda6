"""Choose an offered model for this machine, fetch it or take a file, check it and set it up: for command and admin.

The offers are a few open models that are worth it on ordinary machines, none of which is packaged.

Whoever calls is told the steps and the bytes by an `Observer`, whose functions may end the work with an exception.
"""

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.llm.local_model.fetching import FetchError, Progress, fetch, find_part, hash_file
from core.llm.local_model.gguf import read_head
from core.llm.local_model.machine import Machine
from core.llm.local_model.registration import FOLDER, Registered
from core.llm.local_model.server import check_installed
from core.llm.local_model.setting_up import CONTEXT, PROVIDER, SetUpError, check_file, in_gigabytes, set_up_file

_NOT_IN_A_NAME = re.compile(r"[^a-z0-9._-]+")
_DISK_LEFT_FREE = 200_000_000  # bytes
LONGEST_PATH = 1000  # characters
_HUB = "https://huggingface.co/{}/resolve/main/{}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """A model that can be fetched."""

    name: str  # as it will stand in LLM_MODEL; its size in it decides how it is led
    title: str
    repository: str  # on the hub
    file: str
    size: int  # bytes, about
    parameters: float
    licence: str
    sha256: str = ""  # where it is known; else the one that the hub states is used and written down
    memory_per_token: int  # bytes of the cache, about

    @property
    def address(self) -> str:
        """Return where the file is fetched from."""
        return _HUB.format(self.repository, self.file)

    def memory(self, context: int) -> int:
        """Return about how many bytes serving it takes; as core.llm.local_model.gguf reckons for a file."""
        return self.size + self.memory_per_token * context + self.size // 10 + 300_000_000


OFFERS = (
    Offer(
        name="qwen2.5-coder-1.5b-instruct-q4_k_m",
        title="Qwen2.5 Coder 1.5B Instruct",
        repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        parameters=1.78e9,
        licence="Apache-2.0",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        memory_per_token=28_672,
    ),
    Offer(
        name="qwen3-4b-instruct-2507-q4_k_m",
        title="Qwen3 4B Instruct 2507",
        repository="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        file="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        size=2_500_000_000,
        parameters=4.02e9,
        licence="Apache-2.0",
        memory_per_token=147_456,
    ),
)


def find_offer(name: str) -> Offer | None:
    """Return the offer of that name, or None."""
    return next((offer for offer in OFFERS if offer.name == name), None)


class Step(StrEnum):
    """Names the steps of setting up a model, in their order."""

    FETCHING = "fetching"
    CHECKING = "checking"
    LOADING = "loading"


@dataclass(frozen=True, kw_only=True, slots=True)
class Observer:
    """Functions that are told how far the work is. Each may raise, and nothing is set up then."""

    step: Callable[[Step], None] = lambda step: None
    progress: Progress = lambda done, total: None
    check: Callable[[], None] = lambda: None  # called twice a second and more often while the model is loaded


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """Holds how a model is to be checked and served."""

    sha256: str = ""  # what the file has to have; "" takes what is known of it
    threads: int = 0  # 0: as many as suit the machine
    context: int = CONTEXT  # tokens of a conversation
    anyway: bool = False  # serve it though memory seems too small


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """An offered model, and what it means on this machine."""

    offer: Offer
    memory: int  # bytes that serving it takes
    seconds: float  # for a usual answer, estimated
    fits: bool  # into the memory that is free
    is_fetched: bool
    kept: int = 0  # bytes of a fetch that was broken off

    @property
    def model(self) -> str:
        """Return the name that it will have in LLM_MODEL."""
        return f"{PROVIDER}/{self.offer.name}"


def list_choices(machine: Machine, home: Path) -> list[Choice]:
    """Return what is offered, in the order of the catalogue. home: FOOTNOTE_HOME."""
    choices = []
    for offer in OFFERS:
        target = _find_target(offer, home)
        part = find_part(target)
        choices.append(
            Choice(
                offer=offer,
                memory=offer.memory(CONTEXT),
                seconds=machine.estimate_seconds(offer.parameters),
                fits=machine.fits(offer.memory(CONTEXT)),
                is_fetched=target.is_file(),
                kept=part.stat().st_size if part.is_file() else 0,
            )
        )
    return choices


def take_offer(offer: Offer, *, home: Path, machine: Machine, options: Options, observer: Observer) -> Registered:
    """Fetch an offered model and set it up. FootnoteError, in words, where it does not fit or cannot be had."""
    needed = offer.memory(options.context)
    if not machine.fits(needed) and not options.anyway:
        raise SetUpError(
            f"{offer.title} needs about {in_gigabytes(needed)} of memory, and {in_gigabytes(machine.memory)} are "
            "free, of which Footnote itself needs one. Choose a smaller model, or fetch it anyway (--anyway). Nothing "
            "was fetched."
        )
    check_installed()
    target = _find_target(offer, home)
    observer.step(Step.FETCHING)
    _check_disk(offer, target)
    fetch(offer.address, target, sha256=options.sha256 or offer.sha256, progress=observer.progress)
    source = f"{offer.repository}, {offer.file}"
    return _check_and_load(
        target, offer.name, home, machine, options=options, observer=observer, licence=offer.licence, source=source
    )


def take_file(path: Path, *, home: Path, machine: Machine, options: Options, observer: Observer) -> Registered:
    """Set up a model file that is there already. FootnoteError, in words, for one that cannot be used."""
    observer.step(Step.CHECKING)
    if not _is_readable(path):
        raise SetUpError(f"There is no file {path} that Footnote can read.")
    read_head(path)  # says what is wrong before a gigabyte is hashed
    if options.sha256 and (found := hash_file(path)) != options.sha256.lower():
        raise FetchError(f"The file's SHA-256 is {found}, not {options.sha256}.")
    name = _NOT_IN_A_NAME.sub("-", path.stem.casefold()).strip("-.") or "model"
    return _check_and_load(path, name, home, machine, options=options, observer=observer, licence="", source=path.name)


def read_path(text: str) -> Path:
    """Return the path of a model file that somebody named from afar. SetUpError, in words, for what is none.

    Whether there is such a file is not looked up: the worker does so, with its own rights.
    """
    named = text.strip()
    if not named or len(named) > LONGEST_PATH or not named.isprintable():
        raise SetUpError("Name the file by its path.")
    path = Path(named)
    if not path.is_absolute() or ".." in path.parts:
        raise SetUpError("Name the file by its whole path, from / on.")
    if path.suffix.casefold() != ".gguf":
        raise SetUpError("Name a file in the GGUF format: its name has to end in .gguf.")
    return path


def _check_and_load(
    path: Path,
    name: str,
    home: Path,
    machine: Machine,
    *,
    options: Options,
    observer: Observer,
    licence: str,
    source: str,
) -> Registered:
    observer.step(Step.CHECKING)
    context = check_file(path, machine, context=options.context, anyway=options.anyway)
    check_installed()
    observer.step(Step.LOADING)
    return set_up_file(
        path,
        home=home,
        name=name,
        machine=machine,
        threads=options.threads,
        context=context,
        licence=licence,
        source=source,
        check=observer.check,
    )


def _find_target(offer: Offer, home: Path) -> Path:
    return home / FOLDER / offer.file


def _is_readable(path: Path) -> bool:
    try:
        return path.is_file() and os.access(path, os.R_OK)
    except (OSError, ValueError):  # a folder on the way may not be entered
        return False


def _check_disk(offer: Offer, target: Path) -> None:
    """Raise FetchError where the rest of the file does not fit on the disk."""
    part = find_part(target)
    kept = part.stat().st_size if part.is_file() else 0
    left = 0 if target.is_file() else max(offer.size - kept, 0)
    folder = next(parent for parent in target.parents if parent.is_dir())
    free = shutil.disk_usage(folder).free
    if left and left + _DISK_LEFT_FREE > free:
        raise FetchError(
            f"The disk of {folder} has {in_gigabytes(free)} free, and {in_gigabytes(left)} are still to be fetched. "
            "Make room, then fetch again."
        )
