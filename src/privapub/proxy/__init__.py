"""Files elsewhere, kept for a while and shown from here."""
