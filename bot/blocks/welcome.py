"""The beginning of a conversation: in the direct messages with an agent, or in a thread of the assistant pane."""

from core.language.i18n.translation import say, translatable

GREETING_TO_NOBODY = translatable(
    "Hello! I do not know you yet, so I have no documents to search for you. Open my Home tab to see whom to ask."
)
PROMPTS_TITLE = translatable("You could ask, for example:")
WHAT_CAN_YOU_DO = translatable("What can you do?")
_HELP = "help"  # what every language understands
MOST_PROMPTS = 4  # Slack's limit
_TITLE_LIMIT = 75  # characters; Slack documents none, a button's text has this one


def build_prompts(questions: tuple[str, ...]) -> list[dict[str, str]]:
    """Questions as Slack's suggested prompts: a title that is shown and the message that is sent."""
    return [{"title": _shorten(question), "message": question} for question in questions[:MOST_PROMPTS]]


def build_help_prompt() -> dict[str, str]:
    """The prompt for somebody who has nothing to ask yet."""
    return {"title": say(WHAT_CAN_YOU_DO), "message": _HELP}


def _shorten(question: str) -> str:
    return question if len(question) <= _TITLE_LIMIT else question[: _TITLE_LIMIT - 1].rstrip() + "…"
