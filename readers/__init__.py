"""Programs that make rows for a reader of passages, fit one and judge it; README.md shows how.

They stand beside the product, which imports none of them. Of the product they use core.asking.reading, whose network
and encoding are the ones that are fitted, and the parsers and datasets of which rows can be made.

__main__.py has the command line, commands.py the three commands. material.py has questions and passages as values, and
reads files of them; squad.py and own.py read two further forms. documents.py finds the passages of one document,
negatives.py the passages that nearly answer, making.py makes rows of all that; rows.py has the rows and their file.
batches.py encodes and batches them, starting.py loads the weights to begin with, training.py fits, exporting.py writes
the reader's folder. judging.py measures; description.py and tables.py say what came of it. sets.toml names the data,
and card.md is the form of a fitted reader's README.
"""
