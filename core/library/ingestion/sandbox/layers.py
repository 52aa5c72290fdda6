"""The layers of the sandbox, what each of them closes, and the least that has to be closed. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


class Layer(StrEnum):
    """Something that takes rights from a process. The value is its name for people."""

    NETWORK_NAMESPACE = "network namespace"  # Linux: no interface but a loopback that is down
    EMPTY_ROOT = "empty root"  # Linux: the root of the file system is an empty folder
    OWN_ACCOUNT = "account of its own"  # where Footnote runs as root: a number that no account has
    LANDLOCK = "Landlock"  # Linux 5.13: no file can be opened; from 6.7 no TCP, from 6.12 no signals to others
    SECCOMP = "seccomp"  # Linux: only calls that work on memory and on pipes that are open
    AUDIT_HOOK = "audit hook"  # Python's own, which native code passes by


class Exposure(StrEnum):
    """A surface that native code could reach from within a process. The value is its name for people."""

    FILES = "files"
    NETWORK = "the network"
    PROCESSES = "other processes"


# Without these two a hostile file can read a secret, and send it away.
LEAST = frozenset({Exposure.FILES, Exposure.NETWORK})


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The layers that confine a sandboxed process, and the surfaces left open."""

    layers: tuple[Layer, ...]  # in the order of Layer
    still_open: tuple[Exposure, ...]  # what native code reached when it was tried; in the order of Exposure

    @property
    def holds(self) -> bool:
        """True when the kernel closes at least files and the network."""
        return LEAST.isdisjoint(self.still_open)

    @property
    def words(self) -> str:
        """The layers in a line for people."""
        return ", ".join(self.layers) or "none"

    def as_json(self) -> dict[str, list[str]]:
        """This report as JSON values."""
        return {"layers": list(self.layers), "still_open": list(self.still_open)}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Self:
        """Return the report that `as_json` was made of. KeyError or ValueError when it is not one."""
        return cls(
            layers=tuple(Layer(name) for name in raw["layers"]),
            still_open=tuple(Exposure(name) for name in raw["still_open"]),
        )


# What is assumed of a process that did not say.
NOTHING_HOLDS = Report(layers=(), still_open=tuple(Exposure))
