"""Confine a process before it parses a file from outside.

There are several layers, each enforced by the kernel or by Python on its own: when one is not available, or is broken,
the others still hold. `closing` puts a process behind all of them; a right that was given up does not come back.
"""
