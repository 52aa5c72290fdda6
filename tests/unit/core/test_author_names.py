"""Names of authors as files give them, and what programs write for nobody."""

from typing import Any

import pytest

from core.library.ingestion.parsers.header import collect_fields, describe
from core.values.document_names import name_authors


@pytest.mark.parametrize(
    "stated", ["(anonymous)", "Anonymous", " unknown ", "Microsoft Office User", "n/a", "python-docx", "", None, 3, []]
)
def test_what_programs_write_for_nobody_is_no_author(stated: Any) -> None:
    """Neither by itself nor in a list, nor in a citation that is made of it."""
    assert name_authors(stated) == ""
    assert name_authors([stated, "Rosa Lind"]) == "Rosa Lind"
    assert describe("Tide tables", stated if isinstance(stated, str) else "", None)["full_citation"] == ""
    assert collect_fields({"title": "Tide tables", "author": stated})["full_citation"] == ""


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ("Anonymous Donor Fund", "Anonymous Donor Fund"),
        (["Rosa  Lind", "Ole Unknown-Berg"], "Rosa Lind, Ole Unknown-Berg"),
        ("Root, Ann", "Root, Ann"),
    ],
)
def test_people_keep_their_names(stated: Any, names: str) -> None:
    """Also those with such a word in them."""
    assert name_authors(stated) == names
