"""A right of its own to figures by person; and whoever reads the logs may read the views that count them.

Footnote itself reads the views of the schema `reporting` now. An application role that was made before has no right to
it, and has one to the table behind it.
"""

from typing import ClassVar

from django.db import migrations

GRANT = """
DO $$
DECLARE reader name;
BEGIN
    FOR reader IN
        SELECT role.rolname
          FROM pg_class AS log
         CROSS JOIN LATERAL aclexplode(log.relacl) AS granted
          JOIN pg_roles AS role ON role.oid = granted.grantee
         WHERE log.oid = 'core_querylog'::regclass
           AND granted.privilege_type = 'SELECT'
           AND granted.grantee <> log.relowner
    LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA reporting TO %I', reader);
        EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA reporting TO %I', reader);
        EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA reporting GRANT SELECT ON TABLES TO %I', reader);
    END LOOP;
END
$$
"""


class Migration(migrations.Migration):
    """The permission, which Django makes after migrating, and the grants."""

    dependencies: ClassVar = [("core", "0028_slack_directory")]

    operations: ClassVar = [
        migrations.AlterModelOptions(
            name="querylog",
            options={
                "ordering": ["-created_at"],
                "permissions": [
                    ("view_reports", "Can read reports over all people's queries"),
                    ("view_person_reports", "Can read reports by person"),
                ],
            },
        ),
        migrations.RunSQL(GRANT, migrations.RunSQL.noop),
    ]
