"""Logins, and which personas each holds."""

import anyio
import pytest

from makers import make_persona
from privapub.accounts import holds, sign_up
from privapub.database.connect import Database
from privapub.errors import Conflict, InvalidInput, NotFound

NOW = 1_800_000_000.0


@pytest.mark.parametrize("email", ["a@example.org", "a.b+c@sub.example.org", "ä@exämple.org", "A@B"])
def test_an_address_is_taken_in_lower_case(email: str) -> None:
    assert sign_up.normal(f"  {email}\n") == email.lower()


@pytest.mark.parametrize(
    "email", ["", "@", "a@", "@b", "a b@c", "a@b@c", "a\0@b", "<a@b>", '"a"@b', "a@b\u202e", "a" * 250 + "@b.org"]
)
def test_what_is_no_address_is_refused(email: str) -> None:
    with pytest.raises(InvalidInput):
        sign_up.normal(email)


async def test_an_account_is_found_by_its_address_in_any_case(database: Database) -> None:
    async with database.write() as tx:
        made = await sign_up.create(tx, "Ann@Example.org", "hash", NOW)
        found = await holds.by_email(tx, " ANN@example.ORG ")
        assert found == holds.Account(made, "ann@example.org", "hash", NOW)
        assert await holds.by_email(tx, "bob@example.org") is None
        assert await holds.count(tx) == 1


async def test_one_address_is_one_account(database: Database) -> None:
    async with database.write() as tx:
        await sign_up.create(tx, "ann@example.org", "hash", NOW)
        with pytest.raises(Conflict):
            await sign_up.create(tx, "ANN@example.org", "other", NOW)


async def test_an_account_holds_what_it_is_given_and_nobody_else_gets_it(database: Database) -> None:
    async with database.write() as tx:
        ann, bob = [await sign_up.create(tx, f"{name}@example.org", "hash", NOW) for name in ("ann", "bob")]
        alice, night = await make_persona(tx, "alice"), await make_persona(tx, "night")
        for persona in (alice, night, alice):
            await holds.give(tx, ann, persona.id)
        with pytest.raises(Conflict):
            await holds.give(tx, bob, alice.id)
        with pytest.raises(NotFound):
            await holds.give(tx, 1, alice.id)
        assert set(await holds.personas_of(tx, ann)) == {alice.id, night.id}
        assert await holds.personas_of(tx, bob) == ()
        assert await holds.everyone(tx) == [
            ("ann@example.org", await holds.personas_of(tx, ann)),
            ("bob@example.org", ()),
        ]


async def test_twenty_personas_are_the_most_also_for_who_asks_many_times_at_once(database: Database) -> None:
    async with database.write() as tx:
        ann = await sign_up.create(tx, "ann@example.org", "hash", NOW)
        for number in range(holds.MOST - 1):
            await holds.give(tx, ann, number + 1)
    outcomes: list[bool] = []

    async def give(persona_id: int) -> None:
        try:
            async with database.write() as tx:
                await holds.give(tx, ann, persona_id)
        except Conflict:
            outcomes.append(False)
        else:
            outcomes.append(True)

    async with anyio.create_task_group() as group:
        for persona_id in (101, 102, 103, 104):
            group.start_soon(give, persona_id)
    assert sorted(outcomes) == [False, False, False, True]
    async with database.read() as tx:
        assert len(await holds.personas_of(tx, ann)) == holds.MOST
