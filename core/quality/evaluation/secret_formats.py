"""Made-up values of the formats that vendors publish for their keys and tokens. Pure.

`evaluation/secrets.jsonl` names them by placeholders, so that the repository holds no value of a real format and
scanners of repositories raise no alarm.
"""

import base64
import json
import random
import re
import string
import zlib
from collections.abc import Callable

_LETTERS_AND_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase  # in the order of base 62
_BASE32 = string.ascii_uppercase + "234567"
_BASE64 = _LETTERS_AND_DIGITS + "+/"
_BASE64_URL = _LETTERS_AND_DIGITS + "-_"
_PLACEHOLDER = re.compile(r"\{\{([a-z_]{1,40})\}\}")


def fill_placeholders(text: str) -> str:
    """Return the text with each placeholder such as {{github_token}} replaced by a made-up value of that format.

    A placeholder gives the same value in every text and every process. Placeholders of other names, and those with
    spaces inside the braces, stay as they are.
    """
    return _PLACEHOLDER.sub(_fill, text)


def _fill(match: re.Match[str]) -> str:
    """Return the value for a placeholder, or the placeholder itself where no format has its name."""
    name = match.group(1)
    if name not in _FORMATS:
        return match.group()
    return _FORMATS[name](random.Random(name))  # noqa: S311 - the values guard nothing and have to repeat


def _draw(chance: random.Random, alphabet: str, length: int) -> str:
    """Return that many random characters; the last one is a letter or a digit, where a word can end."""
    last = chance.choice([each for each in alphabet if each.isalnum()])
    return "".join(chance.choices(alphabet, k=length - 1)) + last


def _draw_with_checksum(chance: random.Random, prefix: str) -> str:
    """Return a token as GitHub and npm make them: 30 random characters and their CRC-32 as six digits of base 62."""
    drawn = _draw(chance, _LETTERS_AND_DIGITS, 30)
    rest, digits = zlib.crc32(drawn.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        digits = _LETTERS_AND_DIGITS[digit] + digits
    return f"{prefix}{drawn}{digits}"


def _make_slack_bot_token(chance: random.Random) -> str:
    """Return a bot token: the numbers of the workspace and the bot, and 24 characters."""
    workspace, bot = (chance.randrange(10**12, 10**13) for _ in range(2))
    return f"xoxb-{workspace}-{bot}-{_draw(chance, _LETTERS_AND_DIGITS, 24)}"


def _make_openai_key(chance: random.Random) -> str:
    """Return a key of a project: 74 characters on each side of "OpenAI" in base 64."""
    middle = base64.b64encode(b"OpenAI").decode()
    return f"sk-proj-{_draw(chance, _BASE64_URL, 74)}{middle}{_draw(chance, _BASE64_URL, 74)}"


def _make_jwt(chance: random.Random) -> str:
    """Return a JSON Web Token signed with HS256: header, claims and a signature of 32 bytes."""
    header = {"alg": "HS256", "typ": "JWT"}
    claims = {"sub": str(chance.randrange(10**9, 10**10)), "name": "Rosa Quint", "iat": 1767225600}
    parts = (json.dumps(part, separators=(",", ":")).encode() for part in (header, claims))
    encoded = (base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
    return ".".join([*encoded, _draw(chance, _BASE64_URL, 43)])


def _make_private_key(chance: random.Random) -> str:
    """Return a private key as PEM: a label, 26 lines of base 64 and a label."""
    label = "PRIVATE KEY"
    lines = [_draw(chance, _BASE64, 64) for _ in range(26)]
    lines[0] = "MIIE" + lines[0][4:]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


_FORMATS: dict[str, Callable[[random.Random], str]] = {
    "aws_access_key": lambda chance: "AKIA" + _draw(chance, _BASE32, 16),
    "github_token": lambda chance: _draw_with_checksum(chance, "ghp_"),
    "slack_bot_token": _make_slack_bot_token,
    "stripe_live_key": lambda chance: "sk_live_" + _draw(chance, _LETTERS_AND_DIGITS, 24),
    "openai_key": _make_openai_key,
    "jwt": _make_jwt,
    "google_api_key": lambda chance: "AIzaSy" + _draw(chance, _BASE64_URL, 33),
    "gitlab_token": lambda chance: "glpat-" + _draw(chance, _BASE64_URL, 20),
    "npm_token": lambda chance: _draw_with_checksum(chance, "npm_"),
    "sendgrid_key": lambda chance: f"SG.{_draw(chance, _BASE64_URL, 22)}.{_draw(chance, _BASE64_URL, 43)}",
    "private_key_pem": _make_private_key,
}
