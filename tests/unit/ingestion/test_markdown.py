"""Markdown and MDX."""

import datetime as dt

from core.library.ingestion.parsers.markdown import parse_markdown

PAGE = """---
title: Leave policy
date: 2024-05-01
type: handbook
url: https://example.org/leave
author: [Ada, Bo]
reviewed: true
---

Everyone may take leave.

## Asking {#asking}

Ask your [lead](https://example.org/lead) in *writing*,
two weeks ahead. Use `leave()`.

### Forms[[forms]]

- Form A
  1. first page
- Form B

| Form | Days |
| --- | --- |
| A | 5 |

```python
x = "<Tip>"  # {% kept %}
```
"""


def test_front_matter_describes_the_document() -> None:
    """Title, date, type and address come from the front matter; what it says beyond is kept as metadata."""
    document = parse_markdown(PAGE, "leave.md")
    assert document.title == "Leave policy"
    assert document.document_date == dt.date(2024, 5, 1)
    assert document.document_type == "manual"
    assert document.source_url == "https://example.org/leave"
    assert document.full_citation == "Ada, Bo (2024). Leave policy."
    assert document.metadata == {"author": ["Ada", "Bo"], "reviewed": True}


def test_blocks_stand_under_their_headings() -> None:
    """The chapter is the title where no first-level heading is, the section the path of headings; markup is gone."""
    blocks = [(b.chapter, b.section, b.text) for b in parse_markdown(PAGE, "leave.md").blocks]
    assert blocks == [
        ("Leave policy", "", "Everyone may take leave."),
        ("Leave policy", "Asking", "Ask your lead in writing, two weeks ahead. Use leave()."),
        ("Leave policy", "Asking > Forms", "- Form A\n  1. first page\n- Form B"),
        ("Leave policy", "Asking > Forms", "Form | Days\n--- | ---\nA | 5"),
        ("Leave policy", "Asking > Forms", 'x = "<Tip>"  # {% kept %}'),
    ]


def test_first_level_headings_are_chapters() -> None:
    """A new first-level heading ends the sections of the chapter before."""
    document = parse_markdown("# One\n\n## A\n\ntext a\n\n# Two\n\ntext b\n", "book.md")
    assert document.title == "One"
    assert [(b.chapter, b.section, b.text) for b in document.blocks] == [("One", "A", "text a"), ("Two", "", "text b")]


def test_a_heading_with_nothing_below_it_is_text() -> None:
    """Nothing that the document says is lost: a bare heading becomes a block."""
    document = parse_markdown("# T\n\n## Closed on Sundays\n\n## Hours\n\n9 to 5\n", "t.md")
    assert [b.text for b in document.blocks] == ["Closed on Sundays", "9 to 5"]


def test_components_and_template_tags_are_noise_outside_of_code() -> None:
    """Tags of components, conditions and anchors go; the text between them and in code stays."""
    text = (
        "import Tabs from '@theme/Tabs'\n\n"
        '<Banner chapter={1} links={[\n  {label: "a", value: "b"},\n]} />\n\n'
        "{#if fw === 'pt'}\n\n<Tip>Keep this</Tip> and `<Tip>`.\n\n{/if}\n\n"
        '> [!NOTE]\n> Ask in {% channel "support" %} or [here]({% page "/x/" %}).\n\n<!-- hidden\n\nnote -->\n'
    )
    blocks = parse_markdown(text, "t.mdx").blocks
    assert [b.text for b in blocks] == ["Keep this and <Tip>.", "Ask in support or here."]


def test_what_only_looks_like_front_matter_is_text() -> None:
    """A rule at the top of a text does not swallow what follows."""
    document = parse_markdown("---\nshe said: no: never\n---\n\nThe end.\n", "story.md")
    assert document.metadata == {}
    assert [b.text for b in document.blocks] == ["The end."]
    assert document.blocks[0].section == "she said: no: never", "Markdown: text over a line of dashes is a heading"


def test_an_address_in_front_matter_must_be_of_the_web() -> None:
    """An address that a browser would run is not kept as the document's source."""
    assert parse_markdown("---\nurl: 'javascript:alert(1)'\n---\n\ntext\n", "t.md").source_url == ""
