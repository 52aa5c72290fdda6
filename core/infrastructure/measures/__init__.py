"""Figures of this process for Prometheus: `families` has them all, `port` shows those of processes without a page."""
