"""Previews of what posts link to: one fetch for each address and server, never because somebody reads."""
