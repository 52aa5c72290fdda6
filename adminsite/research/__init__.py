"""The pages on which readers have a topic looked into: the plan, how far it is, and what was proven."""
