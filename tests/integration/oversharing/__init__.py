"""Tests of the search for what more people may read than anybody expects."""
