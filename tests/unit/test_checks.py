"""The system checks: each bad setting gives its own error with a hint, and good ones give none."""

import re
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.checks import CheckMessage, run_checks
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from adminsite import checks
from adminsite.checks import INGESTION_TAG, fence_messages, refuse_unsafe_start
from adminsite.environment import mail_server_of
from core.library.ingestion.sandbox.layers import NOTHING_HOLDS, Exposure, Layer, Report
from core.library.ingestion.sandbox.probe import probe
from core.management.base import SETTINGS_TAG

KEY = "d4sOyu4hAHcCmzrzSmGFMYVKgmQnOyYqT0WQSmmNTUg="
RECEIPT_KEY = "d4sOyu4hAHcCmzrzSmGFMYVKgmQnOyYqT0WQSmmNTUg"
STRONG = "c4ZmV8sQnB2xT7kLw9RjY3hGd6PfU1eAoI5vNbMzXqKtWyHsDg"


@pytest.fixture(autouse=True)
def installation(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real installation with nothing wrong."""
    settings.DEBUG = False
    settings.LOCAL_PAGE = False
    settings.SLACK_BOT_TOKEN = settings.SLACK_APP_TOKEN = settings.SLACK_SIGNING_SECRET = ""
    settings.SLACK_CLIENT_ID = settings.SLACK_CLIENT_SECRET = ""
    settings.SLACK_TOKEN_KEYS = settings.SOURCE_SECRET_KEYS = []
    settings.RECEIPT_SIGNING_KEYS = [RECEIPT_KEY]
    monkeypatch.setenv("SECRET_KEY", STRONG)


def _found() -> dict[str | None, CheckMessage]:
    return {message.id: message for message in run_checks(tags=[SETTINGS_TAG], include_deployment_checks=True)}


def test_nothing_is_wrong_with_good_settings() -> None:
    """Otherwise the tests below would prove nothing."""
    assert _found() == {}
    refuse_unsafe_start()


@pytest.mark.parametrize(
    ("key", "expected"), [("", "footnote.E001"), ("short", "footnote.E002"), ("ab" * 40, "footnote.E002")]
)
def test_an_installation_needs_a_strong_secret_key(
    key: str, expected: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """A missing, a short and a monotonous one are refused, and the web process does not start; a trial may."""
    monkeypatch.setenv("SECRET_KEY", key)
    assert set(_found()) == {expected}
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY"):
        refuse_unsafe_start()
    settings.DEBUG = True
    assert _found() == {}


@pytest.mark.parametrize(
    ("port", "expected"), [(1, set()), (65_535, set()), (0, {"footnote.E025"}), (65_536, {"footnote.E025"})]
)
def test_the_port_is_one_that_there_is(port: int, expected: set[str], settings: Settings) -> None:
    """16 bits have room for no others."""
    settings.PORT = port
    assert set(_found()) == expected


def test_the_local_page_is_for_trials(settings: Settings) -> None:
    """With DEBUG it may be on, without it may not."""
    settings.LOCAL_PAGE = True
    assert set(_found()) == {"footnote.E003"}
    settings.DEBUG = True
    assert _found() == {}


def test_debug_is_for_one_machine(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a host that others reach it is refused, as they would see what it shows."""
    monkeypatch.setenv("WEB_HOST", "192.0.2.7")
    assert _found() == {}
    settings.DEBUG = True
    assert set(_found()) == {"footnote.E032"}
    monkeypatch.setenv("WEB_HOST", "127.0.0.1")
    assert _found() == {}


@pytest.mark.parametrize(
    ("issuer", "client", "secret", "expected"),
    [
        ("", "", "", set()),
        ("https://sso.example.com", "id", "secret", set()),
        ("https://sso.example.com", "", "secret", {"footnote.E033"}),
        ("", "id", "secret", {"footnote.E033"}),
        ("http://sso.example.com", "id", "secret", {"footnote.E034"}),
    ],
)
def test_single_sign_on_is_whole_and_encrypted(
    issuer: str, client: str, secret: str, expected: set[str], settings: Settings
) -> None:
    """A missing setting is named; over plain http anybody on the way could pose as the provider."""
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = issuer, client, secret
    assert set(_found()) == expected


def test_a_session_lasts_and_ends(settings: Settings) -> None:
    """Else nobody could sign in."""
    settings.SESSION_COOKIE_AGE = 0
    assert set(_found()) == {"footnote.E035"}
    settings.SESSION_COOKIE_AGE, settings.SESSION_MAX_AGE_S = 3600, 0
    assert set(_found()) == {"footnote.E080"}


@pytest.mark.parametrize(
    ("code", "expected"), [("en", set()), ("de", set()), ("", {"footnote.E024"}), ("DE", {"footnote.E024"})]
)
def test_replies_need_a_language_that_there_is(settings: Settings, code: str, expected: set[str]) -> None:
    """One that is not translated is refused, with those that are."""
    settings.SLACK_LANGUAGE = code
    found = _found()
    assert set(found) == expected
    assert all("de (Deutsch)" in str(message.hint) for message in found.values())


@pytest.mark.parametrize(
    ("bot", "app", "signing", "expected"),
    [
        ("xoxb-1", "xapp-1", "", set()),
        ("xoxb-1", "", "secret", set()),
        ("xoxb-1", "xapp-1", "secret", set()),
        ("", "xapp-1", "", {"footnote.E004"}),
        ("", "", "secret", {"footnote.E004"}),
        ("xoxb-1", "", "", {"footnote.E005"}),
        ("xapp-1", "xoxb-1", "", {"footnote.E006"}),
    ],
)
def test_the_tokens_of_slack_belong_together(
    bot: str, app: str, signing: str, expected: set[str], settings: Settings
) -> None:
    """A missing or swapped token is named."""
    settings.SLACK_BOT_TOKEN, settings.SLACK_APP_TOKEN, settings.SLACK_SIGNING_SECRET = bot, app, signing
    assert set(_found()) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        ({"SLACK_SIGNING_SECRET": ""}, {"footnote.E005"}),
        ({"SLACK_CLIENT_SECRET": ""}, {"footnote.E004", "footnote.E020"}),
        ({"SLACK_BOT_TOKEN": "xoxb-1"}, {"footnote.E021"}),
        ({"SLACK_TOKEN_KEYS": []}, {"footnote.E022"}),
        ({"SLACK_TOKEN_KEYS": [], "DEBUG": True}, set()),
        ({"SLACK_TOKEN_KEYS": [KEY, "no key"]}, {"footnote.E023"}),
        ({"SLACK_TOKEN_KEYS": [KEY[:-8]]}, {"footnote.E023"}),
    ],
    ids=["right", "no signing secret", "no client secret", "two ways", "no keys", "development", "no key", "short key"],
)
def test_installing_by_oauth_needs_its_credentials_and_keys(
    changes: dict[str, object], expected: set[str], settings: Settings
) -> None:
    """A missing, repeated or invalid key is named; a trial needs no key."""
    good = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "secret", "SLACK_SIGNING_SECRET": "secret"}
    for name, value in ({**good, "SLACK_TOKEN_KEYS": [KEY]} | changes).items():
        setattr(settings, name, value)
    assert set(_found()) == expected


