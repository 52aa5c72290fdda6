"""The page and what its script calls. Whoever sits at this machine may be any of the people: it is a stage."""
