"""Reading: whether a passage answers a question, and where; and whether a quote supports a statement.

reader.py loads the reader that is set, and reads. readings.py has what comes of it, and tables.py writes what is read;
they import neither torch nor a database. runtime.py, network.py, int8.py and weights.py are loaded with the first
passage that is read.
"""

CARD = "reader.json"  # the file of a reader's folder that describes it
SCANNER_CARD = "scanner.json"  # that of the scanner in the same folder, if it has one
NONE = "none"  # the value of READER that switches reading off
AFTER_HEADING = ". "  # between a passage's heading and its text, as a reader was fitted
