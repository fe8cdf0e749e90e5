"""Media, what is kept of others' media, previews of links, and custom emojis."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """One function for each part."""
    _uploads()
    _proxied()
    _previews()
    _emojis()


def _uploads() -> None:
    """What people here uploaded."""


def _proxied() -> None:
    """What is kept of others' media."""


def _previews() -> None:
    """Previews of links."""


def _emojis() -> None:
    """Custom emojis of this server."""
