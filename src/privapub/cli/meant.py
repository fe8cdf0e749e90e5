"""Whom and what a command means by what was typed: a persona, somebody, a post."""

from collections.abc import Iterator
from contextlib import contextmanager

from privapub.actors.read import Actor
from privapub.cli.opened import persona_named
from privapub.composing import learn
from privapub.errors import InvalidInput, NotFound, PrivaPubError, Unavailable
from privapub.federation.fetching import webfinger
from privapub.federation.fetching.origin import origin
from privapub.outbound.answers import FetchProblem
from privapub.personas.read import Persona
from privapub.posts.read import Post
from privapub.server import Server

_LATER = "Try again later."
_LOOK = "Look at the address again: it is that of one post, or of one profile."
# What is said of a fetch that did not succeed, by its reason, and what can be done.
_SAID = {
    "disallowed": (
        "Nothing is asked of {place}: a rule of this server keeps it out.",
        "Whoever runs this server sees which: `privapub domain check HOST`.",
    ),
    "remembered": ("{place} gave no answer of use a moment ago.", "It is asked again in some minutes: try later."),
    "private-address": (
        "{place} is in a private network, and nothing is asked of those.",
        "Whoever runs this server may allow it: PRIVAPUB_ALLOW_ADDRESSES.",
    ),
    "bad-redirect": ("What {place} gave is not believed: it says that it belongs to another address.", _LOOK),
    "too-many-redirects": ("{place} sends from one address to the next without end.", _LOOK),
    "content-type": ("There is no post and no profile at this address of {place}, but something else.", _LOOK),
    "too-large": ("What {place} gave is too large.", ""),
    "bad-json": ("What {place} gave cannot be understood.", "Whoever runs that server may want to know."),
    "budget": ("{place} led to more than is asked for at once.", _LATER),
    "timeout": ("{place} did not answer in time.", _LATER),
    "network": ("Nobody answers at {place}.", "Look at the name and the port; if they are right, try again later."),
    "401": ("{place} does not show this to us.", "It may be meant for few, or that server may block this one."),
    "403": ("{place} does not show this to us.", "It may be meant for few, or that server may block this one."),
    "404": ("{place} has nothing at this address.", _LOOK),
    "410": ("{place} had this once: it is gone.", ""),
    "429": ("{place} was asked too often.", _LATER),
}


async def acting(server: Server, handle: str) -> Persona:
    """The persona with this handle; NotFound where there is none."""
    async with server.database.read() as tx:
        return await persona_named(tx, handle)


async def somebody(server: Server, address: str) -> Actor:
    """Who is at this address, here or elsewhere. Raises InvalidInput, NotFound, or Unavailable with what to do."""
    if not address.strip():
        raise InvalidInput("An address is missing.", "Write it as @somebody@example.org.")
    with asking(address):
        return await webfinger.resolve(server, address)


async def both(server: Server, handle: str, address: str) -> tuple[Persona, Actor]:
    """The persona, and who is at the address."""
    return await acting(server, handle), await somebody(server, address)


async def seen(server: Server, handle: str, which: str) -> tuple[Persona, Post]:
    """The persona, and a post here or elsewhere that it may see; errors as of `learn.seen_post`."""
    me = await acting(server, handle)
    with asking(which):
        return me, await learn.seen_post(server, me.id, which)


async def own(server: Server, handle: str, which: str, *, gone: bool = False) -> tuple[Persona, Post]:
    """The persona, and a post of its own (with `gone`: a deleted one too); NotFound where it has none such."""
    named = learn.meant(which)
    async with server.database.read() as tx:
        me = await persona_named(tx, handle)
        found = await learn.held_post(tx, named)
    if found is None or found.author_id != me.id or (found.deleted_at is not None and not gone):
        raise NotFound(
            f"{handle} has no post {which}.", f"`privapub post list --persona {handle}` shows those there are."
        )
    return me, found


@contextmanager
def asking(*addresses: str) -> Iterator[None]:
    """Whatever of these addresses, as typed, cannot be fetched is told in a sentence with its host and port."""
    try:
        yield
    except FetchProblem as problem:
        raise in_words(problem, addresses) from None


def in_words(problem: FetchProblem, addresses: tuple[str, ...]) -> PrivaPubError:
    """What is said of a fetch that did not succeed, for one of these addresses. Pure."""
    places = [origin(each) or origin(f"https://{each.rpartition('@')[2]}") for each in addresses]
    place = next((each for each in places if each.rpartition(":")[0] == problem.host), problem.host) or "this address"
    sentence, hint = _SAID.get(problem.reason, ("{place} has trouble of its own: it answered {reason}.", _LATER))
    return Unavailable(sentence.format(place=place, reason=problem.reason), hint)
