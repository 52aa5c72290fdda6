from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

# The smallest library in which the planner walks the index. Above it nothing is dropped: building it again takes long.
LEAST_CHUNKS = 25_000
INDEX = """
CREATE INDEX IF NOT EXISTS chunk_embedding_hnsw ON core_chunk
USING hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64)
"""


def drop_where_unused(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(sum(chunk_count), 0) FROM core_document")
        if cursor.fetchone()[0] < LEAST_CHUNKS:
            cursor.execute("DROP INDEX IF EXISTS chunk_embedding_hnsw")


def build(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.execute(INDEX)


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0043_backups"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(drop_where_unused, build)],
            state_operations=[migrations.RemoveIndex(model_name="chunk", name="chunk_embedding_hnsw")],
        ),
    ]
