#!/bin/sh
# Prepares an empty server for Footnote, as docs/postgresql.md describes: an owner of the tables, who
# migrates, and a role for web, bot and worker, which row-level security holds. Neither is a superuser. PostgreSQL's image
# runs this once, when its folder is empty; by hand: POSTGRES_USER=postgres OWNER_PASSWORD=... APP_PASSWORD=... sh 10-footnote.sh
set -eu
: "${OWNER_PASSWORD:?Set it to a password for the owner of the tables.}" "${APP_PASSWORD:?Set it to a password for the processes.}"

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
    --set owner_password="$OWNER_PASSWORD" --set app_password="$APP_PASSWORD" <<'SQL'
CREATE ROLE footnote LOGIN PASSWORD :'owner_password';
CREATE ROLE footnote_app LOGIN PASSWORD :'app_password';
CREATE DATABASE footnote OWNER footnote;
\connect footnote
CREATE EXTENSION vector;
ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO footnote_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO footnote_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO footnote_app;
ALTER DEFAULT PRIVILEGES FOR ROLE footnote IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO footnote_app;
ALTER DEFAULT PRIVILEGES FOR ROLE footnote IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO footnote_app;
CREATE SCHEMA IF NOT EXISTS reporting AUTHORIZATION footnote;
GRANT USAGE ON SCHEMA reporting TO footnote_app;
GRANT SELECT ON ALL TABLES IN SCHEMA reporting TO footnote_app;
ALTER DEFAULT PRIVILEGES FOR ROLE footnote IN SCHEMA reporting GRANT SELECT ON TABLES TO footnote_app;
SQL
