"""Readers of sections: pages.py lists sections and rules, planning.py previews each change of them, forms.py asks."""