def test_a_reranker_that_is_not_there_is_pointed_out(tmp_path: Path, settings: Settings) -> None:
    """A folder that is missing is named by its setting; it stops nothing. A hub name cannot be looked up here."""
    for model, expected in (
        (str(tmp_path / "gone"), {"footnote.W002"}),
        ("~/gone", {"footnote.W002"}),
        (str(tmp_path), set()),
        ("organisation/model", set()),
        ("", set()),
    ):
        settings.RERANKER_MODEL = model
        assert set(_found()) == expected
        refuse_unsafe_start()


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("VECTOR_ENGINE_URL", "10.0.0.7:6333", ["footnote.E066"]),
        ("VECTOR_ENGINE_URL", "http://10.0.0.7:6333", []),
        ("VECTOR_ENGINE_NAME", "footnote_staging", []),
        ("VECTOR_ENGINE_NAME", "", ["footnote.E074"]),
        ("VECTOR_ENGINE_NAME", "of/another", ["footnote.E074"]),
        ("VECTOR_ENGINE_SHARDS", 0, ["footnote.E067"]),
        ("VECTOR_ENGINE_REPLICAS", 0, ["footnote.E067"]),
        ("VECTOR_ENGINE_TIMEOUT_S", 0.0, ["footnote.E068"]),
    ],
)
def test_a_vector_engine_that_cannot_be_asked(name: str, value: object, wrong: list[str], settings: Settings) -> None:
    """Its address and its numbers are looked at before it is."""
    setattr(settings, name, value)
    assert [message.id for message in checks.vector_engine()] == wrong


def test_a_reader_that_is_not_there_is_pointed_out(tmp_path: Path, settings: Settings) -> None:
    """A folder that is missing or holds none; the packaged one, none, and a folder of one are right."""
    for folder, expected in (("", set()), ("none", set()), (str(tmp_path), {"footnote.W007"})):
        settings.READER = folder
        assert set(_found()) == expected
    (tmp_path / "reader.json").write_text("{}")
    assert _found() == {}


def test_reading_takes_some_time(settings: Settings) -> None:
    """None at all is what READER=none says."""
    settings.READER_BUDGET_MS = 0
    assert set(_found()) == {"footnote.E075"}


