"""Data sources: where they are set up, their runs and what each did, and the hosts inside that they may ask."""
