"""The weekly digest: figures of the last week, posted once to each channel that wants them. No text of questions.

`schedule` finds the channels whose digest is due, `figures` has what it says, and `posting` posts it exactly once.
"""
