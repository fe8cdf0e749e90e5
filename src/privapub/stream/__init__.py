"""What happens, told at once to whoever is there to hear it."""
