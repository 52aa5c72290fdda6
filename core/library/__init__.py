"""Keep the documents: read them, cut them into passages, embed them, find passages, and keep all in step with sources.

ingestion        files and addresses become documents, passages and grants
sync             places with which the library is kept in step, and who reads there
originals        the files as they came
embedding        texts become vectors
retrieval        passages for a question, under the rule of access
vector_engine    an engine for vectors beside PostgreSQL
owners.py        whose documents may be out of date
Nothing here knows of answers.
"""