@pytest.mark.parametrize("name", ["RERANKER_BATCH_SIZE", "RERANKER_CANDIDATES"])
def test_a_reranker_works_on_at_least_one_passage(name: str, settings: Settings) -> None:
    """None at a time would go on for ever, and none at all is what an empty RERANKER_MODEL says."""
    setattr(settings, name, 0)
    assert {message_id: message.msg for message_id, message in _found().items()} == {
        "footnote.E009": f"{name} is 0. It must be at least 1."
    }


@pytest.mark.parametrize(
    ("name", "right", "wrong", "message_id"),
    [
        ("RETRIEVAL_CANDIDATES", [50, 5000], [0, 49], "footnote.E070"),
        ("INGEST_SHARE", [0.1, 1.0], [0.0, 1.5], "footnote.E073"),
        ("HNSW_EF_SEARCH", [1, 1000], [0, 1001], "footnote.E071"),
        ("VECTOR_INDEX", ["auto", "manual"], ["", "never"], "footnote.E072"),
    ],
)
def test_a_search_can_be_done_as_it_is_set(
    name: str, right: list[object], wrong: list[object], message_id: str, settings: Settings
) -> None:
    """With as many candidates as a search may give, and within pgvector's limits."""
    for value in [*right, *wrong]:
        setattr(settings, name, value)
        assert set(_found()) == (set() if value in right else {message_id})


@pytest.mark.parametrize(
    ("answer_from", "closest_from", "is_right"),
    [(0.5, 0.2, True), (0.3, 0.3, True), (1.0, 0.0, True), (0.2, 0.5, False), (1.5, 0.2, False), (0.5, -0.1, False)],
)
def test_the_closest_passages_come_before_answers(
    answer_from: float, closest_from: float, is_right: bool, settings: Settings
) -> None:
    """Both are probabilities, and what is enough for an answer is enough to come close."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM = answer_from, closest_from
    assert set(_found()) == (set() if is_right else {"footnote.E017"})


@pytest.mark.parametrize(("share", "is_right"), [(0.0, True), (0.85, True), (1.0, False), (85.0, False), (-0.1, False)])
def test_a_promise_is_a_share_of_answers(share: float, is_right: bool, settings: Settings) -> None:
    """All of them right is more than anybody can promise."""
    settings.ANSWERS_RIGHT = share
    assert set(_found()) == (set() if is_right else {"footnote.E019"})


def test_a_misspelt_setting_is_pointed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the name that was meant; it is a warning and stops nothing. Other programs' variables are none of ours."""
    monkeypatch.setenv("LLM_MODLE", "x")
    monkeypatch.setenv("POSTGRES_MODLE", "x")
    found = _found()
    assert set(found) == {"footnote.W001"}
    assert found["footnote.W001"].msg == "LLM_MODLE is not a Footnote setting."
    assert found["footnote.W001"].hint == "Did you mean LLM_MODEL?"
    refuse_unsafe_start()


def test_the_messages_hold_no_secret(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are printed and logged."""
    monkeypatch.setenv("SECRET_KEY", "canary-key")
    settings.SLACK_APP_TOKEN = "canary-token"
    text = " ".join(str(message) for message in _found().values())
    assert "E002" in text
    assert "E004" in text
    assert "canary" not in text
    assert configured.SECRET_KEY not in text


@pytest.mark.parametrize("name", ["LLM_MODEL", "EVALUATION_MODEL", "EMBEDDING_MODEL"])
@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("openai/gpt-4.1-mini", "OPENAI_API_KEY"),
        ("azure/ours", "AZURE_API_KEY"),
        ("gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
        ("anthropic/claude-sonnet-4", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_model_without_its_key_is_a_warning(
    name: str, model: str, key: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names the setting and the key; with the key there is none."""
    for variable in ("OPENAI_API_KEY", "AZURE_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    setattr(settings, name, f"litellm:{model}" if name == "EMBEDDING_MODEL" else model)
    warning = _found()["footnote.W006"]
    assert name in warning.msg
    assert key in warning.msg
    monkeypatch.setenv(key, "k-1")
    assert "footnote.W006" not in _found()


def test_a_model_of_this_machine_needs_no_key(settings: Settings) -> None:
    """Neither the built-in one nor one behind Ollama."""
    for model in ("extractive/sentences", "ollama_chat/qwen3", ""):
        settings.LLM_MODEL = settings.EVALUATION_MODEL = model
        assert _found() == {}


def test_every_check_has_an_id_of_its_own() -> None:
    """An id that is silenced or looked up belongs to one check."""
    ids = re.findall(r'id="(footnote\.[EW]\d+)"', Path(checks.__file__).read_text(encoding="utf-8"))
    assert len(ids) > 20
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("required", set()), ("best-effort", set()), ("", {"footnote.E040"}), ("off", {"footnote.E040"})],
)
def test_the_fence_is_required_or_best_effort(mode: str, expected: set[str], settings: Settings) -> None:
    """A misspelt word must not count as either."""
    settings.INGEST_FENCE = mode
    assert set(_found()) == expected


