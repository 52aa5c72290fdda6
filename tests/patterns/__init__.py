"""Every regular expression of the packages, and hostile texts for each, made of its own parts."""
