"""What pages say of themselves, and to which page a post leads."""

from sqlalchemy import JSON, BigInteger, Column, Double, ForeignKey, Index, Table, Text

from privapub.database.tables import metadata

link_preview = Table(
    "link_preview",
    metadata,
    Column("url", Text, primary_key=True),
    Column("state", Text, nullable=False),  # card, no-card, failed
    Column("found", JSON, nullable=False, server_default="{}"),  # of a card: `parse.Found`
    Column("fetched_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),  # until then it is not fetched again
)
Index("ix_link_preview_expires_at", link_preview.c.expires_at)

# The one link of a post that is shown with a preview. There may be none of it, or none yet.
post_link = Table(
    "post_link",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("url", Text, nullable=False),
)
Index("ix_post_link_url", post_link.c.url)
