"""Test which words of a text are secrets, how they are masked, and that it takes no longer than its length asks for."""

import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.values.secrets import MASK, SecretKind, find_secrets, is_same_but_masked, list_words, mask_secrets

HEX, BASE = "0123456789abcdef" * 4, "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA" * 4
KEY = "\n".join(["MIIEpAIBAAKCAQEAx7Yp0q3Zk8vGJ4mN2bHfT9sWcLdRuEoXiKyPzVgQn5tBhMfA"] * 3)

FORMATS = {
    "an access key of Amazon": "AKIAIOSFODNN7EXAMPL3",
    "a temporary key of Amazon": "ASIAIOSFODNN7EXAMPL3",
    "a token of GitHub": f"ghp_{BASE[:36]}",
    "a fine-grained token of GitHub": f"github_pat_{BASE[:60]}",
    "a token of GitLab": f"glpat-{BASE[:20]}",
    "a bot's token of Slack": f"xoxb-123456789012-{BASE[:24]}",
    "an app's token of Slack": f"xapp-1-A0123-{BASE[:20]}",
    "a key of Stripe": f"sk_live_{BASE[:24]}",
    "a webhook's secret of Stripe": f"whsec_{BASE[:32]}",
    "a key of OpenAI": f"sk-proj-{BASE[:40]}",
    "a key of Anthropic": f"sk-ant-api03-{BASE[:40]}",
    "a key of Google": f"AIza{BASE[:35]}",
    "a client's secret of Google": f"GOCSPX-{BASE[:28]}",
    "a token of npm": f"npm_{BASE[:36]}",
    "a token of PyPI": f"pypi-{BASE[:60]}",
    "a token of Hugging Face": f"hf_{BASE[:34]}",
    "a token of Docker": f"dckr_pat_{BASE[:27]}",
    "a key of SendGrid": f"SG.{BASE[:22]}.{BASE[:43]}",
    "a token of DigitalOcean": f"dop_v1_{HEX}",
    "a token of Databricks": f"dapi{HEX[:32]}",
    "a token of Vault": f"hvs.{BASE[:24]}",
    "a token of Shopify": f"shpat_{HEX[:32]}",
    "a key of Linear": f"lin_api_{BASE[:40]}",
    "a token of Notion": f"ntn_{BASE[:46]}",
    "a token of Atlassian": f"ATATT3{BASE[:80]}",
    "a token of a bot of Telegram": f"1234567890:AA{BASE[:33]}",
    "a JSON Web Token": f"eyJ{BASE[:30]}.eyJ{BASE[:60]}.{BASE[:43]}",
    "an address for messages to Slack": f"T00000000/B00000000/{BASE[:24]}",
}

