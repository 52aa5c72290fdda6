"""The alternative texts of pictures: those that people wrote, without what programs put there."""

import re

from core.library.ingestion.cleaning import one_line

_LONGEST = 2000  # characters
_LEAST_LETTERS = 8  # of a text that says something; in other scripts than the Latin one half of it
# Sentences that programs add to a text of their own: Office in its languages, and programs for notes.
_GENERATED = re.compile(
    r"automatically generated|automatisch (?:generiert|erstellt|gegenereerd)|générée? automatiquement"
    r"|generad[ao] automáticamente|generat[ao] automaticamente|gerad[ao] automaticamente"
    r"|(?:AI|machine)[- ]generated|KI-generiert|IA-generated|généré par l.IA|generado por (?:la )?IA"
    r"|^a picture containing|^image result for|^bildergebnis für|^résultat d.images? pour|^resultado de imagen",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|svg|tiff?|webp|avif|heic|emf|wmf|ico|pdf|eps)(?:\?\S{0,200})?$", re.IGNORECASE
)
_ADDRESS = re.compile(r"^(?:[a-z]{2,10}://|data:|[a-z]:\\|/\S)\S{0,500}$", re.IGNORECASE)
# What programs call a picture, and what says no more than that there is one.
_NO_MORE = re.compile(
    r"^(?:a |an |the |our |company |site |your )?"
    r"(?:picture|image|img|photo|photograph|graphic|grafik|bild|figure|abbildung|imagen|immagine|foto|screenshot|logo"
    r"|icon|symbol|avatar|banner|spacer|placeholder|decorative|chart|diagramm?|graphique|gráfico|object|objekt|content"
    r"|shape|group|gruppe|rectangle|textbox|text box|thumbnail)"
    r"(?: (?:picture|image|logo|icon|placeholder|photo))?[\s_\-#.:]{0,3}[\d\s_\-.:]{0,30}$",
    re.IGNORECASE,
)
_LOGO = re.compile(r"^(?:\S{1,40} ){0,3}(?:logo|icon|avatar|banner)$", re.IGNORECASE)


def read_alt_text(text: str) -> str:
    """Return an alternative text on one line; "" where it was generated, or says nothing of what the picture shows."""
    line = one_line(text[: 2 * _LONGEST], _LONGEST)
    letters = [one for one in line if one.isalpha()]
    if not letters or any(each.search(line) for each in (_GENERATED, _FILE, _ADDRESS, _NO_MORE, _LOGO)):
        return ""
    if not letters[0].isascii():
        return line if len(letters) * 2 >= _LEAST_LETTERS else ""
    return line if " " in line and len(letters) >= _LEAST_LETTERS else ""


def name_picture(description: str) -> str:
    """Write a description as a passage that says what it is."""
    return f"Picture: {description}"
