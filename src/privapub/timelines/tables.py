"""What each persona has in its home timeline."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text

from privapub.database.tables import metadata

timeline_entry = Table(
    "timeline_entry",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    # The number of the post, or of the boost that brings it: the cursor of whoever pages.
    Column("entry_id", BigInteger, primary_key=True, autoincrement=False),
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
    Column("boost_id", BigInteger, ForeignKey("boost.id", ondelete="CASCADE")),
)
Index("ix_timeline_entry_post", timeline_entry.c.post_id, timeline_entry.c.persona_id)
Index("ix_timeline_entry_boost", timeline_entry.c.boost_id)

# Lists of people, whose posts are read apart from the rest.
people_list = Table(
    "people_list",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("replies", Text, nullable=False, server_default="list"),  # which answers it shows: followed, list, none
    Column("exclusive", Boolean, nullable=False, server_default="0"),  # its people are not in the home timeline
    Column("created_at", Double, nullable=False),
)

list_member = Table(
    "list_member",
    metadata,
    Column(
        "list_id", BigInteger, ForeignKey("people_list.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
)
Index("ix_list_member_actor", list_member.c.actor_id)

# What a persona does not want to read: words, and single posts.
word_filter = Table(
    "word_filter",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("places", JSON, nullable=False),  # home, notifications, public, thread, account
    Column("action", Text, nullable=False),  # warn, hide, blur
    Column("words", JSON, nullable=False, server_default="[]"),  # [{"id": …, "word": …, "whole": true}]
    Column("post_ids", JSON, nullable=False, server_default="[]"),  # [{"id": …, "post": …}]
    Column("ends_at", Double),
    Column("created_at", Double, nullable=False),
)

# Which direct posts of a persona belong together: an answer to one of them is in its conversation.
conversation_post = Table(
    "conversation_post",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("conversation_id", BigInteger, nullable=False),
    Column("unread", Boolean, nullable=False),
)
Index("ix_conversation_post_post", conversation_post.c.post_id)
Index(
    "ix_conversation_post_conversation",
    conversation_post.c.persona_id,
    conversation_post.c.conversation_id,
    conversation_post.c.post_id,
)

# Hashtags whose public posts a persona reads at home.
followed_tag = Table(
    "followed_tag",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("tag", Text, primary_key=True),  # its key
    Column("name", Text, nullable=False),  # as it was written
    Column("id", BigInteger, nullable=False),  # sorts by time
)
Index("ix_followed_tag_tag", followed_tag.c.tag, followed_tag.c.persona_id)
