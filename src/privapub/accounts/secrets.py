"""What is kept of a secret that is told once: its hash, by which it is found when it is shown (pure)."""

import hashlib


def hash_of(secret: str) -> str:
    """The hash of a secret that was drawn, and of whatever somebody shows as one."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
