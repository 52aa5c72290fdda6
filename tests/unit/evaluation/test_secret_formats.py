"""Placeholders for keys and tokens become values of the formats that vendors publish."""

import base64
import json
import re
import zlib
from pathlib import Path

import pytest

from core.quality.evaluation import secret_formats
from core.quality.evaluation.secret_formats import fill_placeholders

ROOT = Path(__file__).resolve().parents[3]
FORMATS = {
    "aws_access_key": r"AKIA[A-Z2-7]{16}",
    "github_token": r"ghp_[0-9A-Za-z]{36}",
    "slack_bot_token": r"xoxb-[0-9]{10,13}-[0-9]{10,13}-[0-9A-Za-z]{24}",
    "stripe_live_key": r"sk_live_[0-9A-Za-z]{24}",
    "openai_key": r"sk-proj-[\w-]{74}T3BlbkFJ[\w-]{74}",
    "jwt": r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}",
    "google_api_key": r"AIza[\w-]{35}",
    "gitlab_token": r"glpat-[\w-]{20}",
    "npm_token": r"npm_[0-9A-Za-z]{36}",
    "sendgrid_key": r"SG\.[\w-]{22}\.[\w-]{43}",
    "private_key_pem": r"-----BEGIN PRIVATE KEY-----\nMIIE[0-9A-Za-z+/]{60}\n(?:[0-9A-Za-z+/]{64}\n){25}"
    r"-----END PRIVATE KEY-----",
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_value_has_the_format_of_its_vendor_and_ends_where_a_word_can_end(name: str) -> None:
    """Fills a placeholder between two other words."""
    filled = fill_placeholders(f"key={{{{{name}}}}} and more")
    assert re.fullmatch(rf"key=(?:{FORMATS[name]}) and more", filled)
    assert name == "private_key_pem" or re.search(r"[0-9A-Za-z] and more$", filled)


def test_a_placeholder_always_gives_the_same_value_and_no_two_share_one() -> None:
    """Fills all of them twice."""
    text = "\n".join(f"{{{{{name}}}}}" for name in FORMATS if name != "private_key_pem")
    values = fill_placeholders(text).splitlines()
    assert values == fill_placeholders(text).splitlines()
    assert len(set(values)) == len(FORMATS) - 1
    assert fill_placeholders("{{npm_token}}{{npm_token}}") == fill_placeholders("{{npm_token}}") * 2


def test_values_are_the_same_in_every_process() -> None:
    """Compares a digest with a recorded one: a value itself would alarm scanners of repositories."""
    assert zlib.crc32(fill_placeholders("{{aws_access_key}} {{jwt}}").encode()) == 3394133189


@pytest.mark.parametrize("name", ["github_token", "npm_token"])
def test_the_last_six_characters_are_the_checksum_of_those_before(name: str) -> None:
    """Reads them as a number of base 62."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    value = fill_placeholders(f"{{{{{name}}}}}").split("_")[1]
    number = 0
    for digit in value[-6:]:
        number = number * 62 + digits.index(digit)
    assert number == zlib.crc32(value[:-6].encode())


def test_the_header_of_a_web_token_can_be_read() -> None:
    """Decodes the first part."""
    header = fill_placeholders("{{jwt}}").split(".")[0]
    assert json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4))) == {"alg": "HS256", "typ": "JWT"}


@pytest.mark.parametrize("text", ["{{ password }}", "{{ github_token }}", "{{password}}", "{github_token}", "${TOKEN}"])
def test_other_text_stays_as_it_is(text: str) -> None:
    """Names placeholders of templates, which people write too."""
    assert fill_placeholders(text) == text


def test_neither_the_module_nor_the_dataset_holds_a_value_of_a_real_format() -> None:
    """Looks for each format in both files."""
    for file in (Path(secret_formats.__file__), ROOT / "evaluation/secrets.jsonl"):
        text = file.read_text(encoding="utf-8")
        assert [name for name, pattern in FORMATS.items() if re.search(pattern, text)] == []
