"""Explain how to ask: the greeting and the questions suggested at the beginning, help, and what the Home tab says."""

from bot.blocks.message import Message, message
from bot.blocks.text import escape, section, shorten
from core.language.i18n.translation import say, translatable
from core.language.query_understanding.courtesies import ABOUT

# What can stand anywhere in a question behind the command; `bot.command_line` reads it.
_FILTERS = (
    (
        "type:minutes",
        translatable("one type: paper, book, manual, statement, minutes, page, note, report, other"),
    ),
    ("since:2024-01-01 until:2024-12", translatable("from or up to a day, a month or a year")),
    ("source:words", translatable("part of a title or an address")),
    ('collection:"name"', translatable("one collection; section: and chapter: work the same way")),
    ("results:8", translatable("how many passages to make the answer from, 1 to 10")),
)
HOW_ANSWERS_ARE_MADE = translatable(
    "I search the documents that you may read; in a channel, those that everyone in it may read. Every sentence of "
    "an answer has the number of a quote that appears word for word in a document. I leave out sentences without "
    "one. If nothing is left, I say so."
)
TOPIC = translatable("To start a new conversation in a thread, write `new topic`.")
NOBODY_NAMED = translatable("Ask whoever looks after Footnote in your organisation, usually an administrator.")

GREETING_TO_NOBODY = translatable(
    "Hello! I do not know you yet, so I have no documents to search for you. Open my Home tab to see whom to ask."
)
PROMPTS_TITLE = translatable("You could ask, for example:")
WHAT_CAN_YOU_DO = translatable("What can you do?")
_HELP = "help"  # what every language understands
MOST_PROMPTS = 4  # Slack's limit
_PROMPT_LIMIT = 75  # characters; Slack documents none, a button's text has this one


def introduction(command: str) -> Message:
    """Explain what the bot is for and how to ask, for somebody who wants to know. command: the slash command."""
    about = say(ABOUT)
    texts = (about, say(HOW_ANSWERS_ARE_MADE), render_usage(command), say(TOPIC))
    return message(about, [section(text) for text in texts])


def help_message(command: str) -> Message:
    """Explain how to use the slash command. command: its name as it was typed, with its slash."""
    return message(
        say("How to use {command}", command=command),
        [section(text) for text in (render_usage(command), render_filters())],
    )


def render_usage(command: str) -> str:
    """List what can be typed, as mrkdwn."""
    shown = escape(command)
    return say(
        "`{command} your question` gives you an answer that only you see\n"
        "`{command} research a topic` plans a page about it; in a direct message, write `research a topic`\n"
        "`{command} sources` lists what you may read; `{command} sources words of a title` lists part of it\n"
        "`{command} why` shows how my last answer to you here came about\n"
        "`{command} help` shows this help\n"
        "You can also mention me in a channel or write me a direct message. Then follow-up questions work too.",
        command=shown,
    )


def render_filters() -> str:
    """List the filters, as mrkdwn."""
    listed = "\n".join(f"`{escape(form)}` {say(what)}" for form, what in _FILTERS)
    return say("*Filters*, anywhere in the question:") + "\n" + listed


def build_prompts(questions: tuple[str, ...]) -> list[dict[str, str]]:
    """Build questions as Slack's suggested prompts: a title that is shown and the message that is sent."""
    return [{"title": shorten(question, _PROMPT_LIMIT), "message": question} for question in questions[:MOST_PROMPTS]]


def build_help_prompt() -> dict[str, str]:
    """Build the prompt for somebody who has nothing to ask yet."""
    return {"title": say(WHAT_CAN_YOU_DO), "message": _HELP}
