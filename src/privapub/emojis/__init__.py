"""Custom emojis of this server: small pictures that stand for a `:name:` in what is written here.

The names are the server's, not a persona's. Others' emojis are not kept here: they belong to the post that brought
them, since the same name is another picture elsewhere.
"""
