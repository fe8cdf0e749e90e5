"""Reports, ours and others': somebody says that something should be looked at."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput, NotFound
from privapub.jobs.enqueue import put_fact
from privapub.moderation.facts import ReportFiled
from privapub.moderation.tables import report

COMMENT_LENGTH, MOST_POSTS = 1000, 100
SPAM, LEGAL, VIOLATION, OTHER = "spam", "legal", "violation", "other"
CATEGORIES = (SPAM, LEGAL, VIOLATION, OTHER)
MOST_RULES, RULE_LENGTH = 100, 20  # numbers of rules
COMMENT_KEPT = 5000  # of a report from elsewhere
# Open reports by one reporter, and by one host: who has seen so many need not see more to know that something is to be
# done. (Mostly a server reports for all its people, so these are not few.)
MOST_BY_ONE, MOST_BY_HOST = 100, 300
# Open reports from elsewhere in all: hosts cost an attacker next to nothing. The newest stay.
MOST_ELSEWHERE = 10_000
DAY = 86400.0  # seconds
# Long enough for whoever is reported to ask what became of it. It names people, and has no other use then.
KEPT_CLOSED = 90 * DAY
KEPT_OPEN = 365 * DAY  # of those from elsewhere


@dataclass(frozen=True)
class Report:
    """One row of `report`: see the table for what each column means."""

    id: int
    uri: str
    reporter_id: int
    target_id: int
    local: bool
    post_uris: tuple[str, ...]
    comment: str
    created_at: float
    forwarded_at: float | None
    closed_at: float | None
    category: str = OTHER
    rule_ids: tuple[str, ...] = ()


async def file(
    tx: Transaction,
    reporter_id: int,
    target_id: int,
    uri: str,
    *,
    post_uris: Collection[str] = (),
    comment: str = "",
    forward: bool,
    category: str = OTHER,
    rule_ids: Collection[str] = (),
    now: float,
) -> int:
    """A persona reports an actor, and perhaps posts of theirs; the number of the report.

    `uri` is a fresh id for the Flag activity; with `forward` it is to be sent to the server of the target, which does
    not learn who reports: fact ReportFiled. Raises InvalidInput for oneself, and for too much,
    Conflict where a hundred of its reports are open already.
    """
    if reporter_id == target_id:
        raise InvalidInput("Nobody reports themselves.")
    if len(comment) > COMMENT_LENGTH or len(post_uris) > MOST_POSTS:
        raise InvalidInput(
            "This is too long.", f"A report has up to {COMMENT_LENGTH} characters and {MOST_POSTS} posts."
        )
    if len(rule_ids) > MOST_RULES or any(len(each) > RULE_LENGTH for each in rule_ids):
        raise InvalidInput("There are no such rules.")
    if await _open(tx, report.c.reporter_id == reporter_id) >= MOST_BY_ONE:
        raise Conflict("You have reported so much that was not looked at yet: one of the admins has to, first.")
    more = {"category": category, "rule_ids": list(rule_ids)}
    report_id = await _keep(tx, uri, reporter_id, target_id, post_uris, comment, local=True, now=now, more=more)
    if report_id is None:
        raise InvalidInput("There is a report of this id already.")
    if forward:
        await put_fact(tx, ReportFiled(report_id), about=f"report {report_id}")
    return report_id


async def receive(
    tx: Transaction, uri: str, reporter_id: int, target_id: int, post_uris: Collection[str], comment: str, now: float
) -> bool:
    """Somebody elsewhere reports a persona of ours; False where this report came before. What is too long is cut.

    `uri`, by which it is known, begins with the origin of the reporter. Raises Conflict where too many of that
    reporter, or of that host, are open.
    """
    if await tx.first(select(report.c.id).where(report.c.uri == uri)) is not None:
        return False
    of_host = report.c.uri.startswith("/".join(uri.split("/")[:3]) + "/", autoescape=True)
    by_one, by_host = await _open(tx, report.c.reporter_id == reporter_id), await _open(tx, of_host)
    if by_one >= MOST_BY_ONE or by_host >= MOST_BY_HOST:
        raise Conflict("So many reports are open that no more are taken.")
    kept = await _keep(
        tx, uri, reporter_id, target_id, list(post_uris)[:MOST_POSTS], comment[:COMMENT_KEPT], local=False, now=now
    )
    return kept is not None


async def by_id(tx: Transaction, report_id: int) -> Report | None:
    """The report with this number."""
    return _report(await tx.first(select(report).where(report.c.id == report_id)))


async def known(tx: Transaction, report_id: int) -> Report:
    """The report with this number; NotFound where there is none."""
    found = await by_id(tx, report_id)
    if found is None:
        raise NotFound("There is no such report.")
    return found


async def newest(tx: Transaction, *, closed: bool = False, limit: int = 20) -> list[Report]:
    """The newest reports that nobody closed yet; with `closed`, those too."""
    statement = select(report) if closed else select(report).where(report.c.closed_at.is_(None))
    rows = await tx.all(statement.order_by(report.c.id.desc()).limit(limit))
    return [found for row in rows if (found := _report(row)) is not None]


async def forwarded(tx: Transaction, report_id: int, now: float) -> None:
    """It was put on its way."""
    await tx.execute(update(report).where(report.c.id == report_id).values(forwarded_at=now))


async def close(tx: Transaction, report_id: int, now: float) -> bool:
    """An admin has dealt with it; False where that was so already. Raises NotFound where there is none."""
    await known(tx, report_id)
    closed = await tx.execute(
        update(report).where(report.c.id == report_id, report.c.closed_at.is_(None)).values(closed_at=now)
    )
    return bool(closed.rowcount)


async def prune(tx: Transaction, now: float) -> int:
    """Drop what was closed long ago, and of what came from elsewhere what nobody closed in a year, or is too much."""
    newest_first = select(report.c.id).where(_OPEN, ~report.c.local).order_by(report.c.id.desc())
    last = await tx.scalar(newest_first.offset(MOST_ELSEWHERE).limit(1))
    old = or_(report.c.created_at < now - KEPT_OPEN, report.c.id <= (last or 0))
    which = or_(report.c.closed_at < now - KEPT_CLOSED, and_(_OPEN, ~report.c.local, old))
    return (await tx.execute(delete(report).where(which))).rowcount


_OPEN = report.c.closed_at.is_(None)


async def _open(tx: Transaction, which: ColumnElement[bool]) -> int:
    number: int = await tx.scalar(select(func.count()).select_from(report).where(_OPEN, which))
    return number


async def _keep(
    tx: Transaction,
    uri: str,
    reporter_id: int,
    target_id: int,
    post_uris: Collection[str],
    comment: str,
    *,
    local: bool,
    now: float,
    more: Mapping[str, Any] | None = None,
) -> int | None:
    made = tx.insert(report).values(
        id=identifiers.sortable(now),
        uri=uri,
        reporter_id=reporter_id,
        target_id=target_id,
        local=local,
        post_uris=list(dict.fromkeys(post_uris)),
        comment=comment,
        created_at=now,
        **(more or {}),
    )
    number: int | None = await tx.scalar(
        made.on_conflict_do_nothing(index_elements=[report.c.uri]).returning(report.c.id)
    )
    return number


def _report(row: Any) -> Report | None:
    if row is None:
        return None
    values = dict(row._mapping)  # noqa: SLF001 - its public name
    values |= {"local": bool(row.local), "post_uris": tuple(row.post_uris), "rule_ids": tuple(row.rule_ids)}
    return Report(**values)
