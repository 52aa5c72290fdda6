"""Render an administrator's pending matters, as lines that lead to the admin."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.blocks.text import link
from core.language.i18n.translation import number, say, translatable

MOST_MATTERS = 5  # lines
_LINE_LIMIT = 300  # characters
# By the value of core.quality.reports.open_matters.Kind: where it is decided, below the admin's address, and what it is
# called.
PAGES = {
    "workspaces": (
        "core/slackworkspace/",
        translatable("Workspaces for which nobody decided what everyone may be shown: {count}"),
    ),
    "roles": ("core/role/?review=due", translatable("Roles that are due for a review: {count}")),
    "answers": (
        "core/verifiedanswer/?review=mine",
        translatable("Verified answers of yours whose sources changed or that are due: {count}"),
    ),
    "alerts": ("core/alert/", translatable("Open alerts: {count}")),
    "ingestion": ("core/ingestionjob/", translatable("Uploads with files that could not be read: {count}")),
    "gaps": ("core/contentgap/", translatable("Topics that people asked about in vain: {count}")),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenMatter:
    """Open matters of one kind."""

    kind: str  # a value of core.quality.reports.open_matters.Kind
    count: int


def render_matters(matters: Sequence[OpenMatter], admin_url: str) -> str:
    """Write a line of mrkdwn for each, at most MOST_MATTERS. admin_url: the admin's; empty: the lines lead nowhere."""
    lines = []
    for matter in matters[:MOST_MATTERS]:
        page, words = PAGES[matter.kind]
        label = say(words, count=number(matter.count))
        lines.append(f"• {link(f'{admin_url}{page}' if admin_url else '', label, _LINE_LIMIT)}")
    return "\n".join(lines)
