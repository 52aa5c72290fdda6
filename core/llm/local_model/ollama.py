"""Ask an Ollama that runs on this machine which models it has."""

from dataclasses import dataclass
from urllib.parse import urlsplit

import requests

from core.errors import FootnoteError

ADDRESS = "http://127.0.0.1:11434"
_WAIT_S = 3
_MOST = 200


class OllamaError(FootnoteError):
    """Ollama cannot be used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed:
    """A model that Ollama has."""

    name: str
    size: int  # bytes
    digest: str


def list_installed(address: str = ADDRESS) -> list[Installed]:
    """Return the models of an Ollama on this machine. OllamaError where none answers there."""
    if urlsplit(address).hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise OllamaError("Only an Ollama on this machine is looked for. For another, set LLM_MODEL and LLM_API_BASE.")
    try:
        reply = requests.get(f"{address.rstrip('/')}/api/tags", timeout=_WAIT_S)
        reply.raise_for_status()
        listed = reply.json()["models"]
        return [
            Installed(name=str(one["name"]), size=int(one.get("size") or 0), digest=str(one.get("digest") or ""))
            for one in listed[:_MOST]
        ]
    except (requests.RequestException, ValueError, LookupError, TypeError, AttributeError) as error:
        raise OllamaError(f"No Ollama answers on {address}.") from error
