"""Look into a topic by many questions, each asked under its asker's rights, and compose a page of what was proven."""
