"""Asking the owner of a document whether it still holds, and telling who asked what the owner says."""