# Text before, the secret, text behind, and its kind.
ANNOUNCED = [
    ("The password is ", "Xy7!kestrel", ".", SecretKind.PASSWORD),
    ("Password: ", "winter2024", "", SecretKind.PASSWORD),
    ("Password = ", "aB3$kestrel", "\nUser = anna", SecretKind.PASSWORD),
    ("**Password:** ", "kestrel2024", "", SecretKind.PASSWORD),
    ("password: '", "correct horse battery", "' for all", SecretKind.PASSWORD),
    ("The Wi-Fi password of the second floor is ", "Heron-Lake-88", " and works for guests.", SecretKind.PASSWORD),
    ("Wi-Fi key: ", "heron88lake", "", SecretKind.PASSWORD),
    ("Their passphrase is now ", "Gull%Harbour%7", ".", SecretKind.PASSWORD),
    ("DB_PASSWORD=", "s3cr4t-heron", "\nDB_HOST=db", SecretKind.PASSWORD),
    ("dbPassword: ", "s3cr4t-heron", ",", SecretKind.PASSWORD),
    ("pwd: ", "otter99mill", "", SecretKind.PASSWORD),
    ("Write the password down. It begins the day: ", "Otter#Mill-31", " opens all.", SecretKind.PASSWORD),
    ("Das Passwort lautet ", "Reiher-Teich-88", ".", SecretKind.PASSWORD),
    ("Kennwort: ", "Sommer2024", "", SecretKind.PASSWORD),
    ("Das Startpasswort ist ", "Moewe!2024", ".", SecretKind.PASSWORD),
    ("WLAN-Schlüssel: ", "reiher88teich", "", SecretKind.PASSWORD),
    ("Le mot de passe est ", "Heron!Lac88", ".", SecretKind.PASSWORD),
    ("Mot de passe : ", "ete2024port", "", SecretKind.PASSWORD),
    ("La contraseña es ", "Garza!Lago88", ".", SecretKind.PASSWORD),
    ("Contraseña: ", "verano2024", "", SecretKind.PASSWORD),
    ("Clave de acceso: ", "garza88lago", "", SecretKind.PASSWORD),
    ("The door code is ", "4821#", ".", SecretKind.CODE),
    ("PIN: ", "4821", "", SecretKind.CODE),
    ("The alarm PIN ", "73914", " is for all shifts.", SecretKind.CODE),
    ("The combination of the safe is ", "12-34-56", ".", SecretKind.CODE),
    ("Der Türcode lautet ", "4821", ".", SecretKind.CODE),
    ("Le code de la porte est ", "4821A", ".", SecretKind.CODE),
    ("Digicode : ", "B4821", "", SecretKind.CODE),
    ("El código de la puerta es ", "4821", ".", SecretKind.CODE),
    ("Recovery codes: ", "a1b2c3d4", "", SecretKind.CODE),
    ("API key: ", "a1b2c3d4e5f6g7h8", "", SecretKind.TOKEN),
    ("client_secret=", "Zx81kQ2mV7pT", "\ngrant=x", SecretKind.TOKEN),
    ("Der API-Schlüssel ist ", "a1b2c3d4e5f6g7h8", ".", SecretKind.TOKEN),
    ("La clé d’API est ", "a1b2c3d4e5f6g7h8", ".", SecretKind.TOKEN),
    ("La clave secreta es ", "a1b2c3d4e5f6g7h8", ".", SecretKind.TOKEN),
    ("Authorization: Bearer ", "a1B2c3D4e5F6g7H8i9", "", SecretKind.TOKEN),
    ("postgres://app:", "s3cr4t-heron", "@db.example:5432/app", SecretKind.CONNECTION),
    ("curl -s -u anna:", "s3cr4t-heron", " https://example.com", SecretKind.CONNECTION),
    (
        "",
        f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----",
        "\nKeep it.",
        SecretKind.PRIVATE_KEY,
    ),
    ("Cut off:\n", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}", "", SecretKind.PRIVATE_KEY),
    ("", KEY, "\n-----END PRIVATE KEY-----", SecretKind.PRIVATE_KEY),
]

HARMLESS = [
    "The password must be at least 12 characters long and have a digit.",
    "A password is changed every 90 days.",
    "Password: your password",
    "Password: <your-password>",
    "Password: ${DB_PASSWORD}",
    "DB_PASSWORD=$DB_PASSWORD",
    "Password: ********",
    "Password: ••••••••",
    "Password: changeme",
    "The password policy is in Policy-2024.pdf.",
    "Reset the password at https://example.com/reset?step=2",
    "The password was last changed on 12.03.2024.",
    "PIN: see the sealed envelope",
    "The door code is kept by the porter.",
    "The code of conduct is from 2024.",
    "The key result is 12 percent of the total.",
    "Tokens: 8192 per request",
    "The token is valid for 3600 seconds.",
    "Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 mended it.",
    "SHA-256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "Call +49 30 1234567 or write to pass@example.com.",
    "He passed 2024 with 3 out of 4 points, is it known.",
    "-----BEGIN PRIVATE KEY----- is the first line of such a file, and the text goes on for long.",
    "Das Passwort muss mindestens 12 Zeichen haben.",
    "Das Passwort wird alle 90 Tage geändert.",
    "Le mot de passe doit avoir 12 caractères.",
    "La contraseña debe tener 12 caracteres.",
    "La clave está en la página 12.",
    "Die Anzahl ist 4821, und die Zahlen sind von 2024.",
    "| Name | Password policy |\n| --- | --- |\n| VPN | 12-characters |",
    "https://example.com:8443/path@v2",
    "The opinion is 1234.",
]


