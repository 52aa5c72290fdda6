"""Hold the log of questions to the agent's five steps, as answers are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the constraint."""

    dependencies = [("core", "0068_scores_that_measured_nothing")]
    beside_old_code = "Its agent ends after five steps too, and its answers have had this constraint from the first on."

    operations = [
        migrations.AddConstraint(
            model_name="querylog",
            constraint=models.CheckConstraint(
                condition=models.Q(agent_steps__lte=5), name="querylog_at_most_five_steps"
            ),
        ),
    ]
