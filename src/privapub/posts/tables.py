"""Posts, ours and others', and to whom by name they were addressed."""

from collections.abc import Mapping

from sqlalchemy import (
    DDL,
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
)

from privapub.database.tables import metadata

post = Table(
    "post",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # sorts by time
    Column("uri", Text, nullable=False, unique=True),  # the object's id on the wire, verbatim
    Column("activity_uri", Text, unique=True),  # the id of our Create
    Column("author_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("local", Boolean, nullable=False),
    Column("kind", Text, nullable=False, server_default="Note"),
    Column("audience", Text, nullable=False),  # public, unlisted, followers, circle, direct; held
    Column("source", Text),  # as typed
    Column("text_format", Text, nullable=False, server_default="plain"),  # how it was typed: plain, markdown
    Column("content", Text, nullable=False, server_default=""),  # cleaned HTML
    Column("translations", JSON, nullable=False, server_default="[]"),  # of a remote post: [language, cleaned HTML]
    Column("summary", Text, nullable=False, server_default=""),  # the content warning, plain text
    Column("sensitive", Boolean, nullable=False, server_default="0"),
    Column("language", Text),
    Column("url", Text),
    Column("in_reply_to", Text),
    Column("in_reply_to_id", BigInteger),
    Column("tags", JSON, nullable=False, server_default="[]"),  # mentions and hashtags as they were written or received
    Column("attachments", JSON, nullable=False, server_default="[]"),
    Column("license", Text, nullable=False, server_default=""),  # a URL, or what it is called
    Column("quote", Text),  # the uri of the post that it quotes
    Column("quote_state", Text, nullable=False, server_default=""),  # "" (no quote), pending, accepted, rejected
    Column("quote_stamp", Text),  # the uri of the quoted author's word that it may (FEP-044f)
    Column(
        "quote_policy", Text, nullable=False, server_default="public"
    ),  # who may quote it: public, followers, nobody
    Column("context", Text),  # FEP-7888: the collection of its thread
    Column("conversation", Text),  # an opaque id of its thread (OStatus)
    Column("replies", Text),  # the collection of its answers, of a remote post
    Column("likes_elsewhere", BigInteger),  # what its origin counts, of a remote post
    Column("shares_elsewhere", BigInteger),
    Column("replies_elsewhere", BigInteger),
    Column(
        "notes", JSON, nullable=False, server_default="[]"
    ),  # what of its document could not be read: [property, sentence]
    Column("published_at", Double, nullable=False),
    Column("edited_at", Double),
    Column("received_at", Double, nullable=False),
    Column("deleted_at", Double),  # a tombstone: everything else that was said is emptied
)
Index("ix_post_author", post.c.author_id, post.c.id)
Index("ix_post_in_reply_to", post.c.in_reply_to)
Index("ix_post_in_reply_to_id", post.c.in_reply_to_id, post.c.id)
Index("ix_post_quote", post.c.quote, sqlite_where=post.c.quote.is_not(None), postgresql_where=post.c.quote.is_not(None))
Index("ix_post_public", post.c.audience, post.c.id)  # the public timelines
Index("ix_post_local", post.c.audience, post.c.id, sqlite_where=text("local = 1"), postgresql_where=text("local"))

# Posts of ours that wait for their media, or behind one that does (`posts.hold`): what they will be.
held_post = Table(
    "held_post",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("author_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("audience", Text, nullable=False),
    Column("named", JSON, nullable=False),  # the numbers of the actors that it names
)
Index("ix_held_post_author", held_post.c.author_id, held_post.c.post_id)

post_recipient = Table(
    "post_recipient",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True),
)
Index("ix_post_recipient_actor", post_recipient.c.actor_id, post_recipient.c.post_id)

# A Delete that came before what it deletes: the uri may not come to life for a year. Bounded per host.
tombstone = Table(
    "tombstone",
    metadata,
    Column("uri", Text, primary_key=True),
    Column("actor_uri", Text, primary_key=True),  # who deleted it: suppresses only what is theirs
    Column("host", Text, nullable=False),
    Column("at", Double, nullable=False),
)
Index("ix_tombstone_host", tombstone.c.host, tombstone.c.at)

# Which tags a post has, by their key (`markup.hashtags.tag_key`).
post_tag = Table(
    "post_tag",
    metadata,
    Column("tag", Text, primary_key=True),
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
)
Index("ix_post_tag_post", post_tag.c.post_id)

# Likes and reactions with an emoji: state, not history.
reaction = Table(
    "reaction",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # sorts by time
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("emoji", Text, nullable=False, server_default=""),  # "" of a plain like, else a character or `:name:`
    Column("picture", Text),  # of `:name:`: where its picture is
    Column("uri", Text, nullable=False),  # of the activity that is in force, verbatim
    Column("created_at", Double, nullable=False),
    UniqueConstraint("post_id", "actor_id", "emoji"),
)
Index("ix_reaction_actor", reaction.c.actor_id, reaction.c.id)
Index("ix_reaction_uri", reaction.c.uri)

boost = Table(
    "boost",
    metadata,
    Column(
        "id", BigInteger, primary_key=True, autoincrement=False
    ),  # sorts by time; in timelines beside posts' numbers
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("audience", Text, nullable=False),  # public, unlisted, followers
    Column("uri", Text, nullable=False, unique=True),  # of the Announce, verbatim
    Column("created_at", Double, nullable=False),
    UniqueConstraint("post_id", "actor_id"),
)
Index("ix_boost_actor", boost.c.actor_id, boost.c.id)

poll = Table(
    "poll",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("multiple", Boolean, nullable=False),
    Column("options", JSON, nullable=False),  # [{"name": …, "votes": how many its origin counts, or null}]
    Column("voters_elsewhere", BigInteger),  # how many its origin counts, of a remote poll
    Column("ends_at", Double),
    Column("closed_at", Double),
    Column("read_at", Double, nullable=False),  # when its counts were last heard of
    # Of a poll of ours: how often each answer was chosen is told when it is over.
    Column("hides", Boolean, nullable=False, server_default="0"),
)

poll_vote = Table(
    "poll_vote",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("choice", BigInteger, primary_key=True, autoincrement=False),  # which option, from 0
    Column("uri", Text),  # of the vote on the wire
    Column("at", Double, nullable=False),
)
Index("ix_poll_vote_actor", poll_vote.c.actor_id)

# Featured posts of ours and of others ("pinned").
pin = Table(
    "pin",
    metadata,
    Column("actor_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
)
Index("ix_pin_post", pin.c.post_id)

# The word of a quoted author that a post may quote theirs (FEP-044f), by ours.
quote_stamp = Table(
    "quote_stamp",
    metadata,
    Column("token", Text, primary_key=True),  # of its address
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), nullable=False),  # the quoted post
    Column("quoting", Text, nullable=False),  # the uri of the post that quotes it
    Column("actor_uri", Text, nullable=False),  # who quotes
    Column("at", Double, nullable=False),
    Column("revoked_at", Double),
    UniqueConstraint("post_id", "quoting"),
)

