"""What a persona wants of others: follows, blocks, mutes, notes; and who asks to follow it."""

from collections.abc import Awaitable, Callable

from privapub import clock, identifiers
from privapub.actors import account_notes, blocks, domain_blocks, mutes
from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.client_api import show_accounts, show_relationships
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint, Handler
from privapub.client_api.paging import paged
from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.relationship import Relationship
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.federation.fetching.origin import origin
from privapub.follows import blocking, follow
from privapub.follows import read as follows
from privapub.moderation.domain_rules import ANY, spelled_domain

MOST_AT_ONCE = 100
LONGEST_MUTE = 100 * 365 * 86400

Verb = Callable[[Transaction, Call, int, float], Awaitable[object]]


async def relationships(call: Call) -> list[Relationship]:
    """`GET /api/v1/accounts/relationships`."""
    asked = call.ids("id")[:MOST_AT_ONCE]
    async with call.server.database.read() as tx:
        known = await actors.by_ids(tx, asked)
        return await show_relationships.of(tx, call.me, [each for each in asked if each in known], clock.now())


def verb(does: Verb, name: str = "id") -> Handler:
    """An endpoint that does this to the account of its path, and answers what is between the two then."""

    async def done(call: Call) -> Relationship:
        other, now = call.id(name), clock.now()
        async with call.server.database.write() as tx:
            await actors.known(tx, other)
            await does(tx, call, other, now)
            return await show_relationships.one(tx, call.me, other, now)

    done.__doc__ = does.__doc__
    return done


