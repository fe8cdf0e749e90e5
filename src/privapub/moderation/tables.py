"""Reports, ours and others', and the rules about domains."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Double, ForeignKey, Index, Table, Text

from privapub.database.tables import metadata

report = Table(
    "report",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # sorts by time
    Column("uri", Text, nullable=False, unique=True),  # of the Flag, verbatim
    Column("reporter_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("target_id", BigInteger, ForeignKey("actor.id", ondelete="CASCADE"), nullable=False),
    Column("local", Boolean, nullable=False),  # whether a persona of ours made it
    Column("post_uris", JSON, nullable=False, server_default="[]"),
    Column("comment", Text, nullable=False, server_default=""),  # plain text
    Column("created_at", Double, nullable=False),
    Column("forwarded_at", Double),  # when it was put on its way to the target's server
    Column("closed_at", Double),
    Column("category", Text, nullable=False, server_default="other"),  # spam, legal, violation, other
    Column("rule_ids", JSON, nullable=False, server_default="[]"),  # the rules of this server that were broken
)
Index("ix_report_target", report.c.target_id, report.c.id)

domain_rule = Table(
    "domain_rule",
    metadata,
    Column("domain", Text, primary_key=True),  # in its one spelling, or `*.` and one
    Column("severity", Text, nullable=False),  # allow, none, limit, block
    Column("reject_media", Boolean, nullable=False, server_default="0"),
    Column("reject_reports", Boolean, nullable=False, server_default="0"),
    Column("public_comment", Text, nullable=False, server_default=""),
    Column("private_comment", Text, nullable=False, server_default=""),
    Column("obfuscate", Boolean, nullable=False, server_default="0"),
    Column("changed_at", Double, nullable=False),
)

# One row, where there is any: what all processes must agree on. The version goes up with each change of the rules.
domain_policy = Table(
    "domain_policy",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    Column("only_allowed", Boolean, nullable=False, server_default="0"),
)

# What the operator tells everyone here.
announcement = Table(
    "announcement",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),  # as typed
    Column("published_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("starts_at", Double),
    Column("ends_at", Double),
)

announcement_read = Table(
    "announcement_read",
    metadata,
    Column("announcement_id", BigInteger, ForeignKey("announcement.id", ondelete="CASCADE"), primary_key=True),
    Column("persona_id", BigInteger, primary_key=True),
)

announcement_reaction = Table(
    "announcement_reaction",
    metadata,
    Column("announcement_id", BigInteger, ForeignKey("announcement.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("persona_id", BigInteger, primary_key=True),
    Column("created_at", Double, nullable=False),
)
