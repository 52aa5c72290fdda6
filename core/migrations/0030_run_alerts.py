"""An alert may be about a run over a dataset instead of the scores of one answer."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The column that the view reporting.alerts reads keeps its type, so the view stays."""

    dependencies: ClassVar = [("core", "0029_person_reports")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="alert",
            name="evaluation",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="alerts",
                to="core.evaluationresult",
            ),
        ),
        migrations.AddField(
            model_name="alert",
            name="run",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="alerts",
                to="core.evaluationrun",
            ),
        ),
        migrations.AddConstraint(
            model_name="alert",
            constraint=models.UniqueConstraint(fields=("run", "metric"), name="one_alert_per_run_and_metric"),
        ),
        migrations.AddConstraint(
            model_name="alert",
            constraint=models.CheckConstraint(
                condition=models.Q(("evaluation__isnull", False), ("run__isnull", True))
                | models.Q(("evaluation__isnull", True), ("run__isnull", False)),
                name="alert_about_one_thing",
            ),
        ),
    ]
