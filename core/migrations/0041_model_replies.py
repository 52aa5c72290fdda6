from django.db import migrations, models

# Rows that another transaction is deleting are passed over: nobody waits for the end of a long ingestion. Should that
# one be taken back, its rows are of a state that is over, are found by nobody, and go within a minute.
FORGET = """
CREATE FUNCTION footnote_forget_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM core_modelreply WHERE key IN (SELECT key FROM core_modelreply FOR UPDATE SKIP LOCKED);
    RETURN NULL;
END $$;
CREATE TRIGGER footnote_chunks_forget_replies
    AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON core_chunk
    FOR EACH STATEMENT EXECUTE FUNCTION footnote_forget_replies();
CREATE TRIGGER footnote_grants_forget_replies
    AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON core_roledocumentaccess
    FOR EACH STATEMENT EXECUTE FUNCTION footnote_forget_replies();
"""
KEEP = """
DROP TRIGGER footnote_grants_forget_replies ON core_roledocumentaccess;
DROP TRIGGER footnote_chunks_forget_replies ON core_chunk;
DROP FUNCTION footnote_forget_replies;
"""


class Migration(migrations.Migration):
    beside_old_code = "The triggers delete from a table that old code does not know."

    dependencies = [
        ('core', '0040_budgets'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelReply',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('version', models.CharField(help_text='A hash of the state of the library and its grants.', max_length=64)),
                ('reply', models.JSONField()),
                ('created_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'verbose_name_plural': 'model replies',
                'default_permissions': (),
            },
        ),
        migrations.RunSQL("ALTER TABLE core_modelreply SET UNLOGGED", "ALTER TABLE core_modelreply SET LOGGED"),
        migrations.RunSQL(FORGET, KEEP),
    ]
