"""The prompts of conversations, in files beside this one, and the hashes under which they are logged."""

import hashlib
from functools import cache
from importlib import resources


@cache
def prompt(name: str) -> str:
    """The text of the prompt `name`.md."""
    return resources.files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


@cache
def prompt_hash(name: str) -> str:
    """SHA-256 of a prompt, in hexadecimal: it changes when any word of it does."""
    return hashlib.sha256(prompt(name).encode()).hexdigest()
