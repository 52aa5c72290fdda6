"""Show and change access: matrix.py shows it by role, collection and document; change.py previews a change."""
