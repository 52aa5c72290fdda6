"""How sure an answer from some passages is: the evidence, the fitted estimate, and what follows from it."""
