"""Accounts made ready to be shown, many at once: a few questions to the database, none for each."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from privapub import clock, identifiers
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.client_api import gathered
from privapub.client_api.gathered import Told
from privapub.client_api.shapes.account import Account, Counts, account
from privapub.client_api.shapes.emoji import ours
from privapub.client_api.shapes.pictures import Pictures
from privapub.database.transaction import Transaction
from privapub.emojis.keep import Emoji, within
from privapub.errors import NotFound
from privapub.personas import read as personas
from privapub.personas.read import Persona
from privapub.server import Server


async def pictures_of(tx: Transaction, server: Server) -> Pictures:
    """Where pictures are shown from."""
    pixels = server.settings.media_pixels * 1_000_000
    return Pictures(server.base_url, server.media_base_url, await server.proxy.urls(tx), pixels)


async def by_ids(tx: Transaction, server: Server, actor_ids: Collection[int]) -> dict[int, Account]:
    """Those of these actors that there are, as everybody sees them, by number."""
    return await shown(tx, server, list((await actors.by_ids(tx, actor_ids)).values()))


async def one(tx: Transaction, server: Server, actor_id: int) -> Account:
    """This actor; NotFound where there is none."""
    found = await by_ids(tx, server, [actor_id])
    if actor_id not in found:
        raise NotFound
    return found[actor_id]


async def in_order(tx: Transaction, server: Server, some: Iterable[Actor]) -> list[Account]:
    """These actors, in their order."""
    listed = list(some)
    found = await shown(tx, server, listed)
    return [found[each.id] for each in listed]


async def shown(tx: Transaction, server: Server, some: Collection[Actor]) -> dict[int, Account]:
    """These actors by number; where one has moved to an actor that is known, that one within it."""
    if not some:
        return {}
    there = await moved(tx, some)
    every = {each.id: each for each in (*some, *there.values())}
    ours = await personas.by_ids(tx, [each.id for each in every.values() if each.local])
    beside = Beside(
        await pictures_of(tx, server),
        {each.id: each for each in ours},
        await gathered.of(tx, people=every),
        await within(tx, [text_of(each) for each in every.values() if each.local]),
        there,
    )
    return {each.id: made(each, beside) for each in some}


@dataclass(frozen=True)
class Beside:
    """What was looked up for a number of actors; where some moved to, by uri."""

    pictures: Pictures
    personas: Mapping[int, Persona]
    told: Told
    emojis: Sequence[Emoji]
    there: Mapping[str, Actor]


async def moved(tx: Transaction, some: Collection[Actor]) -> dict[str, Actor]:
    """Where those who moved are now, as far as that is known."""
    return await actors.by_uris(tx, {each.moved_to for each in some if each.moved_to})


def made(each: Actor, beside: Beside) -> Account:
    """An actor as everybody sees it (pure)."""
    there = beside.there.get(each.moved_to or "")
    return _made(each, beside, None if there is None else _made(there, beside, None))


def text_of(each: Actor) -> str:
    """All of an actor in which emojis of ours may stand (pure)."""
    return f"{each.name} {each.summary}"


def _made(each: Actor, beside: Beside, there: Account | None) -> Account:
    text = text_of(each)
    emojis = [ours(emoji, beside.pictures) for emoji in beside.emojis if each.local and f":{emoji.shortcode}:" in text]
    persona = beside.personas.get(each.id)
    return account(each, _counts(beside.told, each.id), beside.pictures, persona=persona, emojis=emojis, moved=there)


def _counts(told: Told, actor_id: int) -> Counts:
    wrote = told.every("wrote").get(actor_id)
    return Counts(
        told.number("followers", actor_id),
        told.number("following", actor_id),
        wrote[0].number if wrote else 0,
        clock.iso_day(identifiers.moment(int(wrote[0].text))) if wrote else None,
    )
