"""What the client API keeps: programs and their tokens, and what people keep by them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """One function for each part."""
    _oauth()
    _people()
    _passkeys()
    _announcements()
    _posts()
    _relations()
    _alerts()
    _text_index()
    _events()


def _oauth() -> None:
    """Programs, codes and tokens."""
    op.create_table(
        "application",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("website", sa.Text(), nullable=True),
        sa.Column("redirect_uris", sa.JSON(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_application"),
        sa.UniqueConstraint("client_id", name="uq_application_client_id"),
    )
    op.create_table(
        "code",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("application_id", sa.BigInteger(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("challenge", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("token_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["application_id"], ["application.id"], name="fk_code_application_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hash", name="pk_code"),
    )
    op.create_index("ix_code_application_id", "code", ["application_id"], unique=False)
    op.create_table(
        "token",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("application_id", sa.BigInteger(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=True),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["application_id"], ["application.id"], name="fk_token_application_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("hash", name="uq_token_hash"),
    )
    op.create_index("ix_token_application_id", "token", ["application_id"], unique=False)
    op.create_index("ix_token_persona_id", "token", ["persona_id"], unique=False)


def _alerts() -> None:
    """What is told and to whom, how far it was read, and where programs are woken; conversations."""

    def persona(table: str) -> sa.ForeignKeyConstraint:
        name = f"fk_{table}_persona_id"
        return sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name=name, ondelete="CASCADE")

    def number(name: str) -> sa.Column[int]:
        return sa.Column(name, sa.BigInteger(), autoincrement=False, nullable=False)

    op.add_column("report", sa.Column("category", sa.Text(), server_default="other", nullable=False))
    op.add_column("report", sa.Column("rule_ids", sa.JSON(), server_default="[]", nullable=False))
    op.add_column("notification", sa.Column("filtered", sa.Boolean(), server_default="0", nullable=False))
    op.create_index(
        "ix_notification_filtered",
        "notification",
        ["persona_id", "actor_id", "id"],
        sqlite_where=sa.text("filtered = 1"),
        postgresql_where=sa.text("filtered"),
    )
    op.create_table(
        "notification_policy",
        number("persona_id"),
        sa.Column("for_not_following", sa.Text(), nullable=False),
        sa.Column("for_not_followers", sa.Text(), nullable=False),
        sa.Column("for_new_accounts", sa.Text(), nullable=False),
        sa.Column("for_private_mentions", sa.Text(), nullable=False),
        sa.Column("for_limited_accounts", sa.Text(), nullable=False),
        persona("notification_policy"),
        sa.PrimaryKeyConstraint("persona_id", name="pk_notification_policy"),
    )
    op.create_table(
        "notification_permission",
        number("persona_id"),
        number("actor_id"),
        sa.Column("created_at", sa.Double(), nullable=False),
        persona("notification_permission"),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["actor.id"], name="fk_notification_permission_actor_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("persona_id", "actor_id", name="pk_notification_permission"),
    )
    op.create_index("ix_notification_permission_actor", "notification_permission", ["actor_id"])
    op.create_table(
        "marker",
        number("persona_id"),
        sa.Column("timeline", sa.Text(), nullable=False),
        sa.Column("last_read_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        persona("marker"),
        sa.PrimaryKeyConstraint("persona_id", "timeline", name="pk_marker"),
    )
    op.create_table(
        "push_subscription",
        number("id"),
        sa.Column("token_id", sa.BigInteger(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("p256dh", sa.Text(), nullable=False),
        sa.Column("auth", sa.Text(), nullable=False),
        sa.Column("standard", sa.Boolean(), nullable=False),
        sa.Column("alerts", sa.JSON(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        persona("push_subscription"),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name="fk_push_subscription_token_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_push_subscription"),
        sa.UniqueConstraint("token_id", name="uq_push_subscription_token_id"),
    )
    op.create_index("ix_push_subscription_persona_id", "push_subscription", ["persona_id"])
    op.create_table(
        "push_key",
        number("id"),
        sa.Column("private", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_push_key"),
    )
    op.create_table(
        "conversation_post",
        number("persona_id"),
        number("post_id"),
        sa.Column("conversation_id", sa.BigInteger(), nullable=False),
        sa.Column("unread", sa.Boolean(), nullable=False),
        persona("conversation_post"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_conversation_post_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("persona_id", "post_id", name="pk_conversation_post"),
    )
    op.create_index("ix_conversation_post_post", "conversation_post", ["post_id"])
    op.create_index(
        "ix_conversation_post_conversation", "conversation_post", ["persona_id", "conversation_id", "post_id"]
    )


def _relations() -> None:
    """What a persona wants of whom it follows, whole servers that it does not, tags, notes, how it posts."""
    op.add_column("follow", sa.Column("boosts", sa.Boolean(), server_default="1", nullable=False))
    op.add_column("follow", sa.Column("notify", sa.Boolean(), server_default="0", nullable=False))
    op.add_column("follow", sa.Column("languages", sa.Text(), server_default="", nullable=False))
    op.add_column("follow", sa.Column("endorsed_at", sa.Double(), nullable=True))
    op.create_index(
        "ix_follow_notify",
        "follow",
        ["followed_id"],
        unique=False,
        sqlite_where=sa.text("notify = 1"),
        postgresql_where=sa.text("notify"),
    )
    for name in ("icon_alt", "image_alt"):
        op.add_column("actor", sa.Column(name, sa.Text(), server_default="", nullable=False))
    # What those elsewhere say of their pictures is learnt when their documents have changed and are read once more.
    op.add_column("persona", sa.Column("fields", sa.JSON(), server_default="[]", nullable=False))
    op.add_column("persona", sa.Column("audience", sa.Text(), server_default="public", nullable=False))
    op.add_column("persona", sa.Column("sensitive", sa.Boolean(), server_default="0", nullable=False))
    op.add_column("persona", sa.Column("language", sa.Text(), nullable=True))
    op.add_column("persona", sa.Column("quote_policy", sa.Text(), server_default="public", nullable=False))
    op.create_index("ix_actor_handle", "actor", ["handle", "host"], unique=False)
    op.create_index(
        "ix_actor_discoverable",
        "actor",
        ["id"],
        unique=False,
        sqlite_where=sa.text("discoverable IS 1"),
        postgresql_where=sa.text("discoverable IS true"),
    )
    op.create_table(
        "domain_block",
        sa.Column("persona_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name="fk_domain_block_persona_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("persona_id", "domain", name="pk_domain_block"),
    )
    op.create_table(
        "account_note",
        sa.Column("persona_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("actor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["actor.id"], name="fk_account_note_actor_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name="fk_account_note_persona_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("persona_id", "actor_id", name="pk_account_note"),
    )
    op.create_index("ix_account_note_actor", "account_note", ["actor_id"], unique=False)
    op.create_table(
        "followed_tag",
        sa.Column("persona_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name="fk_followed_tag_persona_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("persona_id", "tag", name="pk_followed_tag"),
    )
    op.create_index("ix_followed_tag_tag", "followed_tag", ["tag", "persona_id"], unique=False)


def _posts() -> None:
    """Bookmarks, muted threads, versions of posts, and posts for later."""
    op.add_column("medium", sa.Column("scheduled_id", sa.BigInteger(), nullable=True))
    op.add_column("medium", sa.Column("poster_source", sa.Text(), nullable=True))
    op.add_column("poll", sa.Column("hides", sa.Boolean(), server_default="0", nullable=False))
    op.create_table(
        "bookmark",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name="fk_bookmark_persona_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_bookmark_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_bookmark"),
        sa.UniqueConstraint("persona_id", "post_id", name="uq_bookmark_persona_id_post_id"),
    )
    op.create_index("ix_bookmark_persona", "bookmark", ["persona_id", "id"], unique=False)
    op.create_index("ix_bookmark_post", "bookmark", ["post_id"], unique=False)
    op.create_table(
        "thread_mute",
        sa.Column("persona_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name="fk_thread_mute_persona_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("persona_id", "root", name="pk_thread_mute"),
    )
    op.create_table(
        "post_version",
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("sensitive", sa.Boolean(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("attachments", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_post_version_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("post_id", "at", name="pk_post_version"),
    )
    op.create_table(
        "post_program",
        sa.Column("post_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("website", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_post_program_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("post_id", name="pk_post_program"),
    )
    op.create_table(
        "said_once",
        sa.Column("token_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("scheduled", sa.Boolean(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name="fk_said_once_token_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_id", "key", name="pk_said_once"),
    )
    op.create_index("ix_said_once_at", "said_once", ["at"], unique=False)
    op.create_table(
        "scheduled_post",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("scheduled_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["persona_id"], ["actor.id"], name="fk_scheduled_post_persona_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_scheduled_post"),
    )
    op.create_index("ix_scheduled_post_persona", "scheduled_post", ["persona_id", "id"], unique=False)


def _people() -> None:
    """Who is at the pages, second factors, and who has signed up and waits."""
    of_account = "account.id"
    op.create_table(
        "session",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("half", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], [of_account], name="fk_session_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name="pk_session"),
    )
    op.create_index("ix_session_account_id", "session", ["account_id"], unique=False)
    op.create_table(
        "second_factor",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("step", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("confirmed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], [of_account], name="fk_second_factor_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account_id", name="pk_second_factor"),
    )
    op.create_table(
        "recovery_code",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], [of_account], name="fk_recovery_code_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name="pk_recovery_code"),
    )
    op.create_index("ix_recovery_code_account_id", "recovery_code", ["account_id"], unique=False)
    op.create_table(
        "waiting",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("typed_handle", sa.Text(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("for_email", sa.Boolean(), nullable=False),
        sa.Column("for_approval", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], [of_account], name="fk_waiting_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account_id", name="pk_waiting"),
        sa.UniqueConstraint("handle", name="uq_waiting_handle"),
        sa.UniqueConstraint("persona_id", name="uq_waiting_persona_id"),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.UniqueConstraint("hash", name="uq_invitation_hash"),
    )
    op.create_table(
        "letter",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], [of_account], name="fk_letter_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_letter"),
        sa.UniqueConstraint("hash", name="uq_letter_hash"),
    )
    op.create_index("ix_letter_account_id", "letter", ["account_id"], unique=False)


def _passkeys() -> None:
    """Key pairs of devices, and what is asked of these."""
    of_account = "account.id"
    op.create_table(
        "passkey_owner",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("handle", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], [of_account], name="fk_passkey_owner_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account_id", name="pk_passkey_owner"),
        sa.UniqueConstraint("handle", name="uq_passkey_owner_handle"),
    )
    op.create_table(
        "passkey",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("credential_id", sa.LargeBinary(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("counter", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], [of_account], name="fk_passkey_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_passkey"),
        sa.UniqueConstraint("credential_id", name="uq_passkey_credential_id"),
    )
    op.create_index("ix_passkey_account_id", "passkey", ["account_id"], unique=False)
    op.create_table(
        "challenge_secret",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_challenge_secret"),
    )
    op.create_table(
        "spent_challenge",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("spent_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_spent_challenge"),
    )


def _announcements() -> None:
    """What the operator tells everyone here."""
    of_announcement = "announcement.id"
    op.create_table(
        "announcement",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("published_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("starts_at", sa.Double(), nullable=True),
        sa.Column("ends_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_announcement"),
    )
    op.create_table(
        "announcement_read",
        sa.Column("announcement_id", sa.BigInteger(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["announcement_id"], [of_announcement], name="fk_announcement_read_announcement_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("announcement_id", "persona_id", name="pk_announcement_read"),
    )
    op.create_table(
        "announcement_reaction",
        sa.Column("announcement_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["announcement_id"], [of_announcement], name="fk_announcement_reaction_announcement_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("announcement_id", "name", "persona_id", name="pk_announcement_reaction"),
    )


def _events() -> None:
    """What happened of late."""
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("ref", sa.BigInteger(), nullable=False),
        sa.Column("persona_id", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_event"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_event_at", "event", ["at"], unique=False)


def _text_index() -> None:
    """The words of posts, as each database looks for them."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE post_text USING fts5(words, tokenize = 'unicode61 remove_diacritics 0 tokenchars _')"
        )
    else:
        op.execute(
            "CREATE TABLE post_text (post_id BIGINT NOT NULL, words TSVECTOR NOT NULL, "
            "CONSTRAINT pk_post_text PRIMARY KEY (post_id), "
            "CONSTRAINT fk_post_text_post_id FOREIGN KEY (post_id) REFERENCES post (id) ON DELETE CASCADE)"
        )
        op.execute("CREATE INDEX ix_post_text_words ON post_text USING gin (words)")
        op.execute("CREATE INDEX ix_post_tag_begins ON post_tag (tag text_pattern_ops)")
