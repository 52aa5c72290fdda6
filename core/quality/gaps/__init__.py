"""Content gaps: what the library did not answer, grouped by meaning, and whether a gap was closed.

candidates.py    which questions were not answered well
grouping.py      which questions mean the same; pure but for scikit-learn
assigning.py     the job that puts new questions into gaps
heaps.py         what was found for them, and the heap that a gap is in by that
documents.py     the documents nearest to a gap, and how many of them its askers may not all read
checking.py      a gap's questions asked once more
"""
