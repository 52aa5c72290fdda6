"""Take away the groundedness that comparing words gave, and close the alerts that its scores raised."""

from django.db import migrations

_LOCAL = "local:%"  # how the method of scores without a judging model begins

_SCORES = """
UPDATE core_evaluationresult SET groundedness_score = NULL WHERE method LIKE %s AND groundedness_score IS NOT NULL
"""
_ALERTS = """
UPDATE core_alert SET acknowledged_at = now() FROM core_evaluationresult
 WHERE core_alert.evaluation_id = core_evaluationresult.id AND acknowledged_at IS NULL
   AND core_evaluationresult.method LIKE %s
"""


class Migration(migrations.Migration):
    """Empties scores that measured nothing; those that old code writes meanwhile are not shown by newer pages."""

    dependencies = [("core", "0067_quality_that_is_true")]

    operations = [
        migrations.RunSQL([(_SCORES, [_LOCAL]), (_ALERTS, [_LOCAL])], migrations.RunSQL.noop),
    ]
