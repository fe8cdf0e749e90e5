"""The client API: what apps that people already use ask for, in the words of Mastodon's documentation."""