# Threads whose rest was asked for: when, and when it may be asked for again.
thread = Table(
    "thread",
    metadata,
    Column("root", Text, primary_key=True),  # the uri of its first post, as far as it is known
    Column("asked_at", Double, nullable=False),
    Column("read_at", Double),
    Column("found", BigInteger, nullable=False, server_default="0"),  # posts that the last reading found
)
Index("ix_thread_asked", thread.c.asked_at)

# What a persona keeps for itself, and tells nobody.
bookmark = Table(
    "bookmark",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # sorts by time
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
    UniqueConstraint("persona_id", "post_id"),
)
Index("ix_bookmark_persona", bookmark.c.persona_id, bookmark.c.id)
Index("ix_bookmark_post", bookmark.c.post_id)

# Threads of which a persona does not want to be told.
thread_mute = Table(
    "thread_mute",
    metadata,
    Column("persona_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("root", Text, primary_key=True),  # the uri of its first post, as far as it was known
    Column("at", Double, nullable=False),
)

# How posts read before they were edited.
post_version = Table(
    "post_version",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),  # since when it read so
    Column("content", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("sensitive", Boolean, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("attachments", JSON, nullable=False),
    Column("options", JSON),  # the answers of its poll, where it had one
)

# With which program a post of ours was written: for its author alone.
post_program = Table(
    "post_program",
    metadata,
    Column("post_id", BigInteger, ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("website", Text),
)

# The words of posts (`posts.text_index`), as each database looks for them; no table of SQLAlchemy is one of FTS5.
_WORDS = {
    "sqlite": (
        "CREATE VIRTUAL TABLE post_text USING fts5(words, tokenize = 'unicode61 remove_diacritics 0 tokenchars _')",
    ),
    "postgresql": (
        """CREATE TABLE post_text (
        post_id BIGINT NOT NULL, words TSVECTOR NOT NULL, CONSTRAINT pk_post_text PRIMARY KEY (post_id),
        CONSTRAINT fk_post_text_post_id FOREIGN KEY (post_id) REFERENCES post (id) ON DELETE CASCADE)""",
        "CREATE INDEX ix_post_text_words ON post_text USING gin (words)",
    ),
}
_BEGINNINGS = {"postgresql": ("CREATE INDEX ix_post_tag_begins ON post_tag (tag text_pattern_ops)",)}


def _with(table: Table, made: Mapping[str, tuple[str, ...]]) -> None:
    """Have these statements executed where this very table is made."""
    for dialect, statements in made.items():
        for statement in statements:
            event.listen(table, "after_create", DDL(statement).execute_if(dialect=dialect))  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped


_with(post, _WORDS)
_with(post_tag, _BEGINNINGS)
event.listen(post, "before_drop", DDL("DROP TABLE IF EXISTS post_text"))  # type: ignore[no-untyped-call]  # the same