async def _follow(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST …/follow`: follow, or say anew what one wants of whom one follows."""
    await follow.ask(tx, call.me, other, _activity(call), now)
    await follow.prefer(
        tx,
        call.me,
        other,
        boosts=call.flag("reblogs"),
        notify=call.flag("notify"),
        languages=call.texts("languages") if call.has("languages") else None,
    )


async def _unfollow(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST …/unfollow`."""
    await follow.withdraw(tx, call.me, other, now)


async def _remove(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST …/remove_from_followers`."""
    await blocking.end_following(tx, other, call.me, now)


async def _block(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST …/block`."""
    await blocking.block(tx, call.me, other, _activity(call), now)


async def _unblock(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST …/unblock`."""
    await blocking.unblock(tx, call.me, other, now)


async def _mute(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST …/mute`: for `duration` seconds, or until it is taken back."""
    seconds = call.number("duration", 0, 0, LONGEST_MUTE)
    silent = call.flag("notifications", default=True) is not False
    ends_at = now + seconds if seconds else None
    await mutes.add(tx, call.me, other, notifications=silent, ends_at=ends_at, now=now)


async def _unmute(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST …/unmute`."""
    await mutes.remove(tx, call.me, other, now)


async def _note(tx: Transaction, call: Call, other: int, _now: float) -> None:
    """`POST …/note`."""
    await account_notes.write(tx, call.me, other, call.text("comment"))


async def _endorse(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST …/endorse`."""
    if not await follow.endorse(tx, call.me, other, now):
        raise InvalidInput("You must be already following the person you want to endorse")


async def _unendorse(tx: Transaction, call: Call, other: int, _now: float) -> None:
    """`POST …/unendorse`."""
    await follow.unendorse(tx, call.me, other)


async def _authorize(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST /api/v1/follow_requests/{account_id}/authorize`."""
    await _answer(tx, call, other, now, accept=True)


async def _reject(tx: Transaction, call: Call, other: int, now: float) -> None:
    """`POST /api/v1/follow_requests/{account_id}/reject`."""
    await _answer(tx, call, other, now, accept=False)


async def _answer(tx: Transaction, call: Call, other: int, now: float, *, accept: bool) -> None:
    asked = await follows.between(tx, other, call.me)
    if asked is None or asked.state != follows.PENDING:
        raise NotFound
    await follow.answer(tx, asked.id, accept=accept, now=now)


async def asking(call: Call) -> Answer:
    """`GET /api/v1/follow_requests`."""
    async with call.server.database.read() as tx:
        page = await follows.asking(tx, call.me, call.window(80, 40))
        return paged(call, await show_accounts.in_order(tx, call.server, page.items), page)


async def blocked(call: Call) -> Answer:
    """`GET /api/v1/blocks`."""
    async with call.server.database.read() as tx:
        page = await blocks.of(tx, call.me, call.window(80, 40))
        return paged(call, await show_accounts.in_order(tx, call.server, page.items), page)


async def all_muted(call: Call) -> Answer:
    """`GET /api/v1/mutes`."""
    async with call.server.database.read() as tx:
        page = await mutes.of(tx, call.me, call.window(80, 40), clock.now())
        accounts = await show_accounts.in_order(tx, call.server, [each for each, _ in page.items])
    for account, (_, mute) in zip(accounts, page.items, strict=True):
        account.mute_expires_at = None if mute.ends_at is None else clock.iso(mute.ends_at)
    return paged(call, accounts, page)


async def endorsed(call: Call) -> Answer:
    """`GET /api/v1/endorsements`."""
    async with call.server.database.read() as tx:
        page = await follows.endorsed(tx, call.me, call.window(80, 40))
        return paged(call, await show_accounts.in_order(tx, call.server, page.items), page)


async def domains(call: Call) -> Answer:
    """`GET /api/v1/domain_blocks`."""
    async with call.server.database.read() as tx:
        page = await domain_blocks.of(tx, call.me, call.window(200, 100))
    return paged(call, page.items, page)


async def block_domain(call: Call) -> dict[str, str]:
    """`POST /api/v1/domain_blocks`."""
    domain = _domain(call)
    if domain in {call.server.domain, origin(call.server.base_url)}:
        raise InvalidInput("Domain is this server itself")
    async with call.server.database.write() as tx:
        await blocking.block_domain(tx, call.me, domain, clock.now())
    return {}


async def unblock_domain(call: Call) -> dict[str, str]:
    """`DELETE /api/v1/domain_blocks`."""
    async with call.server.database.write() as tx:
        await domain_blocks.drop(tx, call.me, _domain(call))
    return {}


def _domain(call: Call) -> str:
    try:
        return spelled_domain(call.text("domain")).removeprefix(ANY)
    except InvalidInput:
        raise InvalidInput("Domain is not a valid domain name") from None


async def familiar(call: Call) -> list[dict[str, str | list[Account]]]:
    """`GET /api/v1/accounts/familiar_followers`."""
    asked = call.ids("id")[:MOST_AT_ONCE]
    async with call.server.database.read() as tx:
        there = await actors.by_ids(tx, asked)
        asked = [each for each in asked if each in there]
        found = await follows.familiar(tx, call.me, asked)
        shown = await show_accounts.by_ids(tx, call.server, {one for some in found.values() for one in some})
    return [
        {"id": str(each), "accounts": [shown[one] for one in found.get(each, ()) if one in shown]} for each in asked
    ]


def _activity(call: Call) -> str:
    return Addresses(call.server.base_url).activity(identifiers.token())


_FOLLOWS, _BLOCKS, _MUTES = ("write:follows",), ("write:blocks",), ("write:mutes",)
_ACCOUNT = "/api/v1/accounts/{id}"
ENDPOINTS = (
    Endpoint("GET", "/api/v1/accounts/relationships", relationships, ("read:follows",)),
    Endpoint("GET", "/api/v1/accounts/familiar_followers", familiar, ("read:follows",)),
    Endpoint("POST", f"{_ACCOUNT}/follow", verb(_follow), _FOLLOWS),
    Endpoint("POST", f"{_ACCOUNT}/unfollow", verb(_unfollow), _FOLLOWS),
    Endpoint("POST", f"{_ACCOUNT}/remove_from_followers", verb(_remove), _FOLLOWS),
    Endpoint("POST", f"{_ACCOUNT}/block", verb(_block), _BLOCKS),
    Endpoint("POST", f"{_ACCOUNT}/unblock", verb(_unblock), _BLOCKS),
    Endpoint("POST", f"{_ACCOUNT}/mute", verb(_mute), _MUTES),
    Endpoint("POST", f"{_ACCOUNT}/unmute", verb(_unmute), _MUTES),
    Endpoint("POST", f"{_ACCOUNT}/note", verb(_note), ("write:accounts",)),
    Endpoint("POST", f"{_ACCOUNT}/endorse", verb(_endorse), ("write:accounts",)),
    Endpoint("POST", f"{_ACCOUNT}/unendorse", verb(_unendorse), ("write:accounts",)),
    Endpoint("GET", "/api/v1/follow_requests", asking, ("read:follows", "follow")),
    Endpoint(
        "POST",
        "/api/v1/follow_requests/{account_id}/authorize",
        verb(_authorize, "account_id"),
        ("write:follows", "follow"),
    ),
    Endpoint(
        "POST", "/api/v1/follow_requests/{account_id}/reject", verb(_reject, "account_id"), ("write:follows", "follow")
    ),
    Endpoint("GET", "/api/v1/blocks", blocked, ("read:blocks",)),
    Endpoint("GET", "/api/v1/mutes", all_muted, ("read:mutes", "follow")),
    Endpoint("GET", "/api/v1/endorsements", endorsed, ("read:accounts",)),
    Endpoint("GET", "/api/v1/domain_blocks", domains, ("read:blocks", "follow")),
    Endpoint("POST", "/api/v1/domain_blocks", block_domain, ("write:blocks", "follow")),
    Endpoint("DELETE", "/api/v1/domain_blocks", unblock_domain, ("write:blocks", "follow")),
)
