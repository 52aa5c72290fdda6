"""Equations of a Word document, written on a line: fractions as a/b, powers as x², roots as √x."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.docx.markup import children, named

if TYPE_CHECKING:
    from lxml.etree import _Element

_POWERS = str.maketrans("0123456789+-−ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿⁱ")
_RAISED = frozenset("0123456789+-−ni")
_TEXTS = (named("m:t"), named("w:t"))
_INTEGRAL, _HAT = "∫", "\u0302"
_OVERLINE, _UNDERLINE = "\u0305", "\u0332"


def write_equation(element: "_Element") -> str:
    """Return an equation (m:oMath), or several in a paragraph of their own (m:oMathPara), as text."""
    if element.tag == named("m:oMathPara"):
        return "\n".join(write_equation(child) for child in children(element) if child.tag == named("m:oMath"))
    return _write(element)


def _write(element: "_Element | None") -> str:
    """Return the parts of an element in their order."""
    if element is None:
        return ""
    written = []
    for child in children(element):
        if child.tag in _TEXTS:
            written.append(child.text or "")
        elif child.tag in _FORMS:
            written.append(_FORMS[child.tag](child))
        elif not child.tag.endswith("Pr"):
            written.append(_write(child))
    return "".join(written)


def _write_part(element: "_Element", name: str) -> str:
    return _write(element.find(named(name)))


def _write_run(element: "_Element") -> str:
    """Return the characters of a run that was not deleted."""
    deleted = element.find(f"{named('w:rPr')}/{named('w:del')}")
    return "" if deleted is not None else "".join(t.text or "" for t in element.iterchildren(*_TEXTS))


def _read_setting(element: "_Element", path: str, default: str) -> str:
    """Return the m:val below an element's properties; "" is a value of its own, as for a bracket that is left out."""
    found = element.find("/".join(named(name) for name in path.split("/")))
    return default if found is None else str(found.get(named("m:val"), default))


def _put_in_brackets(text: str) -> str:
    """Return a text in brackets unless it is one number, one word or already in brackets."""
    is_one = len(text) < 2 or text.replace(".", "").replace(",", "").isalnum() or _is_in_brackets(text)
    return text if is_one else f"({text})"


def _is_in_brackets(text: str) -> bool:
    """Return True if the bracket that begins a text is closed at its end."""
    depth = 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if not depth:
            return place == len(text) - 1 and place > 0
    return False


def _write_raised(text: str) -> str:
    """Return a text as a power: "²", "⁻³", "^(x+1)"; "" for none."""
    if not text:
        return ""
    return text.translate(_POWERS) if _RAISED.issuperset(text) else f"^{_put_in_brackets(text)}"


def _write_lowered(text: str) -> str:
    return f"_{_put_in_brackets(text)}" if text else ""


def _write_fraction(element: "_Element") -> str:
    above, below = _write_part(element, "m:num"), _write_part(element, "m:den")
    if _read_setting(element, "m:fPr/m:type", "bar") == "noBar":  # as in a binomial coefficient
        return f"{above} over {below}"
    return f"{_put_in_brackets(above)}/{_put_in_brackets(below)}"


def _write_scripts(element: "_Element") -> str:
    """Return a base with what is below and above its line: m:sSup, m:sSub and m:sSubSup."""
    base, below, above = (_write_part(element, name) for name in ("m:e", "m:sub", "m:sup"))
    return f"{_put_in_brackets(base) if above else base}{_write_lowered(below)}{_write_raised(above)}"


def _scripts_before(element: "_Element") -> str:
    base, below, above = (_write_part(element, name) for name in ("m:e", "m:sub", "m:sup"))
    return f"{_write_lowered(below)}{_write_raised(above)}{base}"


def _write_root(element: "_Element") -> str:
    return f"{_write_raised(_write_part(element, 'm:deg'))}√{_put_in_brackets(_write_part(element, 'm:e'))}"


def _write_sum(element: "_Element") -> str:
    """Return a sum, an integral or another sign that has limits."""
    sign = _read_setting(element, "m:naryPr/m:chr", _INTEGRAL)
    limits = f"{_write_lowered(_write_part(element, 'm:sub'))}{_write_raised(_write_part(element, 'm:sup'))}"
    return f"{sign}{limits} {_write_part(element, 'm:e')}".rstrip()


def _write_brackets(element: "_Element") -> str:
    opening = _read_setting(element, "m:dPr/m:begChr", "(")
    closing = _read_setting(element, "m:dPr/m:endChr", ")")
    between = _read_setting(element, "m:dPr/m:sepChr", "|")
    return opening + between.join(_write(part) for part in element.iterchildren(named("m:e"))) + closing


def _write_function(element: "_Element") -> str:
    name, argument = _write_part(element, "m:fName"), _write_part(element, "m:e")
    return f"{name}{'' if argument.startswith('(') else ' '}{argument}"


def _write_limit(element: "_Element") -> str:
    """Return what has a limit below or above it, as "lim" has."""
    is_upper = element.tag == named("m:limUpp")
    limit = _write_part(element, "m:lim")
    return f"{_write_part(element, 'm:e')}{_write_raised(limit) if is_upper else _write_lowered(limit)}"


def _write_accent(element: "_Element") -> str:
    return _write_part(element, "m:e") + _read_setting(element, "m:accPr/m:chr", _HAT)


def _write_bar(element: "_Element") -> str:
    is_above = _read_setting(element, "m:barPr/m:pos", "bot") == "top"
    return _write_part(element, "m:e") + (_OVERLINE if is_above else _UNDERLINE)


def _write_lines(element: "_Element") -> str:
    """Return equations below each other, as the cases of a definition."""
    return "; ".join(_write(part) for part in element.iterchildren(named("m:e")))


def _write_matrix(element: "_Element") -> str:
    rows = (", ".join(_write(part) for part in row) for row in element.iterchildren(named("m:mr")))
    return "; ".join(rows)


def _write_phantom(element: "_Element") -> str:
    """Return what only takes room, if it is shown as well."""
    is_shown = _read_setting(element, "m:phantPr/m:show", "1") not in ("0", "off", "false")
    return _write_part(element, "m:e") if is_shown else ""


_FORMS: "dict[str, Callable[[_Element], str]]" = {
    named(name): write
    for name, write in {
        "m:acc": _write_accent,
        "m:bar": _write_bar,
        "m:d": _write_brackets,
        "m:eqArr": _write_lines,
        "m:f": _write_fraction,
        "m:func": _write_function,
        "m:limLow": _write_limit,
        "m:limUpp": _write_limit,
        "m:m": _write_matrix,
        "m:nary": _write_sum,
        "m:phant": _write_phantom,
        "m:r": _write_run,
        "m:rad": _write_root,
        "m:sPre": _scripts_before,
        "m:sSub": _write_scripts,
        "m:sSubSup": _write_scripts,
        "m:sSup": _write_scripts,
    }.items()
}
