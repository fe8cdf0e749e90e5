"""What a post quotes, on its page."""

from asgi import HTML, serving
from makers import ADDRESSES, make_persona, make_post
from privapub import clock
from privapub.database.connect import Database
from privapub.posts import quotes, stamps


async def test_a_quote_stands_on_the_page_while_its_author_lets_it(database: Database) -> None:
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        quoted, quoting = await make_post(tx, bob.id, text="first words"), await make_post(tx, alice.id, text="second")
        await quotes.ask(tx, quoting.id, quoted.uri, ADDRESSES, clock.now())
    async with serving(database) as sut:
        text = (await sut.get(quoting.uri, accept=HTML)).text
        assert "second" in text
        assert "first words" in text
        async with database.write() as tx:
            await stamps.revoke(tx, quoted.id, bob.id, quoting.uri, clock.now())
        assert "first words" not in (await sut.get(quoting.uri, accept=HTML)).text


async def test_a_quote_of_what_is_not_for_strangers_shows_nothing_to_them(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        quoted, quoting = await make_post(tx, alice.id, "followers", "for few"), await make_post(tx, alice.id)
        await quotes.ask(tx, quoting.id, quoted.uri, ADDRESSES, clock.now())
    async with serving(database) as sut:
        assert "for few" not in (await sut.get(quoting.uri, accept=HTML)).text
