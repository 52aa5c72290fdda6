"""A vector engine beside PostgreSQL: proposes chunks of a library whose vectors fit into no process's memory.

It holds the ids of chunks, their vectors, the numbers of their documents and of the documents' classes of access, and
no words. It decides nothing: what it proposes is compared again by PostgreSQL, under the rule of access.

qdrant.py      the engine: Qdrant, by its REST interface
classes.py     which classes of access an audience may read
collections.py the collections that the engine is to hold, from the first one on to the last
feeding.py     sends the library's changes to the engine
building.py    a new collection beside the one that is served, and what the worker does once a minute
verifying.py   finds and mends what differs
"""
