"""Provide what every part of Footnote uses of the machine: database, jobs, secrets, logs, figures and traces.

embedded             a PostgreSQL of Footnote's own; database_errors.py and quick_migrations.py serve any
queue.py             work is handed to the worker
measures, tracing    figures for Prometheus, traces for OpenTelemetry; log_context.py marks log lines
encryption.py        what has to be stored and read again; kept_secrets.py keeps an installation's own
public_address.py    addresses below PUBLIC_URL
csv_lines.py         lines for spreadsheets; version.py has the version
"""
