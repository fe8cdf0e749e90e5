"""Markup: outside HTML made harmless, and typed text made into HTML.

`clean` lets an allow-list through and contains control characters and direction overrides; what it lets through it
leaves alone, no text becomes a link in it, and no link is hidden. `render` turns what a person typed, plain or
Markdown, into the HTML that goes out. `text` turns HTML into lines of text, `emojis` puts pictures into it for our own
pages. All of it is pure and knows nothing of posts or people.
"""
