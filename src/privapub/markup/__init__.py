"""Markup: outside HTML made harmless, and typed text made into HTML.

`clean` lets an allow-list through and contains control characters and direction overrides; what it lets through it
leaves alone. `render` turns what a person typed into the HTML that goes out. `text` turns HTML into lines of text.
All of it is pure and knows nothing of posts or people.
"""
