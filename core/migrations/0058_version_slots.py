"""Let writers whose processes have the same slot not wait for each other.

The slot of a version was the process's number modulo 64: of two writers with the same one, the second waited in the
middle of its work until the first had committed, and two that wrote both kinds could wait for each other.
"""

from django.db import migrations

FREE_SLOT = """
CREATE OR REPLACE FUNCTION footnote_library_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    slots CONSTANT integer := 64;
    free integer;
BEGIN
    -- The first slot, from the process's own on, that no other transaction holds until its end. With all of them held,
    -- the last that was tried is waited for.
    FOR step IN 0..slots - 1 LOOP
        free := (pg_backend_pid() + step) % slots;
        EXIT WHEN pg_try_advisory_xact_lock(hashtext('core_libraryversion.' || TG_ARGV[0]), free);
    END LOOP;
    INSERT INTO core_libraryversion (kind, slot, change)
    VALUES (TG_ARGV[0], free, nextval('footnote_changes'))
    ON CONFLICT (kind, slot) DO UPDATE SET change = excluded.change;
    RETURN NULL;
END $$;
"""
OWN_SLOT = """
CREATE OR REPLACE FUNCTION footnote_library_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO core_libraryversion (kind, slot, change)
    VALUES (TG_ARGV[0], pg_backend_pid() % 64, nextval('footnote_changes'))
    ON CONFLICT (kind, slot) DO UPDATE SET change = excluded.change;
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("core", "0057_owners")]
    beside_old_code = "The function is replaced at once, and what it writes is of the same form."

    operations = [migrations.RunSQL(FREE_SLOT, OWN_SLOT)]
