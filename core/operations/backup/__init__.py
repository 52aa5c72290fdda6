"""Backups: the database and the originals in one folder, and the way back from it.

programs    pg_dump, pg_restore and psql: which ones, how they reach the database, what they say when they fail
archive     the folder: its manifest and its checksums
taking      a backup of one moment
restoring   into an empty database, or in the place of what is there: as a whole or not at all
aftermath   what a restored database needs before it is used, and the report for its operator
revocations what was taken from people since, read from an export of the audit trail
rights      for every model, what right it gives, and how that is revoked
statement   every right that there is at one moment, written behind an export
reducing    a restored database, reduced to the rights that a statement knows
"""
