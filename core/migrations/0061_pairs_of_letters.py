from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import migrations, transaction

from core.language.nlp.scripts import list_indexed

_ROWS = 500
_CHUNKS = """
SELECT id, context, content FROM core_chunk
WHERE id > %s AND (content ~ %s OR context ~ %s) ORDER BY id LIMIT %s
"""
# Thai to Burmese, Hangul, Khmer, Chinese and Japanese.
_UNSPACED = r"[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\uffdc\U00020000-\U000323af]"


def add_pairs(apps: Any, schema_editor: Any) -> None:
    """Let full text find chunks in writing without spaces by its pairs of letters, as it finds new ones."""
    _rewrite(schema_editor.connection, lambda lines, pairs: [*lines, pairs])


def remove_pairs(apps: Any, schema_editor: Any) -> None:
    """Take the pairs away again."""
    _rewrite(schema_editor.connection, lambda lines, pairs: lines)


def _rewrite(connection: Any, write: Any) -> None:
    last = UUID(int=0)
    while True:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("SET LOCAL footnote.maintenance = 'on'")
            cursor.execute(_CHUNKS, [last, _UNSPACED, _UNSPACED, _ROWS])
            rows = cursor.fetchall()
            changed = [(write(*found), pk) for pk, found in _split_context(rows)]
            cursor.executemany(
                "UPDATE core_chunk SET context = %s WHERE id = %s", [("\n".join(lines), pk) for lines, pk in changed]
            )
        if not rows:
            return
        last = rows[-1][0]


def _split_context(rows: list[tuple[UUID, str, str]]) -> Iterator[tuple[UUID, tuple[list[str], str]]]:
    """Each chunk that has pairs, with the lines of its context before them; the last line may be the pairs already."""
    for pk, context, content in rows:
        lines = context.split("\n") if context else []
        pairs = " ".join(list_indexed("\n".join([*lines, content])))
        if len(lines) > 0 and " ".join(list_indexed("\n".join([*lines[:-1], content]))) == lines[-1]:
            lines, pairs = lines[:-1], lines[-1]
        if pairs:
            yield pk, (lines, pairs)


class Migration(migrations.Migration):
    """Fill in what full-text search finds Chinese, Japanese, Korean and Thai by, in chunks that were there before."""

    atomic = False

    dependencies = [
        ("core", "0060_extent"),
    ]

    operations = [
        migrations.RunPython(add_pairs, remove_pairs),
    ]