@pytest.mark.parametrize(
    ("report", "mode", "expected"),
    [
        (Report(layers=(Layer.SECCOMP,), still_open=()), "required", "footnote.I001"),
        (Report(layers=(Layer.LANDLOCK,), still_open=(Exposure.PROCESSES,)), "required", "footnote.I001"),
        (Report(layers=(Layer.LANDLOCK,), still_open=(Exposure.NETWORK,)), "required", "footnote.E041"),
        (Report(layers=(Layer.NETWORK_NAMESPACE,), still_open=(Exposure.FILES,)), "best-effort", "footnote.W040"),
        (NOTHING_HOLDS, "required", "footnote.E041"),
        (NOTHING_HOLDS, "best-effort", "footnote.W040"),
    ],
)
def test_a_fence_that_does_not_hold_is_told_before_production(report: Report, mode: str, expected: str) -> None:
    """Files and the network have to be closed; the message names the layers, and what is open."""
    [message] = fence_messages(report, mode)
    assert message.id == expected
    assert all(layer in message.msg for layer in report.layers)
    assert message.id == "footnote.I001" or all(surface in message.msg for surface in report.still_open)


def test_the_check_for_production_asks_this_machine() -> None:
    """The web process, which reads no files, starts without."""
    [message] = run_checks(tags=[INGESTION_TAG], include_deployment_checks=True)
    assert message.msg == fence_messages(probe(), configured.INGEST_FENCE)[0].msg
    assert message.id not in _found()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("", set()), ("eyes", set()), ("+1", set()), ("größe-2", set())]
    + [(wrong, {"footnote.E042"}) for wrong in (":eyes:", "Eyes", "eyes, tada", "x" * 101)],
)
def test_an_emoji_is_named_without_colons(name: str, expected: set[str], settings: Settings) -> None:
    """One of them, as Slack names it."""
    settings.SLACK_ASK_EMOJI = name
    assert set(_found()) == expected


def test_keys_of_data_sources_are_keys(settings: Settings) -> None:
    """None is well: a source may need no credentials."""
    settings.SOURCE_SECRET_KEYS = [KEY]
    assert _found() == {}
    settings.SOURCE_SECRET_KEYS = [KEY, "no key"]
    assert set(_found()) == {"footnote.E058"}


@pytest.mark.parametrize("name", ["FOOTNOTES_DAYS", "FOOTNOTES_PER_HOUR", "FOOTNOTES_PER_CHANNEL_AND_DAY"])
def test_the_limits_of_notices_are_numbers_or_none(name: str, settings: Settings) -> None:
    """0 turns them off; less than that is a mistake."""
    setattr(settings, name, 0)
    assert _found() == {}
    setattr(settings, name, -1)
    assert set(_found()) == {"footnote.E057"}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("BUDGET_TIME_ZONE", "Europe/Berlin", set()),
        ("BUDGET_TIME_ZONE", "Berlin", {"footnote.E064"}),
        ("MODEL_CACHE_HOURS", 0, set()),
        ("MODEL_CACHE_HOURS", -1, {"footnote.E065"}),
        ("MODEL_CACHE_MOST", -1, {"footnote.E065"}),
    ],
)
def test_budgets_and_kept_replies_have_values_that_can_be(
    name: str, value: str | int, expected: set[str], settings: Settings
) -> None:
    """A month begins in a time zone that there is, and nothing is kept for less than no time."""
    setattr(settings, name, value)
    assert set(_found()) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://bob:secret@mail.example.com", {"footnote.W011"}),
        ("smtp://bob:secret@127.0.0.1", set()),
        ("smtp://mail.example.com", set()),
        ("smtp+tls://bob:secret@mail.example.com", set()),
        ("smtps://bob:secret@mail.example.com", set()),
    ],
)
def test_a_password_for_mail_is_not_sent_unencrypted(settings: Settings, url: str, expected: set[str]) -> None:
    """But to this machine; a warning, for it may be a network that nobody reads."""
    settings.MAIL_SERVER = mail_server_of(url, "footnote@example.com")
    assert set(_found()) == expected


def test_keys_of_receipts_are_keys(settings: Settings) -> None:
    """Neither a public key nor anything else signs, and without one the key of another secret does."""
    for wrong in (["public:" + RECEIPT_KEY], ["short"], [RECEIPT_KEY, "public:short"]):
        settings.RECEIPT_SIGNING_KEYS = wrong
        assert set(_found()) == {"footnote.E091"}
    settings.RECEIPT_SIGNING_KEYS = [RECEIPT_KEY, "public:" + RECEIPT_KEY]
    assert _found() == {}
    settings.RECEIPT_SIGNING_KEYS = []
    assert set(_found()) == {"footnote.W012"}
    settings.DEBUG = True
    assert _found() == {}
