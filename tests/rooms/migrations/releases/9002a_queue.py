"""Before: the place of the queue is made, and the older release does not mind."""

from alembic import op

from privapub.jobs.tables import job, lane
from privapub.jobs.tables import metadata as tables

revision = "9002a"
down_revision = "9001"


def upgrade() -> None:
    """Take the step."""
    tables.create_all(op.get_bind(), tables=[job, lane])


def downgrade() -> None:
    """There is no going back further than this."""
    raise NotImplementedError
