"""Build the environment of a measurement's processes beside this machine's own settings."""

from benchmarks.installation.requests import SECRET
from tests.integration.bot.slack_server import TOKEN


def installation_settings(*, database_url: str, slack_url: str, port: int, secret_key: str) -> dict[str, str]:
    """An installation on the loopback address, with a workspace that is played and no evaluation."""
    return {
        "DATABASE_URL": database_url,
        "DEBUG": "false",
        "SECRET_KEY": secret_key,
        "SECURE_SSL_REDIRECT": "false",
        "ALLOWED_HOSTS": "127.0.0.1",
        "WEB_HOST": "127.0.0.1",
        "PORT": str(port),
        "LOCAL_PAGE": "false",
        "SLACK_API_URL": slack_url,
        "SLACK_BOT_TOKEN": TOKEN,
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_PERSON_QUOTA": "",
        "SLACK_CHANNEL_QUOTA": "",
        "EVALUATION_ENABLED": "false",
        "WORKER_STOP_TIMEOUT_S": "1",
    }


def chat_model_settings(address: str) -> dict[str, str]:
    """A chat model behind an address, that is led by the code."""
    return {
        "LLM_MODEL": "openai/scripted",
        "LLM_API_BASE": address,
        "LLM_FALLBACK_MODELS": "",
        "OPENAI_API_KEY": "of-the-measurement",
        "AGENT_MODE": "plain_text",
    }
