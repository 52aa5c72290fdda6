"""Small values without behaviour that pass between the parts of Footnote, and names made of them. Pure.

What passes through `core.api` above all is in `core.types`.
"""
