"""The words in drawings of Office files: alternative texts of pictures, charts with their figures, diagrams."""

from core.library.ingestion.parsers.drawings.alt_texts import name_picture, read_alt_text
from core.library.ingestion.parsers.drawings.drawing import Drawings, Related

__all__ = ["Drawings", "Related", "name_picture", "read_alt_text"]
