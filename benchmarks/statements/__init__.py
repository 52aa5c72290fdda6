"""Financial statements without rulings, set in several layouts as PDFs, and how many of their figures are read."""
