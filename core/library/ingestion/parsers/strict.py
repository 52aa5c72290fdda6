"""Office files in forms that the libraries refuse, turned into the one that they read.

These are the strict form of ISO 29500, templates, slide shows, and documents with macros, which are never run.
"""

import io
import re
import zipfile

_MARK = b"http://purl.oclc.org/ooxml/"
# An attribute's value that is a strict name: of a namespace, a relationship or a kind of graphic.
_STRICT = re.compile(rb"""(?<=["'])http://purl\.oclc\.org/ooxml/(\w{1,40})/""")
# The media types of the main part of Word's and PowerPoint's other files.
_MAIN_TYPES = (
    (
        re.compile(
            rb"application/vnd\.(?:ms-word\.(?:document\.macroEnabled|template\.macroEnabledTemplate)"
            rb"|openxmlformats-officedocument\.wordprocessingml\.template)\.main\+xml",
            re.IGNORECASE,
        ),
        b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    ),
    (
        re.compile(
            rb"application/vnd\.(?:ms-powerpoint\.(?:presentation|slideshow|template)\.macroEnabled"
            rb"|openxmlformats-officedocument\.presentationml\.(?:slideshow|template))\.main\+xml",
            re.IGNORECASE,
        ),
        b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    ),
)
_COMMON = rb"http://schemas.openxmlformats.org/\1/2006/"
_BEGINNING = 4096  # bytes of a part, in which its root names its namespaces
_XML = (".xml", ".rels")
_TYPES = "[Content_Types].xml"


def as_common(content: bytes) -> bytes:
    """Return an Office file as a plain document with the names of Office 2007; the same bytes where it is one already.

    content: a sound ZIP archive, within the limits of `check_archive`.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = list(dict.fromkeys(archive.namelist()))
        stated = archive.read(_TYPES) if _TYPES in names else b""
        types = stated
        for pattern, plain in _MAIN_TYPES:
            types = pattern.sub(plain, types)
        if types == stated and not any(_is_strict(archive, name) for name in names):
            return content
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
            for name in names:
                part = types if name == _TYPES else archive.read(name)
                written.writestr(name, _STRICT.sub(_COMMON, part) if name.endswith(_XML) else part)
        return out.getvalue()


def _is_strict(archive: zipfile.ZipFile, name: str) -> bool:
    if not name.endswith(_XML):
        return False
    with archive.open(name) as part:
        return _MARK in part.read(_BEGINNING)
