"""Real servers on the loopback address, one module for each kind of source that has files."""
