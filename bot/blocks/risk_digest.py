"""The weekly digest of risks, as a direct message and as a mail: figures and names, and no word of a document."""

from bot.blocks.message import Message, message
from bot.blocks.text import context, link, section, shorten
from core.language.i18n.translation import day, number, say, translatable
from core.values.oversharing import Level, RiskKind
from core.values.risk_digests import NamedRisk, RiskWeek

_NAME_LIMIT = 200  # characters of a title
_LINE_LIMIT = 400  # with its address

KINDS = {
    RiskKind.CONFIDENTIAL: translatable("looks confidential"),
    RiskKind.SECRET: translatable("holds passwords or keys"),
    RiskKind.ODD_ROLE: translatable("read through one odd role"),
    RiskKind.ODD_GROUP: translatable("read through one odd usergroup"),
    RiskKind.WIDENED: translatable("has more readers than before"),
}


def risk_digest_message(week: RiskWeek) -> Message:
    """Build the direct message of a week's risks."""
    title = _name(week)
    blocks = [section("\n".join([f"*{title}*", *_list_figures(week)]))]
    if week.highest:
        lines = [f"• {link(one.address, _shorten_name(one), _LINE_LIMIT)}: {_describe(one)}" for one in week.highest]
        blocks.append(section("\n".join([f"*{say('The highest open risks')}*", *lines])))
    small_print = [say("Only you get this message.")]
    if week.settings_address:
        small_print.append(link(week.settings_address, say("Turn it off"), _LINE_LIMIT))
    return message(title, [*blocks, context(" ".join(small_print))])


def write_risk_digest(week: RiskWeek) -> tuple[str, str]:
    """Write a week's risks as a mail: its subject and its text."""
    lines = _list_figures(week)
    if week.highest:
        lines += ["", say("The highest open risks")]
        for one in week.highest:
            lines += [f"- {_shorten_name(one)}: {_describe(one)}", *([f"  {one.address}"] if one.address else [])]
    if week.settings_address:
        lines += ["", f"{say('Turn it off')}: {week.settings_address}"]
    return _name(week), "\n".join(lines) + "\n"


def _name(week: RiskWeek) -> str:
    return say("Oversharing from {first} to {last}", first=day(week.since), last=day(week.until))


def _list_figures(week: RiskWeek) -> list[str]:
    counts = {level.value: number(week.by_level.get(level, 0)) for level in Level}
    lines = [
        say("New risks: {count}", count=number(week.opened)),
        say("Open risks: {high} high, {medium} medium, {low} low", **counts),
    ]
    if week.narrowed or week.accepted:
        decided = {"narrowed": number(week.narrowed), "accepted": number(week.accepted)}
        lines.append(say("Decided in the week: {narrowed} narrowed, {accepted} found right", **decided))
    return lines


def _describe(risk: NamedRisk) -> str:
    kind = say(KINDS[risk.kind])
    if risk.people == 1:
        return say("{kind}, 1 person", kind=kind)
    return say("{kind}, {count} people", kind=kind, count=number(risk.people))


def _shorten_name(risk: NamedRisk) -> str:
    return shorten(" ".join(risk.name.split()), _NAME_LIMIT)
