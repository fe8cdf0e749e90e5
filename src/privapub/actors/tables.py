"""Everyone who acts, here or elsewhere, and the keys by which they are known."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text

from privapub.database.tables import metadata

actor = Table(
    "actor",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    # The id on the wire, verbatim: never normalised.
    Column("uri", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),  # Person, Service, Application, Group, Organization
    Column("local", Boolean, nullable=False),
    Column("handle", Text, nullable=False),  # preferredUsername
    Column("host", Text, nullable=False),  # the part of the address after the second @, lower case
    Column("origin", Text, nullable=False, server_default=""),  # the host of a remote one's id, as rules know it
    # What the rules about domains say of the two hosts of a remote one: open, limited, blocked.
    Column("standing", Text, nullable=False, server_default="open"),
    Column("name", Text, nullable=False, server_default=""),
    Column("summary", Text, nullable=False, server_default=""),  # cleaned HTML
    Column("url", Text),
    Column("icon", Text),
    Column("icon_alt", Text, nullable=False, server_default=""),  # what it shows, in words; of ours also before it is
    Column("image", Text),
    Column("image_alt", Text, nullable=False, server_default=""),
    Column("fields", JSON, nullable=False, server_default="[]"),  # [{"name": …, "value": cleaned HTML}]
    Column("inbox", Text, nullable=False),
    Column("inbox_gone_at", Double),  # when its own inbox said that it is gone, and its profile was not read since
    Column("shared_inbox", Text),
    Column("outbox", Text),
    Column("followers", Text),
    Column("following", Text),
    Column("featured", Text),  # the collection of pinned posts
    Column("featured_tags", Text),
    Column("language", Text),
    Column("tags", JSON, nullable=False, server_default="[]"),  # the emoji of its name and summary, and hashtags
    Column("memorial", Boolean, nullable=False, server_default="0"),
    Column("suspended", Boolean, nullable=False, server_default="0"),  # its own server says so
    Column("locked", Boolean, nullable=False, server_default="0"),
    Column("discoverable", Boolean, nullable=False, server_default="0"),
    Column("indexable", Boolean, nullable=False, server_default="0"),
    Column("also_known_as", JSON, nullable=False, server_default="[]"),
    Column("attribution_domains", JSON, nullable=False, server_default="[]"),  # whose pages may name it as their author
    Column("moved_to", Text),
    # What of its document could not be read: [property, sentence].
    Column("notes", JSON, nullable=False, server_default="[]"),
    Column("state", Text, nullable=False, server_default="here"),  # here, gone
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double),  # what the document says of its last change
    Column("fetched_at", Double),  # when a remote one was last read from its origin
    # With which it is asked whether its document has changed since; a migration that keeps more of documents empties
    # both, so that each is read whole once more.
    Column("etag", Text),
    Column("last_modified", Text),
)

Index("ix_actor_origin", actor.c.origin, actor.c.host)
Index("ix_actor_handle", actor.c.handle, actor.c.host)
# Those who ask to be found.
Index(
    "ix_actor_discoverable",
    actor.c.id,
    sqlite_where=actor.c.discoverable.is_(True),
    postgresql_where=actor.c.discoverable.is_(True),
)

actor_key = Table(
    "actor_key",
    metadata,
    Column("id", Text, primary_key=True),  # keyId
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("algorithm", Text, nullable=False),  # rsa, ed25519
    Column("public", Text, nullable=False),  # PEM, or multibase where it came as a Multikey
    Column("private", Text),  # PEM, of our own actors alone
    Column("fetched_at", Double, nullable=False),
)

# Who blocks whom: state, not history. At least one of the two is ours.
block = Table(
    "block",
    metadata,
    Column("blocker_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("blocked_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("uri", Text, nullable=False),  # the id of the Block activity, verbatim
    Column("created_at", Double, nullable=False),
)
Index("ix_block_blocked", block.c.blocked_id)

mute = Table(
    "mute",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("muted_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("notifications", Boolean, nullable=False, server_default="1"),  # whether those are muted too
    Column("ends_at", Double),
    Column("created_at", Double, nullable=False),
)

# Whole servers that a persona wants nothing of, by the host of their people's addresses or ids.
domain_block = Table(
    "domain_block",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("domain", Text, primary_key=True),
    Column("id", BigInteger, nullable=False),  # sorts by time
)

# What a persona wrote down about somebody, for itself.
account_note = Table(
    "account_note",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
)
Index("ix_account_note_actor", account_note.c.actor_id)

featured_tag = Table(
    "featured_tag",
    metadata,
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("tag", Text, primary_key=True),  # its key
    Column("name", Text, nullable=False),  # as it is written
    Column("at", Double, nullable=False),
)
