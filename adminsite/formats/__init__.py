"""How the admin writes dates, by language."""
