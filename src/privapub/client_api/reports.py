"""Reports."""

from msgspec import Struct

from privapub import clock
from privapub.actors import read as actors
from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes.account import Account
from privapub.composing.report import report
from privapub.errors import InvalidInput, NotFound
from privapub.moderation.reports import CATEGORIES, OTHER, VIOLATION


class Report(Struct):
    """Entity `Report`."""

    id: str
    action_taken: bool
    action_taken_at: str | None
    category: str
    comment: str
    forwarded: bool
    created_at: str
    status_ids: list[str] | None
    rule_ids: list[str] | None
    target_account: Account
    collection_ids: list[str] | None = None


async def create(call: Call) -> Report:
    """`POST /api/v1/reports`: of somebody, and of posts of theirs that the persona may see."""
    which, posts, rules = call.ids("account_id"), call.ids("status_ids"), call.texts("rule_ids")
    # Who names rules means that they were broken.
    category = call.text("category") or (VIOLATION if rules else OTHER)
    if category not in CATEGORIES:
        raise InvalidInput("Category is not included in the list")
    async with call.server.database.read() as tx:
        target = await actors.by_id(tx, which[0]) if which else None
    if target is None:
        raise NotFound
    made = await report(
        call.server,
        call.me,
        target,
        [str(number) for number in posts],
        call.text("comment"),
        forward=bool(call.flag("forward")),
        category=category,
        rule_ids=rules,
    )
    async with call.server.database.read() as tx:
        account = await show_accounts.one(tx, call.server, target.id)
    return Report(
        str(made.id),
        made.closed_at is not None,
        None if made.closed_at is None else clock.iso(made.closed_at),
        made.category,
        made.comment,
        bool(call.flag("forward")) and not target.local,
        clock.iso(made.created_at),
        [str(number) for number in posts] or None,
        list(made.rule_ids) or None,
        account,
    )


ENDPOINTS = (Endpoint("POST", "/api/v1/reports", create, ("write:reports",)),)
