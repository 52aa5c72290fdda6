"""The pages of oversharing: risks that more people read something than expected, and secrets meant to be read."""
