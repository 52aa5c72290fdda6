import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.db import migrations, models

# English stems, and nothing left out: "Class A" must find the class and not every mention of classes.
CREATE_CONFIGURATION = """
CREATE TEXT SEARCH DICTIONARY footnote_stem (TEMPLATE = snowball, Language = english);
CREATE TEXT SEARCH CONFIGURATION footnote (COPY = english);
ALTER TEXT SEARCH CONFIGURATION footnote
    ALTER MAPPING FOR asciiword, asciihword, hword_asciipart, word, hword, hword_part WITH footnote_stem;
"""
DROP_CONFIGURATION = """
DROP TEXT SEARCH CONFIGURATION footnote;
DROP TEXT SEARCH DICTIONARY footnote_stem;
"""

FILL_CONTEXT = """
UPDATE core_chunk c
SET context = concat_ws(E'\\n', d.title, d.arxiv_id, nullif(c.chapter_name, ''), nullif(c.section_title, ''),
                        nullif(d.full_citation, ''))
FROM core_document d WHERE d.id = c.document_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0002_embedding_model"),
    ]

    operations = [
        migrations.RunSQL(CREATE_CONFIGURATION, DROP_CONFIGURATION),
        migrations.RemoveIndex(model_name="chunk", name="chunk_search_gin"),
        migrations.RemoveField(model_name="chunk", name="search"),
        migrations.AddField(
            model_name="chunk",
            name="context",
            field=models.TextField(
                blank=True,
                default="",
                help_text="The document's title, identifier and citation and the headings: searched with the content.",
            ),
        ),
        migrations.AddField(
            model_name="chunk",
            name="search",
            field=models.GeneratedField(
                db_persist=True,
                expression=django.contrib.postgres.search.SearchVector("context", weight="B", config="footnote")
                + django.contrib.postgres.search.SearchVector("content", weight="A", config="footnote"),
                output_field=django.contrib.postgres.search.SearchVectorField(),
            ),
        ),
        # Inline, for ranking reads it of every match; the content moves out of the row instead.
        migrations.RunSQL("ALTER TABLE core_chunk ALTER search SET STORAGE MAIN", migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="chunk",
            index=django.contrib.postgres.indexes.GinIndex(fields=["search"], name="chunk_search_gin"),
        ),
        migrations.RunSQL(FILL_CONTEXT, migrations.RunSQL.noop),
    ]
