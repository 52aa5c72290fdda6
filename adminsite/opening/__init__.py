"""Documents as their readers open them, also at a citation: for all who may read, not for administrators alone."""
