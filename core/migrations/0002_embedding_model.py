import django.utils.timezone
import pgvector.django.vector
from django.db import migrations, models

PACKAGED_NAME = "all-MiniLM-L6-v2"
DIMENSION = 384  # of the column that the first migration made


def take_over(apps, schema_editor):
    """A library that has chunks already was embedded by a model: the one of most chunks is the corpus's."""
    found = (
        apps.get_model("core", "Chunk")
        .objects.values("embedding_model")
        .annotate(chunks=models.Count("id"))
        .order_by("-chunks")
        .first()
    )
    if found:
        name = found["embedding_model"]
        setting = "packaged" if name == PACKAGED_NAME else name
        apps.get_model("core", "EmbeddingModel").objects.create(name=name, setting=setting, dimension=DIMENSION)


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="EmbeddingModel",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(help_text="As it stands with each chunk.", max_length=200)),
                ("setting", models.CharField(help_text="The value of EMBEDDING_MODEL that means it.", max_length=1000)),
                ("dimension", models.PositiveIntegerField(help_text="Length of its vectors.")),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="one_embedding_model")],
            },
        ),
        # The column stays as it is: its dimension belongs to the corpus's model and not to the program.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="chunk", name="embedding", field=pgvector.django.vector.VectorField()
                )
            ]
        ),
        migrations.RunPython(take_over, migrations.RunPython.noop),
    ]
