"""Characters that a Word document takes from a font of symbols."""

# Where the fonts differ from Unicode; of Wingdings those used in lists and forms.
_SYMBOL = dict(
    zip(
        range(0x41, 0x5B),
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ",
        strict=True,
    )
)
_SYMBOL |= dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True))
_SYMBOL |= {
    0x2D: "−",
    0xA2: "′",
    0xA3: "≤",
    0xA4: "⁄",
    0xA5: "∞",
    0xAB: "↔",
    0xAC: "←",
    0xAD: "↑",
    0xAE: "→",
    0xAF: "↓",
    0xB0: "°",
    0xB1: "±",
    0xB2: "″",
    0xB3: "≥",
    0xB4: "×",
    0xB5: "∝",
    0xB7: "•",
    0xB8: "÷",
    0xB9: "≠",
    0xBA: "≡",
    0xBB: "≈",
    0xBC: "…",
    0xC6: "∅",
    0xD1: "∇",
    0xD6: "√",
    0xD7: "⋅",
    0xDE: "⇒",
    0xE5: "∑",
    0xF2: "∫",
}
_WINGDINGS = {
    0x6F: "☐",
    0x71: "☐",
    0xA8: "☐",
    0xE0: "→",
    0xFB: "✗",
    0xFC: "✓",
    0xFD: "☒",
    0xFE: "☑",
}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}
_PRIVATE = range(0xF000, 0xF100)  # where Word puts the characters of such fonts


def show_symbol(font: str, code: str) -> str:
    """Return the character of a symbol by its font and its code, as "F0B0"; "" for one that only the font has."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    if number in _PRIVATE:
        number -= _PRIVATE.start
        return _FONTS.get(font.casefold(), {}).get(number, "")
    if font.casefold() in _FONTS and number in _FONTS[font.casefold()]:
        return _FONTS[font.casefold()][number]
    return chr(number) if 0x20 <= number < 0xD800 else ""
