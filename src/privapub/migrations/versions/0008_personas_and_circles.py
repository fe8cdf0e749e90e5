"""Personas that close and go, circles, licences: what SPEC 6 to 8 keep."""

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """One function for each part."""
