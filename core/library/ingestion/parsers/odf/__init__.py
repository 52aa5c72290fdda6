"""OpenDocument, the formats of LibreOffice: texts (ODT), sheets (ODS) and slides (ODP)."""

from core.library.ingestion.parsers.odf.sheets import parse_ods
from core.library.ingestion.parsers.odf.slides import parse_odp
from core.library.ingestion.parsers.odf.text import parse_odt

__all__ = ["parse_odp", "parse_ods", "parse_odt"]
