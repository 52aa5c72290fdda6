"""The only reader of chunks: passages that fit a question, of those that an audience may read.

search.py leads a search:

finding.py         candidates by meaning and by words, from a replica that follows or the primary
access_filter.py   what the audience may read, narrowed by filters; counts, cached until grants or chunks change
planner.py         which strategy finds the true neighbours at the lowest cost
dense.py           exact, in PostgreSQL; in the copy in memory (vector_copy.py, quantised.py); through the HNSW index
comparing.py       what each way ends in: chunks compared exactly, by PostgreSQL
vector_index.py    that index: where it is useful, built and dropped
candidates.py      what the copy in memory and an engine beside PostgreSQL have in common
by_engine.py       candidates from that engine, also while it is behind, and whether it is asked just now
lexical.py         the words and phrases of a query, and BM25 over the permitted chunks that contain any of them
vocabulary.py      which words occur in what the audience may read
fusion.py          merges both lists; word matches weigh as much as the share of the query that they cover
reranking.py       a cross-encoder's order of the best, where one is configured

Without a search: outline.py gives a document as a whole, chunk_lookup.py chunks by their ids, selected.py passages of a
text that was selected; catalogue.py lists and describes the documents of an audience.
"""
