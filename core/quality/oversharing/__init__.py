"""Look for what more people may read than anybody expects: words that look confidential, secrets, odd and wider rights.

`looking` looks through editions and keeps places; `refreshing` makes risks of the places, the grants and their history;
`listing` shows them, `deciding` and `narrowing` take decisions.
"""
