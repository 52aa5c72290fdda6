"""Who reads what: matrix.py shows it, role by collection and document; change.py shows a change before it is made."""
