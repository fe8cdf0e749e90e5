"""Every order of every message, against a model in plain words."""

from collections.abc import Awaitable, Callable
from itertools import product

from makers import make_persona, make_remote
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.follows import follow, read

NOW = 1_800_000_000.0

Verb = Callable[[Transaction, int, int], Awaitable[object]]


async def _ask(tx: Transaction, follower_id: int, followed_id: int) -> object:
    return await follow.ask(tx, follower_id, followed_id, "https://sut.test/activities/1", NOW)


async def _receive(tx: Transaction, follower_id: int, followed_id: int) -> object:
    return await follow.receive(tx, follower_id, followed_id, "https://peer.test/follow/1", NOW)


async def _let_in(tx: Transaction, follower_id: int, followed_id: int) -> object:
    asked = await read.between(tx, follower_id, followed_id)
    return asked is not None and await follow.answer(tx, asked.id, accept=True, now=NOW)


async def _remove(tx: Transaction, follower_id: int, followed_id: int) -> object:
    asked = await read.between(tx, follower_id, followed_id)
    return asked is not None and await follow.answer(tx, asked.id, accept=False, now=NOW)


def _plain(verb: Callable[[Transaction, int, int, float], Awaitable[object]]) -> Verb:
    async def run(tx: Transaction, follower_id: int, followed_id: int) -> object:
        return await verb(tx, follower_id, followed_id, NOW)

    return run


# What each verb makes of each state; a state that is not named stays.
TO_THEM: dict[str, tuple[Verb, dict[str | None, str | None]]] = {
    "ask": (_ask, {None: "pending", "rejected": "pending"}),
    "accepted": (_plain(follow.accepted), {"pending": "accepted"}),
    "rejected": (_plain(follow.rejected), {"pending": "rejected", "accepted": "rejected"}),
    "withdraw": (_plain(follow.withdraw), {"pending": None, "accepted": None, "rejected": None}),
}
TO_US: dict[str, tuple[Verb, dict[str | None, str | None]]] = {
    "receive": (_receive, {None: "pending", "rejected": "pending"}),
    "let in": (_let_in, {"pending": "accepted"}),
    "remove": (_remove, {"pending": "rejected", "accepted": "rejected"}),
    "undo": (_plain(follow.undo), {"pending": None, "accepted": None, "rejected": None}),
}
# An open persona lets everyone in, also who was rejected and asks again.
TO_US_OPEN = TO_US | {"receive": (_receive, {None: "accepted", "rejected": "accepted", "pending": "accepted"})}


async def _compare(
    tx: Transaction,
    follower_id: int,
    followed_id: int,
    verbs: dict[str, tuple[Verb, dict[str | None, str | None]]],
    length: int,
) -> int:
    compared = 0
    for names in product(verbs, repeat=length):
        expected: str | None = None
        for name in names:
            verb, moves = verbs[name]
            await verb(tx, follower_id, followed_id)
            expected = moves.get(expected, expected)
        standing = await read.between(tx, follower_id, followed_id)
        assert (None if standing is None else standing.state) == expected, names
        assert bool(await read.followed_among(tx, follower_id, [followed_id])) == (expected == "accepted"), names
        await follow.end_all(tx, followed_id, NOW)
        compared += 1
    return compared


async def test_what_we_ask_ends_as_the_model_says_in_every_order(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        assert await _compare(tx, alice.id, carol.id, TO_THEM, 3) == 64


async def test_what_we_are_asked_ends_as_the_model_says_in_every_order(database: Database) -> None:
    async with database.write() as tx:
        shy, carol = await make_persona(tx, "shy", locked=True), await make_remote(tx)
        assert await _compare(tx, carol.id, shy.id, TO_US, 3) == 64


async def test_an_open_persona_ends_as_the_model_says_in_every_order(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        assert await _compare(tx, carol.id, alice.id, TO_US_OPEN, 3) == 64
