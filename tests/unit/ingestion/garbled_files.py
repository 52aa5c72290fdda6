"""PDF files whose fonts draw the right letters, and say other ones or none."""

import zlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import reportlab
from fontTools.ttLib import TTFont

_FONT = Path(reportlab.__file__).with_name("fonts") / "Vera.ttf"
_SIZE, _LEADING = 11, 15  # points

Say = Callable[[str], str]  # the letters that the font's map says for one that it draws; "" for none


def shifted(by: int) -> Say:
    """Say each character as the one so many places on in Unicode, a space included."""
    return lambda character: chr(ord(character) + by)


def in_private_use(character: str) -> str:
    """Say each character as one that means nothing outside its font."""
    return character if character == " " else chr(0xF000 + ord(character))


def garbled_pdf(pages: Sequence[tuple[Sequence[str], Say | None]]) -> bytes:
    """A PDF of pages of lines, each with what its font says of its letters; None for a font without a map."""
    numbers, widths = _read_font()
    program = zlib.compress(_FONT.read_bytes())
    objects: list[bytes] = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",  # the pages, once they are known
        _stream(program, f"/Filter/FlateDecode/Length1 {_FONT.stat().st_size}"),
        b"<</Type/FontDescriptor/FontName/ABCDEF+Vera/Flags 4/FontBBox[-183 -236 1287 928]/ItalicAngle 0/Ascent 928 %b"
        % b"/Descent -236/CapHeight 729/StemV 80/FontFile2 3 0 R>>",
    ]
    kids = []
    for lines, say in pages:
        used = sorted({character for line in lines for character in line})
        codes = {character: numbers[character] for character in used}
        each = " ".join(f"{codes[one]}[{widths[codes[one]]}]" for one in used)
        first = len(objects) + 1
        objects += [
            f"<</Type/Font/Subtype/CIDFontType2/BaseFont/ABCDEF+Vera/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
            f"/Supplement 0>>/FontDescriptor 4 0 R/CIDToGIDMap/Identity/W[{each}]>>".encode(),
            _stream(_write_map({code: say(one) for one, code in codes.items()} if say else {})),
            f"<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+Vera/Encoding/Identity-H/DescendantFonts[{first} 0 R]"
            f"{f'/ToUnicode {first + 1} 0 R' if say else ''}>>".encode(),
            _stream(_draw(lines, codes)),
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 {first + 2} 0 R>>>>"
            f"/Contents {first + 3} 0 R>>".encode(),
        ]
        kids.append(f"{first + 4} 0 R")
    objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>".encode()
    return _write_file(objects)


@cache
def _read_font() -> tuple[dict[str, int], dict[int, int]]:
    """Return the number of each character's glyph, and the width of each glyph in thousandths of the size."""
    with TTFont(_FONT) as font:
        units = font["head"].unitsPerEm
        numbers = {chr(code): font.getGlyphID(name) for code, name in font.getBestCmap().items()}
        return numbers, {
            font.getGlyphID(name): round(width * 1000 / units) for name, (width, _) in font["hmtx"].metrics.items()
        }


def _draw(lines: Sequence[str], codes: dict[str, int]) -> bytes:
    rows = (f"<{''.join(f'{codes[one]:04x}' for one in line)}> Tj T*" for line in lines)
    return f"BT /F1 {_SIZE} Tf {_LEADING} TL 60 760 Td\n{chr(10).join(rows)}\nET".encode()


def _write_map(said: dict[int, str]) -> bytes:
    rows = [f"<{code:04x}> <{text.encode('utf-16-be').hex()}>" for code, text in said.items() if text]
    parts = [rows[first : first + 100] for first in range(0, len(rows), 100)]
    body = "\n".join(f"{len(part)} beginbfchar\n{chr(10).join(part)}\nendbfchar" for part in parts)
    return (
        "/CIDInit/ProcSet findresource begin 12 dict begin begincmap\n/CMapName/Adobe-Identity-UCS def\n"
        f"1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n{body}\nendcmap end end"
    ).encode()


def _stream(content: bytes, more: str = "") -> bytes:
    return f"<</Length {len(content)}{more}>>\nstream\n".encode() + content + b"\nendstream"


def _write_file(objects: Sequence[bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)
