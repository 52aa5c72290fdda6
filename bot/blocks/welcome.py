"""The beginning of a thread in the assistant pane."""

from core.i18n.translation import translatable

GREETING_TO_NOBODY = translatable(
    "Hello! I do not know you yet, so I have no documents to search for you. Open my Home tab to see whom to ask."
)
PROMPTS_TITLE = translatable("You could ask, for example:")
MOST_PROMPTS = 4  # Slack's limit
_TITLE_LIMIT = 75  # characters; Slack documents none, a button's text has this one


def build_prompts(questions: tuple[str, ...]) -> list[dict[str, str]]:
    """Questions as Slack's suggested prompts: a title that is shown and the message that is sent."""
    return [{"title": _shorten(question), "message": question} for question in questions[:MOST_PROMPTS]]


def _shorten(question: str) -> str:
    return question if len(question) <= _TITLE_LIMIT else question[: _TITLE_LIMIT - 1].rstrip() + "…"
