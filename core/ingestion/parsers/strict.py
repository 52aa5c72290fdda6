"""Office files in the strict form of ISO 29500, turned into the form that the libraries read."""

import io
import re
import zipfile

_MARK = b"http://purl.oclc.org/ooxml/"
# An attribute's value that is a strict name: of a namespace, a relationship or a kind of graphic.
_STRICT = re.compile(rb"""(?<=["'])http://purl\.oclc\.org/ooxml/(\w{1,40})/""")
_COMMON = rb"http://schemas.openxmlformats.org/\1/2006/"
_BEGINNING = 4096  # bytes of a part, in which its root names its namespaces
_XML = (".xml", ".rels")


def as_common(content: bytes) -> bytes:
    """Return an Office file with the names of Office 2007; the same bytes where it has them already.

    content: a sound ZIP archive, within the limits of `check_archive`.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = list(dict.fromkeys(archive.namelist()))
        if not any(_is_strict(archive, name) for name in names):
            return content
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
            for name in names:
                part = archive.read(name)
                written.writestr(name, _STRICT.sub(_COMMON, part) if name.endswith(_XML) else part)
        return out.getvalue()


def _is_strict(archive: zipfile.ZipFile, name: str) -> bool:
    if not name.endswith(_XML):
        return False
    with archive.open(name) as part:
        return _MARK in part.read(_BEGINNING)
