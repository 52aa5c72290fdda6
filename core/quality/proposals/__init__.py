"""Proposed changes: from a gap or a contradiction to the place where the document lives, and back to those who asked.

rights.py        who may propose for which gap or contradiction
targets.py       the documents that can be changed, and in which way
drafting.py      what a person starts from, and how the change will look
proposing.py     to store a proposal, take it back, say what became of it
sending.py       the worker's part: to the source, or by mail
following.py     whether it was merged, and whether the library has it
askers.py        the people whose questions a change may answer
late_answers.py  the questions asked again, each for the person who had asked it
listing.py       what a viewer may see of all proposals
"""
