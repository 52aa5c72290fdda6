"""The pages of changes before they are live: what a change does to answers, who decides, and the limits."""
