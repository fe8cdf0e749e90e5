"""The fields of a case that say what is done: one function for each, in the order in which they are done."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from cases import deliveries, later, steps, verbs, woken
from cases.builds import build
from cases.folder import IN_WORDS, OTHER_WAY
from cases.play import Play, Reply, Sentence, check
from cases.setup import SETUP, follows, serve
from cases.words import Unknown, Words
from fakes.activities import create, note
from privapub.errors import PrivaPubError

DO = Words("act")
OUTGOING = Words("outgoing")
VARIANT = Words("variant")
REQUEST = Words("request")
SETTINGS = {"handle_domain": "handle_domain", "server_origin": "base_url"}
# What sentences read where they need it.
READ_LATER = ("visibility", "shown", "note", "federated", "severity", "ok", "expect", "direction")
# The last of these that the case has is what it is about.
ACTS = (
    "upload",
    "content_type",
    "signature_params",
    "peer_inbox",
    "peer_get",
    "request",
    "requests",
    "walk",
    "requests_as_alice",
    "probe",
    "incoming",
    "outgoing",
    "steps",
    "build",
    "oembed",
    "content",
    "local_posts",
    "behaviour",
    "entry_points",
    "do",
    IN_WORDS,
)
# The peers of a case about addresses are at this one alone, so that all else is as forbidden as in production.
LAB = "127.82.65.3"
SHORT = 1.0  # seconds that a request has of a peer that is slow on purpose: all times of such a case are scaled by it


def settings(given: dict[str, Any]) -> dict[str, Any]:
    """The settings of the server under test, from `config`, and of the world around it."""
    config = given.get("config", {})
    if strange := sorted(set(config) - set(SETTINGS)):
        raise Unknown("setting", strange[0])
    lab = {"address": LAB} if "dns" in given else {"timeout": SHORT} if "behaviour" in given else {}
    return {SETTINGS[name]: value for name, value in config.items()} | lab


async def do(play: Play, due: list[Sentence]) -> None:
    """All that is given, in its order; sentences that are due after a step are checked then."""
    play.take("config")
    if setup := play.take("setup"):
        for _, meaning in SETUP.read(play.on.fill(setup)):
            await meaning(play)
    await serve(play, play.take("serve", []))
    if deliveries.is_one(play):
        await follows(play, "carol", "alice")
    await _learn_who_signs(play)
    play.forget_what_was_received()
    play.before = await play.on.state()
    for name in ACTS:
        if (value := play.take(name)) is not None:
            await FIELDS[name](play, value, due)
    if deliveries.is_one(play):
        await deliveries.deliver(play)
    also, so_far = play.take("also"), len(play.replies)
    for step in also if isinstance(also, list) else [also] if also else []:
        await steps.one(play, step)
    play.beside = play.replies[so_far:]
    for name in READ_LATER:
        play.take(name)
    play.check_all_was_looked_at()
    await play.drain()
    await check(play, [sentence for sentence in due if sentence.after is None])
    if play.missing:
        raise play.missing[0]


async def _learn_who_signs(play: Play) -> None:
    """Whose key was fetched is known, which is no change of what is stored."""
    for step in play.given.get("steps", []):
        uri = step.get("signed_by", "") if isinstance(step, dict) else ""
        if uri in play.on.people and "byte-for-byte" in " ".join(play.case.must):
            await play.world.learnt(play.on.people[uri])


Field = Callable[[Play, Any, list[Sentence]], Awaitable[None]]
FIELDS: dict[str, Field] = {}


def field(name: str) -> Callable[[Field], Field]:
    def teach(function: Field) -> Field:
        FIELDS[name] = function
        return function

    return teach


@field("steps")
async def the_steps(play: Play, value: Any, due: list[Sentence]) -> None:
    """One after the other. Of a peer that goes down somebody follows alice: else it would miss nothing."""
    if any(isinstance(step, dict) and "peer.test is down" in step.get("do", "") for step in value):
        await follows(play, "carol", "alice")
        play.forget_what_was_received()
    await steps.steps(play, value, due)


@field("build")
async def built(play: Play, value: Any, due: list[Sentence]) -> None:
    """A document that is too large to be written down, told in words."""
    del due
    await build(play, value)


@field("requests")
async def requests(play: Play, value: Any, due: list[Sentence]) -> None:
    """What is asked, in words; or with what is to be answered: a part of a list, or a resource of webfinger."""
    del due
    for entry in value:
        text, expected = entry if isinstance(entry, list) else (entry, None)
        text = await steps.things(play, play.on.fill(text))
        if isinstance(entry, list) and not text.startswith("?"):
            query = {"(no resource)": ""}.get(text, text if text.startswith("resource=") else f"resource={text}")
            text = f"GET /.well-known/webfinger{query and '?'}{query}"
        play.notes["expected"] = expected
        for _, meaning in REQUEST.read(text):
            await meaning(play)


@REQUEST.on(r"GET (?!/api/)(.+)")
async def requested(play: Play, url: str) -> None:
    await steps.ask(play, url, expected=play.notes["expected"])


@field("incoming")
async def incoming(play: Play, value: Any, due: list[Sentence]) -> None:
    """Requests of webfinger with an `Accept`, or of another well-known path, and of what type the answer is."""
    del due
    for entry in value:
        if strange := sorted(set(entry) - {"accept", "type", "path", "status"}):
            raise Unknown("field of incoming", strange[0])
        handle = play.on.alice.address
        path = entry.get("path", f"/.well-known/webfinger?resource=acct:{handle}")
        accept = entry.get("accept")
        reply = await steps.ask(play, path, accept=None if accept == "(none)" else accept)
        expected = entry.get("type") or entry["status"]
        kind = reply.headers.get("content-type", "").partition(";")[0]
        wanted = [each for each in re.split(r", | or ", re.sub(r", never .*", "", expected)) if each]
        is_json = "JSON" in wanted and kind.endswith("json")
        assert kind in wanted or str(reply.status) in wanted or is_json, f"{path}: {reply.status} {kind}"


@field("outgoing")
async def outgoing(play: Play, value: Any, due: list[Sentence]) -> None:
    """What the server asks of others: in words, as stubs with an act, or as answers with the verdict on each."""
    del due
    if isinstance(value, str):
        for _, meaning in OUTGOING.read(play.on.fill(value)):
            await meaning(play)
    elif isinstance(value, dict):
        if strange := sorted(set(value) - {"serve", "do"}):
            raise Unknown("field of outgoing", strange[0])
        await serve(play, value.get("serve", []))
        for _, meaning in DO.read(play.on.fill(value["do"])):
            await meaning(play)
    else:
        for number, entry in enumerate(value):
            await _answered_with(play, number, entry)


async def _answered_with(play: Play, number: int, entry: dict[str, Any]) -> None:
    """One answer to a question of webfinger, at two hosts: both are judged alike."""
    if strange := sorted(set(entry) - {"content_type", "body", "ok", "note"}):
        raise Unknown("field of outgoing", strange[0])
    taken = []
    for host in ("peer.test", "other.test"):
        name = f"c{number}"
        somebody = play.world.person(f"https://{host}/u/{name}")
        url = f"https://{host}/.well-known/webfinger?resource=acct:{name}@{host}"
        body = entry.get("body", "").replace("https://peer.test/u/carol", somebody.uri).encode()
        kind = entry["content_type"]
        play.world.serve(url, body or play.world.pages[url].body, content_type=kind)
        await look_up(play, f"@{name}@{host}")
        taken.append(not isinstance(play.known[f"@{name}@{host}"], PrivaPubError))
    assert taken[0] == taken[1], f"{entry}: judged otherwise at another host"
    if entry["ok"] in (True, False):
        assert taken[0] is entry["ok"], f"{entry}: {play.known[f'@c{number}@peer.test']!r}"


@OUTGOING.on(r"resolving (\S+) sends (\S+)")
async def resolving_sends(play: Play, address: str, query: str) -> None:
    await look_up(play, address)
    asked = [each.path for each in play.received(method="GET")]
    assert f"/.well-known/webfinger?{query}" in asked, asked


async def look_up(play: Play, what: str) -> None:
    """Somebody, or a post; who cannot be found is kept as the error that said so."""
    try:
        play.known[what] = await verbs.search(play.world, what)
    except PrivaPubError as error:
        play.known[what] = error


@DO.on(r"resolve (@?[^\s,]+), then (@?[^\s,]+)")
async def resolve_two(play: Play, first: str, second: str) -> None:
    if play.name == OTHER_WAY:
        first, second = second, first
    await look_up(play, first)
    await look_up(play, second)


@DO.on(r"resolve (https://\S+|@\S+)")
async def resolve(play: Play, what: str) -> None:
    await look_up(play, what)


@field("do")
async def act(play: Play, value: Any, due: list[Sentence]) -> None:
    del due
    for _, meaning in DO.read(later.trim(play.on.fill(value), play.waits)):
        await meaning(play)


@field(IN_WORDS)
async def in_words(play: Play, value: Any, due: list[Sentence]) -> None:
    """A variant that is one sentence."""
    del due
    for _, meaning in VARIANT.read(value):
        await meaning(play)


@field("content")
async def content(play: Play, value: Any, due: list[Sentence]) -> None:
    """HTML that came from elsewhere, as a post of carol's, of which alice is told."""
    del due
    carol = play.on.named("carol")
    await follows(play, "alice", "carol")
    await woken.listens(play, play.on.alice)
    await woken.hears_of(play, play.on.alice, await play.world.learnt(carol))
    written = note(carol, content=value, cc=[play.on.alice.uri])
    if tag := play.take("tag"):
        written["tag"] = [tag]
    activity = create(carol, written)
    play.notes.setdefault("activities", []).append(activity)
    answer = await play.world.post(play.on.alice.inbox, activity, by=carol)
    play.replies.append(Reply(0, answer.status, answer.body, answer.headers))
    await play.drain()


@field("local_posts")
async def local_posts(play: Play, value: Any, due: list[Sentence]) -> None:
    """Texts that are typed here, in every format there is; carol's server sees them."""
    del due
    await follows(play, "carol", "alice")
    play.forget_what_was_received()
    for typed in verbs.FORMATS:
        for text in value:
            found = await verbs.post(play.world, play.on.alice, text, "public", typed)
            play.notes.setdefault("typed", []).append((text, typed, found.uri))
    await play.drain()
