"""Build the messages about shared files: the offer, the choices, the progress, the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    InputBlock,
    Option,
    StaticMultiSelectElement,
    StaticSelectElement,
)
from slack_sdk.models.views import View

from bot.blocks.message import Message, message
from bot.blocks.text import context, escape_within, section, shorten, split, warning
from core.language.i18n.translation import number, say, translatable
from core.values.sizes import KILOBYTE, MEGABYTE

ADD_FILES = "add_files"  # the button, and the modal that it opens
KEEP_OUT = "keep_files_out"
COLLECTION, ROLES, CHOSEN = "collection", "roles", "chosen"  # blocks of the modal, and the action of each

NOT_ALLOWED = translatable(
    "You can ask me about anything in the library, but your account does not allow you to add files to it. "
    "An administrator can change that."
)
DECLINED = translatable("OK, I will not add the files to the library.")
FETCHING = translatable("Fetching the files from Slack…")
READING = translatable("Reading the files. This can take a few minutes…")
CHECKING = translatable(
    "The files are checked before anybody reads them, and may wait for a decision. I will say here what became of them."
)
UNFINISHED = translatable(
    "The files were submitted, but reading them has stopped. An administrator can try again in the admin."
)
UNREPORTED = translatable(
    "The files were submitted, but I cannot tell what became of them. An administrator can see it in the admin."
)
COLLECTION_GONE = translatable("The collection that you chose no longer exists. Please share the files again.")
FAILED = translatable(
    "Sorry, something went wrong on my side and the files were not added. Please share them again later."
)
NOBODY_READS = translatable("Nobody may read them yet: an administrator can grant them to roles.")
NO_COLLECTION = translatable("There is no collection to add files to. An administrator can create one.")

MOST_OPTIONS = 100  # Slack's limit
_NAME_LIMIT = 150
_PROBLEM_LIMIT = 500
_OPTION_LIMIT = 75


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedFile:
    """Holds a file, and what is wrong with it or what became of it, as the end of a sentence."""

    name: str
    size: int = 0  # bytes
    problem: str = ""
    result: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """Holds something that can be chosen."""

    value: str
    name: str
    about: str = ""


def offer(upload_id: str, files: Sequence[SharedFile]) -> Message:
    """Offer the files that can be added, with the question whether to; those that cannot, with the reason."""
    usable = [file for file in files if not file.problem]
    one, several = say("Shall I add this file to the library?"), say("Shall I add these files to the library?")
    text = one if len(usable) == 1 else several
    blocks: list[Block] = [
        section(text),
        section("\n".join(f"• {_render_name(file)}, {_render_size(file.size)}" for file in usable)),
    ]
    buttons = ActionsBlock(
        elements=[
            ButtonElement(action_id=ADD_FILES, text=say("Add to the library…"), value=upload_id, style="primary"),
            ButtonElement(action_id=KEEP_OUT, text=say("No thanks"), value=upload_id),
        ]
    )
    return message(text, [*blocks, *_list_problems(files), buttons])


def nothing_to_offer(files: Sequence[SharedFile]) -> Message:
    """Explain why none of the files can be added."""
    one, several = say("I cannot add this to the library."), say("I cannot add these files to the library.")
    text = one if len(files) == 1 else several
    return message(text, [section(text), *_list_problems(files)])


def report(files: Sequence[SharedFile], note: str = "") -> Message:
    """Report the result of each file. note: a further remark."""
    added = [file for file in files if not file.problem]
    text = say("Added to the library:") if added else say("Nothing was added to the library.")
    blocks: list[Block] = [section(text)]
    if added:
        lines = (f"• {_render_name(file)}: {escape_within(file.result, _PROBLEM_LIMIT)}" for file in added)
        blocks += [section(piece) for piece in split("\n".join(lines))]
    return message(text, [*blocks, *_list_problems(files), *([context(note)] if note and added else [])])


def choices_modal(
    upload_id: str, collections: Sequence[Choice], roles: Sequence[Choice] | None, *, is_shortened: bool
) -> dict[str, Any]:
    """Build the modal in which a collection is chosen, and roles by who may grant. Only who pressed sees it."""
    if not collections:
        view = View(
            type="modal", title=say("Add to the library"), close=say("Close"), blocks=[warning(say(NO_COLLECTION))]
        )
        return dict(view.to_dict())
    blocks: list[Block] = [
        InputBlock(
            block_id=COLLECTION,
            label=say("Collection"),
            hint=say("The collection's own roles may read what is added to it."),
            element=StaticSelectElement(
                action_id=CHOSEN, placeholder=say("Choose one"), options=_build_options(collections)
            ),
        )
    ]
    if roles:
        blocks.append(
            InputBlock(
                block_id=ROLES,
                label=say("Who else may read it"),
                optional=True,
                element=StaticMultiSelectElement(
                    action_id=CHOSEN, placeholder=say("No other roles"), options=_build_options(roles)
                ),
            )
        )
    if is_shortened:
        shortened = say("I can list only {count} here. The upload page in the admin has them all.", count=MOST_OPTIONS)
        blocks.append(warning(shortened))
    view = View(
        type="modal",
        callback_id=ADD_FILES,
        title=say("Add to the library"),
        submit=say("Add"),
        close=say("Cancel"),
        private_metadata=upload_id,
        blocks=blocks,
    )
    return dict(view.to_dict())


def _build_options(choices: Sequence[Choice]) -> list[Option]:
    return [
        Option(
            value=each.value,
            text=shorten(each.name, _OPTION_LIMIT),
            description=shorten(each.about, _OPTION_LIMIT) or None,
        )
        for each in choices[:MOST_OPTIONS]
    ]


def _list_problems(files: Sequence[SharedFile]) -> list[Block]:
    lines = [f"• {_render_name(file)} {escape_within(file.problem, _PROBLEM_LIMIT)}" for file in files if file.problem]
    return [section(piece) for piece in split("\n".join([say("Left out:"), *lines]))] if lines else []


def _render_name(file: SharedFile) -> str:
    return f"*{escape_within(' '.join(file.name.split()), _NAME_LIMIT)}*"


def _render_size(size: int) -> str:
    return f"{size / MEGABYTE:.1f} MB" if size >= MEGABYTE else f"{number(max(1, round(size / KILOBYTE)))} kB"
