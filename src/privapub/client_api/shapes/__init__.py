"""What the answers look like: the entities of Mastodon's documentation."""
