"""Logins: how one is made, its password, and which personas it holds.

Nothing that federation can reach may reach this room: no served document may know which login owns a persona.
"""
