"""Load the prompts, in files beside this one, and the hash under which they are logged."""

import hashlib
from functools import cache
from importlib import resources


@cache
def prompt(name: str) -> str:
    """Return the text of the prompt `name`.md."""
    return resources.files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


@cache
def prompt_hash(*names: str) -> str:
    """Compute SHA-256 over the prompts of these names, in hexadecimal: it changes when any word of them does."""
    return hashlib.sha256("\0".join(prompt(name) for name in names).encode()).hexdigest()
