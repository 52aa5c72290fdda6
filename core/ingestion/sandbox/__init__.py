"""Shutting a process in before it parses a file from outside.

Several layers, each of which the kernel or Python holds by itself: when one is not to be had, or is broken, the others
still stand. `closing` puts a process behind all of them; a right that is gone does not come back.
"""
