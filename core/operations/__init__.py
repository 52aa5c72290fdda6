"""Run an installation: what operators start, watch, back up and upgrade.

backup             backups, and what a restored database needs
rehearsal          an upgrade tried on a copy
model_setup        the worker fetches and serves a model for the admin
reembedding.py     the library's embedding model is changed
warming.py         what answering needs is loaded before the first question
observation.py     tracing and figures are set up in each process
installation.py    the versions that an installation depends on
safe_database.py   an unsafe database is refused at the start
"""
