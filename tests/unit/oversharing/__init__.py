"""Tests of the signs and statements by which words look confidential."""
