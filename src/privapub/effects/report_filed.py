"""A persona reported somebody elsewhere: their server hears of it, and not from whom."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import by_uri, known
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.documents.write_flag import flag
from privapub.moderation import reports
from privapub.moderation.facts import ReportFiled


async def report_filed(tx: Transaction, fact: ReportFiled, addresses: Addresses, now: float) -> None:
    """The application actor sends the Flag to the target's own inbox."""
    report = await reports.by_id(tx, fact.report_id)
    if report is None:
        return
    application, target = await by_uri(tx, addresses.application), await known(tx, report.target_id)
    if application is None:
        raise NotFound("The actor of this server is not made yet.")
    await deliver(
        tx,
        application.id,
        flag(report.uri, application.uri, target.uri, report.post_uris, report.comment),
        await inboxes.of_actors(tx, [target.id], shared=False),
        about=report.uri,
        now=now,
    )
    await reports.forwarded(tx, report.id, now)
