"""Set the tolerance within which two figures count as the same.

A model computes in single precision, and adds in an order that depends on the processor's instructions, on the number
of threads and on how long the other texts of a batch are. Seen for one text scored twice: .0020385144 and .0020385105.
"""

SAME_SCORE = 1e-5  # absolute, of scores and similarities of about 0..1; a hundred times what was seen