@pytest.mark.parametrize("value", FORMATS.values(), ids=FORMATS.keys())
def test_each_format_is_found_where_it_stands(value: str) -> None:
    """In a sentence, in quotes and at the end; not as the end of a longer word."""
    before = "https://hooks.slack.com/services/" if value.startswith("T0000") else ""
    for text in (f"Use {before}{value} for it.", f'{{"key": "{before}{value}"}}', f"{before}{value}"):
        assert list_words(text, find_secrets(text)) == [value]
    if not before and not value.startswith("1"):
        assert find_secrets(f"use x{value[:16]}") == []


@pytest.mark.parametrize(
    ("before", "secret", "behind", "kind"), ANNOUNCED, ids=[one[0] + one[1][:9] for one in ANNOUNCED]
)
def test_each_announcement_is_understood(before: str, secret: str, behind: str, kind: SecretKind) -> None:
    """The value alone is found, whatever is around, and it has its kind."""
    for around in ("", "Welcome to the harbour.\n", "Über İstanbul und Ærø.\n"):
        text = f"{around}{before}{secret}{behind}"
        [found] = find_secrets(text)
        assert (text[found.start : found.end], found.kind) == (secret, kind)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert list_words(text, find_secrets(text)) == []


def test_columns_of_tables_are_read() -> None:
    """The cells below the heading alone, in each language; a table that ends is over."""
    for heading, value in (
        ("Password", "heron88"),
        ("Passwort", "heron88"),
        ("Mot de passe", "heron88"),
        ("PIN", "4821"),
    ):
        text = f"| Room | {heading} |\n| --- | --- |\n| 2024a | {value} |\n| 12 | - |\n\n| Room | Seats |\n| 3 | x9y8 |"
        assert list_words(text, find_secrets(text)) == [value]


def test_lists_of_recovery_codes_are_read_whole() -> None:
    text = "Recovery codes:\n1a2b3c4d\n5e6f7a8b\n9c0d1e2f-3a4b5c6d\nKeep them."
    assert list_words(text, find_secrets(text)) == ["1a2b3c4d", "5e6f7a8b", "9c0d1e2f-3a4b5c6d"]


def test_each_secret_of_a_sentence_is_found() -> None:
    """The new and the old password, the code behind its word and the one that is said."""
    text = "The password is Xy7!kestrel, and before it was Otter#Mill-31. PIN 4821 is 9983 from May on."
    assert list_words(text, find_secrets(text)) == ["Xy7!kestrel", "Otter#Mill-31", "4821", "9983"]


def test_secrets_that_overlap_are_masked_whole() -> None:
    """Requires what is found in two ways to be as long as both are together."""
    text = "password=ftp://app:s3cr|et9@db.example"  # the value ends at the bar, and the address does not
    assert list_words(text, find_secrets(text)) == ["ftp://app:s3cr|et9"]


def test_what_is_meant_to_be_read_stays() -> None:
    text = "The password is Xy7!kestrel. The PIN is 4821."
    shown = mask_secrets(text, is_shown=lambda words: words == "Xy7!kestrel")
    assert shown == text.replace("4821", MASK * 4)
    assert mask_secrets(text, is_shown=lambda _: True) == text


