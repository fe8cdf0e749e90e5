"""What Alembic runs around the steps; it is given an open connection and, for drafting, the tables to compare with."""

from alembic import context

attributes = context.config.attributes
context.configure(
    connection=attributes["connection"],
    target_metadata=attributes.get("metadata"),
    render_as_batch=attributes.get("batch", True),
    transactional_ddl=True,
    compare_type=True,
    compare_server_default=True,
)
with context.begin_transaction():
    context.run_migrations()