def test_lines_stay_lines() -> None:
    text = f"Key:\n-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----\nEnd."
    masked = mask_secrets(text)
    assert masked.count("\n") == text.count("\n")
    assert masked.replace(MASK, "").split() == ["Key:", "End."]


def test_masked_words_are_the_same_words() -> None:
    """Only where a dot is in the place of a character."""
    assert is_same_but_masked("is Xy7!", "is ••••")
    assert is_same_but_masked("is ••••", "is Xy7!")
    assert is_same_but_masked("is Xy7!", "is Xy7!")
    assert not is_same_but_masked("is Xy7!", "is •••")
    assert not is_same_but_masked("is Xy7!", "at ••••")


_PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["İ", "ŉ", "ß", "password", "PIN", " is ", ": ", "= ", "|", "\n", '"', "-----BEGIN PRIVATE KEY-----"]
    ),
    st.sampled_from([before for before, *_ in ANNOUNCED]),
    st.sampled_from([secret for _, secret, *_ in ANNOUNCED]),
    st.sampled_from(list(FORMATS.values())),
)


@given(st.lists(_PIECES, max_size=12).map("".join))
@example("AKIA0000000000000000" * 6)
@example("İİİ The password is Xy7!kestrel.")
@example("password: Xy7!kestrel and Otter#Mill-31 PIN 4821 is 9983")
@example("x" * 300 + " password: " + "aB3$" * 200)
def test_places_stay_and_a_masked_text_has_no_secret(text: str) -> None:
    """Whatever the text: as long as before, and nothing more to mask."""
    masked = mask_secrets(text)
    assert len(masked) == len(text)
    assert mask_secrets(masked) == masked
    assert is_same_but_masked(text, masked)
    found = find_secrets(text)
    assert all(one.end <= other.start for one, other in pairwise(found))


NASTY = {
    "prose": "The quick brown fox jumps over the lazy dog. ",
    "one word": "a",
    "announcing words": "password ",
    "verbs": "pass is ",
    "signs": "password: password: ",
    "codes": "PIN 4821 ",
    "recovery codes": "recovery codes 1a2b3c4d ",
    "beginnings of keys": "-----BEGIN PRIVATE KEY-----\n",
    "beginnings of tokens": "-eyJabcdefghijk",
    "parts of tokens": "sk-proj-",
    "base64": "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAaB3dE5gH7jK9mN1p\n",
    "long base64": "aB3dE5gH",
    "addresses": "://a:",
    "addresses with @": "://a:bcd@",
    "options": "curl -u ",
    "options with names": "curl -u a:",
    "bearers": "bearer aaaaaaaaaaaaaaaaaaaa ",
    "bars": "|",
    "columns": "|pin",
    "rows": "|pin|a|\n",
    "quotes": 'password "',
    "strong words": "password aB3$aB3$ ",
    "letters that grow": "İ",
    "spaces": " ",
    "lines": "\n",
    "words before a key": "wi-fi-",
}


def _measure(text: str) -> float:
    began = time.process_time()
    find_secrets(text)
    return time.process_time() - began


def _grows_with_square(text: str, half: str) -> bool:
    """Return True if a text takes far more than twice as long as half of it, however often that is tried."""
    least = min(_measure(half) for _ in range(2))
    return all(_measure(text) > 3 * least + 0.02 for _ in range(3))


@pytest.mark.parametrize("piece", NASTY.values(), ids=NASTY.keys())
def test_twice_the_text_takes_about_twice_the_time(piece: str) -> None:
    """With 200,000 characters of it; what grows with the square would take four times as long."""
    text = piece * (200_000 // len(piece))
    assert not _grows_with_square(text, text[: len(text) // 2])


def test_columns_without_rows_take_no_square() -> None:
    """Many columns above many short rows."""
    text = "|pin" * 25_000 + "|\n" + "|a|b|\n" * 16_000
    half = "|pin" * 12_500 + "|\n" + "|a|b|\n" * 8_000
    assert not _grows_with_square(text, half)
